"""A plugin adds a command to `sw` without `sw` knowing it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from starweaver_host.testing import install_distribution

Home = Any
MODULE = '''
import click
from starweaver_host.contract.registration import CommandRegistration
from starweaver_host.hooks import hookimpl

@click.command("count")
@click.pass_obj
def count(context):
    """Count sessions."""
    async def main(services):
        from starweaver_host.contract.records import AccessScope
        from starweaver_host.contract.store import SessionListQuery
        page = await services.store.list_sessions(AccessScope(), SessionListQuery())
        return len(page.sessions)
    click.echo(f"{context.product}: {context.run(main, 'store')}")

@hookimpl
def starweaver_commands():
    yield CommandRegistration(
        name="count", summary="count sessions", contract="1.0", path=("session", "count"), load=lambda: count)
    yield CommandRegistration(
        name="broken", summary="cannot be loaded", contract="1.0", path=("session", "broken"), load=lambda: 1 // 0)
    yield CommandRegistration(
        name="status", summary="tell its state", contract="1.0", path=("index", "status"), load=lambda: count)
    yield CommandRegistration(
        name="bad", summary="cannot be loaded", contract="1.0", path=("index", "bad"), load=lambda: 1 // 0)
    yield CommandRegistration(
        name="list", summary="not ours", contract="1.0", path=("session", "list"), load=lambda: count)
'''


@pytest.fixture
def plugged(two_sessions: Home, tmp_path: Path) -> dict[str, str]:
    """An environment in which a plugin with commands is installed and listed."""
    site = tmp_path / "site"
    install_distribution(site, "acme-count", plugins={"acme-count": "acme_count"}, modules={"acme_count": MODULE})
    two_sessions.configure('plugins = ["sqlite-store", "transcripts", "local-search", "acme-count"]\n')
    return {"PYTHONPATH": str(site)}


def test_contributed_command_runs_over_the_open_product(two_sessions: Home, plugged: dict[str, str]) -> None:
    """It finds the product's services in its context object."""
    two_sessions.sw("session", "import", environ=plugged)

    ran = two_sessions.sw("session", "count", environ=plugged)

    assert (ran.status, ran.out) == (0, "sw: 2\n")


def test_contributed_group_runs_and_tells_its_commands(two_sessions: Home, plugged: dict[str, str]) -> None:
    """A plugin may open a group of its own; the group's help loads no command, and a command loads no other."""
    two_sessions.sw("session", "import", environ=plugged)

    ran = two_sessions.sw("index", "status", environ=plugged)
    told = two_sessions.sw("index", "--help", environ=plugged)

    assert (ran.status, ran.out) == (0, "sw: 2\n")
    assert told.status == 0
    assert "tell its state" in told.out
    assert "cannot be loaded" in told.out
    assert two_sessions.sw("index", "nothing", environ=plugged).status == 2


def test_contributed_command_replaces_none_of_ours(two_sessions: Home, plugged: dict[str, str]) -> None:
    """A name that the product has stays the product's."""
    assert '"sessions"' in two_sessions.sw("session", "list", "--output", "json", environ=plugged).out


def test_contribution_of_an_unlisted_plugin_is_not_there(two_sessions: Home, plugged: dict[str, str]) -> None:
    """Installed is not enabled."""
    two_sessions.configure("")

    assert two_sessions.sw("session", "count", environ=plugged).status == 2
