"""Reading the records of one Pi session, in file order, into its log. Knows the three versions; nothing of files.

Silent readings (`writes` False) keep the tree and the seqs and throw the events away: they rebuild what the state of an
earlier reading does not hold.
"""

from __future__ import annotations

from starweaver_host.contract.events import (
    AssistantMessage,
    CompactionStart,
    ModelChange,
    NewEvent,
    Payload,
    Rewind,
    StatusDetail,
    TextBlock,
    TitleChange,
    ToolCall,
    UserMessage,
)
from starweaver_host.projection.titles import title_from_prompt
from starweaver_transcripts.emit import clean, tool_result, whole
from starweaver_transcripts.nodes import Placed
from starweaver_transcripts.turns import TurnLog, TurnState

from . import content
from .rows import Message, Row, Usage
from .state import PiState
from .times import entry_time
from .tree import Tree

INJECTED_MAX_BYTES = 8192
"""What is kept of a message an extension put in."""
_ENDS = {"stop": "completed", "length": "max-tokens", "aborted": "cancelled", "error": "failed"}


class NeedsTree(Exception):  # noqa: N818  # no error: a request to read the lines before once more
    """The record can only be placed with the tree, which a resumed reading does not have yet."""


class PiSession:
    """Reads rows into a log. `tree` None means that the rows before were read earlier and only their state is known."""

    def __init__(self, state: PiState, tree: Tree | None, *, max_bytes: int) -> None:
        self.state = state
        self._tree = tree
        self._turns = TurnLog(TurnState(state.next_seq, state.turn, state.is_open))
        self._max_bytes = max_bytes

    def read(self, row: Row, label: str) -> None:
        """Read a record that is not the header; `label` names what it leaves unnamed. Raises NeedsTree."""
        state = self.state
        entry = row.id or f"#{state.rows}"
        parent = row.parent_id if row.id is not None else state.leaf
        if self._tree is None and (parent != state.leaf or row.type == "compaction" or state.is_rewound):
            raise NeedsTree
        state.rows += 1
        self._note_time(row)
        if self._tree is not None and self._tree.enter(entry, parent):
            self._step_back()
        state.leaf = entry
        self._dispatch(row, label)
        state.next_seq, state.turn, state.is_open = self._turns.state

    def adopt(self, tree: Tree) -> None:
        """Take the tree of the rows before, which a second reading built."""
        self._tree = tree

    def waiting(self) -> int:
        """How many events wait to be taken."""
        return len(self._turns)

    def take(self) -> tuple[NewEvent, ...]:
        """Hand over the waiting events."""
        return self._turns.take()

    def _dispatch(self, row: Row, label: str) -> None:
        match row.type:
            case "message" if row.message is not None:
                self._message(row.message, row, label)
            case "custom_message":
                self._inject(row.content)
            case "branch_summary" if row.summary:
                self._summarise(row.summary)
            case "compaction" if self._tree is not None:
                self._compact(row, self._tree)
            case "model_change":
                self._change_model(row.model_id)
            case "session_info":
                self._rename(clean((row.name or "").strip()))

    def _message(self, message: Message, row: Row, label: str) -> None:
        match message.role:
            case "user":
                self._user(message, row)
            case "assistant":
                self._assistant(message, row, label)
            case "toolResult":
                self._result(message, label)
            case "bashExecution":
                self._bash(message, label)
            case "custom" | "hookMessage":
                self._inject(message.content)
            case "branchSummary" | "compactionSummary":
                self._summarise(message.summary or content.text_of(message.content))
            case _:
                return
        self.state.last_role = message.role

    def _user(self, message: Message, row: Row) -> None:
        state = self.state
        steers = self._turns.is_open and state.last_role == "toolResult"
        if not steers:
            self._turns.begin(state.time, model=state.model)
        made = content.parts(message.content, row="").blocks
        if state.prompt_title is None:
            state.prompt_title = title_from_prompt(content.text_of(message.content)) or None
        payload = UserMessage(content=made, source="steering" if steers else "user")
        self._put_message(payload, content.identity_of(message, row.timestamp))

    def _assistant(self, message: Message, row: Row, label: str) -> None:
        if not self._turns.is_open:
            self._turns.begin(self.state.time, model=message.model)
        made = content.parts(message.content, row=label)
        self.state.model = message.model or self.state.model
        payload = AssistantMessage(
            content=made.blocks,
            model=message.model,
            input_tokens=_input_tokens(message.usage),
            output_tokens=None if message.usage is None else whole(message.usage.output),
            interrupted=message.stop_reason in ("aborted", "error"),
        )
        self._put_message(payload, content.identity_of(message, row.timestamp))
        for call in made.calls:
            self._add(call)
        self._end_turn(message)

    def _end_turn(self, message: Message) -> None:
        reason = _ENDS.get(message.stop_reason or "")
        if reason == "failed":
            text = clean(message.error_message or "the model did not answer")
            self._add(StatusDetail(level="error", text=text))
            self._turns.finish(self.state.time, reason=reason, code="error", message=text)
        elif reason is not None:
            self._turns.finish(self.state.time, reason=reason)

    def _result(self, message: Message, label: str) -> None:
        self._put_result(
            message.tool_call_id or label,
            content.text_of(message.content),
            name=message.tool_name,
            is_error=message.is_error is True,
            images=content.images_of(message.content),
        )

    def _bash(self, message: Message, label: str) -> None:
        arguments = clean(message.command or "")
        self._add(ToolCall(call_id=label, name="bash", arguments=arguments))
        failed = message.cancelled is True or message.exit_code not in (None, 0)
        self._put_result(label, message.output or "", name="bash", is_error=failed)

    def _put_result(self, call_id: str, text: str, *, name: str | None, is_error: bool, images: int = 0) -> None:
        result = tool_result(call_id, text, max_bytes=self._max_bytes, name=name, is_error=is_error, images=images)
        seq = self._turns.next_seq
        self._put(result, Placed("append", ()) if self._tree is None else self._tree.place_result(seq), None)

    def _inject(self, found: content.Content) -> None:
        blocks = content.clipped(found, INJECTED_MAX_BYTES)
        if blocks:
            self._put_message(UserMessage(content=blocks, source="injected"), None)

    def _summarise(self, text: str) -> None:
        if text:
            self._put_message(UserMessage(content=(TextBlock(text=clean(text)),), source="summary"), None)

    def _compact(self, row: Row, tree: Tree) -> None:
        self._add(CompactionStart(tokens_before=whole(row.tokens_before)))
        index = row.first_kept_entry_index
        first_kept = row.first_kept_entry_id or (f"#{index}" if index else None)
        blocks = (TextBlock(text=clean(row.summary)),) if row.summary else ()
        placed = tree.place_summary(self._turns.next_seq, first_kept)
        self._put(UserMessage(content=blocks, source="summary"), placed, None)
        self.state.last_role = row.type

    def _change_model(self, model: str | None) -> None:
        if model:
            self.state.model = model
            self._add(ModelChange(model=model))

    def _rename(self, name: str) -> None:
        self.state.title = name or None
        if name:
            self._add(TitleChange(title=name, source="source"))

    def _step_back(self) -> None:
        if self._tree is not None:
            self._turns.finish(self.state.time, reason="unknown")
            self.state.is_rewound = True
            self._add(Rewind(to_seq=self._tree.last_kept()))

    def _put_message(self, payload: UserMessage | AssistantMessage, identity: str | None) -> None:
        seq = self._turns.next_seq
        self.state.is_rewound = False
        self._put(payload, Placed("append", ()) if self._tree is None else self._tree.place_message(seq), identity)

    def _put(self, payload: Payload, placed: Placed, identity: str | None) -> None:
        self._turns.add(payload, time=self.state.time, surface_op=placed.op, sources=placed.sources, identity=identity)

    def _add(self, payload: Payload) -> None:
        self._turns.add(payload, time=self.state.time)

    def _note_time(self, row: Row) -> None:
        time = entry_time(row)
        if time is not None:
            self.state.time = time // 1000
            self.state.newest = max(self.state.newest, time)
        elif self.state.time == 0 and self.state.identity is not None:
            self.state.time = self.state.identity.created_at // 1000


def _input_tokens(usage: Usage | None) -> int | None:
    if usage is None or usage.input is None:
        return None
    return sum(whole(part) or 0 for part in (usage.input, usage.cache_read, usage.cache_write))


__all__ = ["INJECTED_MAX_BYTES", "NeedsTree", "PiSession"]
