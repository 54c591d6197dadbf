"""Rules of edits: what they change, and the two revisions."""

from __future__ import annotations

from starweaver_host.conformance.context import ManualClock
from starweaver_host.contract.records import SessionChange
from starweaver_host.contract.store import SessionStore

from .samples import SCOPE, admitted, created, ended, key, refused, says
from .suite import StoreSuite


class EditingRules(StoreSuite):
    """`revision` moves with edits and guards them; `activity_revision` moves with runs and events."""

    async def test_edit_changes_what_it_names_and_nothing_else(self, store: SessionStore) -> None:
        """An unset field stays as it is.

        If this fails: UNSET is taken for None.
        """
        await created(store, title="a title", profile="work")

        changed = await store.update_session(SCOPE, "s1", SessionChange(metadata={"a": "1", "b": "2"}))
        renamed = await store.update_session(SCOPE, "s1", SessionChange(title="another"))

        assert (changed.title, changed.profile, changed.metadata) == ("a title", "work", {"a": "1", "b": "2"})
        assert (renamed.title, renamed.profile, renamed.metadata) == ("another", "work", {"a": "1", "b": "2"})
        assert await store.get_session(SCOPE, "s1") == renamed

    async def test_edit_to_none_clears(self, store: SessionStore) -> None:
        """None clears a field, and a None metadata value removes its key.

        If this fails: None is taken for UNSET, or stored as a value.
        """
        await created(store, title="a title", profile="work")
        await store.update_session(SCOPE, "s1", SessionChange(metadata={"a": "1", "b": "2"}))

        cleared = await store.update_session(
            SCOPE, "s1", SessionChange(title=None, profile=None, metadata={"a": None, "absent": None, "c": "3"})
        )

        assert (cleared.title, cleared.title_source, cleared.profile) == (None, None, None)
        assert cleared.metadata == {"b": "2", "c": "3"}

    async def test_archiving_is_undone_by_its_opposite(self, store: SessionStore) -> None:
        """`archived` true archives, false makes active.

        If this fails: look at how `archived` becomes a status.
        """
        await created(store)

        archived = await store.update_session(SCOPE, "s1", SessionChange(archived=True))
        restored = await store.update_session(SCOPE, "s1", SessionChange(archived=False))

        assert (archived.status, restored.status) == ("archived", "active")

    async def test_edit_moves_revision_and_time_but_not_activity(self, store: SessionStore, clock: ManualClock) -> None:
        """Every edit moves `revision` by one and `updated_at` to now, and leaves `activity_revision` alone.

        If this fails: one revision serves for both, or time comes from elsewhere than the context's clock.
        """
        await created(store)
        clock.advance(5)

        edited = await store.update_session(SCOPE, "s1", SessionChange(title="new"))

        assert (edited.revision, edited.activity_revision, edited.updated_at) == (2, 0, clock.now())

    async def test_activity_moves_activity_revision_but_not_revision(
        self, store: SessionStore, clock: ManualClock
    ) -> None:
        """Runs and events move `activity_revision` and `updated_at`, and leave `revision` alone.

        If this fails: a person's `expected_revision` would go stale under a running session.
        """
        before = await created(store)
        seen = [before.activity_revision]

        clock.advance(1)
        await ended(store)
        seen.append((await store.get_session(SCOPE, "s1")).activity_revision)
        clock.advance(1)
        await store.append(key(), [says("hello")])
        after = await store.get_session(SCOPE, "s1")
        seen.append(after.activity_revision)

        assert seen == sorted(set(seen))
        assert (after.revision, after.updated_at) == (before.revision, clock.now())

    async def test_stale_revision_is_a_conflict_that_names_the_current_one(self, store: SessionStore) -> None:
        """An edit against another revision is refused with `current_revision`, and changes nothing.

        If this fails: compare and write in one transaction, and give the error the revision that was found.
        """
        await created(store)
        current = await store.update_session(SCOPE, "s1", SessionChange(title="new"))

        for stale in (1, 3):
            with refused("conflict") as refusal:
                await store.update_session(SCOPE, "s1", SessionChange(title="lost"), expected_revision=stale)
            assert refusal.error.current_revision == 2

        assert await store.get_session(SCOPE, "s1") == current

    async def test_running_session_is_edited_at_its_revision(self, store: SessionStore) -> None:
        """A running session can be renamed, and its activity does not stale the revision an editor read.

        If this fails: `expected_revision` is compared with something that activity moves.
        """
        await created(store)
        await admitted(store)
        await store.append(key(), [says("working")])

        renamed = await store.update_session(SCOPE, "s1", SessionChange(title="new"), expected_revision=1)

        assert (renamed.title, renamed.title_source, renamed.active_run_id) == ("new", "user", "r1")


__all__ = ["EditingRules"]
