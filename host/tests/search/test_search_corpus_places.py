"""`CorpusBatch.documents_at` of a store that lists documents and does not tell single ones."""

from __future__ import annotations

from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.contract.corpus import CorpusBatch, CorpusDocument, DocumentRef

TEXTS = st.lists(st.tuples(st.text("ab", min_size=1, max_size=5), st.booleans()), max_size=6)


def batch_of(texts: list[tuple[str, bool]]) -> CorpusBatch:
    """A batch of these texts; those marked False belong to no listed document."""
    documents, start = [], 0
    for number, (text, is_listed) in enumerate(texts):
        ref = DocumentRef(session_id=f"s{number}", source="run_input", run_id="r1")
        end = start + len(text)
        if is_listed:
            documents.append(CorpusDocument(ref=ref, root_session_id="s", time=1, start=start, end=end))
        start = end + 1
    folded = b"\0".join(text.encode() for text, _ in texts)
    return CorpusBatch(newest=1, text=folded, load=partial(tuple, documents))


@given(texts=TEXTS, data=st.data())
def test_documents_at_places_are_those_whose_text_holds_one(texts: list[tuple[str, bool]], data: st.DataObject) -> None:
    """Each once, in their order; a place between documents, or in the text of none that is listed, finds nothing."""
    batch = batch_of(texts)
    places = sorted(data.draw(st.sets(st.integers(0, max(len(batch.text) - 1, 0)))))

    found = batch.documents_at(places)

    assert found == tuple(each for each in batch.documents() if any(each.start <= at < each.end for at in places))
