"""A store with documents of every source, for the rules that scan."""

from __future__ import annotations

from starweaver_host.conformance.context import START, ManualClock
from starweaver_host.contract.records import SessionChange
from starweaver_host.contract.store import SessionStore

from .listing import fill_sessions
from .samples import COMPLETED, SCOPE, admitted, key, says, text_input


async def fill_corpus(store: SessionStore, clock: ManualClock) -> tuple[str, ...]:
    """Sessions that differ in everything a filter looks at, with documents of every source."""
    session_ids = await fill_sessions(store)
    clock.advance(1)
    for number, session_id in enumerate(session_ids):
        if session_id not in ("gone", "archived"):
            await store.update_session(SCOPE, session_id, SessionChange(title=f"Title of {session_id.title()}"))
            await store.append(key(session_id), [says(f"Said in {session_id}", at=START + number)])
            lease = (await admitted(store, "r7", session_id, input=text_input(f"Asked of {session_id}"))).lease
            if number % 2:
                await store.append(key(session_id), [says("While Running", run_id="r7")], lease=lease)
                await store.finalise_run(lease, COMPLETED)
    return session_ids


__all__ = ["fill_corpus"]
