"""Finds the ways in which a subclass of a suite asks less of its provider than the suite does.

Imports pytest only, because the pytest plugin loads it in every test run of an environment that has the kit.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from typing import Any, TypeGuard

import pytest

KIT = "starweaver_host.conformance."
GUARD = "test_suite_is_not_weakened"
_SILENCING = frozenset({"skip", "skipif", "xfail"})


def weakenings(cls: type) -> list[str]:
    """One line per standard test or capability rule that `cls` breaks, sorted; empty when it keeps all of them."""
    return sorted([*_weakened_tests(cls), *_misdeclared_capabilities(cls)])


def escapes(cls: type) -> list[str]:
    """One line per way in which `cls` keeps its guard from running; these cannot be left to the guard."""
    found = [f"{GUARD!r} is replaced"] if _override(cls, GUARD) is not None else []
    places = (("class", cls), ("module", sys.modules.get(cls.__module__)))
    for place, target in places:
        marks = {mark.name for mark in _marks(target)} & _SILENCING
        found += [f"the whole {place} is marked {name!r}" for name in sorted(marks)]
    return found


def is_suite(cls: Any) -> TypeGuard[type]:
    """Whether a class is an author's subclass of a suite of this kit."""
    return isinstance(cls, type) and not _is_standard(cls) and any(_is_standard(base) for base in cls.__mro__)


def _is_standard(cls: type) -> bool:
    return cls.__module__.startswith(KIT)


def _weakened_tests(cls: type) -> Iterator[str]:
    standard = {name for base in cls.__mro__ if _is_standard(base) for name in vars(base) if name.startswith("test_")}
    for name in standard - {GUARD}:
        override = _override(cls, name)
        if override is None:
            continue
        if not callable(override[0]):
            yield f"{name!r} is removed"
        elif not _expects_failure(override[0]):
            yield f"{name!r} is replaced without xfail(strict=True, reason=...)"


def _override(cls: type, name: str) -> tuple[Any] | None:
    """What an author's class put before the standard `name`, in a tuple; None where the standard one is found first."""
    for base in cls.__mro__:
        if name in vars(base):
            return None if _is_standard(base) else (vars(base)[name],)
    return None


def _expects_failure(test: Any) -> bool:
    return any(
        mark.name == "xfail"
        and mark.kwargs.get("strict") is True
        and mark.kwargs.get("run", True)
        and not mark.args
        and str(mark.kwargs.get("reason") or "").strip()
        for mark in _marks(test)
    )


def _marks(target: Any) -> list[pytest.Mark]:
    found: Any = inspect.getattr_static(target, "pytestmark", [])
    marks: Any = found if isinstance(found, list | tuple) else [found]
    return [mark if isinstance(mark, pytest.Mark) else mark.mark for mark in marks]


def _misdeclared_capabilities(cls: Any) -> Iterator[str]:
    known, supported, not_yet = set(cls.CAPABILITIES), set(cls.capabilities), dict(cls.not_yet)
    for name in (supported | set(not_yet)) - known:
        yield f"capability {name!r} is not one of {sorted(known)}"
    for name in supported & set(not_yet):
        yield f"capability {name!r} is declared as supported and as not yet"
    for name, reason in not_yet.items():
        if not reason.strip():
            yield f"capability {name!r} is not yet supported, and no reason is given"


__all__ = ["GUARD", "KIT", "escapes", "is_suite", "weakenings"]
