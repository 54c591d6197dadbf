"""OpenCodeSource: roots, items and readings of OpenCode's sessions. An item is one session, whatever it is kept in."""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ReadStep, SourceEnvironment, SourceItem, SourceRoot
from starweaver_transcripts.delivery import LogRewrittenError

from .database import reading
from .places import ANCESTORS, KEY_MARK, UNREADABLE, find_items, find_roots, store_at
from .reader import ReadState, SessionReader, unpack_state
from .spoken import SOURCE, Spoken, StoredSession
from .stores import Database, generation_of
from .trees import Tree

IDLE_SECONDS = 60
"""An answer nobody wrote to for so long was left unfinished by a tool that is gone."""

_Opened = tuple[StoredSession, Iterator[Spoken]]


class OpenCodeSource:
    """Sessions of OpenCode. `now` gives seconds since the epoch, for judging whether one is still written."""

    name = SOURCE
    reader_version = 1

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now

    def roots(self, env: SourceEnvironment) -> Sequence[SourceRoot]:
        """The configured places and the data folder, which `XDG_DATA_HOME` may move."""
        return find_roots(env)

    def items(self, _env: SourceEnvironment, root: SourceRoot) -> Iterator[SourceItem]:
        """Sessions at a root: one query per generation in a database, stats in a tree."""
        return find_items(root)

    def read(self, env: SourceEnvironment, item: SourceItem, state: bytes | None) -> Iterator[ReadStep]:
        """Read a session from its start; hand over what follows what was handed over. Memory: one message."""
        if item.fingerprint.startswith(UNREADABLE):
            Database(item.path).candidates()
            raise SourceError(f"database {str(item.path)!r} must be listed again, it can be read now", retryable=True)
        try:
            yield from self._read(env, item, unpack_state(state))
        except LogRewrittenError:
            yield from self._read(env, item, ReadState())

    def resume_command(self, native_id: str, cwd: str | None) -> str | None:
        """`opencode --session`, in the session's folder."""
        command = f"opencode --session {shlex.quote(native_id)}"
        return command if cwd is None else f"cd {shlex.quote(cwd)} && {command}"

    def _read(self, env: SourceEnvironment, item: SourceItem, saved: ReadState) -> Iterator[ReadStep]:
        """The steps; the last one only when the store was closed and found to have stayed as it was."""
        last: list[ReadStep] = []
        with self._opened(env, item) as (session, messages):
            is_idle = self._now() - item.newest / 1_000_000 > IDLE_SECONDS
            reader = SessionReader(session, saved, newest_us=item.newest, is_idle=is_idle)
            for step in reader.steps(messages):
                yield from last
                last = [step]
        yield from last

    def _opened(self, env: SourceEnvironment, item: SourceItem) -> AbstractContextManager[_Opened]:
        session_id = item.key.rpartition(KEY_MARK)[2]
        number = int(item.fingerprint.partition(":")[0])
        store = store_at(item.path, generation=number)
        max_bytes = env.tool_result_max_bytes
        if isinstance(store, Tree):
            return _in_tree(store, session_id, max_bytes)
        return _in_database(store, session_id, number, max_bytes)


@contextmanager
def _in_tree(tree: Tree, session_id: str, max_bytes: int) -> Iterator[_Opened]:
    session = tree.describe(session_id)
    yield session, tree.spoken(session_id, user_source=_asker(session), max_bytes=max_bytes)


@contextmanager
def _in_database(database: Database, session_id: str, number: int, max_bytes: int) -> Iterator[_Opened]:
    generation = generation_of(number)
    with reading(database.path) as connection:
        session = generation.describe(connection, session_id)
        if session.directory is None and database.path.parent.name in ANCESTORS:
            session = session._replace(directory=str(database.path.parent.parent))
        asker = _asker(session)
        yield session, generation.spoken(connection, session_id, user_source=asker, max_bytes=max_bytes)


def _asker(session: StoredSession) -> str:
    """Who the prompts of a session come from: in a subagent's, the agent that called it."""
    return "agent" if session.parent_id else "user"


__all__ = ["IDLE_SECONDS", "OpenCodeSource"]
