"""Page tokens of `sw session list`: the keyset position, encoded so that nobody is tempted to edit it.

Not a secret: the token grants nothing, it only says where to go on.
"""

from __future__ import annotations

import base64
import json

from starweaver_host.contract.errors import UsageError


def encode_token(after: tuple[int, str] | None) -> str | None:
    """A token of a keyset position, None for none."""
    if after is None:
        return None
    return base64.urlsafe_b64encode(json.dumps(after).encode()).decode().rstrip("=")


def decode_token(token: str | None) -> tuple[int, str] | None:
    """The keyset position of a token; UsageError when it is not one."""
    if token is None:
        return None
    try:
        decoded = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except ValueError:
        raise _refused() from None
    if type(decoded) is not list or [type(part) for part in decoded] != [int, str]:
        raise _refused()
    return decoded[0], decoded[1]


def _refused() -> UsageError:
    return UsageError("--after is not a token of `sw session list`", hint="use the token as it was printed")


__all__ = ["decode_token", "encode_token"]
