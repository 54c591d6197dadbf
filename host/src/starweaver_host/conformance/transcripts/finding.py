"""Rules of finding: roots, items, and what a source must never do to them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import SourceEnvironment, SourceItem, SourceRoot, TranscriptSource

from .suite import Place, SourceSuite


class FindingRules(SourceSuite):
    """A source looks where it is told, and only looks."""

    def test_source_names_itself_and_its_reader(self, source: TranscriptSource) -> None:
        """A source has a name that can prefix ids, and a reader version from 1.

        If this fails: the name is lower case words with hyphens; it is in every session id.
        """
        words = source.name.split("-")

        assert isinstance(source, TranscriptSource)
        assert all(word.isascii() and word.isalnum() and word == word.lower() for word in words)
        assert source.reader_version >= 1

    def test_roots_are_looked_for_where_the_environment_says(self, source: TranscriptSource, tmp_path: Path) -> None:
        """Without variables every root lies in the home directory, and none is said to exist in an empty one.

        If this fails: the process's own home or environment is looked at instead of the given one.
        """
        env = SourceEnvironment(home=tmp_path, environ={})

        roots = source.roots(env)

        assert [str(root.path) for root in roots if not root.path.is_relative_to(tmp_path)] == []
        assert [str(root.path) for root in roots if root.exists] == []
        assert all(root.reason for root in roots)

    def test_added_root_is_looked_at(self, place: Place) -> None:
        """A root that a person added is looked at, itself or a folder of the tool in it, and is said to exist or not.

        If this fails: `extra_roots` is not looked at, or an absent one is left out instead of shown as absent.
        """
        absent = place.root.parent / "absent"
        env = SourceEnvironment(home=place.env.home, environ={}, extra_roots=(place.root, absent))

        roots = place.source.roots(env)

        assert {root.exists for root in roots if root.path.is_relative_to(place.root)} >= {True}
        assert {root.exists for root in roots if root.path.is_relative_to(absent)} == {False}

    def test_items_have_unique_keys_that_stay(self, place: Place) -> None:
        """Finding the same root again finds the same items: keys, fingerprints, times and sizes.

        If this fails: a key or fingerprint depends on something else than the item.
        """
        first, second = place.items(), place.items()
        keys = [item.key for item in first]

        assert first == second
        assert (len(keys) > 0, len(set(keys))) == (True, len(keys))

    def test_items_tell_their_time_and_size(self, place: Place) -> None:
        """`newest` is in microseconds and `size_bytes` is that of something.

        If this fails: imports come in the wrong order, and progress is meaningless.
        """
        for item in place.items():
            assert item.newest > 1_000_000_000_000_000
            assert item.size_bytes > 0

    def test_absent_root_cannot_be_listed(self, source: TranscriptSource, env: SourceEnvironment) -> None:
        """Listing a root that is not there raises SourceError.

        If this fails: a mistyped root looks like an empty one.
        """
        absent = SourceRoot(path=env.home / "absent", exists=False, reason="configured")

        with pytest.raises(SourceError):
            list(source.items(env, absent))

    def test_vanished_item_cannot_be_read(self, place: Place) -> None:
        """Reading an item that is gone raises SourceError.

        If this fails: another exception ends the whole import, or a vanished transcript looks like an empty one.
        """
        items = place.items()
        shutil.rmtree(place.root)

        for item in items:
            with pytest.raises(SourceError):
                place.read(item)

    def test_looking_and_reading_leave_the_source_as_it_was(self, place: Place) -> None:
        """No byte, time, name or mode of a source changes, and no file appears beside it.

        The shared memory of a SQLite database (`-shm`) that was there before may change: readers note in it what they
        read. If this fails: open read-only, also databases (`mode=ro`), and create no lock, journal or cache.
        """
        before = _snapshot(place.root)

        place.source.roots(place.env)
        place.read_all()
        place.source.resume_command("native", None)

        assert _snapshot(place.root) == before

    def test_link_to_a_folder_outside_is_not_followed(self, place: Place) -> None:
        """What a link in the root points to outside of it is not read.

        If this fails: a transcript folder could show any file of the machine to a search.
        """
        for number, root in enumerate(place.roots()):
            outside = place.root.with_name(f"outside{number}")
            root.path.rename(outside)
            root.path.mkdir()
            for entry in outside.iterdir():
                _link(root.path / entry.name, entry)

        assert _readable(place) == []

    def test_link_to_a_file_outside_is_not_followed(self, place: Place) -> None:
        """A file that is a link to one outside of the root is not read.

        If this fails: check the opened file, not its name; `O_NOFOLLOW` helps.
        """
        outside = place.root.with_name("outside")
        shutil.copytree(place.root, outside)
        for path in [path for path in place.root.rglob("*") if path.is_file()]:
            path.unlink()
            _link(path, outside / path.relative_to(place.root))

        assert _readable(place) == []


def _readable(place: Place) -> list[str]:
    """The sessions that can be read, where an unreadable root or item is nothing worse than unread."""
    found = []
    for item in _listed(place):
        try:
            steps = place.read(item)
        except SourceError:
            continue
        found += [repr(step) for step in steps if type(step).__name__ in ("SessionSeen", "EventsRead")]
    return found


def _listed(place: Place) -> list[SourceItem]:
    try:
        return place.items()
    except SourceError:
        return []


def _link(path: Path, target: Path) -> None:
    try:
        path.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        pytest.skip("this platform lets nobody make symbolic links")


def _snapshot(root: Path) -> list[tuple[str, int, int, bytes]]:
    """Name, mode, time and content of everything below a root; of shared memory name and mode only."""
    return [(str(path), path.stat().st_mode, *_written(path)) for path in sorted(root.rglob("*"))]


def _written(path: Path) -> tuple[int, bytes]:
    if path.name.endswith("-shm"):
        return 0, b""
    return path.stat().st_mtime_ns, path.read_bytes() if path.is_file() else b""


__all__ = ["FindingRules"]
