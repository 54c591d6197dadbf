"""The fold: what it equates, what it keeps apart, and that it is the same on every supported Python."""

from __future__ import annotations

import hashlib
import re
import sys
from typing import Literal
from unicodedata import combining, normalize

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from starweaver_host.projection import casefold
from starweaver_host.projection.folding import WHITE_SPACE, find_all, fold, fold_needle
from starweaver_host.projection.unicode14 import LATER, parse_ranges

FOLD_DIGEST = "1ed4e335a05fbb3b22b25ee6f94cfe9a6575863aa47bbe6212afd0d3d94164d5"
"""SHA-256 over every code point in four contexts; computed alike by Python 3.11, 3.12 and 3.13."""

HARD = "aAsSßẞſKKiIİıσςΣéÉ\u0301\u0308\u0323\u0344\u0345\u0f73\u0bc6\u0bbeǰΐᾳᾼŉﬃ가\u1100\u1161\u11a8日กำ🎉👍🏽\u200d🇩🇪"
HARD += " \n\t\x1c\x85\u00a0\u2028\u3000\ufeff\0\ud800\udfff\u0897\U00016d63\U00016d67\U0001e4ec"
texts = st.one_of(st.text(alphabet=HARD), st.text(st.characters()))


def fold_by_definition(text: str) -> str:
    """The definition, one step after the other, without a fast path; for texts of Unicode 14.0."""
    text = re.sub("[\0\ud800-\udfff]", "\ufffd", text)
    text = normalize("NFC", normalize("NFC", text).casefold())
    return re.sub(f"[{WHITE_SPACE}]+", " ", text)


def is_later(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in parse_ranges(LATER))


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("straße", "strasse"),
        ("STRASSE", "straße"),
        ("STRAẞE", "strasse"),
        ("caf\u00e9", "cafe\u0301"),
        ("CAFE\u0301", "caf\u00e9"),
        ("ΟΔΟΣ", "οδοσ"),
        ("οδος", "ΟΔΟΣ"),
        ("273 \u212a", "273 k"),
        ("İstanbul", "i\u0307stanbul"),
        ("ﬃ", "FFI"),
        ("one\r\n\ttwo", "one two"),
        ("one\u3000two", "one\u00a0two"),
        ("\u1112\u1161\u11ab", "한"),
        ("ᾳ", "αι"),
    ],
)
def test_fold_equates_pairs_that_differ_in_form_only(text: str, needle: str) -> None:
    """Case, composition and the kind of white space make no difference."""
    assert fold_needle(needle) in fold(text)


@pytest.mark.parametrize(
    ("text", "needle"),
    [
        ("cafe", "café"),
        ("istanbul", "ıstanbul"),
        ("ｆｕｌｌ", "full"),
        ("ひ", "ヒ"),
        ("onetwo", "one two"),
        ("one\ufefftwo", "one two"),
        ("one\x1ftwo", "one two"),
        ("one\u200btwo", "one two"),
    ],
)
def test_fold_keeps_apart_what_is_not_the_same_text(text: str, needle: str) -> None:
    """Accents, dotless i, width, scripts, U+FEFF and separators of the C0 block are not folded away."""
    assert fold_needle(needle) not in fold(text)


def test_fold_makes_one_space_of_any_white_space_run() -> None:
    """Every character of the White_Space property counts, at the ends too."""
    assert fold(f"{WHITE_SPACE}a{WHITE_SPACE[::-1]}{WHITE_SPACE}b{WHITE_SPACE}") == " a b "


@pytest.mark.parametrize("text", ["\n", "\n\n", " \n", "\n ", "\n \n", "\t", "\u3000\n\u3000"])
def test_fold_of_blank_text_is_one_space(text: str) -> None:
    """However white space is spread over lines, it is one run."""
    assert fold(text) == " "


def test_fold_replaces_nul_and_lone_surrogates() -> None:
    """Folded text can be encoded, and a NUL between documents is never part of one."""
    assert fold("A\0B\ud800C\udfff") == "a\ufffdb\ufffdc\ufffd"


def test_fold_needle_drops_white_space_at_the_ends_only() -> None:
    """Space around a query means nothing, space inside does."""
    assert fold_needle("\u3000A\n b\t") == "a b"
    assert fold_needle(" \n") == ""


@given(texts)
@example("\u0345\u0301\u0345")
@example("ǰ\u0323")
@settings(deadline=None)
def test_fold_is_idempotent(text: str) -> None:
    """Folded text folds to itself, so that stored text can be compared with folded needles."""
    assert fold(text) == fold(fold(text))


@given(texts.filter(lambda text: not any(map(is_later, text))))
@settings(deadline=None)
def test_fold_equals_its_definition(text: str) -> None:
    """Fast paths, line splitting and pinning change nothing for characters of Unicode 14.0."""
    assert fold_by_definition(text) == fold(text)


@given(st.text(alphabet="aé\u0301\u0323\u0344\u0345α가", max_size=12).map(lambda text: text * 40))
@settings(deadline=None, max_examples=50)
def test_fold_of_long_mark_runs_equals_its_definition(text: str) -> None:
    """Ordering long runs of marks ahead of normalisation gives what normalisation alone gives."""
    assert fold_by_definition(text) == fold(text)


def test_fold_orders_long_mark_runs_before_normalising(monkeypatch: pytest.MonkeyPatch) -> None:
    """`normalize` is quadratic in a run of unordered marks, so it never gets one."""
    seen: list[str] = []

    def recording(form: Literal["NFC"], text: str) -> str:
        seen.append(text)
        return normalize(form, text)

    monkeypatch.setattr(casefold, "normalize", recording)

    fold("a" + "\u0301\u0323" * 500)

    classes = [combining(character) for character in seen[0]]
    assert sorted(classes) == classes


def test_fold_leaves_later_characters_alone() -> None:
    """A character assigned after Unicode 14.0 folds to itself, composes with nothing and is not passed by a mark."""
    for first, last in parse_ranges(LATER):
        for code in (first, last):
            text = f"a{chr(code)}\u0323\u0301{chr(code)}"

            assert text == fold(text), f"U+{code:04X}"


def test_fold_is_the_same_for_every_code_point_on_every_python() -> None:
    """Stored folded text outlives the Python that wrote it; after a marked base and before marks covers composition."""
    lines = [f"a{character}\u0323\u0301{character}\u0345" for character in map(chr, range(sys.maxunicode + 1))]

    digest = hashlib.sha256(fold("\n".join(lines)).encode()).hexdigest()

    assert digest == FOLD_DIGEST


@given(st.text("ab", max_size=40), st.text("ab", max_size=4))
def test_find_all_yields_leftmost_matches_that_do_not_overlap(text: str, needle: str) -> None:
    """The same places a regular expression finds; none for an empty needle."""
    expected = [match.start() for match in re.finditer(re.escape(needle), text)] if needle else []

    assert expected == list(find_all(text, needle))
