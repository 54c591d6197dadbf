"""The transcript source of Pi, Oh My Pi and Prime: session files of versions 1 to 3.

What reads sessions is imported when one is read: a refresh that finds nothing new does not pay for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ReadStep, SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.resuming import resume_line

from .places import SOURCE, find_items, find_roots


class PiSource:
    """Session files below Pi's folders. Stateless."""

    name = SOURCE
    reader_version = 1

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The sessions folders."""
        return find_roots(env)

    def items(self, env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:  # noqa: ARG002  # the contract
        """Session files below a root, at any depth."""
        return find_items(root.path)

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read a session file; the branch that is current at its end is the surface."""
        from .reader import read_item

        for root in find_roots(env):
            if item.path.is_relative_to(root.path):
                return read_item(env, item, root.path, state)
        raise SourceError(f"transcript {str(item.path)!r} must lie below a root of source {SOURCE!r}")

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`pi --session`, from the directory the session worked in."""
        return resume_line("pi --session", native_id, cwd)


__all__ = ["PiSource"]
