"""A title for a session that has none: its first human prompt on one line.

Tools wrap prompts in elements of their own (`<system-reminder>`, `<environment_context>`): a name with a dash or an
underscore. They are left out; a slash command is shown as it was typed. Not for titles somebody set.
"""

from __future__ import annotations

import re

from .graphemes import cut_before
from .snippets import safe_line

TITLE_LENGTH = 80
"""Most code points of a title made here."""

_READ = 65536  # code points of the prompt that are looked at; injected context can be long
_LINE_BYTES = 8 * TITLE_LENGTH  # more than a title takes, so that `_cut` sees whether there is more
_WRAPPER = re.compile(r"<([A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)+)(?:\s[^<>]*)?>")
_COMMAND = re.compile(r"<command-(name|args)>([^<]*)</command-\1>")
_MARKUP = re.compile(r"^(?:#{1,6}|[>*-]|```\w*)\s+")


def title_from_prompt(text: str) -> str:
    """Return at most 80 code points of `text`, cut at a word where there is one.

    Empty when tools wrote all of it: the next prompt may have more to say.
    """
    text = text[:_READ]
    line = _line(_command(text)) or _line(_without_wrappers(text))
    return _cut(_MARKUP.sub("", line))


def _line(text: str) -> str:
    return safe_line(text, _LINE_BYTES)


def _command(text: str) -> str:
    found = dict(_COMMAND.findall(text)) if "<command-name>" in text else {}
    return f"{found['name']} {found.get('args', '')}" if found.get("name", "").strip() else ""


def _without_wrappers(text: str) -> str:
    kept: list[str] = []
    place = 0
    unclosed: set[str] = set()
    for opening in _WRAPPER.finditer(text):
        name = opening[1]
        if opening.start() < place or name in unclosed:
            continue
        closing = text.find(f"</{name}>", opening.end())
        if closing < 0:
            unclosed.add(name)
            continue
        kept.append(text[place : opening.start()])
        place = closing + len(name) + 3
    return " ".join([*kept, text[place:]])


def _cut(line: str) -> str:
    if len(line) <= TITLE_LENGTH:
        return line
    room = TITLE_LENGTH - 1
    space = line.rfind(" ", room // 2, room + 1)
    cut = space if space > 0 else cut_before(line, room, least=1)
    return line[:cut].rstrip(" ,;:") + "…"


__all__ = ["TITLE_LENGTH", "title_from_prompt"]
