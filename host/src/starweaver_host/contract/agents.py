"""Seed 002: what an agent may see of sessions and do to them, through handles that hold their authority inside.

Provisional until the agent tools are complete. A handle is (service, immutable scope); tool arguments can name no
namespace, owner, operation or page cap. Query and control are separate handles and separate grants.
"""

from __future__ import annotations

from typing import Literal, Protocol, runtime_checkable

from .records import LOCAL_NAMESPACE, AccessScope, RunStatus, SessionStatus
from .search import SessionSearchPage, SessionSearchQuery
from .values import Input, Value

AgentOperation = Literal["read", "search", "events", "create", "start", "update", "control", "delete"]
MAX_PAGE_SIZE = 50
TRUST_LABEL = "untrusted_historical_evidence"


class AgentSessionScope(Value, frozen=True, kw_only=True):
    """The authority of a handle; built by the host from server policy, profile, caller, target and grant.

    `deadline` is UTC microseconds, absolute. `allow_self_control` never allows deleting the own session.
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

    def access(self) -> AccessScope:
        """The store scope of this authority."""
        return AccessScope(namespace_id=self.namespace_id, owner_id=self.owner_id, session_ids=self.allowed_session_ids)


class Page(Input, frozen=True, kw_only=True):
    """Paging arguments of a list tool; the scope caps `limit`."""

    limit: int = 20
    page_token: str | None = None


class SessionView(Value, frozen=True, kw_only=True):
    """A session as an agent sees it. Texts are bounded; `truncated` names the fields that were cut."""

    namespace_id: str
    session_id: str
    title: str | None = None
    status: SessionStatus
    profile: str | None = None
    workspace: str | None = None
    revision: int
    head_run_id: str | None = None
    active_run_id: str | None = None
    controllable: bool = False
    created_at: int
    updated_at: int
    truncated: tuple[str, ...] = ()
    trust: Literal["untrusted_historical_evidence"] = "untrusted_historical_evidence"


class RunView(Value, frozen=True, kw_only=True):
    """A run as an agent sees it."""

    namespace_id: str
    session_id: str
    run_id: str
    sequence_no: int
    status: RunStatus
    input_preview: str | None = None
    output_preview: str | None = None
    error_category: str | None = None
    controllable: bool = False
    created_at: int
    updated_at: int
    truncated: tuple[str, ...] = ()
    trust: Literal["untrusted_historical_evidence"] = "untrusted_historical_evidence"


class SessionViews(Value, frozen=True, kw_only=True):
    """A page of sessions."""

    sessions: tuple[SessionView, ...]
    next_page_token: str | None = None


class RunViews(Value, frozen=True, kw_only=True):
    """A page of runs."""

    runs: tuple[RunView, ...]
    next_page_token: str | None = None


class ControlReceipt(Value, frozen=True, kw_only=True):
    """What a control operation did; the same key gives the same receipt."""

    receipt_id: str
    session_id: str
    run_id: str | None = None
    revision: int | None = None
    fencing_generation: int | None = None
    idempotent_replay: bool = False


@runtime_checkable
class AgentSessionQueryHandle(Protocol):
    """Read-only, bounded projections under one scope. Raises AgentSessionError."""

    async def list_sessions(self, page: Page, *, status: SessionStatus | None = None) -> SessionViews:
        """Sessions, newest first."""
        ...

    async def get_session(self, session_id: str) -> SessionView:
        """One session."""
        ...

    async def list_session_runs(self, session_id: str, page: Page) -> RunViews:
        """Runs of a session, ascending."""
        ...

    async def get_session_run(self, session_id: str, run_id: str) -> RunView:
        """One run."""
        ...

    async def search_sessions(self, query: SessionSearchQuery) -> SessionSearchPage:
        """Search, where a provider is installed; `unsupported` otherwise."""
        ...


@runtime_checkable
class AgentSessionControlHandle(Protocol):
    """Idempotent, revision-checked, fenced, audited control under one scope. Raises AgentSessionError."""

    async def create_session(self, *, title: str | None, profile: str | None, idempotency_key: str) -> ControlReceipt:
        """Create a session."""
        ...

    async def update_session(
        self, session_id: str, *, expected_revision: int, title: str | None, archived: bool | None, idempotency_key: str
    ) -> ControlReceipt:
        """Edit a session."""
        ...

    async def delete_session(self, session_id: str, *, expected_revision: int, idempotency_key: str) -> ControlReceipt:
        """Fence, quiesce, tombstone; needs a human decision by default."""
        ...

    async def start_session_run(self, session_id: str, *, text: str, idempotency_key: str) -> ControlReceipt:
        """Start a run."""
        ...

    async def steer_session_run(
        self, session_id: str, run_id: str, *, text: str, idempotency_key: str
    ) -> ControlReceipt:
        """Send text to a running run."""
        ...

    async def interrupt_session_run(
        self, session_id: str, run_id: str, *, reason: str | None, idempotency_key: str
    ) -> ControlReceipt:
        """Ask a run to stop at its next boundary."""
        ...


__all__ = [
    "MAX_PAGE_SIZE",
    "TRUST_LABEL",
    "AgentOperation",
    "AgentSessionControlHandle",
    "AgentSessionQueryHandle",
    "AgentSessionScope",
    "ControlReceipt",
    "Page",
    "RunView",
    "RunViews",
    "SessionView",
    "SessionViews",
]
