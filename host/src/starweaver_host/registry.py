"""From a product's plugin list to a registry of offers, or one report of everything that is wrong.

Imports the listed plugins in list order and calls each hook on each plugin alone, so that a report names the plugin
and one plugin's failure hides no other's. There is no global plugin manager: every call makes its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import FunctionType, ModuleType
from typing import Any, Generic, NamedTuple, TypeVar, cast

import pluggy

from . import hooks
from .contract.errors import PluginError, StartupError
from .contract.registration import (
    AgentHandleRegistration,
    CommandRegistration,
    FrontEndRegistration,
    Registration,
    RpcMethodRegistration,
    RunExecutorRegistration,
    SearchProviderRegistration,
    SessionStoreRegistration,
    TextPolicyRegistration,
    ToolsetRegistration,
    TranscriptSourceRegistration,
)
from .discovery import Candidate, Discovery, Listing
from .loading import choose, each_once, import_plugin
from .offers import Offer, Registry
from .vetting import vet
from .wording import cause, quoted, suggestion

R = TypeVar("R", bound=Registration)


class HookKind(NamedTuple, Generic[R]):
    """A hook, the registration class it yields, and how it is called: mypy checks that the three belong together."""

    name: str
    registration: type[R]
    call: Callable[[hooks.HookRelay], list[Iterable[R]]]


HOOKS: tuple[HookKind[Any], ...] = (
    HookKind("starweaver_session_stores", SessionStoreRegistration, lambda on: on.starweaver_session_stores()),
    HookKind("starweaver_search_providers", SearchProviderRegistration, lambda on: on.starweaver_search_providers()),
    HookKind(
        "starweaver_transcript_sources", TranscriptSourceRegistration, lambda on: on.starweaver_transcript_sources()
    ),
    HookKind("starweaver_agent_handles", AgentHandleRegistration, lambda on: on.starweaver_agent_handles()),
    HookKind("starweaver_toolsets", ToolsetRegistration, lambda on: on.starweaver_toolsets()),
    HookKind("starweaver_run_executors", RunExecutorRegistration, lambda on: on.starweaver_run_executors()),
    HookKind("starweaver_front_ends", FrontEndRegistration, lambda on: on.starweaver_front_ends()),
    HookKind("starweaver_text_policies", TextPolicyRegistration, lambda on: on.starweaver_text_policies()),
    HookKind("starweaver_commands", CommandRegistration, lambda on: on.starweaver_commands()),
    HookKind("starweaver_rpc_methods", RpcMethodRegistration, lambda on: on.starweaver_rpc_methods()),
)
HOOK_NAMES = frozenset(kind.name for kind in HOOKS)


class Collected(NamedTuple):
    """What could be collected, and every problem on the way. Usable only when `problems` is empty."""

    registry: Registry
    problems: tuple[PluginError, ...]


def load_registry(product: str, listings: Sequence[Listing], found: Discovery) -> Registry:
    """Import and collect the listed plugins; raises StartupError holding every problem."""
    collected = collect(listings, found)
    if collected.problems:
        raise StartupError(product, collected.problems)
    return collected.registry


def collect(listings: Sequence[Listing], found: Discovery) -> Collected:
    """Import and collect the listed plugins, gathering problems. Unlisted plugins are not imported."""
    problems: list[PluginError] = []
    loaded: list[tuple[Candidate, ModuleType]] = []
    for listing in each_once(listings, problems):
        try:
            candidate = choose(listing, found)
            loaded.append((candidate, import_plugin(candidate, listing)))
        except PluginError as error:
            problems.append(error)
    collected = collect_modules(loaded)
    return Collected(collected.registry, (*problems, *collected.problems))


def collect_modules(loaded: Iterable[tuple[Candidate, ModuleType]]) -> Collected:
    """Collect the offers of imported plugins, in the order given."""
    manager = pluggy.PluginManager(hooks.PROJECT)
    manager.add_hookspecs(hooks)
    problems: list[PluginError] = []
    registered: list[tuple[Candidate, ModuleType]] = []
    for candidate, module in loaded:
        try:
            manager.register(module, candidate.plugin)
            registered.append((candidate, module))
        except (ValueError, pluggy.PluginValidationError) as error:
            problems.append(_refused(candidate, module, error, registered))
    offers: list[Offer[Registration]] = []
    for candidate, module in registered:
        problems.extend(_hook_problems(manager, candidate, module))
        offers.extend(_offers(manager, candidate, module, problems))
    unique = list(_unique(offers, problems))
    return Collected(Registry([candidate for candidate, _ in registered], unique), tuple(problems))


def modules_as_plugins(modules: Mapping[str, ModuleType], *, version: str = "embedded") -> Collected:
    """Collect modules that a program hands over itself: plugin name -> module. No metadata is read."""
    return collect_modules(
        (Candidate(name, module.__name__, module.__name__.partition(".")[0], version, "embedded"), module)
        for name, module in modules.items()
    )


def _refused(
    candidate: Candidate, module: ModuleType, error: Exception, registered: Sequence[tuple[Candidate, ModuleType]]
) -> PluginError:
    twin = next((other for other, known in registered if known is module), None)
    if twin is not None:
        problem, why = "doubled_module", f"is the same module as plugin {twin.plugin!r}: {candidate.module!r}"
    else:
        problem, why = "bad_hook", f"has a hook this host cannot call: {_validation(error)}"
    refusal = PluginError(
        problem,
        candidate.plugin,
        f"plugin {candidate.plugin!r} ({candidate.source}) {why}",
        hint="hooks take no arguments" if twin is None else "list one of the two",
    )
    refusal.__cause__ = error
    return refusal


def _validation(error: Exception) -> str:
    """pluggy explains itself over several lines, the last of which says what is wrong."""
    return " ".join(str(error).split()) or type(error).__name__


def _hook_problems(manager: pluggy.PluginManager, plugin: Candidate, module: ModuleType) -> Iterator[PluginError]:
    implemented = manager.get_hookcallers(module) or []
    for caller in implemented:
        for implementation in caller.get_hookimpls():
            if implementation.plugin is not module or implementation.optionalhook:
                continue
            if not caller.has_spec():
                yield _misspelt(plugin, caller.name)
            elif implementation.wrapper or implementation.hookwrapper:
                yield _hook_problem(
                    "bad_hook", "wraps a hook; hooks here are not wrapped", plugin=plugin, hook=caller.name
                )
    for name in sorted(_unmarked(module) - {caller.name for caller in implemented}):
        yield _hook_problem("unmarked_hook", "lacks @hookimpl", plugin=plugin, hook=name)
    if not implemented and not _unmarked(module):
        yield PluginError(
            "no_hooks",
            plugin.plugin,
            f"plugin {plugin.plugin!r} ({plugin.source}) implements no hook in module {plugin.module!r}",
            hint="mark its functions with @hookimpl of starweaver_host.hooks",
        )


def _unmarked(module: ModuleType) -> frozenset[str]:
    own = {name for name, value in vars(module).items() if isinstance(value, FunctionType)}
    return frozenset(own & HOOK_NAMES)


def _misspelt(plugin: Candidate, name: str) -> PluginError:
    return PluginError(
        "misspelt_hook",
        plugin.plugin,
        f"plugin {plugin.plugin!r} ({plugin.source}) implements unknown hook {name!r}",
        hint=suggestion(name, HOOK_NAMES) or f"known hooks: {quoted(HOOK_NAMES)}",
    )


def _hook_problem(problem: str, fault: str, *, plugin: Candidate, hook: str) -> PluginError:
    return PluginError(
        problem,
        plugin.plugin,
        f"function {hook!r} of plugin {plugin.plugin!r} ({plugin.source}) {fault}",
        hint=f"report this to the authors of {plugin.distribution}",
    )


class _Alone:
    """The hooks of one plugin: pluggy's relay with every other plugin taken out of each call."""

    def __init__(self, manager: pluggy.PluginManager, module: ModuleType) -> None:
        self._manager = manager
        self._others = [other for other in manager.get_plugins() if other is not module]

    def __getattr__(self, hook: str) -> pluggy.HookCaller:
        return self._manager.subset_hook_caller(hook, self._others)


def _offers(
    manager: pluggy.PluginManager, plugin: Candidate, module: ModuleType, problems: list[PluginError]
) -> Iterator[Offer[Registration]]:
    implemented = {caller.name for caller in manager.get_hookcallers(module) or []}
    relay = cast("hooks.HookRelay", _Alone(manager, module))
    for kind in HOOKS:
        if kind.name not in implemented:
            continue
        try:
            items = _yielded(kind, relay, plugin)
        except PluginError as error:
            problems.append(error)
            continue
        for item in items:
            faults = list(vet(item, kind.registration, plugin, kind.name))
            problems.extend(faults)
            if not faults:
                yield Offer(cast("Registration", item), plugin)


def _yielded(kind: HookKind[Any], relay: hooks.HookRelay, plugin: Candidate) -> list[object]:
    """What one hook of one plugin yields; PluginError when it fails or answers with something else."""
    try:
        results = kind.call(relay)
        fault = _result_fault(results)
        items = [] if fault else list(results[0])
    except (Exception, SystemExit) as error:
        raise _hook_problem("hook_failed", f"failed: {cause(error)}", plugin=plugin, hook=kind.name) from error
    if fault:
        raise _hook_problem(*fault, plugin=plugin, hook=kind.name)
    return items


def _result_fault(results: Sequence[object]) -> tuple[str, str] | None:
    """Problem word and fault of what a hook returned; pluggy leaves a returned None out of its results."""
    if not results:
        return "bad_result", "returned None, wanted registrations"
    result = results[0]
    if inspect.isawaitable(result) or inspect.isasyncgen(result):
        _discard(result)
        return "awaitable_result", "is asynchronous; hooks are synchronous"
    if isinstance(result, str | Mapping | Registration) or not isinstance(result, Iterable):
        return "bad_result", f"returned {type(result).__name__}, wanted an iterable of registrations"
    return None


def _discard(result: object) -> None:
    """Close a coroutine that nobody will await, so that Python does not warn on top of our report."""
    if inspect.iscoroutine(result):
        result.close()


def _unique(offers: Iterable[Offer[Registration]], problems: list[PluginError]) -> Iterator[Offer[Registration]]:
    seen: dict[tuple[str, object], Offer[Registration]] = {}
    for offer in offers:
        clashes = [seen[key] for key in _identities(offer.registration) if key in seen]
        if clashes:
            problems.append(_doubled(clashes[0], offer))
            continue
        seen.update(dict.fromkeys(_identities(offer.registration), offer))
        yield offer


def _identities(registration: Registration) -> Iterator[tuple[str, object]]:
    """What must be unique in a product: the name per kind, and where a command or method is reached."""
    yield type(registration).__name__, registration.name
    if isinstance(registration, CommandRegistration):
        yield "command path", registration.path
    if isinstance(registration, RpcMethodRegistration):
        yield "rpc method", registration.method


def _doubled(first: Offer[Registration], second: Offer[Registration]) -> PluginError:
    kind = type(second.registration).__name__.removesuffix("Registration")
    return PluginError(
        "doubled_provider",
        second.plugin.plugin,
        f"{kind} {second.name!r} is offered twice: {first.described} and {second.described}",
        hint=f"remove {first.plugin.plugin!r} or {second.plugin.plugin!r} from plugins",
    )


__all__ = [
    "HOOKS",
    "HOOK_NAMES",
    "Collected",
    "HookKind",
    "collect",
    "collect_modules",
    "load_registry",
    "modules_as_plugins",
]
