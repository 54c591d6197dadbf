"""A home directory with transcripts of our own, and `sw` run in it as a person would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Ran(NamedTuple):
    """What one call of `sw` did."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """Standard output as one JSON value."""
        return json.loads(self.out)

    def lines(self) -> list[Any]:
        """Standard output as JSON Lines."""
        return [json.loads(line) for line in self.out.splitlines()]


class Home:
    """A home directory: writes transcripts, runs `sw`, starts it in the background."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.path.mkdir()

    @property
    def environ(self) -> dict[str, str]:
        """The environment of a fresh login: nothing of the machine's own agents."""
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        return {**kept, "HOME": str(self.path), "TZ": "UTC", "PYTHONUTF8": "1"}

    @property
    def database(self) -> Path:
        """The store's file."""
        return self.path / ".local/share/starweaver/starweaver.sqlite3"

    def sw(self, *arguments: str, cwd: Path | None = None, environ: Mapping[str, str] | None = None) -> Ran:
        """Run `sw` to its end, piped."""
        done = subprocess.run(
            [sys.executable, "-m", "starweaver_cli", *arguments],
            env={**self.environ, **(environ or {})},
            cwd=cwd or self.path,
            capture_output=True,
            text=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start `sw` and let it run."""
        return subprocess.Popen(
            [sys.executable, "-m", "starweaver_cli", *arguments],
            env=self.environ,
            cwd=self.path,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def configure(self, text: str) -> None:
        """Write `cli.toml`."""
        file = self.path / ".config/starweaver/cli.toml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def claude(
        self, session: str, *turns: tuple[str, str], day: int = 1, cwd: str = "/src/app", subagent_of: str | None = None
    ) -> Path:
        """Write a Claude Code transcript of (prompt, answer) turns; returns its file."""
        folder = self.path / ".claude/projects" / cwd.replace("/", "-")
        path = folder / f"{session}.jsonl"
        if subagent_of is not None:
            path = folder / subagent_of / "subagents" / f"agent-{session}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = list(_claude_rows(subagent_of or session, turns, day, cwd, agent=session if subagent_of else None))
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
        return path


def _claude_rows(session: str, turns: tuple[tuple[str, str], ...], day: int, cwd: str, agent: str | None) -> Any:
    parent = None
    for number, (prompt, answer) in enumerate(turns):
        base = {"isSidechain": agent is not None, "cwd": cwd, "sessionId": session, "version": "2.1.40"}
        base |= {"userType": "external", **({"agentId": agent} if agent else {})}
        prefix = agent or session
        ids = (f"{prefix}-u{number}", f"{prefix}-a{number}")
        times = [f"2026-10-{day:02d}T10:{number:02d}:{second:02d}.000Z" for second in (0, 30)]
        asked = {"type": "user", "message": {"role": "user", "content": prompt}}
        message = {"id": f"msg_{ids[1]}", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5"}
        message |= {"content": [{"type": "text", "text": answer}], "stop_reason": "end_turn"}
        message |= {"usage": {"input_tokens": 1, "output_tokens": 1}}
        said = {"type": "assistant", "message": message, "requestId": f"req_{ids[1]}"}
        yield {**base, **asked, "parentUuid": parent, "uuid": ids[0], "timestamp": times[0]}
        yield {**base, **said, "parentUuid": ids[0], "uuid": ids[1], "timestamp": times[1]}
        parent = ids[1]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home directory."""
    return Home(tmp_path / "home")


@pytest.fixture
def two_sessions(home: Home) -> Home:
    """Two sessions of one turn each, both about tokens; the second is newer."""
    home.claude("s-one", ("rotate the refresh token", "The token is rotated."), day=1)
    home.claude("s-two", ("refresh fails with [value]* in the log", "Escaped. --hidden-option was not it."), day=2)
    return home


@pytest.fixture
def settled() -> Callable[[Home], Home]:
    """Import everything, so that what follows reads a store at rest."""

    def settle(home: Home) -> Home:
        done = home.sw("session", "import")
        assert done.status == 0, done.err
        return home

    return settle
