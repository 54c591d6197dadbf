"""On which line a key stands. Used only to say where an error is: the standard parser keeps no positions.

Reads TOML that the parser accepted, so it checks nothing; it only has to skip strings, comments and nested values.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

_BARE = r"[A-Za-z0-9_-]+"
_TRIPLE = ('"""', "'''")
Path = tuple[str | int, ...]


def find_line(lines: Mapping[Path, int], path: Sequence[str | int]) -> int | None:
    """The 1-based line of a key, table or list element (last path item an index), or None when it is not there.

    A key inside an inline table has the line of the nearest key around it that starts a line.
    """
    for length in range(len(path), 0, -1):
        found = lines.get(tuple(path[:length]))
        if found is not None:
            return found
    return None


def index_lines(text: str) -> dict[Path, int]:
    """Line of every key and table and list element, first mention first."""
    found: dict[Path, int] = {}
    line, at = 1, 0
    for path, offset in _Scanner(text).run():
        line, at = line + text.count("\n", at, offset), offset
        for length in range(1, len(path) + 1):
            found.setdefault(path[:length], line)
    return found


class _Scanner:
    """Walks the statements of a document; `at` is the offset of the next character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.counts: dict[Path, int] = {}

    def run(self) -> Iterator[tuple[Path, int]]:
        """Yield (path, offset) of each table header, key and list element."""
        table: Path = ()
        while self._skip_blank(newlines=True):
            start = self.at
            if self.text.startswith("[", self.at):
                table = self._header()
                yield table, start
            else:
                path = (*table, *self._key())
                yield path, start
                self.at += 1  # the equals sign
                self._skip_blank()
                yield from self._value(path)

    def _header(self) -> Path:
        repeated = self.text.startswith("[[", self.at)
        self.at += 2 if repeated else 1
        keys = self._key()
        self.at += 2 if repeated else 1
        if repeated:
            index = self.counts[keys] = self.counts.get(keys, -1) + 1
            return (*keys, index)
        return keys

    def _key(self) -> Path:
        parts: list[str | int] = []
        while True:
            self._skip_blank()
            parts.append(self._key_part())
            self._skip_blank()
            if not self.text.startswith(".", self.at):
                return tuple(parts)
            self.at += 1

    def _key_part(self) -> str:
        start = self.at
        if self.text[start] in "\"'":
            self._string()
            raw = self.text[start + 1 : self.at - 1]
            return raw if self.text[start] == "'" else _unescape(raw)
        match = re.compile(_BARE).match(self.text, start)
        self.at = match.end() if match else start + 1
        return self.text[start : self.at]

    def _value(self, path: Path) -> Iterator[tuple[Path, int]]:
        """Skip a value; elements of an outermost list are yielded."""
        depth, element, listed = 0, 0, self.text.startswith("[", self.at)
        fresh = False
        while self.at < len(self.text):
            char = self.text[self.at]
            if depth == 0 and char in "\r\n#":
                return
            if listed and fresh and char not in " \t\r\n],#":
                yield (*path, element), self.at
                fresh = False
            if char in "\"'":
                self._string()
                continue
            if char == "#":
                self._comment()
                continue
            depth += (char in "[{") - (char in "]}")
            if depth == 1 and char in "[,":
                element, fresh = (element + 1 if char == "," else 0), True
            self.at += 1

    def _string(self) -> None:
        quote = self.text[self.at : self.at + 3]
        delimiter = quote if quote in _TRIPLE else quote[0]
        self.at += len(delimiter)
        while self.at < len(self.text) and not self.text.startswith(delimiter, self.at):
            self.at += 2 if delimiter[0] == '"' and self.text[self.at] == "\\" else 1
        self.at += len(delimiter)
        while len(delimiter) == 3 and self.text.startswith(delimiter[0], self.at):
            self.at += 1  # up to two quotes may stand before the closing three

    def _comment(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end

    def _skip_blank(self, *, newlines: bool = False) -> bool:
        """Skip spaces (and line ends and comments); tell whether anything is left."""
        while self.at < len(self.text):
            char = self.text[self.at]
            if newlines and char == "#":
                self._comment()
            elif char in " \t" or (newlines and char in "\r\n"):
                self.at += 1
            else:
                return True
        return False


def _unescape(raw: str) -> str:
    import tomllib

    return str(tomllib.loads(f'key = "{raw}"')["key"]) if "\\" in raw else raw


__all__ = ["find_line", "index_lines"]
