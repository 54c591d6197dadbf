"""Rules of creating, reading and resolving sessions."""

from __future__ import annotations

import msgspec

from starweaver_host.contract.corpus import CorpusFilter
from starweaver_host.contract.records import (
    STABLE,
    TITLE_MAX,
    ExternalSource,
    SessionChange,
    SessionCounts,
    SessionDraft,
    Workspace,
)
from starweaver_host.contract.store import SessionListQuery, SessionStore

from .samples import SCOPE, created, deleted, draft, header, ids, refused
from .suite import StoreSuite

FULL_HEADER = header(
    "whole",
    owner_id="owner-1",
    cwd="/home/me/code",
    workspace=Workspace(id="w1", label="/home/me/code"),
    parent_session_id="parent",
    seed_length=3,
    origin="fork",
    external=ExternalSource(source="claude-code", native_id="n1", agent_version="2.0"),
)


class CatalogRules(StoreSuite):
    """Sessions are created once and read back as they are."""

    async def test_created_session_reads_back_whole(self, store: SessionStore) -> None:
        """Every field of a draft is read back as it was given.

        If this fails: a column is missing, or a value is changed on its way in or out.
        """
        wanted = SessionDraft(header=FULL_HEADER, title="A title", profile="work", metadata={"k": "v", "é": "ü"})

        session = await store.create_session(wanted)

        assert session.header == FULL_HEADER
        assert (session.title, session.profile, session.metadata) == ("A title", "work", {"k": "v", "é": "ü"})
        assert await store.get_session(SCOPE, "whole") == session

    async def test_created_session_begins_empty_at_revision_one(self, store: SessionStore) -> None:
        """A new session is active and stable, at revision 1, with an empty log of incarnation 0 and nothing counted.

        If this fails: look at the defaults of `Session`; a store invents none of its own.
        """
        session = await created(store)

        assert (session.status, session.fence, session.root_session_id) == ("active", STABLE, "s1")
        assert (session.revision, session.activity_revision, session.counts) == (1, 0, SessionCounts())
        assert (session.incarnation, session.next_seq, session.head_run_id, session.active_run_id) == (0, 0, None, None)

    async def test_creating_a_known_id_is_already_exists(self, store: SessionStore) -> None:
        """An id names one session of a namespace for ever, and a refused creation changes nothing.

        If this fails: creation overwrites. Insert, and let the primary key refuse.
        """
        first = await created(store, title="first")

        with refused("already_exists"):
            await created(store, title="second")

        assert await store.get_session(SCOPE, "s1") == first

    async def test_creating_a_tombstoned_id_is_already_exists(self, store: SessionStore) -> None:
        """The id of a deleted session is not given again.

        If this fails: tombstones are removed, or left out of the check.
        """
        await created(store)
        await deleted(store)

        with refused("already_exists"):
            await created(store)

    async def test_same_id_in_two_namespaces_is_two_sessions(self, store: SessionStore) -> None:
        """Identity is composite: namespaces share nothing.

        If this fails: a key or an index lacks the namespace.
        """
        here = await created(store, title="here")
        there = await created(store, title="there", namespace_id="other")

        assert await store.get_session(SCOPE, "s1") == here
        assert await store.get_session(msgspec.structs.replace(SCOPE, namespace_id="other"), "s1") == there

    async def test_long_title_is_cut_to_its_bound(self, store: SessionStore) -> None:
        """A title holds at most TITLE_MAX code points, wherever it comes from.

        If this fails: cut when storing, by code points and not by bytes.
        """
        long = "é" * (TITLE_MAX + 1)

        session = await created(store, title=long)
        updated = await store.update_session(SCOPE, "s1", SessionChange(title="ß" + long))

        assert session.title == "é" * TITLE_MAX
        assert updated.title == "ß" + "é" * (TITLE_MAX - 1)

    async def test_absent_session_is_not_found(self, store: SessionStore) -> None:
        """Reading what is not there raises `not_found`, never returns None.

        If this fails: raise StoreError("not_found", ...).
        """
        with refused("not_found"):
            await store.get_session(SCOPE, "s1")

    async def test_many_are_read_in_the_order_asked_for(self, store: SessionStore) -> None:
        """`get_sessions` keeps the order of its argument and leaves absent sessions out.

        If this fails: the engine's order shows through.
        """
        for session_id in ("a", "b", "c"):
            await created(store, session_id)

        found = await store.get_sessions(SCOPE, ["c", "absent", "a"])

        assert ids(found) == ["c", "a"]
        assert await store.get_sessions(SCOPE, []) == ()

    async def test_exact_id_resolves_to_itself_alone(self, store: SessionStore) -> None:
        """A whole id means that session, even when it begins others.

        If this fails: look for equality before looking for beginnings.
        """
        await created(store, "abc")
        await created(store, "abcd")

        assert await store.resolve_session(SCOPE, "abc") == ("abc",)

    async def test_beginning_resolves_to_ids_and_native_ids(self, store: SessionStore) -> None:
        """A beginning means every session whose id or native id begins with it, character by character.

        If this fails: pattern characters are special, case is ignored, or native ids are not looked at.
        """
        await created(store, "a%c1")
        await created(store, "abc2")
        await created(store, "x:3", external=ExternalSource(source="x", native_id="a%c-native"))
        await created(store, "A%C4")

        assert sorted(await store.resolve_session(SCOPE, "a%c")) == ["a%c1", "x:3"]
        assert await store.resolve_session(SCOPE, "nothing") == ()

    async def test_resolving_returns_at_most_its_limit(self, store: SessionStore) -> None:
        """An ambiguous beginning costs and answers no more than `limit` ids.

        If this fails: the limit is not applied after both kinds of id were merged.
        """
        for number in range(5):
            await created(store, f"s{number}", external=ExternalSource(source="x", native_id=f"s-native-{number}"))

        assert len(await store.resolve_session(SCOPE, "s", limit=3)) == 3

    async def test_root_is_the_top_of_the_known_parents(self, store: SessionStore) -> None:
        """`root_session_id` is the top of the parent chain, in whatever order parents and children arrive.

        If this fails: a parent that arrives late must give its root to everything below it.
        """
        await created(store, "grandchild", parent_session_id="child")
        await created(store, "root")
        await created(store, "child", parent_session_id="root")

        found = await store.get_sessions(SCOPE, ["root", "child", "grandchild"])

        assert [session.root_session_id for session in found] == ["root", "root", "root"]

    async def test_fork_is_its_own_root(self, store: SessionStore) -> None:
        """A fork has a parent but works for nobody: it is its own root and no child, also of a parent that comes late.

        If this fails: roots and `include_children` must follow `SessionHeader.folds_under`, not `parent_session_id`.
        """
        await created(store, "fork", parent_session_id="origin", origin="fork")
        await created(store, "helper", parent_session_id="fork", origin="subagent")
        await created(store, "origin")
        query = SessionListQuery(filter=CorpusFilter(include_children=False))

        found = await store.get_sessions(SCOPE, ["origin", "fork", "helper"])
        listed = await store.list_sessions(SCOPE, query)

        assert [session.root_session_id for session in found] == ["origin", "fork", "fork"]
        assert {session.key.session_id for session in listed.sessions} == {"origin", "fork"}

    async def test_drafted_title_is_a_persons_unless_it_says_otherwise(self, store: SessionStore) -> None:
        """The source of a drafted title is kept.

        If this fails: `title_source` is not stored with the title.
        """
        wanted = msgspec.structs.replace(draft(title="guessed"), title_source="model")

        session = await store.create_session(wanted)

        assert session.title_source == "model"


__all__ = ["CatalogRules"]
