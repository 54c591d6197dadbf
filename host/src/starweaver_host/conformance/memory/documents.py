"""The documents of a session as they stand after a change, each with the feed position it appeared at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from starweaver_host.contract.events import Event
from starweaver_host.contract.records import TITLE_MAX, TitleSource
from starweaver_host.projection.documents import TextDocument, event_documents, run_documents, title_document
from starweaver_host.projection.folding import fold

from .state import Holding, StoredDocument


def clip(title: str | None) -> str | None:
    """A title as it is stored: at most TITLE_MAX code points; a blank one is none."""
    return title[:TITLE_MAX] if title and not title.isspace() else None


def outranks(holding: Holding, source: TitleSource | None) -> bool:
    """Whether a transcript's title may replace the current one: never one set here, a person's only by another."""
    session = holding.session
    return session.title is None or (not holding.pinned and (session.title_source != "user" or source == "user"))


def with_title(
    holding: Holding, title: str | None, source: TitleSource | None, *, set_at: int, position: int, pinned: bool = False
) -> Holding:
    """Make `title` the current one from `position` on; scans as of an older position see the one before."""
    titles = holding.titles
    if title != holding.session.title:
        titles = tuple(stored if stored.until is not None else stored._replace(until=position) for stored in titles)
        if title is not None:
            titles += (_stored(title_document(holding.header.session_id, title, set_at), position),)
    retitled = holding.with_session(title=title, title_source=source if title else None)
    return replace(retitled, titles=titles, pinned=pinned and title is not None)


def with_runs(holding: Holding, position: int) -> Holding:
    """Make the documents of the runs follow from the runs; one that stays the same keeps its position.

    One that was replaced stays for scans as of before; those of a run that was pruned go.
    """
    known = {stored.document: stored for stored in holding.spoken if stored.until is None}
    documents = [document for stored in holding.runs for document in run_documents(*stored)]
    spoken = tuple(known.get(document) or _stored(document, position) for document in documents)
    ended = [stored for stored in holding.spoken if stored.until is not None]
    ended += [known[document]._replace(until=position) for document in known if document not in documents]
    runs = {stored.run.run_id for stored in holding.runs}
    return replace(holding, spoken=(*(each for each in ended if each.document.ref.run_id in runs), *spoken))


def displayed(session_id: str, events: Sequence[Event], position: int) -> tuple[StoredDocument, ...]:
    """The display documents of new events."""
    return _all_stored(event_documents(session_id, events), position)


def _all_stored(documents: Iterable[TextDocument], position: int) -> tuple[StoredDocument, ...]:
    return tuple(_stored(document, position) for document in documents)


def _stored(document: TextDocument, position: int) -> StoredDocument:
    return StoredDocument(document, fold(document.text).encode(), position)


__all__ = ["clip", "displayed", "outranks", "with_runs", "with_title"]
