"""Literal matching: the fold, and the way back to the original text. The names other packages use; no code here."""

from __future__ import annotations

from .casefold import FOLD_VERSION, WHITE_SPACE, find_all, fold, fold_needle
from .mapping import FoldedText, fold_mapped, iter_matches, map_matches

__all__ = [
    "FOLD_VERSION",
    "WHITE_SPACE",
    "FoldedText",
    "find_all",
    "fold",
    "fold_mapped",
    "fold_needle",
    "iter_matches",
    "map_matches",
]
