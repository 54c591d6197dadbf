"""Compressed rollouts: read while they are unpacked, never twice, and reported where nothing can unpack them."""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from starweaver_host.conformance.context import ManualClock
from starweaver_host.conformance.memory_store import MemorySessionStore
from starweaver_host.contract.records import AccessScope
from starweaver_host.runtime import inline_offload
from starweaver_host.services.importing import ImportService
from starweaver_host.services.importing_survey import ConfiguredSource
from starweaver_transcripts.codex import streams

_MODULES = ("compression.zstd", "backports.zstd", "zstandard")


@pytest.fixture
def pack(compress: Any) -> Callable[[Path], Path]:
    """Replaces a rollout by its compressed form, as Codex does: the times stay."""

    def replace(path: Path) -> Path:
        packed = path.with_name(path.name + ".zst")
        packed.write_bytes(compress(path.read_bytes()))
        times = path.stat()
        os.utime(packed, ns=(times.st_atime_ns, times.st_mtime_ns))
        path.unlink()
        return packed

    return replace


@pytest.fixture
def no_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hides every zstd library."""
    for name in _MODULES:
        monkeypatch.setitem(sys.modules, name, None)


def test_compressed_rollout_reads_like_the_plain_one(
    w: Any, rollout: Any, read_item: Callable[..., Any], source: Any, pack: Any
) -> None:
    """Compression changes nothing about a session."""
    path = rollout([w.meta(), w.typed("Grind"), w.said("Ground" * 50_000)])
    plain = read_item(source, path)

    packed = read_item(source, pack(path))

    assert packed.only.events == plain.only.events
    assert packed.only.seen == plain.only.seen
    assert packed.done.state == plain.done.state


def test_rollout_compressed_after_its_reading_is_not_read_again(
    w: Any, rollout: Any, read_item: Callable[..., Any], source: Any, pack: Any
) -> None:
    """The item stays the same one, and what was read is recognised inside the compressed file."""
    path = rollout([w.meta(), w.typed("Grind"), w.said("Ground")])
    first = read_item(source, path)

    again = read_item(source, pack(path), state=first.done.state)

    assert again.only.modes == ["append"]
    assert again.only.events == []


def test_rollout_unpacked_to_be_resumed_goes_on(
    w: Any, rollout: Any, read_item: Callable[..., Any], source: Any, pack: Any
) -> None:
    """Codex unpacks a rollout when it is resumed; only what is new is read."""
    rows = [w.meta(), w.typed("Grind"), w.said("Ground")]
    first = read_item(source, pack(rollout(rows)))
    path = rollout([*rows, w.typed("Sieve"), w.said("Sieved")])

    again = read_item(source, path, state=first.done.state)

    assert again.only.modes == ["append"]
    assert [line[1] for line in again.only.said()] == ["Sieve", "Sieved"]


def test_without_a_decompressor_the_rollout_is_reported_and_left(
    w: Any, rollout: Any, read_item: Any, source: Any, pack: Any, no_modules: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was seen but not read is said, and its fingerprint changes once it can be read."""
    packed = pack(rollout([w.meta(), w.typed("Grind")]))
    monkeypatch.setenv("PATH", str(packed.parent))

    reading = read_item(source, packed)

    assert reading.sessions == {}
    assert (reading.done.complete, reading.done.note) == (False, streams.NOT_READ)


def test_fingerprint_changes_when_a_decompressor_appears(
    w: Any, rollout: Any, source: Any, environment: Any, pack: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An item that could not be unpacked becomes due again by itself."""
    pack(rollout([w.meta()]))
    env = environment()
    root = source.roots(env)[0]
    (with_one,) = source.items(env, root)
    for name in _MODULES:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setenv("PATH", "")

    (without,) = source.items(env, root)

    assert with_one.fingerprint != without.fingerprint
    assert with_one.key == without.key


@pytest.mark.parametrize("name", _MODULES)
def test_each_installed_library_unpacks(
    name: str, w: Any, rollout: Any, read_item: Any, source: Any, pack: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Any one of the libraries is enough; one that is not installed here is stood in for by another's functions."""
    packed = pack(rollout([w.meta(), w.typed("Grind")]))
    library = _library(name)
    for other in _MODULES:
        monkeypatch.setitem(sys.modules, other, library if other == name else None)
    monkeypatch.setenv("PATH", "")

    assert read_item(source, packed).only.said() == [("user", "Grind")]


def test_zstd_program_unpacks_where_no_library_is_installed(
    w: Any, rollout: Any, read_item: Any, source: Any, no_modules: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program gets the file on its standard input and its output is read as it comes."""
    path = rollout([w.meta(), w.typed("Grind")])
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(path.read_bytes())
    path.unlink()
    _program(tmp_path / "bin", "cat", monkeypatch)

    assert read_item(source, packed).only.said() == [("user", "Grind")]


def test_failing_program_ends_the_reading_where_the_damage_is(
    w: Any, rollout: Any, read_item: Any, source: Any, no_modules: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came before the damage is kept, and the item says that it was cut."""
    path = rollout([w.meta(), w.typed("Grind")])
    packed = path.with_name(path.name + ".zst")
    packed.write_bytes(path.read_bytes())
    path.unlink()
    _program(tmp_path / "bin", "cat; exit 1", monkeypatch)

    reading = read_item(source, packed)

    assert reading.only.said() == [("user", "Grind")]
    assert reading.done.note is not None
    assert "damaged" in reading.done.note


def test_damaged_frame_keeps_what_was_readable(w: Any, rollout: Any, read_item: Any, source: Any, pack: Any) -> None:
    """A compressed rollout cut in its last frame gives the frames before."""
    first = [w.meta(), w.typed("Grind"), w.said("Ground")]
    packed = pack(rollout(first))
    whole = packed.read_bytes()
    rest = pack(rollout([w.typed("Sieve" * 1000)])).read_bytes()
    packed.write_bytes(whole + rest[: len(rest) // 2])

    reading = read_item(source, packed)

    assert reading.only.said() == [("user", "Grind"), ("assistant", "Ground")]
    assert reading.done.note is not None


def test_compressing_a_rollout_between_imports_changes_nothing_stored(
    w: Any, rollout: Any, source: Any, environment: Any, pack: Any
) -> None:
    """One session, one incarnation, the same events, whatever form its file has."""
    path = rollout([w.meta(), w.typed("Grind"), w.said("Ground")])
    store = MemorySessionStore(clock=ManualClock())
    service = ImportService(
        store, [ConfiguredSource(source, environment())], clock=ManualClock(), offload=inline_offload
    )

    async def sessions() -> Any:
        await service.run()
        return (await store.get_sessions(AccessScope(), ["codex:019b0000-0000-7000-8000-0000000000aa"]))[0]

    before = asyncio.run(sessions())
    pack(path)
    after = asyncio.run(sessions())

    assert after == before
    assert after.next_seq == 3


def _library(name: str) -> Any:
    """The library itself, or its interface made of one that is installed."""
    for found in (name, *_MODULES):
        try:
            library = importlib.import_module(found)
        except ImportError:
            continue
        if found == name or name != "zstandard":
            return library
        return SimpleNamespace(ZstdDecompressor=partial(_Decompressor, library))
    raise AssertionError("these tests need zstd: install starweaver-transcripts[zstd]")


class _Decompressor:
    """The part of `zstandard` that is used, over the library that is installed."""

    def __init__(self, library: Any) -> None:
        self._library = library

    def stream_reader(self, handle: Any, *, read_across_frames: bool) -> Any:
        assert read_across_frames
        return self._library.open(handle)


def _program(folder: Path, script: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.mkdir()
    program = folder / "zstd"
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
