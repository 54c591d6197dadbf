"""Every hook, registration field, context field and capability word is documented as it is."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from starweaver_cli.product import PRODUCT
from starweaver_host import hooks
from starweaver_host.build import compose
from starweaver_host.config.places import places_in
from starweaver_host.contract.registration import ProviderContext, Registration
from starweaver_host.contract.version import CONTRACT_VERSION
from starweaver_host.fillings import LOOP_FREE
from starweaver_host.registry import HOOKS

PAGE = "docs/reference/hooks.md"


@pytest.mark.parametrize("kind", HOOKS, ids=lambda kind: kind.name)
def test_hook_reference_has_a_heading_with_the_exact_signature(page, kind) -> None:
    """Each hook's heading is its signature, and its section lists the fields its registration adds."""
    signature = str(inspect.signature(getattr(hooks, kind.name))).replace("'", "")
    fields = set(kind.registration.__struct_fields__) - set(Registration.__struct_fields__)

    assert fields == set(page(PAGE).rows(f"`{kind.name}{signature}`"))


def test_hook_reference_has_no_heading_of_a_hook_that_is_gone(page) -> None:
    """A heading that names a hook names one that exists."""
    named = {heading.strip("`").partition("(")[0] for heading in page(PAGE).headings if "(" in heading}

    assert {kind.name for kind in HOOKS} == named


@pytest.mark.parametrize(
    ("heading", "value"),
    [("What every registration has", Registration), ("What a factory gets", ProviderContext)],
    ids=["registration", "context"],
)
def test_hook_reference_lists_the_fields_of_a_value(page, heading: str, value) -> None:
    """What every registration has, and what every factory gets, has a row each."""
    assert list(value.__struct_fields__) == list(page(PAGE).rows(heading))


def test_hook_reference_names_the_contract_version(page) -> None:
    """The version a registration is compared with is the one that is offered."""
    assert f"`{CONTRACT_VERSION}`" in page(PAGE).rows("What every registration has")["contract"][1]


def test_hook_reference_explains_every_capability_word(page, tmp_path: Path) -> None:
    """The word the host knows and the words our own providers declare have a row."""
    registry = compose(PRODUCT, places=places_in(tmp_path), environ={}).registry
    assert registry is not None
    declared = {word for offers in registry for offer in offers for word in offer.registration.capabilities}

    assert declared | {LOOP_FREE} == set(page(PAGE).rows("Capability words"))
