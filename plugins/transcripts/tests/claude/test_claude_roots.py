"""Where transcripts are looked for, and what is said about the places."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import SourceRoot


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def _projects(folder: Path) -> Path:
    (folder / "projects").mkdir(parents=True)
    return folder / "projects"


def test_default_roots_are_listed_whether_they_exist_or_not(environment, idle, home):
    """Both default places are shown, so that a person sees where was looked."""
    claude = _projects(home / ".claude")

    roots = idle.roots(environment())

    assert [(root.path, root.exists) for root in roots] == [
        (claude, True),
        (home / ".config" / "claude-code" / "projects", False),
    ]


def test_config_variable_may_name_several_folders(environment, idle, home, tmp_path):
    """`CLAUDE_CONFIG_DIR` may hold paths separated by commas or the path separator, `~` included."""
    value = f"{tmp_path / 'one'},~/two{os.pathsep}{tmp_path / 'three'}"

    roots = idle.roots(environment(environ={"CLAUDE_CONFIG_DIR": value}))

    assert [root.path for root in roots if root.reason == "CLAUDE_CONFIG_DIR"] == [
        tmp_path / "one" / "projects",
        home / "two" / "projects",
        tmp_path / "three" / "projects",
    ]


def test_xdg_folder_is_a_root(environment, idle, home, tmp_path):
    """`XDG_CONFIG_HOME/claude-code` is looked at under its own reason."""
    _projects(tmp_path / "xdg" / "claude-code")

    roots = idle.roots(environment(environ={"XDG_CONFIG_HOME": str(tmp_path / "xdg")}))

    assert (tmp_path / "xdg" / "claude-code" / "projects", "XDG_CONFIG_HOME", True) in [
        (root.path, root.reason, root.exists) for root in roots
    ]


def test_configured_root_may_be_any_folder(environment, idle, home, tmp_path):
    """A root a person adds is a configuration folder or any folder with transcripts."""
    (tmp_path / "plain").mkdir()
    projects = _projects(tmp_path / "profile")

    roots = idle.roots(environment(tmp_path / "plain", tmp_path / "profile"))

    assert [root.path for root in roots if root.reason == "configured"] == [tmp_path / "plain", projects]


def test_desktop_sessions_are_roots_where_they_exist(environment, idle, home):
    """Claude Desktop keeps a configuration folder per session."""
    base = home / "Library/Application Support/Claude/local-agent-mode-sessions/org/local_1/.claude"
    projects = _projects(base)

    assert projects in [root.path for root in idle.roots(environment()) if root.reason == "Claude Desktop"]


@pytest.mark.parametrize(
    ("settings", "warning"),
    [
        (None, "Claude Code deletes transcripts here after 30 days (cleanupPeriodDays)"),
        ("{}", "Claude Code deletes transcripts here after 30 days (cleanupPeriodDays)"),
        ('{"cleanupPeriodDays": 7}', "Claude Code deletes transcripts here after 7 days (cleanupPeriodDays)"),
        ('{"cleanupPeriodDays": 99999}', None),
        ("not json", "Claude Code deletes transcripts here after 30 days (cleanupPeriodDays)"),
    ],
)
def test_retention_is_warned_about(settings, warning, environment, idle, home):
    """A root says when the tool will delete what is in it."""
    _projects(home / ".claude")
    if settings is not None:
        (home / ".claude" / "settings.json").write_text(settings)

    assert idle.roots(environment())[0].warning == warning


def test_items_are_session_files_below_the_root(environment, idle, home):
    """Every session and subagent file is an item, at any depth; journals and side files are not."""
    root = _projects(home / ".claude")
    for name in (
        "p/a.jsonl",
        "p/a/subagents/agent-1.jsonl",
        "p/a/subagents/w/journal.jsonl",
        "p/a.json",
        "p/notes.txt",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")

    items = list(idle.items(environment(), idle.roots(environment())[0]))

    assert sorted(str(item.path.relative_to(root)) for item in items) == ["p/a.jsonl", "p/a/subagents/agent-1.jsonl"]


def test_links_are_not_followed(environment, idle, home, tmp_path):
    """Neither a linked file nor a linked folder leads out of the root."""
    root = _projects(home / ".claude")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.jsonl").write_text("{}")
    (root / "link.jsonl").symlink_to(tmp_path / "outside" / "secret.jsonl")
    (root / "folder").symlink_to(tmp_path / "outside")

    assert list(idle.items(environment(), idle.roots(environment())[0])) == []


def test_root_that_is_no_folder_is_an_error(environment, idle, home):
    """A root that cannot be listed says so."""
    with pytest.raises(SourceError, match="cannot be listed"):
        list(idle.items(environment(), SourceRoot(path=home / "nowhere", exists=True, reason="configured")))


def test_vanished_item_is_an_error(environment, idle, home):
    """A file that was deleted between listing and reading is the item's error."""
    root = _projects(home / ".claude")
    (root / "a.jsonl").write_text("{}")
    (item,) = idle.items(environment(), idle.roots(environment())[0])
    item.path.unlink()

    with pytest.raises(SourceError, match="cannot be opened"):
        list(idle.read(environment(), item, None))


def test_fingerprint_changes_with_the_file(environment, idle, home):
    """An item's fingerprint is its file's size, time and inode."""
    root = _projects(home / ".claude")
    (root / "a.jsonl").write_text("{}")
    (before,) = idle.items(environment(), idle.roots(environment())[0])
    (root / "a.jsonl").write_text("{} ")
    (after,) = idle.items(environment(), idle.roots(environment())[0])

    assert before.key == after.key
    assert before.fingerprint != after.fingerprint


def test_resume_command_goes_to_the_folder(idle):
    """A session is resumed in the folder it ran in; a subagent cannot be resumed."""
    assert idle.resume_command("abc", "/home/dev/my project") == "cd '/home/dev/my project' && claude --resume abc"
    assert idle.resume_command("abc", None) == "claude --resume abc"
    assert idle.resume_command("agent-1", "/tmp") is None


def test_folder_that_became_a_link_after_the_listing_is_not_read(environment, idle, home):
    """What a folder was replaced by lies outside the root, whatever its name: the item is refused."""
    env = environment()
    projects = _projects(home / ".claude")
    for folder, text in ((projects / "p", "ours"), (home / "elsewhere", "secret")):
        folder.mkdir()
        (folder / "s.jsonl").write_text(f'{{"type":"user","message":{{"role":"user","content":"{text}"}}}}\n')
    (item,) = idle.items(env, idle.roots(env)[0])
    (projects / "p").rename(home / "moved")
    (projects / "p").symlink_to(home / "elsewhere")

    with pytest.raises(SourceError, match="link stands in the way"):
        list(idle.read(env, item, None))
