"""Rules of scope: what a scope does not show is as if it were absent, in every operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import msgspec
import pytest

from starweaver_host.contract.corpus import CorpusQuery, DocumentRef
from starweaver_host.contract.errors import StoreError
from starweaver_host.contract.records import AccessScope, SessionChange
from starweaver_host.contract.store import RunListQuery, SessionListQuery, SessionStore
from starweaver_host.projection.documents import identity_hash

from .samples import SCOPE, asks, created, deleted, ended, key, says, scanned, text_input
from .suite import StoreSuite

HIDING = {
    "other_namespace": AccessScope(namespace_id="other"),
    "other_owner": AccessScope(owner_id="somebody else"),
    "not_on_the_allow_list": AccessScope(session_ids=frozenset({"absent", "something"})),
    "empty_allow_list": AccessScope(session_ids=frozenset()),
    "tombstone": SCOPE,
}
Call = Callable[[SessionStore, AccessScope, str], Awaitable[object]]
CALLS: dict[str, Call] = {
    "get_session": lambda store, scope, it: store.get_session(scope, it),
    "update_session": lambda store, scope, it: store.update_session(scope, it, SessionChange(title="changed")),
    "acquire_fence": lambda store, scope, it: store.acquire_fence(
        scope, it, fence_id="other", requested_by="x", expected_revision=None
    ),
    "release_fence": lambda store, scope, it: store.release_fence(scope, it, fence_id="other"),
    "read_events": lambda store, scope, it: store.read_events(scope, it),
    "list_runs": lambda store, scope, it: store.list_runs(scope, it, RunListQuery()),
    "get_run": lambda store, scope, it: store.get_run(scope, it, "r1"),
    "load_checkpoint": lambda store, scope, it: store.load_checkpoint(scope, it, "r1"),
    "delete_run": lambda store, scope, it: store.delete_run(scope, it, "r1"),
}
hidings = pytest.mark.parametrize("hiding", HIDING)


async def _hidden(store: SessionStore, hiding: str) -> AccessScope:
    """Store a session `hidden` with a run and a text of each source; return a scope that does not show it."""
    await created(store, "hidden", owner_id="me", title="a title")
    await ended(store, "r1", "hidden", input=text_input("some input"))
    await store.append(key("hidden"), [asks("hello", identity="m1"), says("some display", identity="m2")])
    if hiding == "tombstone":
        await deleted(store, "hidden")
    return HIDING[hiding]


class VisibilityRules(StoreSuite):
    """Namespace, owner, allow-list and tombstones are applied inside the store."""

    @hidings
    @pytest.mark.parametrize("call", CALLS)
    async def test_hidden_session_answers_like_an_absent_one(self, store: SessionStore, hiding: str, call: str) -> None:
        """An operation on a hidden session raises the error that an absent one raises, word for word.

        If this fails: the scope is checked after something about the session was decided, or not at all.
        """
        scope = await _hidden(store, hiding)

        with pytest.raises(StoreError) as hidden:
            await CALLS[call](store, scope, "hidden")
        with pytest.raises(StoreError) as absent:
            await CALLS[call](store, scope, "absent")

        assert hidden.value.code == absent.value.code == "not_found"
        assert hidden.value.current_revision is None
        assert str(hidden.value).replace("hidden", "absent") == str(absent.value)

    @hidings
    async def test_hidden_session_is_in_no_answer_of_many(self, store: SessionStore, hiding: str) -> None:
        """Lists, lookups, resolution and pages leave a hidden session out.

        If this fails: a query lacks the scope's conditions. Apply them in the engine, before limits.
        """
        scope = await _hidden(store, hiding)

        assert await store.get_sessions(scope, ["hidden"]) == ()
        assert (await store.list_sessions(scope, SessionListQuery())).sessions == ()
        assert await store.resolve_session(scope, "hidden") == ()
        assert await store.resolve_session(scope, "hid") == ()

    @hidings
    async def test_hidden_session_is_not_in_the_corpus(self, store: SessionStore, hiding: str) -> None:
        """No document of a hidden session is scanned or read.

        If this fails: a scan filters by session but not by scope, or `read_texts` trusts its references.
        """
        scope = await _hidden(store, hiding)
        refs = [
            DocumentRef(session_id="hidden", source="session_metadata"),
            DocumentRef(session_id="hidden", source="run_input", run_id="r1"),
            DocumentRef(session_id="hidden", source="run_output_preview", run_id="r1"),
            DocumentRef(session_id="hidden", source="display_message", seq=1),
        ]

        assert await scanned(store, CorpusQuery(scope=scope)) == []
        assert await store.read_texts(scope, refs) == (None, None, None, None)

    @hidings
    async def test_hidden_session_owns_nothing(self, store: SessionStore, hiding: str) -> None:
        """A message shared with a hidden session is a message of the visible one alone.

        If this fails: `attribute` names sessions that its scope does not show.
        """
        scope = await _hidden(store, hiding)
        await created(store, "absent", namespace_id=scope.namespace_id, owner_id=scope.owner_id)
        await store.append(key("absent", scope.namespace_id), [asks("hello", identity="m1")])

        assert await store.attribute(scope, [identity_hash("m1")]) == ()

    async def test_scope_that_names_the_session_shows_it(self, store: SessionStore) -> None:
        """Owner and allow-list show what they name, and tombstones are shown to a scope that includes them.

        If this fails: the scope's conditions are too strict.
        """
        await _hidden(store, "other_owner")
        wide = AccessScope(owner_id="me", session_ids=frozenset({"hidden"}))

        seen = await store.get_session(wide, "hidden")
        await deleted(store, "hidden")
        buried = await store.get_session(msgspec.structs.replace(wide, include_deleted=True), "hidden")

        assert (seen.status, buried.status) == ("active", "deleted")

    async def test_hidden_edit_changes_nothing(self, store: SessionStore) -> None:
        """An edit outside the scope leaves no trace.

        If this fails: the edit is made before the scope is checked, and not undone.
        """
        await _hidden(store, "other_owner")
        before = await store.get_session(SCOPE, "hidden")

        for call in ("update_session", "acquire_fence", "release_fence", "delete_run"):
            with pytest.raises(StoreError):
                await CALLS[call](store, HIDING["other_owner"], "hidden")

        assert await store.get_session(SCOPE, "hidden") == before


__all__ = ["VisibilityRules"]
