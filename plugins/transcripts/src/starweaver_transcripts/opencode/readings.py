"""One reading of a session out of whatever store holds it. Loaded when something is read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from starweaver_host.contract.errors import SourceError
from starweaver_host.contract.transcripts import ReadStep, SourceItem
from starweaver_transcripts.delivery import LogRewrittenError

from .copies import ANCESTORS, KEY_MARK, UNREADABLE, store_of
from .database import reading
from .reader import ReadState, SessionReader, unpack_state
from .spoken import Spoken, StoredSession
from .stores import Database, generation_of
from .trees import Tree

_Opened = tuple[StoredSession, Iterator[Spoken]]


def read_item(
    item: SourceItem, state: bytes | None, *, is_idle: bool, tool_result_max_bytes: int
) -> Iterator[ReadStep]:
    """The steps of a session; those of its beginning only where it is not what was handed over before."""
    if item.fingerprint.startswith(UNREADABLE):
        Database(item.path).candidates()
        raise SourceError(f"database {str(item.path)!r} must be listed again, it can be read now", retryable=True)
    try:
        yield from _steps(item, unpack_state(state), is_idle=is_idle, max_bytes=tool_result_max_bytes)
    except LogRewrittenError:
        yield from _steps(item, ReadState(), is_idle=is_idle, max_bytes=tool_result_max_bytes)


def _steps(item: SourceItem, saved: ReadState, *, is_idle: bool, max_bytes: int) -> Iterator[ReadStep]:
    """The steps; the last one only when the store was closed and found to have stayed as it was."""
    last: list[ReadStep] = []
    with _opened(item, max_bytes) as (session, messages):
        reader = SessionReader(session, saved, newest_us=item.newest, is_idle=is_idle)
        for step in reader.steps(messages):
            yield from last
            last = [step]
    yield from last


def _opened(item: SourceItem, max_bytes: int) -> AbstractContextManager[_Opened]:
    session_id = item.key.rpartition(KEY_MARK)[2]
    store, number = store_of(item)
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


__all__ = ["read_item"]
