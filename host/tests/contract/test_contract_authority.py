"""Authority is in handles and scopes: what a model or caller can say cannot name it, and every door asks for it."""

from __future__ import annotations

import inspect
from typing import Any

import msgspec
import pytest

from starweaver_host.contract import agent_control, agent_events, agents, control, controlled, subagents
from starweaver_host.contract.values import Input, Value

AUTHORITY = {"namespace_id", "owner_id", "operations", "max_page_size", "approval_id", "authority", "trust"}
TEXTS = {"title", "text", "snippet", "hit", "input_preview", "output_preview"}
COMMANDS: dict[str, dict[str, object]] = {
    "CreateSession": {"idempotencyKey": "k"},
    "UpdateSession": {"sessionId": "s", "expectedRevision": 1, "idempotencyKey": "k"},
    "DeleteSession": {"sessionId": "s", "expectedRevision": 1, "idempotencyKey": "k"},
    "StartSessionRun": {"sessionId": "s", "text": "go", "idempotencyKey": "k"},
    "SteerSessionRun": {"sessionId": "s", "runId": "r", "steeringId": "k", "text": "left"},
    "InterruptSessionRun": {"sessionId": "s", "runId": "r", "operationId": "k"},
}


def _structs(base: type[msgspec.Struct]) -> list[type[msgspec.Struct]]:
    return [
        found
        for module in (agents, agent_events, agent_control)
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, base) and found.__module__ == module.__name__
    ]


@pytest.mark.parametrize("arguments", _structs(Input), ids=lambda found: found.__name__)
def test_agent_arguments_name_no_authority(arguments: type[msgspec.Struct]) -> None:
    """No argument of a tool is a namespace, an owner, an operation, a cap or an approval."""
    assert not AUTHORITY.intersection(arguments.__struct_fields__)


@pytest.mark.parametrize("view", _structs(Value), ids=lambda found: found.__name__)
def test_agent_items_with_text_say_that_they_are_evidence(view: type[msgspec.Struct]) -> None:
    """Whatever carries text out of history carries the label with it, outside its page too."""
    if TEXTS.intersection(view.__struct_fields__):
        fields = {field.name: field for field in msgspec.structs.fields(view)}

        assert fields["trust"].default == agents.TRUST_LABEL


@pytest.mark.parametrize("name", COMMANDS)
def test_agent_commands_refuse_what_they_do_not_know(name: str) -> None:
    """A command decodes from its least arguments, and not with a namespace slipped in."""
    command: Any = getattr(agent_control, name)

    msgspec.convert(COMMANDS[name], command)
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert({**COMMANDS[name], "namespaceId": "other"}, command)


@pytest.mark.parametrize("key", ["", "k" * 129])
def test_agent_commands_refuse_keys_out_of_bounds(key: str) -> None:
    """A key has 1 to 128 characters."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"idempotencyKey": key}, agent_control.CreateSession)


@pytest.mark.parametrize(
    "protocol",
    [control.SessionControl, controlled.ControlledCatalog, controlled.WaitingRuns, subagents.SubagentAttempts],
)
def test_control_operations_ask_for_a_scope_or_a_lease(protocol: type) -> None:
    """No operation on somebody's session is without the authority it runs under; reconciliation is the host's own."""
    operations = {
        name: list(inspect.signature(found).parameters)[1]
        for name, found in inspect.getmembers(protocol, inspect.isfunction)
        if not name.startswith("_")
    }

    assert operations
    assert {name for name, first in operations.items() if first not in ("scope", "lease")} <= {"reconcile_attempts"}
