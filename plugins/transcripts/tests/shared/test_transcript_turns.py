"""Numbering of events and turns."""

from __future__ import annotations

from starweaver_host.contract.events import StatusDetail
from starweaver_transcripts.turns import TurnLog


def _note(log, text="note"):
    return log.add(StatusDetail(level="info", text=text), time=5)


def test_events_belong_to_the_open_turn():
    """Events between turns have no run; those inside have the turn's."""
    log = TurnLog()
    _note(log)
    log.begin(1)
    _note(log)
    log.finish(2)
    _note(log)

    assert [event.run_id for event in log.take()] == [None, "turn-1", "turn-1", "turn-1", None]


def test_beginning_a_turn_ends_the_open_one():
    """A turn that was left open ends with the reason given."""
    log = TurnLog()
    log.begin(1)
    log.begin(9, unfinished="interrupted")

    ends = [event.data.reason for event in log.take() if event.type == "turn/end"]
    assert (ends, log.turn, log.is_open) == (["interrupted"], 2, True)


def test_log_goes_on_from_its_state():
    """Three numbers are all that a later reading needs."""
    first = TurnLog()
    first.begin(1)
    _note(first)
    second = TurnLog(first.state)

    assert (_note(second), second.take()[0].run_id) == (2, "turn-1")


def test_taking_events_empties_the_log_and_keeps_counting():
    """Handing events over does not renumber what follows."""
    log = TurnLog()
    _note(log)
    taken = log.take()

    assert (len(taken), len(log), _note(log)) == (1, 0, 1)
