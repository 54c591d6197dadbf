"""Rules of authority, filters, refusals, browsing and coverage."""

from __future__ import annotations

from typing import Any

import pytest

from starweaver_host.contract.records import (
    LOCAL_NAMESPACE,
    AccessScope,
    ExternalSource,
    SessionChange,
    Workspace,
)
from starweaver_host.contract.search import (
    FILTER_KINDS,
    QUERY_MODES,
    SearchTimeRange,
    SessionSearchFilter,
    SessionSearchProvider,
    SessionSearchScope,
)
from starweaver_host.contract.store import SessionStore

from .context import START
from .search_base import SearchSuite
from .search_samples import MINUTE, SCOPE, BusyStore, ask, refusal, removed, sessions_of, told

SCOPES = {
    "namespace": SessionSearchScope(namespace_id="elsewhere"),
    "owner": SessionSearchScope(namespace_id=LOCAL_NAMESPACE, owner_id="somebody"),
    "allow_list": SessionSearchScope(namespace_id=LOCAL_NAMESPACE, session_ids=frozenset({"another"})),
    "empty_allow_list": SessionSearchScope(namespace_id=LOCAL_NAMESPACE, session_ids=frozenset()),
}
FILTERS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "status": ({"status": ("archived",)}, {"archived"}),
    "statuses": ({"status": ("archived", "active")}, {"archived", "plain", "below", "beside"}),
    "run_status": ({"run_status": ("failed",)}, {"beside"}),
    "workspace_id": ({"workspace": "w1"}, {"plain"}),
    "workspace_label": ({"workspace": "Label"}, {"plain"}),
    "workspace_folder": ({"workspace": "/home/me/"}, {"plain", "below"}),
    "workspace_folder_without_slash": ({"workspace": "/home/me"}, set()),
    "agent": ({"agents": ("codex", "other")}, {"beside"}),
    "session_ids": ({"session_ids": ("plain", "absent")}, {"plain"}),
    "created": ({"created": SearchTimeRange(start=START + 2 * MINUTE, until=START + 3 * MINUTE)}, {"below"}),
    "updated": ({"updated": SearchTimeRange(until=START + 2 * MINUTE)}, {"plain"}),
    "two_at_once": ({"workspace": "/home/me/", "session_ids": ("below", "beside")}, {"below"}),
}
REFUSED: dict[str, tuple[str, dict[str, Any]]] = {
    "limit_zero": ("invalid_query", {"limit": 0}),
    "limit_too_large": ("invalid_query", {"limit": 1_000_000}),
    "empty_time_range": ("invalid_query", {"filters": SessionSearchFilter(created=SearchTimeRange(start=5, until=5))}),
    "inverted_time_range": (
        "invalid_query",
        {"filters": SessionSearchFilter(updated=SearchTimeRange(start=6, until=5))},
    ),
    "internal_text": ("unsupported", {"filters": SessionSearchFilter(display_visibilities=("internal",))}),
}


async def _fill(store: SessionStore) -> None:
    await told(store, "plain", asked="needle", minute=1, cwd="/home/me", workspace=Workspace(id="w1", label="Label"))
    await told(store, "below", asked="needle", minute=2, cwd="/home/me/project")
    external = ExternalSource(source="codex", native_id="1")
    await told(store, "beside", asked="needle", minute=3, cwd="/home/me2", external=external, run_status="failed")
    await told(store, "archived", asked="needle", minute=4, cwd="/srv")
    await store.update_session(AccessScope(), "archived", SessionChange(archived=True))


HIDDEN_ROOTS: dict[str, SessionSearchScope | None] = {
    "deleted": None,
    "not_allowed": SessionSearchScope(namespace_id=LOCAL_NAMESPACE, session_ids=frozenset({"one", "two"})),
}


class ScopingRules(SearchSuite):
    """Authority and filters apply inside the search; what is asked wrongly is refused, and coverage is always said."""

    @pytest.mark.parametrize("text", ["needle", None])
    @pytest.mark.parametrize("name", SCOPES)
    async def test_scope_hides_what_it_does_not_grant(
        self, store: SessionStore, provider: SessionSearchProvider, name: str, text: str | None
    ) -> None:
        """Another namespace, another owner or an allow-list hides a session completely.

        If this fails: give the store the whole scope, and never filter after ranking.
        """
        await told(store, "s", title="needle", owner_id="me")

        assert sessions_of(await ask(provider, text)) == ["s"]
        assert sessions_of(await ask(provider, text, scope=SCOPES[name])) == []

    @pytest.mark.parametrize("text", ["needle", None])
    async def test_tombstones_are_found_by_name_only(
        self, store: SessionStore, provider: SessionSearchProvider, text: str | None
    ) -> None:
        """A deleted session is found when `deleted` is asked for and the scope allows it, not otherwise.

        If this fails: default to the statuses that are not `deleted`, whatever the scope says.
        """
        await told(store, "gone", title="needle")
        await removed(store, "gone")
        named = SessionSearchFilter(status=("deleted",))
        allowed = SessionSearchScope(namespace_id=LOCAL_NAMESPACE, include_deleted=True)

        assert sessions_of(await ask(provider, text)) == []
        assert sessions_of(await ask(provider, text, scope=allowed)) == []
        assert sessions_of(await ask(provider, text, filters=named)) == []
        assert sessions_of(await ask(provider, text, filters=named, scope=allowed)) == ["gone"]

    @pytest.mark.parametrize("text", ["needle", None])
    @pytest.mark.parametrize("name", FILTERS)
    async def test_filters_select_sessions(
        self, store: SessionStore, provider: SessionSearchProvider, name: str, text: str | None
    ) -> None:
        """Conditions are ANDed, values within a list ORed, with text and when browsing.

        If this fails: see `contract.search.SessionSearchFilter` for what the named filter compares.
        """
        await _fill(store)
        fields, expected = FILTERS[name]

        page = await ask(provider, text, filters=SessionSearchFilter(**fields))

        assert set(sessions_of(page)) == expected

    @pytest.mark.parametrize("name", REFUSED)
    async def test_wrong_query_is_refused(self, provider: SessionSearchProvider, name: str) -> None:
        """A bad limit or range is `invalid_query`; text that is not public is `unsupported`. Nothing is clamped.

        If this fails: check with `services.search_rules.plan_search` before anything is read.
        """
        code, fields = REFUSED[name]

        assert await refusal(provider, "needle", **fields) == code

    async def test_long_query_is_refused_by_its_bytes(self, provider: SessionSearchProvider) -> None:
        """A query over the advertised number of UTF-8 bytes is `invalid_query`, one at the bound is answered.

        If this fails: measure the trimmed text in bytes, not in characters.
        """
        most = provider.capabilities().max_query_bytes

        assert await refusal(provider, "é" * (most // 2) + " ") == ""
        assert await refusal(provider, "é" * (most // 2 + 1)) == "invalid_query"

    async def test_mode_that_is_not_advertised_is_refused(self, provider: SessionSearchProvider) -> None:
        """A mode that the capabilities do not list is `unsupported`, never answered as another.

        If this fails: refuse it; an approximation looks like an answer.
        """
        for mode in set(QUERY_MODES) - set(provider.capabilities().query_modes):
            assert await refusal(provider, "needle", mode=mode) == "unsupported", mode

    @pytest.mark.parametrize("text", [None, "", " \t\n"])
    async def test_browsing_lists_sessions_newest_first(
        self, store: SessionStore, provider: SessionSearchProvider, text: str | None
    ) -> None:
        """Without text, or with blank text, every session is one hit, newest first, without snippet and score.

        If this fails: list from the store; sources, mode and granularity do not matter then.
        """
        await _fill(store)

        page = await ask(provider, text, sources=("display_message",), granularity="occurrence")

        times = [hit.session.updated_at for hit in page.hits]
        assert len(times) == 4
        assert times == sorted(times, reverse=True)
        assert {(hit.source, hit.snippet, hit.score) for hit in page.hits} == {("session_metadata", None, None)}
        assert page.coverage.searched_sources == ("session_metadata",)

    async def test_coverage_is_always_said(self, store: SessionStore, provider: SessionSearchProvider) -> None:
        """Every page, an empty one too, says its state, what was searched and its generation, without contradiction.

        If this fails: build coverage with `services.search_coverage`.
        """
        await _fill(store)

        for text in ("needle", "absent", None):
            coverage = (await ask(provider, text)).coverage
            assert coverage.generation
            assert coverage.searched_sources
            assert coverage.state != "complete" or (not coverage.warnings and not coverage.unavailable_sources)

    async def test_damaged_session_hides_no_other(
        self, store: SessionStore, busy_store: BusyStore, provider: SessionSearchProvider
    ) -> None:
        """What cannot be read is left out, warned about and counted; everything else is found.

        If this fails: read what hits show by `services.search_reading`, which takes each record for itself.
        """
        for minute, session_id in enumerate(("first", "second", "third")):
            await told(store, session_id, asked="needle", answered="needle", minute=minute)
        busy_store.damaged.add("second")

        page = await ask(provider, "needle", sort="updated_desc")

        assert sorted(sessions_of(page)) == ["first", "third"]
        assert page.coverage.state in {"partial", "degraded"}
        assert "malformed_source" in {warning.kind for warning in page.coverage.warnings}
        assert (await ask(provider, "absent")).hits == ()

    @pytest.mark.parametrize("name", HIDDEN_ROOTS)
    @pytest.mark.parametrize("text", ["needle", None])
    async def test_child_of_a_hidden_root_is_shown_for_itself(
        self, store: SessionStore, provider: SessionSearchProvider, name: str, text: str | None
    ) -> None:
        """A root that was deleted or is not granted hides no child: folded searches show each child for itself.

        If this fails: fold a session only under a root that the scope shows.
        """
        await told(store, "root", asked="needle", minute=1)
        for minute, session_id in enumerate(("one", "two"), 2):
            await told(
                store,
                session_id,
                asked="needle",
                minute=minute,
                parent_session_id="root",
                origin="subagent",
            )
        before = await ask(provider, text, fold_subagents=True)
        if HIDDEN_ROOTS[name] is None:
            await removed(store, "root")

        page = await ask(provider, text, fold_subagents=True, scope=HIDDEN_ROOTS[name] or SCOPE)

        assert sessions_of(before) == ["root"]
        assert sorted(sessions_of(page)) == ["one", "two"]

    async def test_capabilities_are_consistent(self, provider: SessionSearchProvider) -> None:
        """What is advertised is constant, sensible and enough for a first query.

        If this fails: see `contract.search.SearchCapabilities`.
        """
        found = provider.capabilities()

        assert found == provider.capabilities()
        assert found.provider
        assert "literal" in found.query_modes
        assert set(found.filters) <= set(FILTER_KINDS)
        assert found.max_page_size >= 20
        assert found.max_query_bytes >= 1

    async def test_busy_store_is_unavailable(
        self, store: SessionStore, busy_store: BusyStore, provider: SessionSearchProvider
    ) -> None:
        """While the store is busy a search is `unavailable` and can be tried again; it works again afterwards.

        If this fails: map a retryable StoreError to `unavailable`, and keep no broken state.
        """
        await _fill(store)

        busy_store.is_busy = True
        code = await refusal(provider, "needle")
        busy_store.is_busy = False

        assert code == "unavailable"
        assert len(sessions_of(await ask(provider, "needle"))) == 4


__all__ = ["ScopingRules"]
