"""A tool's folder that may not be looked into costs that tool's root and nothing else."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import SourceEnvironment
from starweaver_transcripts.claude.source import ClaudeSource
from starweaver_transcripts.codex.source import CodexSource
from starweaver_transcripts.gemini.source import GeminiSource
from starweaver_transcripts.opencode.source import OpenCodeSource
from starweaver_transcripts.pi.source import PiSource

SOURCES = [
    (ClaudeSource, ".claude"),
    (CodexSource, ".codex"),
    (GeminiSource, ".gemini"),
    (OpenCodeSource, ".local/share/opencode"),
    (PiSource, ".pi"),
]


@pytest.fixture
def locked(tmp_path, monkeypatch):
    """A function that makes a folder look as the system shows it to those who may not enter."""

    def lock(folder):
        folder.mkdir(parents=True)
        for name in ("stat", "scandir", "lstat"):
            monkeypatch.setattr(os, name, _refusing(getattr(os, name), folder))

    return lock


def _refusing(original, folder):
    def refusing(path=".", *args, **kwargs):
        within = not isinstance(path, int) and folder in Path(os.fsdecode(path)).parents
        if within or (original.__name__ == "scandir" and Path(os.fsdecode(path)) == folder):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return original(path, *args, **kwargs)

    return refusing


@pytest.mark.parametrize(("make", "name"), SOURCES, ids=[name for _, name in SOURCES])
def test_folder_that_may_not_be_entered_is_a_root_that_says_so(make, name, tmp_path, locked):
    """Its roots are told as existing, and listing them raises the reason instead of finding nothing."""
    locked(tmp_path / name)
    env = SourceEnvironment(home=tmp_path, environ={})
    source = make()

    refused = [root for root in source.roots(env) if root.exists]

    assert refused
    for root in refused:
        with pytest.raises(SourceError, match="Permission denied"):
            list(source.items(env, root))
