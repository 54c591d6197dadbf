"""The scanner finds keys on the lines where a person would look for them."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from starweaver_host.config.lines import find_line, index_lines

DOCUMENT = '''\
# comment with [brackets] and key = "value"
plugins = [  # here
  "a",
  "b, ] # c", 'd',

  "e",
]
"quoted.key" = """
[not_a_table]
fake = 1
"""
site.name = { first = 1, second = [1, 2] }

[table] # comment
key = 'literal # not a comment' # comment
escaped = "a \\" [x] # b"
triple = \'\'\'it\'\'s\'\'\'\'
after = 1

[table."dotted.sub".'literal']
deep = [[1, 2], [3]]

[[list]]
x = 1
[[list]]
x = 2
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("plugins",), 2),
        (("plugins", 0), 3),
        (("plugins", 1), 4),
        (("plugins", 2), 4),
        (("plugins", 3), 6),
        (("quoted.key",), 8),
        (("site",), 12),
        (("site", "name"), 12),
        (("site", "name", "second"), 12),
        (("table",), 14),
        (("table", "key"), 15),
        (("table", "escaped"), 16),
        (("table", "triple"), 17),
        (("table", "after"), 18),
        (("table", "dotted.sub"), 20),
        (("table", "dotted.sub", "literal", "deep"), 21),
        (("table", "dotted.sub", "literal", "deep", 1), 21),
        (("list", 0, "x"), 24),
        (("list", 1), 25),
        (("list", 1, "x"), 26),
        (("table", "absent"), 14),
        (("absent",), None),
        (("fake",), None),
    ],
)
def test_line_of_a_key_is_where_it_stands(path: tuple[str | int, ...], line: int | None) -> None:
    """Strings, comments and nesting hide nothing and pretend nothing; a missing key has its table's line."""
    tomllib.loads(DOCUMENT)

    assert find_line(index_lines(DOCUMENT), path) == line


KEYS = st.text(alphabet='ab.-" #[]=\\é', min_size=1, max_size=4)
VALUES = st.one_of(
    st.integers(),
    st.booleans(),
    st.text(alphabet="ab\"'\\#[]{},=\n ", max_size=12),
    st.lists(st.text(alphabet="a\"',]#", max_size=4), max_size=3),
)


def written(value: object) -> str:
    """A value as TOML basic text; tables of these are generated, so nothing else is needed."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[\n" + "".join(f"  {written(item)},  # , ]\n" for item in value) + "]"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        return f'"{escaped}"' if "\n" not in value else f'"""\n{escaped.replace(chr(92) + "n", chr(10))}"""'
    return str(value)


@given(st.dictionaries(KEYS, st.dictionaries(KEYS, VALUES, max_size=4), max_size=4))
def test_line_of_every_key_of_any_document_is_right(tables: dict[str, dict[str, object]]) -> None:
    """For any keys and values the scanner agrees with the writer about every line."""
    text = ""
    expected: dict[tuple[str, ...], int] = {}
    for name, table in tables.items():
        expected[(name,)] = text.count("\n") + 1
        text += f"[{written(name)}]\n"
        for key, value in table.items():
            expected[name, key] = text.count("\n") + 1
            text += f"{written(key)} = {written(value)} # end\n"

    assert {name: dict(table) for name, table in tables.items()} == tomllib.loads(text)
    lines = index_lines(text)
    assert expected == {path: find_line(lines, path) for path in expected}
