"""From what a person typed to the one session they meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starweaver_host.contract.errors import StarweaverError, StoreError

if TYPE_CHECKING:
    from .opened import Opened


class AmbiguousSessionError(StarweaverError):
    """A prefix that begins more than one session id."""

    code = "ambiguous"


async def resolve_session(opened: Opened, text: str, *, include_deleted: bool = False) -> str:
    """The id `text` means: an exact id, or a unique prefix of an id or native id.

    Raises StoreError `not_found`, or AmbiguousSessionError listing candidates.
    """
    from .options import as_text

    text = as_text(text)
    found = await opened.store.resolve_session(opened.access(include_deleted=include_deleted), text, limit=6)
    if not found:
        raise StoreError("not_found", f"no session is or begins with {text!r}", hint="see `sw session list`")
    if len(found) > 1:
        listed = ", ".join(found[:5]) + (", ..." if len(found) > 5 else "")
        raise AmbiguousSessionError(f"{text!r} begins more than one session: {listed}", hint="give more of the id")
    return found[0]


__all__ = ["AmbiguousSessionError", "resolve_session"]
