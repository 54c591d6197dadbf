"""A store with documents of every source, for the rules that scan."""

from __future__ import annotations

from starweaver_host.conformance.context import START, ManualClock
from starweaver_host.contract.records import SessionChange
from starweaver_host.contract.store import SessionStore

from .imports import batch
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


async def fill_interleaved(store: SessionStore, count: int = 300) -> list[str]:
    """Sessions whose documents' times interleave; returns the folded texts, sorted."""
    texts = []
    for number in range(6):
        own = [f"s{number} text {place} " + "x" * (place % 5) for place in range(count // 6)]
        events = [says(text, at=START + place * 60_000_000 + number) for place, text in enumerate(own)]
        await store.import_batch(batch(f"x:{number}", *events))
        texts += own
    return sorted(texts)


__all__ = ["fill_corpus", "fill_interleaved"]
