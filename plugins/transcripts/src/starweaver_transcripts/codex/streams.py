"""Opening a rollout, plain or compressed. A compressed one is unpacked while it is read, never to disk.

Decompressors, in order: the standard library's (Python 3.14), `backports.zstd`, `zstandard`, the `zstd` program.
"""

from __future__ import annotations

import importlib
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from starweaver_host.contract.errors import SourceError
from starweaver_transcripts.lines import BUFFER_BYTES, open_regular

if TYPE_CHECKING:
    import subprocess

COMPRESSED_SUFFIX = ".zst"
NOT_READ = "compressed rollout was seen but not read: no zstd decompressor is installed"
_MODULES = ("compression.zstd", "backports.zstd")

Unpack = Callable[[BinaryIO], BinaryIO]


def is_compressed(path: Path) -> bool:
    """Whether the rollout is stored compressed."""
    return path.name.endswith(COMPRESSED_SUFFIX)


@contextmanager
def open_rollout(path: Path, root: Path) -> Iterator[BinaryIO]:
    """The rollout's bytes; seekable only when it is stored plain.

    Raises SourceError when it cannot be opened, lies outside the root, or ends inside a damaged frame.
    """
    with open_regular(path, root) as handle:
        if not is_compressed(path):
            yield handle
            return
        unpack = find_decompressor()
        if unpack is None:
            raise SourceError(f"{NOT_READ} ({str(path)!r})", hint="install starweaver-transcripts[zstd]")
        with _unpacked(unpack, handle, path) as stream:
            yield stream


@contextmanager
def _unpacked(unpack: Unpack, handle: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    stream = unpack(handle)
    try:
        yield stream
    except SourceError:
        raise
    except Exception as error:
        if not is_damage(error):
            raise
        raise SourceError(f"compressed rollout {str(path)!r} is damaged: {error}") from error
    finally:
        stream.close()


def is_damage(error: Exception) -> bool:
    """Whether unpacking failed. Each library raises a class of its own, and they share no base."""
    return isinstance(error, EOFError | OSError) or type(error).__name__ in ("ZstdError", "_ZstdError")


def find_decompressor() -> Unpack | None:
    """How to unpack a stream here; None when nothing can. Costs failed imports and a look along the path."""
    for name in _MODULES:
        if (module := _module(name)) is not None:
            return cast("Unpack", module.open)
    if (module := _module("zstandard")) is not None:
        return _with_zstandard(module)
    import shutil

    program = shutil.which("zstd")
    return None if program is None else _with_program(program)


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _with_zstandard(module: Any) -> Unpack:
    def unpack(handle: BinaryIO) -> BinaryIO:
        reader = module.ZstdDecompressor().stream_reader(handle, read_across_frames=True)
        return cast("BinaryIO", io.BufferedReader(reader, BUFFER_BYTES))

    return unpack


def _with_program(program: str) -> Unpack:
    def unpack(handle: BinaryIO) -> BinaryIO:
        return cast("BinaryIO", _ProgramOutput([program, "-dcq"], handle))

    return unpack


class _ProgramOutput(io.BufferedReader):
    """What a program prints; reading past its end raises OSError when it failed."""

    def __init__(self, command: list[str], source: BinaryIO) -> None:
        import subprocess

        self._process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # noqa: S603  # a fixed program and flags, no input in them
        super().__init__(_CheckedPipe(self._process), BUFFER_BYTES)

    def close(self) -> None:
        """Stop the program, however far it came."""
        super().close()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


class _CheckedPipe(io.RawIOBase):
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        pipe = cast("BinaryIO", self._process.stdout)
        data = pipe.read1(len(buffer))  # type: ignore[attr-defined]  # Popen's pipe is a BufferedReader
        if not data and self._process.wait() != 0:
            raise OSError("the zstd program could not unpack it")
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        cast("BinaryIO", self._process.stdout).close()
        super().close()


__all__ = ["COMPRESSED_SUFFIX", "NOT_READ", "find_decompressor", "is_compressed", "is_damage", "open_rollout"]
