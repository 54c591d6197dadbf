"""Reads the project's Markdown: headings, anchors, links, tables and code blocks. Knows no rule about what they say."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


class Page:
    """One Markdown file. Code blocks are left out of everything but `blocks`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.text = path.read_text(encoding="utf-8")
        self.prose = _FENCE.sub("", self.text)

    @property
    def headings(self) -> list[str]:
        """The text of every heading, in order, inline markup as written."""
        return [match[2] for match in _HEADING.finditer(self.prose)]

    @property
    def anchors(self) -> set[str]:
        """What `#...` may name, by GitHub's rule; a repeated heading counts up."""
        found: set[str] = set()
        for heading in self.headings:
            slug = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower()).replace(" ", "-")
            number = next(n for n in range(1000) if (slug if n == 0 else f"{slug}-{n}") not in found)
            found.add(slug if number == 0 else f"{slug}-{number}")
        return found

    @property
    def links(self) -> list[str]:
        """Targets of links, as written."""
        return _LINK.findall(self.prose)

    def blocks(self, language: str) -> list[str]:
        """Contents of code blocks in a language."""
        return [body for name, body in _FENCE.findall(self.text) if name == language]

    def section(self, heading: str) -> str:
        """The text below a heading up to the next one of its level or above; KeyError when there is none."""
        found = next((match for match in _HEADING.finditer(self.text) if match[2] == heading), None)
        if found is None:
            raise KeyError(f"{self.path.name} has no heading {heading!r}")
        end = re.compile(rf"^#{{1,{len(found[1])}}} ", re.MULTILINE).search(self.text, found.end())
        return self.text[found.end() : None if end is None else end.start()]

    def rows(self, heading: str | None = None) -> dict[str, list[str]]:
        """Table rows by their first cell, without its backticks; of one section, or of the whole page."""
        text = self.prose if heading is None else self.section(heading)
        lines = [line for line in text.splitlines() if line.startswith("| `")]
        cells = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
        return {row[0].replace("`", ""): row[1:] for row in cells}


@pytest.fixture(scope="session")
def page() -> Callable[[str], Page]:
    """A page by its path below the project's folder."""
    return lambda name: Page(ROOT / name)


@pytest.fixture(scope="session")
def all_pages() -> list[Page]:
    """Every page of the documentation."""
    return [Page(path) for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]]


class Person:
    """Somebody with an empty home folder and `sw` on the path; times are UTC, output is unbuffered."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environ = {
            "HOME": str(home),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
        }

    def run(self, *command: str, text: str | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command in the home folder; standard error goes its own way."""
        return subprocess.run(
            command, env=self.environ, cwd=self.home, input=text, capture_output=True, text=True, check=False
        )

    def sw(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run `sw`."""
        return self.run(sys.executable, "-c", "from starweaver_cli.main import console; console()", *arguments)


@pytest.fixture(scope="session")
def new_person(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Person]:
    """Makes people, each with a home of their own."""
    return lambda: Person(tmp_path_factory.mktemp("home"))
