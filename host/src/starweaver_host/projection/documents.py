"""The search documents of a session: its title, its runs' inputs and outputs, its display messages.

Documents hold original text; a store folds it when it writes its corpus. Times are UTC microseconds and never change
for a document: when its title was set, its run made or ended, or its message shown. A text without anything but
white space makes no document.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b, sha256
from typing import NamedTuple

from starweaver_host.contract.corpus import DocumentRef
from starweaver_host.contract.events import AssistantMessage, Event, NewEvent, TurnEnd
from starweaver_host.contract.records import TERMINAL_RUN_STATUSES, Run, TextPart

from .text import decode_payload, visible_text
from .versions import PROJECTION_VERSION

_DISPLAY_TYPES = frozenset({AssistantMessage.event_type, TurnEnd.event_type})


class TextDocument(NamedTuple):
    """One searchable text. `identity` is the hash of the message it came from, where copies may exist elsewhere."""

    ref: DocumentRef
    time: int
    text: str
    identity: bytes | None = None


class RunIdentities(NamedTuple):
    """Identity hashes of a run's first user message and of its last assistant message."""

    input: bytes | None = None
    output: bytes | None = None


NO_IDENTITIES = RunIdentities()


def title_document(session_id: str, title: str, set_at: int) -> TextDocument:
    """Return the document of a title; `set_at` is when it was set."""
    return TextDocument(DocumentRef(session_id=session_id, source="session_metadata"), set_at, title)


def run_documents(run: Run, identities: RunIdentities = NO_IDENTITIES) -> list[TextDocument]:
    """Return one document per text part of the input, and one for the output preview of a terminal run."""
    documents = [
        TextDocument(
            DocumentRef(session_id=run.session_id, source="run_input", run_id=run.run_id, part=place),
            run.created_at,
            part.text,
            _part_identity(identities.input, place, part.text),
        )
        for place, part in enumerate(run.input)
        if isinstance(part, TextPart) and _has_text(part.text)
    ]
    if run.status in TERMINAL_RUN_STATUSES and run.output_preview and _has_text(run.output_preview):
        ref = DocumentRef(session_id=run.session_id, source="run_output_preview", run_id=run.run_id)
        ended = run.updated_at if run.ended_at is None else run.ended_at
        documents.append(TextDocument(ref, ended, run.output_preview, identities.output))
    return documents


def event_documents(session_id: str, events: Iterable[Event]) -> list[TextDocument]:
    """Return the display documents of events, in their order: assistant texts, and error messages of ended turns."""
    documents = []
    for event in events:
        text = display_text(event)
        if _has_text(text):
            ref = DocumentRef(session_id=session_id, source="display_message", run_id=event.run_id, seq=event.seq)
            identity = None if event.identity is None else identity_hash(event.identity)
            documents.append(TextDocument(ref, event.time * 1000, text, identity))
    return documents


def display_text(event: Event | NewEvent) -> str:
    """Return the searchable display text of an event; empty when it has none."""
    if event.type not in _DISPLAY_TYPES:
        return ""
    payload = decode_payload(event)
    if isinstance(payload, TurnEnd):
        return payload.error_message or ""
    return visible_text(payload)


def identity_hash(identity: str) -> bytes:
    """Return the 8-byte hash by which a message identity is stored and compared."""
    return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=8).digest()


def document_id(ref: DocumentRef) -> str:
    """Return the opaque, stable id of a document; it gives away no session id."""
    fields = ("document-v1", ref.session_id, ref.source, ref.run_id, ref.part, ref.seq)
    named = "".join("-" if field is None else f"{len(str(field))}:{field}" for field in fields)
    return f"doc1.{sha256(named.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _part_identity(first: bytes | None, place: int, text: str) -> bytes | None:
    """Later parts came from later messages: a fork may share the first and differ there, so the text is mixed in."""
    if first is None or place == 0:
        return first
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=first).digest()


def _has_text(text: str) -> bool:
    return bool(text) and not text.isspace()


__all__ = [
    "NO_IDENTITIES",
    "PROJECTION_VERSION",
    "RunIdentities",
    "TextDocument",
    "display_text",
    "document_id",
    "event_documents",
    "identity_hash",
    "run_documents",
    "title_document",
]
