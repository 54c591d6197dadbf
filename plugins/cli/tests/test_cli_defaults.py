"""The product's defaults, which are written down twice: for people as TOML, for the start as a table."""

from __future__ import annotations

import tomllib

from starweaver_cli.product import DEFAULTS, DEFAULTS_TABLE


def test_defaults_table_is_what_the_default_file_says() -> None:
    """A start that skips the parser must not start with anything else."""
    assert tomllib.loads(DEFAULTS) == DEFAULTS_TABLE
