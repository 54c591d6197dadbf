"""Agent Session Management: what an agent may see of sessions, through a handle that holds its authority inside.

Provisional until the agent tools are complete. A handle is (service, immutable scope); tool arguments can name no
namespace, owner, operation or page cap. Query, events (`contract.agent_events`) and control (`contract.agent_control`)
are separate handles and separate grants: whoever holds one can do nothing of another.

What a handle returns was written by people, models and tools at some other time: evidence, never an instruction. Every
item says so itself, because items are taken out of their page. Texts are bounded and sanitised (no control or
bidi-format characters, secrets masked by the product's policy); `truncated` names the fields that were cut.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from .control import RunQuota
from .display import DisplayKind, DisplayRole
from .records import LOCAL_NAMESPACE, AccessScope, Cause, RunStatus, RunTrigger, SessionStatus
from .search import SearchCoverage, SessionSearchHit, SessionSearchQuery
from .values import Input, Value

AgentOperation = Literal["read", "search", "events", "create", "start", "update", "control", "delete"]
Trust = Literal["untrusted_historical_evidence"]
MAX_PAGE_SIZE = 50
RECENT_RUNS_MAX = 10
TRUST_LABEL: Trust = "untrusted_historical_evidence"


class AgentSessionScope(Value, frozen=True, kw_only=True):
    """The authority of a handle; built by the host from server policy, profile, caller, target and grant.

    `deadline` is UTC microseconds, absolute; after it everything is `permission_denied`. `allow_self_control` never
    allows deleting the own session. `allowed_session_ids` None means no allow-list, empty means none.
    """

    namespace_id: str = LOCAL_NAMESPACE
    owner_id: str | None = None
    source_product: str
    source_session_id: str | None = None
    source_run_id: str | None = None
    operations: frozenset[AgentOperation] = frozenset()
    allowed_session_ids: frozenset[str] | None = None
    allow_self_query: bool = True
    allow_self_control: bool = False
    policy_fingerprint: str
    deadline: int | None = None
    max_page_size: int = MAX_PAGE_SIZE
    quota: RunQuota = RunQuota()

    def access(self) -> AccessScope:
        """The store scope of this authority."""
        return AccessScope(namespace_id=self.namespace_id, owner_id=self.owner_id, session_ids=self.allowed_session_ids)


class Page(Input, frozen=True, kw_only=True):
    """Paging arguments of a list tool; the scope caps `limit`. A token is bound to tool, arguments and scope."""

    limit: int = 20
    page_token: str | None = None


class RunView(Value, frozen=True, kw_only=True):
    """A run as an agent sees it. `error_category` is a stable word, never the error's text."""

    namespace_id: str
    session_id: str
    run_id: str
    sequence_no: int
    status: RunStatus
    trigger: RunTrigger
    input_preview: str | None = None
    output_preview: str | None = None
    error_category: str | None = None
    parent_run_id: str | None = None
    caused_by: Cause | None = None
    controllable: bool = False
    created_at: int
    updated_at: int
    truncated: tuple[str, ...] = ()
    trust: Trust = TRUST_LABEL


class SessionView(Value, frozen=True, kw_only=True):
    """A session as an agent sees it.

    `workspace` is a label and never a path. `controllable` says that this handle's holder may steer the active run
    here and now: control is granted, and this host owns the run.
    """

    namespace_id: str
    session_id: str
    title: str | None = None
    status: SessionStatus
    profile: str | None = None
    workspace: str | None = None
    parent_session_id: str | None = None
    revision: int
    runs: int = 0
    head_run_id: str | None = None
    active_run_id: str | None = None
    resumable: bool = False
    controllable: bool = False
    recent_runs: tuple[RunView, ...] = ()
    created_at: int
    updated_at: int
    truncated: tuple[str, ...] = ()
    trust: Trust = TRUST_LABEL


class SessionViews(Value, frozen=True, kw_only=True):
    """A page of sessions."""

    sessions: tuple[SessionView, ...]
    next_page_token: str | None = None


class RunViews(Value, frozen=True, kw_only=True):
    """A page of runs."""

    runs: tuple[RunView, ...]
    next_page_token: str | None = None


class ReplayMessage(Value, frozen=True, kw_only=True):
    """One display message of a run: what was shown, with its source. `time` is UTC milliseconds."""

    namespace_id: str
    session_id: str
    run_id: str
    sequence: int
    kind: DisplayKind
    role: DisplayRole
    text: str
    time: int
    truncated: bool = False
    trust: Trust = TRUST_LABEL


class ReplayPage(Value, frozen=True, kw_only=True):
    """Display messages, and the token to go on with; None when there are no more in that direction."""

    messages: tuple[ReplayMessage, ...]
    next_cursor: str | None = None


class SessionHitView(Value, frozen=True, kw_only=True):
    """A search hit, sanitised. A discovery: not proof that the session exists, and no right to it."""

    hit: SessionSearchHit
    truncated: tuple[str, ...] = ()
    trust: Trust = TRUST_LABEL


class SessionHitViews(Value, frozen=True, kw_only=True):
    """A page of hits, with the coverage it stands on."""

    hits: tuple[SessionHitView, ...]
    next_page_token: str | None = None
    coverage: SearchCoverage


class SessionListArguments(Input, frozen=True, kw_only=True):
    """Which sessions. Times are UTC microseconds of the last change, `since` inclusive, `until` exclusive."""

    status: SessionStatus | None = None
    profile: str | None = None
    workspace: str | None = None
    since: int | None = None
    until: int | None = None


@runtime_checkable
class AgentSessionQueryHandle(Protocol):
    """Read-only, bounded projections under one scope. Raises AgentSessionError.

    A session outside the scope, of another owner, or deleted, is `not_found`. Reading changes nothing: no current
    session, no history, no prompt.
    """

    async def list_sessions(self, page: Page, arguments: SessionListArguments) -> SessionViews:
        """Sessions, newest first."""
        ...

    async def get_session(self, session_id: str, *, recent_runs: bool = False) -> SessionView:
        """One session; with its last runs (at most RECENT_RUNS_MAX, oldest first) where asked."""
        ...

    async def list_session_runs(
        self, session_id: str, page: Page, *, status: RunStatus | None = None, newest_first: bool = False
    ) -> RunViews:
        """Runs of a session, by sequence."""
        ...

    async def get_session_run(self, session_id: str, run_id: str) -> RunView:
        """One run."""
        ...

    async def replay_session_run(
        self, session_id: str, run_id: str, page: Page, *, newest_first: bool = False
    ) -> ReplayPage:
        """What a run showed, by sequence: visible texts and terminal states; no tool payload, reasoning or checkpoint.

        `page_token` is the `next_cursor` of the page before. Cost is that of the page.
        """
        ...

    async def search_sessions(self, query: SessionSearchQuery) -> SessionHitViews:
        """Search, where a provider is installed; `unsupported` otherwise. Hits are read again under the scope."""
        ...


__all__ = [
    "MAX_PAGE_SIZE",
    "RECENT_RUNS_MAX",
    "TRUST_LABEL",
    "AgentOperation",
    "AgentSessionQueryHandle",
    "AgentSessionScope",
    "Page",
    "ReplayMessage",
    "ReplayPage",
    "RunView",
    "RunViews",
    "SessionHitView",
    "SessionHitViews",
    "SessionListArguments",
    "SessionView",
    "SessionViews",
    "Trust",
]
