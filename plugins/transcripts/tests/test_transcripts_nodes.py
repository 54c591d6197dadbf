"""The surface nodes a reader keeps while it writes a log."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from starweaver_transcripts.nodes import SurfaceNodes

OPERATIONS = st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=40)


@given(operations=OPERATIONS)
def test_nodes_keep_order_through_their_encoding(operations: list[tuple[int, int]]) -> None:
    """Whatever was appended and replaced, the encoded nodes decode to the same, at any moment."""
    nodes = SurfaceNodes()
    for seq, (start, size) in enumerate(operations):
        if size % 3 == 0:
            nodes.replace(start, start + size, seq * 7)
        else:
            nodes.append(seq * 7)
        assert SurfaceNodes.decode(nodes.encode()).seqs == nodes.seqs


def test_replacement_names_all_it_stands_for_in_ascending_order() -> None:
    """A summary inside the surface keeps its place; sources ascend though nodes need not."""
    nodes = SurfaceNodes([1, 2, 5, 8])
    nodes.replace(0, 2, 9)

    placed = nodes.replace(0, 3, 12)

    assert nodes.seqs == [12]
    assert (placed.op.start, placed.op.end) == (9, 8)
    assert placed.sources == (5, 8, 9)


def test_replacement_of_nothing_appends() -> None:
    """An empty range has no place of its own."""
    nodes = SurfaceNodes([1])

    assert nodes.replace(1, 1, 4).op == "append"
    assert nodes.seqs == [1, 4]


@given(count=st.integers(0, 5000))
def test_encoded_nodes_take_about_a_byte_each(count: int) -> None:
    """A log without gaps above 63 seqs costs one byte per node."""
    assert len(SurfaceNodes(range(0, count * 3, 3)).encode()) <= count + 1
