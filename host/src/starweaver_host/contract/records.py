"""The durable records: sessions, runs, and the identities that address them.

Times are integer UTC microseconds since the epoch. Identity is always composite; a run id alone means nothing.
Ids are opaque strings of 1 to 512 code points without control characters.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import msgspec

from .values import Value

SessionStatus = Literal["active", "archived", "failed", "deleted"]
RunStatus = Literal["queued", "starting", "running", "waiting", "completed", "failed", "cancelled"]
RunTrigger = Literal["user", "rpc", "managed", "async_subagent_result", "import"]
TitleSource = Literal["user", "source", "rule", "model"]

SESSION_STATUSES: tuple[SessionStatus, ...] = get_args(SessionStatus)
RUN_STATUSES: tuple[RunStatus, ...] = get_args(RunStatus)
ACTIVE_RUN_STATUSES: frozenset[RunStatus] = frozenset({"queued", "starting", "running", "waiting"})
TERMINAL_RUN_STATUSES: frozenset[RunStatus] = frozenset({"completed", "failed", "cancelled"})

LOCAL_NAMESPACE = "local"
FORK = "fork"
"""The `origin` of a session that began as a copy of its parent's past."""
OUTPUT_PREVIEW_MAX = 4096
"""Most code points of a run's output preview: the last visible text of the model, cut."""
TITLE_MAX = 256
"""Most code points of a title; longer ones are cut when they are stored."""


class SessionKey(Value, order=True, frozen=True, kw_only=True):
    """Identity of a session."""

    namespace_id: str
    session_id: str


class RunKey(Value, order=True, frozen=True, kw_only=True):
    """Identity of a run."""

    namespace_id: str
    session_id: str
    run_id: str


class AccessScope(Value, frozen=True, kw_only=True):
    """The authority a store read or edit runs under; built by the host, applied inside the store.

    `owner_id` None leaves ownership out of the decision. `session_ids` None means no allow-list. Tombstoned sessions
    are visible only with `include_deleted`. A session outside the scope is indistinguishable from an absent one.
    """

    namespace_id: str = LOCAL_NAMESPACE
    owner_id: str | None = None
    session_ids: frozenset[str] | None = None
    include_deleted: bool = False


class Workspace(Value, frozen=True, kw_only=True):
    """Where a session belongs. A filter matches when it equals `id` or `label`."""

    id: str
    label: str | None = None


class ExternalSource(Value, frozen=True, kw_only=True):
    """The transcript an imported session came from. `source` is the importer's name, `native_id` the writer's id."""

    source: str
    native_id: str
    agent_version: str | None = None


class SessionHeader(Value, frozen=True, kw_only=True):
    """What never changes after creation.

    `cwd` is absolute or None. `seed_length` counts leading events inherited from the session this one was forked
    from. `origin` says how it began: `user`, `subagent`, `fork`, `import`. A session with a parent works for it and is
    folded under it, except a fork, which only began there.
    """

    namespace_id: str
    session_id: str
    created_at: int
    owner_id: str | None = None
    cwd: str | None = None
    workspace: Workspace | None = None
    parent_session_id: str | None = None
    seed_length: int = 0
    origin: str = "user"
    external: ExternalSource | None = None

    @property
    def key(self) -> SessionKey:
        """The session's identity."""
        return SessionKey(namespace_id=self.namespace_id, session_id=self.session_id)

    @property
    def folds_under(self) -> str | None:
        """The session that lists and searches fold this one under: the parent it works for. A fork works for itself."""
        return None if self.origin == FORK else self.parent_session_id


class FenceStable(Value, tag_field="state", tag="stable", frozen=True, kw_only=True):
    """No deletion is under way."""


class FenceDeleting(Value, tag_field="state", tag="deleting", frozen=True, kw_only=True):
    """A deletion holds the session: no admission, no continuation, no new attempt."""

    fence_id: str
    expected_revision: int
    requested_by: str
    started_at: int


class FenceDeleted(Value, tag_field="state", tag="deleted", frozen=True, kw_only=True):
    """The session is a tombstone."""

    fence_id: str
    deleted_at: int


DeletionFence = FenceStable | FenceDeleting | FenceDeleted
STABLE = FenceStable()


class SessionCounts(Value, frozen=True, kw_only=True):
    """Projections of the log. A message is one user or assistant message of the API, however many lines it took."""

    runs: int = 0
    events: int = 0
    messages: int = 0
    tool_calls: int = 0


class Session(Value, frozen=True, kw_only=True):
    """The durable record of a session.

    `revision` moves with edits (title, profile, status, metadata, fence) and is what `expected_revision` compares;
    `activity_revision` moves with runs and events. `updated_at` of an imported session is the transcript's time,
    `imported_at` the time it was read. `root_session_id` is the top of the chain of sessions it is folded under, as far
    as they are known: itself for a fork.
    """

    header: SessionHeader
    title: str | None = None
    title_source: TitleSource | None = None
    profile: str | None = None
    status: SessionStatus = "active"
    revision: int = 1
    activity_revision: int = 0
    head_run_id: str | None = None
    active_run_id: str | None = None
    fence: DeletionFence = STABLE
    incarnation: int = 0
    next_seq: int = 0
    counts: SessionCounts = SessionCounts()
    root_session_id: str
    updated_at: int
    imported_at: int | None = None
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict)

    @property
    def key(self) -> SessionKey:
        """The session's identity."""
        return self.header.key


class SessionDraft(Value, frozen=True, kw_only=True):
    """What creating a session takes. The store sets revisions, counts and, when absent, times."""

    header: SessionHeader
    title: str | None = None
    title_source: TitleSource | None = None
    profile: str | None = None
    metadata: Mapping[str, str] = msgspec.field(default_factory=dict)


class SessionChange(Value, frozen=True, kw_only=True):
    """An edit. UNSET leaves a field alone, None clears it; a None metadata value removes that key."""

    title: str | msgspec.UnsetType | None = msgspec.UNSET
    profile: str | msgspec.UnsetType | None = msgspec.UNSET
    archived: bool | msgspec.UnsetType = msgspec.UNSET
    metadata: Mapping[str, str | None] | msgspec.UnsetType = msgspec.UNSET


class TextPart(Value, tag_field="kind", tag="text", frozen=True, kw_only=True):
    """Text a person or program gave a run. The only part that is searched."""

    text: str


class ResourcePart(Value, tag_field="kind", tag="resource", frozen=True, kw_only=True):
    """A reference to something outside: image, file or URL. Never searched, never fetched."""

    uri: str
    media_type: str | None = None
    name: str | None = None


class BinaryPart(Value, tag_field="kind", tag="binary", frozen=True, kw_only=True):
    """Bytes that were given to a run and are not kept; their size and type are."""

    media_type: str | None = None
    size_bytes: int = 0


InputPart = TextPart | ResourcePart | BinaryPart


class TerminalError(Value, frozen=True, kw_only=True):
    """Why a run failed."""

    code: str
    message: str


class Checkpoint(Value, frozen=True, kw_only=True):
    """What an executor needs to resume a run. Opaque; never projected, searched or shown to a model."""

    format: str
    version: int
    data: bytes


class Cause(Value, frozen=True, kw_only=True):
    """The run that started this one, and the tool call it did it with."""

    session_id: str
    run_id: str
    tool_call_id: str | None = None


class Run(Value, frozen=True, kw_only=True):
    """One piece of work in a session. `sequence_no` is 1-based and contiguous per session when it is allocated.

    `failed` has a `terminal_error`, `completed` has none. A terminal run never changes.
    """

    namespace_id: str
    session_id: str
    run_id: str
    sequence_no: int
    status: RunStatus
    trigger: RunTrigger = "user"
    input: tuple[InputPart, ...] = ()
    output_preview: str | None = None
    terminal_error: TerminalError | None = None
    profile: str | None = None
    parent_run_id: str | None = None
    caused_by: Cause | None = None
    revision: int = 1
    created_at: int
    started_at: int | None = None
    ended_at: int | None = None
    updated_at: int

    @property
    def key(self) -> RunKey:
        """The run's identity."""
        return RunKey(namespace_id=self.namespace_id, session_id=self.session_id, run_id=self.run_id)


__all__ = [
    "ACTIVE_RUN_STATUSES",
    "FORK",
    "LOCAL_NAMESPACE",
    "OUTPUT_PREVIEW_MAX",
    "RUN_STATUSES",
    "SESSION_STATUSES",
    "STABLE",
    "TERMINAL_RUN_STATUSES",
    "TITLE_MAX",
    "AccessScope",
    "BinaryPart",
    "Cause",
    "Checkpoint",
    "DeletionFence",
    "ExternalSource",
    "FenceDeleted",
    "FenceDeleting",
    "FenceStable",
    "InputPart",
    "ResourcePart",
    "Run",
    "RunKey",
    "RunStatus",
    "RunTrigger",
    "Session",
    "SessionChange",
    "SessionCounts",
    "SessionDraft",
    "SessionHeader",
    "SessionKey",
    "SessionStatus",
    "TerminalError",
    "TextPart",
    "TitleSource",
    "Workspace",
]
