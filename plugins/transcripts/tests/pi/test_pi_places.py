"""Where sessions are looked for, and what a path says about lineage."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from starweaver_host.contract.errors import SourceError


def _items(source: Any, env: Any) -> list[Any]:
    return [item for root in source.roots(env) if root.exists for item in source.items(env, root)]


def test_default_roots_are_pi_and_its_relatives(tmp_path: Path, pi: Any, environment: Callable[..., Any]) -> None:
    """Pi, Oh My Pi and Prime write the same format into folders of their own."""
    home = tmp_path / "home"
    (home / ".omp" / "agent" / "sessions").mkdir(parents=True)

    roots = pi.roots(environment())

    assert [(root.path.relative_to(home).as_posix(), root.exists) for root in roots] == [
        (".pi/agent/sessions", False),
        (".omp/agent/sessions", True),
        (".prime/agent/sessions", False),
    ]


@pytest.mark.parametrize(
    ("variable", "value", "path"),
    [
        ("PI_CODING_AGENT_DIR", "{tmp}/agent", "agent/sessions"),
        ("PI_CODING_AGENT_DIR", "~/agent", "home/agent/sessions"),
        ("PI_CODING_AGENT_SESSION_DIR", "{tmp}/kept", "kept"),
        ("PI_SESSIONS_DIR", "~", "home"),
    ],
)
def test_variables_name_roots(
    variable: str, value: str, path: str, tmp_path: Path, pi: Any, environment: Callable[..., Any]
) -> None:
    """The agent folder holds `sessions`; the session folders are it themselves."""
    roots = pi.roots(environment(environ={variable: value.format(tmp=tmp_path)}))

    assert roots[0].path == tmp_path / path
    assert roots[0].reason == variable


def test_agent_folder_variable_replaces_the_default(tmp_path: Path, pi: Any, environment: Callable[..., Any]) -> None:
    """`PI_CODING_AGENT_DIR` moves Pi's folder, and not its relatives'."""
    roots = pi.roots(environment(environ={"PI_CODING_AGENT_DIR": str(tmp_path)}))

    assert [root.reason for root in roots] == ["PI_CODING_AGENT_DIR", "default", "default"]


def test_session_files_are_found_at_any_depth(
    tmp_path: Path, pi: Any, environment: Callable[..., Any], session_file: Any, e: Any
) -> None:
    """Session folders may have folders of their own; a configured root may be an agent's home."""
    one = session_file([e.header()])
    two = session_file([e.header()], folder="home/.pi/agent/sessions/--a--/deep/deeper", native="0e0e0e0e-two")
    three = session_file([e.header()], folder="backup/agent/sessions", native="0e0e0e0e-three")

    found = _items(pi, environment(tmp_path / "backup"))

    assert {item.path for item in found} == {one, two, three}
    assert len({item.key for item in found}) == 3


def test_file_keeps_its_key_when_it_is_moved(
    pi: Any, environment: Callable[..., Any], session_file: Any, e: Any
) -> None:
    """A file named by its session's id is the same item in another folder."""
    path = session_file([e.header()])
    (before,) = _items(pi, environment())
    moved = path.parent.parent / "--renamed--"
    moved.mkdir()
    path.rename(moved / path.name)

    (after,) = _items(pi, environment())

    assert (after.key, after.fingerprint) == (before.key, before.fingerprint)


def test_links_are_neither_listed_nor_followed_out_of_a_root(
    tmp_path: Path, pi: Any, environment: Callable[..., Any], session_file: Any, e: Any
) -> None:
    """A link in a session folder leads nowhere an importer goes."""
    path = session_file([e.header()])
    outside = tmp_path / "outside.jsonl"
    outside.write_bytes(path.read_bytes())
    link = path.with_name("linked.jsonl")
    link.symlink_to(outside)

    env = environment()
    (item,) = _items(pi, env)

    assert item.path == path
    with pytest.raises(SourceError, match="a link stands in the way"):
        list(pi.read(env, msgspec.structs.replace(item, path=link), None))


def test_session_in_another_ones_folder_is_its_subagent(
    pi: Any, read_item: Callable[..., Any], session_file: Any, e: Any, tmp_path: Path
) -> None:
    """Oh My Pi keeps the sessions of an agent's helpers in a folder called like the agent's session file."""
    owner = session_file([e.header("0f0f0f0f-owner")], native="0f0f0f0f-owner")
    helper = owner.with_suffix("") / "Explore.jsonl"
    helper.parent.mkdir()
    helper.write_bytes(session_file([e.header("helper"), e.user("Look")], native="0f0f0f0f-x").read_bytes())

    header = read_item(pi, helper, root=owner.parent).only.seen.header

    assert (header.session_id, header.origin) == ("pi:helper", "subagent")
    assert header.parent_session_id == "pi:0f0f0f0f-owner"


def test_file_without_a_header_goes_by_its_name(
    pi: Any, read_item: Callable[..., Any], session_file: Any, e: Any
) -> None:
    """A damaged first line costs the header, not the session."""
    path = session_file([e.user("A")])
    path.write_bytes(b"{damaged\n" + path.read_bytes())

    reading = read_item(pi, path)

    assert reading.only.seen.header.session_id == "pi:0c0c0c0c-1111-4222-8333-0000000000aa"
    assert reading.only.seen.header.cwd is None
    assert reading.only.said() == [("user", "A")]


def test_file_that_is_no_session_gives_none(pi: Any, read_item: Callable[..., Any], session_file: Any) -> None:
    """Other programs' lines in a session folder are skipped, counted and make no session."""
    reading = read_item(pi, session_file([[1], "x"]))

    assert reading.sessions == {}
    assert len(reading.skipped) == 2


def test_resume_command_names_the_session(pi: Any) -> None:
    """The command a person may paste resumes the session where it worked."""
    assert pi.resume_command("abc", None) == "pi --session abc"
    assert pi.resume_command("abc", "/srv/x y") == "cd '/srv/x y' && pi --session abc"
