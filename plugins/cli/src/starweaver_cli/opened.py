"""The open application as commands see it, and the one way to get it."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from starweaver_host.contract.errors import SearchError
from starweaver_host.contract.records import LOCAL_NAMESPACE, AccessScope

if TYPE_CHECKING:
    from pathlib import Path

    from starweaver_host.application import Application, Services
    from starweaver_host.contract.records import Session
    from starweaver_host.contract.search import SessionSearchProvider, SessionSearchScope, SessionSummary
    from starweaver_host.contract.store import SessionStore
    from starweaver_host.contract.transcripts import SourceEnvironment, TranscriptSource

    from .product import CliConfig

T = TypeVar("T")


class Opened:
    """Open providers, and the authority and environment of the person at the keyboard."""

    def __init__(
        self, application: Application[CliConfig], services: Services, home: Path, environ: Mapping[str, str]
    ) -> None:
        self.application = application
        self.config = application.config
        self.store: SessionStore = services.store
        self._services = services
        self._home = home
        self._environ = environ

    @property
    def search(self) -> SessionSearchProvider:
        """The search provider; SearchError `unsupported` in a product without one."""
        found = self._services.search
        if found is None:
            raise SearchError("unsupported", "no search provider is configured", hint="see `[search]` in cli.toml")
        return found

    @property
    def sources(self) -> Mapping[str, TranscriptSource]:
        """Enabled importers by name."""
        return self._services.sources

    def access(self, *, include_deleted: bool = False) -> AccessScope:
        """The store scope of a person over their own local store."""
        return AccessScope(namespace_id=LOCAL_NAMESPACE, include_deleted=include_deleted)

    def search_scope(self) -> SessionSearchScope:
        """The search scope of a person over their own local store."""
        from starweaver_host.contract.search import SessionSearchScope

        return SessionSearchScope(namespace_id=LOCAL_NAMESPACE, include_deleted=True)

    def environment(self, source: str, *extra_roots: Path) -> SourceEnvironment:
        """Where one source may look."""
        from starweaver_host.contract.transcripts import SourceEnvironment

        roots = (*self.application.settings("sources", source).roots, *extra_roots)
        return SourceEnvironment(
            home=self._home,
            environ=self._environ,
            extra_roots=roots,
            tool_result_max_bytes=self.config.sources.tool_result_max_bytes,
        )

    def resume_command(self, summary: SessionSummary) -> str | None:
        """How to resume a hit's session in the tool that wrote it."""
        return self._resume(summary.agent, summary.native_id, summary.cwd)

    def resume_of(self, session: Session) -> str | None:
        """How to resume a session in the tool that wrote it."""
        external = session.header.external
        return self._resume(external.source, external.native_id, session.header.cwd) if external else None

    def _resume(self, agent: str | None, native_id: str | None, cwd: str | None) -> str | None:
        source = self.sources.get(agent or "")
        return source.resume_command(native_id, cwd) if source and native_id else None


def run_opened(
    work: Callable[[Opened], Coroutine[Any, Any, T]], *, needs_search: bool = True, bundled_examples: bool = False
) -> T:
    """Compose the product, open what the command needs, do the work, close everything.

    With `bundled_examples`, a machine without transcripts and sessions gets the examples, all of them read, in a store
    of their own.
    """
    import os
    from pathlib import Path

    from starweaver_host.build import compose
    from starweaver_host.runtime import inline_offload

    from .driving import run
    from .product import PRODUCT
    from .render.stream import set_color

    application = compose(PRODUCT, offload=inline_offload)
    set_color(application.config.output.color)
    slots = ("store", "search", "sources") if needs_search else ("store", "sources")

    async def main() -> T:
        async with application.open_only(*slots) as services:
            opened = Opened(application, services, Path.home(), os.environ)
            if not bundled_examples or not await _is_bare(opened):
                return await work(opened)
        return await _with_examples(work, slots)

    return run(main, loop_free=application.loop_free)


async def _is_bare(opened: Opened) -> bool:
    """Not one transcript on the machine and no session in the store; the first is told sooner."""
    if _finds_anything(opened):
        return False
    from starweaver_host.contract.store import SessionListQuery

    page = await opened.store.list_sessions(opened.access(include_deleted=True), SessionListQuery(limit=1))
    return not page.sessions


def _finds_anything(opened: Opened) -> bool:
    for name, source in opened.sources.items():
        env = opened.environment(name)
        for root in source.roots(env):
            try:
                if root.exists and next(iter(source.items(env, root)), None) is not None:
                    return True
            except Exception:  # noqa: BLE001 - there is something; the import tells why it cannot be read
                return True
    return False


async def _with_examples(work: Callable[[Opened], Coroutine[Any, Any, T]], slots: Sequence[str]) -> T:
    """Do the work over the bundled examples, in a store beside the person's own."""
    from pathlib import Path

    from starweaver_host.build import compose
    from starweaver_host.config.places import find_places
    from starweaver_host.runtime import inline_offload

    from .product import PRODUCT
    from .refresh import import_service
    from .render.stream import announce, tell_announced

    announce("no transcripts found on this machine; these are the bundled examples (see `sw sources`)")
    places = find_places()
    data = places.data._replace(path=places.data.path / "examples")
    application = compose(PRODUCT, offload=inline_offload, places=places._replace(data=data))
    async with application.open_only(*slots) as services:
        opened = Opened(application, services, *_examples(Path(__file__).parent / "examples"))
        await import_service(opened).run()
        done = await work(opened)
    tell_announced()
    return done


def _examples(folder: Path) -> tuple[Path, dict[str, Any]]:
    """Home and environment in which the importers find the examples and nothing else."""
    environ = {
        "CLAUDE_CONFIG_DIR": str(folder / "claude"),
        "CODEX_HOME": str(folder / "codex"),
        "PI_CODING_AGENT_DIR": str(folder / "pi"),
    }
    return folder, environ


__all__ = ["Opened", "run_opened"]
