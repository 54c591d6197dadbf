"""One session's log as it grows out of rows: messages, tool events, turns, branches, compaction.

Gets rows in file order, an assistant message's rows together. Holds no text longer than until the next `take`. Which
rows belong together and which session a row belongs to is decided by the reader.
"""

from __future__ import annotations

from collections.abc import Sequence

from starweaver_host.contract.events import (
    CompactionStart,
    Replace,
    Rewind,
    StatusDetail,
    SubagentLink,
    SurfaceOp,
    TextBlock,
    TitleChange,
    UserMessage,
)
from starweaver_transcripts.emit import clean, iso_ms, tool_result
from starweaver_transcripts.turns import TurnLog

from .blocks import answer_of, blocks_of, message_blocks, raw_blocks, todo_write, tool_call
from .branches import ROOT, is_uuid, row_hash
from .human import is_command, is_interruption, typed_text
from .rows import Block, Link, Message, Row
from .speech import UNSETTLED, assistant_message, attributed, ending_of, is_notification
from .state import SessionState, pack_tree, unpack_tree
from .status import status_detail, subagent_of
from .titles import MODEL, PERSON, PROMPT, SUMMARY

SESSION_PREFIX = "claude-code:"


class SessionWriter:
    """Turns the rows of one session into its events. `state` is what an earlier reading left, or a fresh one."""

    def __init__(self, state: SessionState, *, tool_result_max_bytes: int, is_subagent: bool) -> None:
        self.state = state
        self.log = TurnLog(state.turns)
        self.surface, self.tree = unpack_tree(state)
        self._max_bytes = tool_result_max_bytes
        self._is_subagent = is_subagent
        self._time = self._last = state.updated
        self._steering = state.steering
        self._titles = state.titles

    def saved(self) -> SessionState:
        """The state to go on from."""
        self.state.turns = self.log.state
        pack_tree(self.state, self.surface, self.tree)
        return self.state

    def is_copy(self, row: Row) -> bool:
        """Tell whether this very row was read before. Ids that are no UUIDs prove nothing."""
        return row.uuid is not None and is_uuid(row.uuid) and row_hash(row.uuid) in self.tree

    def assistant(self, rows: Sequence[tuple[Row, Message]]) -> None:
        """Take all rows of one assistant message."""
        first, message = rows[0]
        time = self._see(first)
        blocks = [block for _, part in rows for block in blocks_of(part.content)]
        if message.model == "<synthetic>" or first.is_api_error_message:
            self._notice(first, blocks, time)
        else:
            seq = self._speak(rows, blocks, time)
            self._calls(blocks, time)
            self.surface.push(seq, spoken=True)
        for row, _ in rows:
            self._hang(row, self.surface.last)

    def user(self, row: Row, message: Message) -> None:
        """Take a user row: tool results, a prompt, a summary, or context the tool put there."""
        time = self._see(row)
        blocks = blocks_of(message.content)
        results = [block for block in blocks if block.type == "tool_result"]
        if results:
            self._results(row, results, time)
        rest = [block for block in blocks if block.type in ("text", "image")]
        if row.is_compact_summary:
            self._summary(row, rest, time)
        elif rest:
            self._message(row, rest, time)
        self._hang(row, self.surface.last)

    def system(self, row: Row) -> None:
        """Take a system row: a compaction boundary, or something that says something."""
        time = self._see(row)
        if row.subtype == "compact_boundary":
            self._compaction(row, time)
        elif (detail := status_detail(row)) is not None:
            self.log.add(detail, time=time)
        self._hang(row, self._node(row.parent_uuid))

    def attachment(self, row: Row) -> None:
        """Take an attachment: only a queued command says anything a person typed."""
        time = self._see(row)
        if row.attachment is not None and row.attachment.type == "queued_command":
            texts = [block.text for block in raw_blocks(row.attachment.prompt) if block.type == "text" and block.text]
            injected = bool(row.attachment.is_meta) or is_notification(row.attachment.origin)
            self._slipped(self._steering.tell("\n".join(texts)), time, injected=injected)
        self._hang(row, self._node(row.parent_uuid))

    def queue(self, row: Row) -> None:
        """Take an operation on the queue of typed text."""
        time = self._see(row)
        texts = [block.text for block in raw_blocks(row.content) if block.text]
        self._slipped(self._steering.operate(row.operation or "", "\n".join(texts) or None), time)

    def take_row(self, row: Row) -> None:
        """Take any row but an assistant's."""
        if row.type == "user" and isinstance(row.message, Message):
            self.user(row, row.message)
        elif row.type == "system":
            self.system(row)
        elif row.type == "attachment":
            self.attachment(row)
        elif row.type == "queue-operation":
            self.queue(row)
        else:
            self.named(row)

    def named(self, row: Row) -> None:
        """Take a title row."""
        before = self._titles.title
        self._titles.offer(row.custom_title, PERSON)
        self._titles.offer(row.ai_title, MODEL)
        if row.summary and row.leaf_uuid:
            self._summarised(row_hash(row.leaf_uuid), row.summary)
        title, source = self._titles.title, self._titles.source
        if title is not None and source is not None and title != before and self.log.next_seq:
            self.log.add(TitleChange(title=title, source=source), time=self._time)

    def _summarised(self, leaf: int, summary: str) -> None:
        if leaf in self.tree:
            self._titles.offer(summary, SUMMARY)
        else:
            self._titles.await_message(leaf, summary)

    def progress(self, link: Link) -> None:
        """Take the place of a progress row, and the subagent it reports on."""
        if link.uuid is not None:
            self._place(link.uuid, self._node(link.parent_uuid))
        self.link(link.agent_id, link.call_id, self._time)

    def link(self, agent_id: str | None, call_id: str | None, time: int) -> None:
        """Note once that a call runs as a session of its own."""
        if agent_id and agent_id not in self.state.linked and len(agent_id) < 128:
            self.state.linked.append(agent_id)
            child = f"{SESSION_PREFIX}agent-{clean(agent_id)}"
            self.log.add(SubagentLink(call_id=call_id, child_session_id=child), time=time)

    def end_of_file(self) -> None:
        """No more is to come for now: what still waits in the queue was typed all the same."""
        for text in self._steering.leftover():
            self._slipped(text, self._time)

    def _speak(self, rows: Sequence[tuple[Row, Message]], blocks: list[Block], time: int) -> int:
        first, message = rows[0]
        self.state.ending = ending_of(rows, blocks)
        if not self.log.is_open:
            self.log.begin(time, model=message.model)
        return self.log.add(assistant_message(rows, blocks), time=time, identity=first.uuid or message.id)

    def _calls(self, blocks: list[Block], time: int) -> None:
        for block in blocks:
            if block.type == "tool_use":
                call = tool_call(block)
                self.log.add(call, time=time)
                self.state.calls[call.call_id] = call.name
                if (todos := todo_write(block)) is not None:
                    self.log.add(todos, time=time)

    def _notice(self, row: Row, blocks: list[Block], time: int) -> None:
        """A message the tool wrote in the model's name: an error ends the turn, anything else is a remark."""
        text = clean("\n".join(block.text for block in blocks if block.text))
        error = bool(row.is_api_error_message)
        if text:
            self.log.add(StatusDetail(level="error" if error else "info", text=text), time=time)
        if error:
            self.log.finish(time, reason="failed", code="api_error", message=text or None)

    def _results(self, row: Row, results: list[Block], time: int) -> None:
        for block in results:
            answer = answer_of(block)
            result = tool_result(
                block.tool_use_id or "",
                answer.text,
                max_bytes=self._max_bytes,
                name=self.state.calls.pop(block.tool_use_id or "", None),
                is_error=bool(block.is_error),
                images=answer.images,
            )
            self.surface.push(self.log.add(result, time=time), spoken=False)
        self.link(subagent_of(row), results[0].tool_use_id, time)
        self.state.ending = UNSETTLED

    def _message(self, row: Row, blocks: list[Block], time: int) -> None:
        source, content = attributed(row, blocks, is_subagent=self._is_subagent)
        text = "\n".join(block.text for block in content if isinstance(block, TextBlock))
        abandoned = self._abandoned(row)
        if source in ("user", "agent"):
            self._steering.typed(text)
            self._begin(time)
            self._titles.offer(text, PROMPT)
        elif is_command(text) and self.state.ending != UNSETTLED:
            self.log.finish(self._last, reason=self.state.ending)
        if abandoned:
            kept = len(self.surface.seqs) - len(abandoned)
            self.log.add(Rewind(to_seq=self.surface.seqs[kept - 1] if kept else None), time=time)
        self._put(UserMessage(content=content, source=source, message_id=row.uuid), time, abandoned, row.uuid)
        if is_interruption(text):
            self.log.finish(time, reason="cancelled")

    def _summary(self, row: Row, blocks: list[Block], time: int) -> None:
        if not self.state.compacting:
            self.log.add(CompactionStart(), time=time)
        self.state.compacting = False
        content = tuple(message_blocks(blocks))
        payload = UserMessage(content=content, source="summary", message_id=row.uuid)
        self._put(payload, time, self.surface.beyond(ROOT), row.uuid)

    def _compaction(self, row: Row, time: int) -> None:
        facts = row.compact_metadata
        self.state.compacting = True
        trigger, before = (facts.trigger, facts.pre_tokens) if facts is not None else (None, None)
        self.log.add(CompactionStart(trigger=trigger, tokens_before=before), time=time)

    def _slipped(self, text: str | None, time: int, *, injected: bool = False) -> None:
        if text is None:
            return
        typed = "" if injected else typed_text(text).strip()
        content = (TextBlock(text=clean(typed or text)),)
        self._put(UserMessage(content=content, source="steering" if typed else "injected"), time, (), None)

    def _put(self, payload: UserMessage, time: int, shadowed: tuple[int, ...], identity: str | None) -> None:
        operation: SurfaceOp = Replace(start=shadowed[0], end=shadowed[-1]) if shadowed else "append"
        seq = self.log.add(payload, time=time, surface_op=operation, sources=shadowed, identity=identity)
        self.surface.replace(shadowed, seq, spoken=payload.source not in ("injected", "steering"))

    def _begin(self, time: int) -> None:
        """A prompt begins a turn; one still open is over, well if the model had the last word."""
        self.log.finish(self._last, reason=self.state.ending)
        self.log.begin(time)
        self.state.ending = UNSETTLED

    def _abandoned(self, row: Row) -> tuple[int, ...]:
        if row.parent_uuid is not None:
            node = self.tree.get(row_hash(row.parent_uuid))
            return () if node is None else self.surface.abandoned(node)
        return self.surface.abandoned(ROOT) if self.state.chained else ()

    def _node(self, parent_uuid: str | None) -> int:
        """The node a row hangs on; for an unknown parent the newest."""
        if parent_uuid is None:
            return self.surface.last
        return self.tree.get(row_hash(parent_uuid), self.surface.last)

    def _hang(self, row: Row, node: int) -> None:
        if row.uuid is not None:
            self._place(row.uuid, node)
        if row.parent_uuid is not None and row_hash(row.parent_uuid) in self.tree:
            self.state.chained = True

    def _place(self, uuid: str, node: int) -> None:
        key = row_hash(uuid)
        self.tree[key] = node
        self._titles.saw_row(key)

    def _see(self, row: Row) -> int:
        """Take a row's facts and return its time in UTC milliseconds; a row without one has the time before it."""
        state = self.state
        time = iso_ms(row.timestamp)
        self._last = self._time
        if time is not None:
            self._time = time
            state.updated = max(state.updated, time)
            if state.created is None:
                state.created = time
        state.cwd = state.cwd or row.cwd
        state.agent_version = state.agent_version or row.version
        return self._time


__all__ = ["SESSION_PREFIX", "SessionWriter"]
