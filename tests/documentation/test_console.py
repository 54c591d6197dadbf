"""What the pages show of a terminal is what a person sees: the commands run, and print what is printed."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

HOME = "/home/you"
_MARK = "\x1e"


def transcript(blocks: list[str]) -> Iterator[tuple[str, str]]:
    """Commands and what they print, from console blocks."""
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.rstrip()


def run(person, commands: list[str]) -> list[str]:
    """What each command prints, one shell for all of them, standard error among standard output."""
    script = "exec 2>&1\n" + "".join(f"{command}\nprintf '\\036'\n" for command in commands)
    printed = person.run("sh", "-c", script).stdout.replace(str(person.home), HOME).split(_MARK)
    return [text.rstrip() for text in printed[:-1]]


def pattern(shown: str) -> re.Pattern[str]:
    """The shown text as a pattern: an ellipsis stands for the rest of what differs from time to time."""
    return re.compile(".*".join(map(re.escape, shown.split("…"))))


@pytest.mark.parametrize("name", ["docs/tutorial.md", "docs/how-to/back-up-and-move.md"])
def test_console_blocks_print_what_they_show(page, new_person, name: str) -> None:
    """The console blocks of a page, run in order in an empty home folder, print what the page shows."""
    shown = list(transcript(page(name).blocks("console")))
    printed = run(new_person(), [command for command, _ in shown])

    assert len(shown) == len(printed)
    for (command, wanted), found in zip(shown, printed, strict=True):
        assert pattern(wanted).fullmatch(found), f"$ {command}\n{found}"


def test_readme_shows_a_search_as_it_is(page, new_person) -> None:
    """The search that the project's front page shows finds what it shows, in the same words."""
    ((command, wanted),) = transcript(page("README.md").blocks("console"))
    (found,) = run(new_person(), [f"TZ=CET-1CEST,M3.5.0,M10.5.0/3 {command}"])

    assert found.partition("\n")[2] == wanted


def test_refused_start_prints_what_the_page_shows(page, new_person) -> None:
    """The report of a product that cannot start is shown as it is printed for the file it speaks of."""
    person = new_person()
    file = person.home / ".config" / "starweaver" / "cli.toml"
    file.parent.mkdir(parents=True)
    file.write_text('plugins = ["sqlite-store", "transcripts", "local-search", "fts-search"]\n\n[search]\nlimt = 20\n')
    ((command, wanted),) = transcript(page("docs/explanation/house.md").blocks("console"))

    assert run(person, [command]) == [wanted]
