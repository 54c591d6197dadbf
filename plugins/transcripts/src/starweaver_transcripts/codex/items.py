"""Completed items of a paginated rollout (`item_completed` events): messages, reasoning and whole tool calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from . import values
from .messages import Messages
from .rows import Item
from .tools import Tools
from .values import Output

_Reader = Callable[["Items", Item, str, str | None], None]


class Items:
    """Reads completed items. Unknown types say nothing."""

    def __init__(self, messages: Messages, tools: Tools) -> None:
        self._messages = messages
        self._tools = tools

    def read(self, item: Item, fallback_id: str, turn_id: str | None) -> None:
        """Read one item; `fallback_id` names a call whose writer gave it none."""
        reader = self._READERS.get(item.type) if isinstance(item.type, str) else None
        if reader is not None:
            reader(self, item, fallback_id, turn_id)

    def _user(self, item: Item, _fallback: str, turn_id: str | None) -> None:
        self._messages.typed(values.content(item.content), "item", turn_id)

    def _agent(self, item: Item, _fallback: str, turn_id: str | None) -> None:
        self._messages.said(values.content(item.content), "item", turn_id)

    def _plan(self, item: Item, _fallback: str, turn_id: str | None) -> None:
        self._messages.said(values.content(item.text), "item", turn_id)

    def _reasoning(self, item: Item, _fallback: str, _turn: str | None) -> None:
        self._messages.thought(values.content(item.summary_text).texts, "item")

    def _command(self, item: Item, fallback: str, _turn: str | None) -> None:
        self._perform(item, fallback, "exec_command", {"command": item.command}, _process_output(item))

    def _file_change(self, item: Item, fallback: str, _turn: str | None) -> None:
        self._perform(item, fallback, "apply_patch", {"changes": item.changes}, _process_output(item))

    def _mcp(self, item: Item, fallback: str, _turn: str | None) -> None:
        name = ".".join(filter(None, (values.string(item.server), values.string(item.tool)))) or "mcp"
        self._perform(item, fallback, name, item.arguments, mcp_output(item.result, item.error))

    def _search(self, item: Item, fallback: str, _turn: str | None) -> None:
        name = values.string(item.kind) or "web_search"
        arguments = {"query": item.query, "action": item.action}
        found = None if not isinstance(item.results, list) else Output(_result_lines(item.results))
        self._perform(item, fallback, name, arguments, found)

    def _perform(self, item: Item, fallback: str, name: str, arguments: Any, found: Output | None) -> None:
        call_id = values.string(item.id) or fallback
        self._tools.performed(call_id, name, values.json_text(arguments), found)

    _READERS: ClassVar[dict[str, _Reader]] = {
        "UserMessage": _user,
        "AgentMessage": _agent,
        "Plan": _plan,
        "Reasoning": _reasoning,
        "CommandExecution": _command,
        "FileChange": _file_change,
        "McpToolCall": _mcp,
        "Extension": _search,
        "WebSearch": _search,
    }


def _process_output(item: Item) -> Output:
    failed = item.exit_code not in (None, 0) or item.status == "failed"
    return process_output(item.aggregated_output, item.stdout, item.stderr, failed=failed)


def process_output(aggregated: Any, stdout: Any, stderr: Any, *, failed: bool) -> Output:
    """What a process printed: both streams as they came, else one after the other."""
    text = values.string(aggregated)
    if text is None:
        text = "\n".join(filter(None, (values.string(stdout), values.string(stderr))))
    return Output(text, is_error=failed)


def mcp_output(result: Any, error: Any) -> Output:
    """An MCP server's answer: content blocks, or `Ok`/`Err` around them."""
    if isinstance(result, dict) and "Err" in result:
        return Output(values.json_text(result["Err"]), is_error=True)
    if isinstance(result, dict) and "Ok" in result:
        result = result["Ok"]
    if not isinstance(result, dict):
        return Output(values.json_text(error if result is None else result), is_error=error is not None)
    found = values.content(result.get("content"))
    return Output(found.text, len(found.images), result.get("isError") is True or error is not None)


def _result_lines(results: list[Any]) -> str:
    """Search results as text: title, address and excerpt of each."""
    rows = (row for row in results if isinstance(row, dict))
    lines = ([values.string(row.get(name)) for name in ("title", "url", "snippet")] for row in rows)
    return "\n\n".join("\n".join(filter(None, line)) for line in lines)


__all__ = ["Items", "mcp_output", "process_output"]
