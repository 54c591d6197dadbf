"""Opaque cursors: bytes sealed with HMAC-SHA256 under a key that lives with the store.

For every paged operation that hands a position to a caller. Not for what a position means: the payload belongs to the
operation (`search_cursor` for search). A cursor proves who made it and hides nothing secret, so a payload holds hashes
and times, never text or ids.
"""

from __future__ import annotations

CURSOR_MAX_LENGTH = 2048
"""Longest cursor, in characters."""
_TAG_BYTES = 32
_TO_URL = bytes.maketrans(b"+/", b"-_")
_FROM_URL = bytes.maketrans(b"-_", b"+/")


class CursorInvalid(ValueError):  # noqa: N818 - named by the state, as the error codes are
    """A cursor is malformed, altered, or sealed under another key. The text never repeats the cursor."""


class CursorCodec:
    """Seals payloads as `<prefix>.<base64url>` and opens only what it sealed.

    `key` is the store's cursor key, at least 16 bytes. The prefix is authenticated too: a cursor of one operation is
    no cursor of another.
    """

    def __init__(self, key: bytes, *, prefix: str = "ssc1") -> None:
        if len(key) < 16:
            raise ValueError(f"cursor key must have at least 16 bytes, found {len(key)}")
        self._key = key
        self._head = f"{prefix}."

    @property
    def capacity(self) -> int:
        """Most bytes of a payload."""
        return (CURSOR_MAX_LENGTH - len(self._head)) * 3 // 4 - _TAG_BYTES

    def seal(self, payload: bytes) -> str:
        """Return the cursor of `payload`; raises ValueError when it would pass CURSOR_MAX_LENGTH."""
        body = _encoded(self._tag(payload) + payload)
        if len(self._head) + len(body) > CURSOR_MAX_LENGTH:
            raise ValueError(f"cursor must not pass {CURSOR_MAX_LENGTH} characters, payload has {len(payload)} bytes")
        return self._head + body

    def open(self, cursor: str) -> bytes:
        """Return the payload; raises CursorInvalid. Constant-time comparison; reads nothing."""
        import hmac

        data = self._decode(cursor)
        tag, payload = data[:_TAG_BYTES], data[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(payload)):
            raise CursorInvalid("cursor was altered or made by another store")
        return payload

    def _tag(self, payload: bytes) -> bytes:
        import hmac  # OpenSSL; most pages have no cursor

        return hmac.digest(self._key, self._head.encode("ascii") + b"\0" + payload, "sha256")

    def _decode(self, cursor: str) -> bytes:
        if len(cursor) > CURSOR_MAX_LENGTH:
            raise CursorInvalid(f"cursor must not pass {CURSOR_MAX_LENGTH} characters, found {len(cursor)}")
        if not cursor.startswith(self._head) or not cursor.isascii():
            raise CursorInvalid(f"cursor must begin with {self._head!r}")
        body = cursor[len(self._head) :]
        try:
            data = _decoded(body)
        except ValueError:
            raise CursorInvalid("cursor is not base64url") from None
        if _encoded(data) != body:
            raise CursorInvalid("cursor is not base64url")
        return data


def _encoded(data: bytes) -> str:
    """Base64url without padding. Not by `base64`, whose import costs a page with a cursor more than the cursor."""
    import binascii

    return binascii.b2a_base64(data, newline=False).translate(_TO_URL).rstrip(b"=").decode("ascii")


def _decoded(body: str) -> bytes:
    """The bytes of a base64url text; ValueError for some that is none, not for all: encode again and compare."""
    import binascii

    return binascii.a2b_base64((body + "=" * (-len(body) % 4)).encode("ascii").translate(_FROM_URL))


__all__ = ["CURSOR_MAX_LENGTH", "CursorCodec", "CursorInvalid"]
