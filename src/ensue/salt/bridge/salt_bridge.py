"""The bridge to an installed Salt: functions that ensue lacks come from Salt's own loaders.

They run on this machine only, all in one separate thread and with their own loader base name, so that Salt's
globals do not mix with others. Salt is not imported until a function that ensue lacks is requested; what
Salt's import does to logging is undone.

A module that does not load because its `__virtual__` requires a missing program may load later in the same
run, after a state has installed the program. Its state functions are looked up when they are called.

Source: Salt's loader documentation; facts measured in Salt 3008.5.
"""
# pyright: basic
# Salt has no types and may not be installed, so its values are of any type.

from __future__ import annotations

import asyncio
import contextlib
import functools
import importlib
import importlib.util
import logging
import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import NotAvailableError, PluginError
from ensue.core.model.srn import MINION_TYPE
from ensue.reach.processes.threads import Threads

if TYPE_CHECKING:
    import inspect
    from collections.abc import Callable, Iterator, Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.contracts.function_docs import FunctionKind
    from ensue.language.settings.settings import Settings

_BASE_NAME: Final = "ensue_salt"
_OF_THE_BRIDGE: Final = frozenset({
    "cachedir", "config_dir", "extension_modules", "file_client", "file_roots", "grains", "id", "log_file",
    "log_level", "pillar_roots", "root_dir", "saltenv", "test",
})  # fmt: skip
"""Options that Salt's modules do not get from the project: the bridge sets them, or leaves Salt's default."""

_EXTRA: Final = "install ensue[salt] to use Salt's own functions"


class SaltBridge:
    """Salt's state and execution functions, wrapped as ensue calls functions.

    Args:
        settings: the project's options.
        pillar: returns the minion's pillar.
    """

    def __init__(self, settings: Settings, pillar: Callable[[], Mapping[str, Any]]) -> None:
        self._settings = settings
        self._pillar = pillar
        self._worker: Threads | None = None
        self._loaders: dict[tuple[FunctionKind, bool], Any] = {}
        self._seen: dict[bool, tuple[int, ...]] = {}
        self._tried: set[tuple[bool, str]] = set()

    @property
    def hint(self) -> str:
        """What a user may do about a missing function; empty if Salt has been searched already."""
        return "" if self.is_there() else _EXTRA

    @staticmethod
    @functools.cache
    def is_there() -> bool:
        """Return whether Salt is installed beside ensue."""
        return importlib.util.find_spec("salt") is not None and _has_loader()

    def find(self, kind: FunctionKind, module: str, function: str) -> Callable[..., Any] | None:
        """Return a function of Salt's, wrapped to take a context; None if there is no Salt or no function.

        A state function of a module that does not load yet is returned as well: it is looked up when it
        is called.

        Raises:
            PluginError: Salt is installed and does not load.
        """
        if not self.is_there():
            return None
        name = f"{module}.{function}"
        plain = self._thread().submit(self._look, kind, name).result()
        later = self._thread().submit(self._look_later, kind, name).result() if plain is None else None
        if plain is None and later is None:
            return None

        async def call(ctx: FunctionContext, *args: Any, **kwargs: Any) -> Any:
            self._check_target(ctx, name)
            await ctx.grains()
            work = functools.partial(self._call, kind, name, ctx.test, args, kwargs)
            returned = await asyncio.wrap_future(self._thread().submit(work))
            return _state_return(returned) if kind == "states" else returned

        if plain is None:
            call.__signature__ = later  # type: ignore[attr-defined] # where `inspect` looks for it
            return call
        return functools.wraps(getattr(plain, "func", plain))(call)

    def is_waiting(self, kind: FunctionKind, module: str) -> bool:
        """Return whether Salt has a module that does not load at present."""
        if not self.is_there():
            return False
        missing = self._thread().submit(lambda: self._loader(kind, test=False).missing_modules)
        return module in missing.result()

    def has_module(self, kind: FunctionKind, module: str) -> bool:
        """Return whether Salt has a module of this name that loads on this machine.

        Raises:
            PluginError: Salt is installed and does not load.
        """
        if not self.is_there():
            return False
        return self._thread().submit(lambda: hasattr(self._loader(kind, test=False), module)).result()

    def external_pillar(
        self, name: str, target_id: str, given: Mapping[str, Any]
    ) -> Callable[..., Any] | None:
        """Return one of Salt's external pillars by its name; None if no such pillar loads.

        Args:
            name: its name in `ext_pillar`.
            target_id: the id of the target whose pillar is compiled.
            given: the globals of custom code for this target, of which Salt's module has `opts` and `grains`.

        Raises:
            PluginError: Salt is installed and does not load.
        """
        return self._of_salt(name, target_id, given, self._pillar_function)

    def _of_salt(
        self,
        name: str,
        target_id: str,
        given: Mapping[str, Any],
        look_up: Callable[[str, dict[str, Any]], Any],
    ) -> Callable[..., Any] | None:
        """Return a function of Salt that runs in its thread, with options and grains of a target."""
        if not self.is_there():
            return None
        grains = dict(given["grains"])

        def find() -> Any:
            with _quietly(), _refusing():
                return look_up(name, self._target_opts(target_id, grains))

        function = self._thread().submit(find).result()
        if function is None:
            return None

        def call(*args: Any, **kwargs: Any) -> Any:
            return self._thread().submit(function, *args, **kwargs).result()

        return call

    def _target_opts(self, target_id: str, grains: Mapping[str, Any]) -> dict[str, Any]:
        opts = self._opts(*_imported(), test=False, grains=grains)
        own = {name: value for name, value in self._settings.values.items() if name not in _OF_THE_BRIDGE}
        opts.update(own, id=target_id)
        return opts

    @staticmethod
    def _pillar_function(name: str, opts: dict[str, Any]) -> Any:
        _, loader = _imported()
        base_name = f"{_BASE_NAME}_pillar"
        utils = loader.utils(opts, loaded_base_name=base_name)
        modules = loader.minion_mods(opts, utils=utils, loaded_base_name=base_name)
        pillars = loader.pillars(opts, modules, context={}, loaded_base_name=base_name)
        return pillars[name] if name in pillars else None  # noqa: SIM401 -- Salt's loader has no such get

    @staticmethod
    def _top_function(name: str, opts: dict[str, Any]) -> Any:
        _, loader = _imported()
        tops = loader.tops(opts, loaded_base_name=f"{_BASE_NAME}_tops")
        return tops[name] if name in tops else None  # noqa: SIM401 -- Salt's loader has no such get

    def master_top(self, name: str, target_id: str, given: Mapping[str, Any]) -> Callable[..., Any] | None:
        """Return one of Salt's master tops by its name; None if no such top loads.

        Args:
            name: its name in `master_tops`.
            target_id: the id of the target that SLS are assigned to.
            given: the globals of custom code for this target, of which Salt's module has `opts` and `grains`.

        Raises:
            PluginError: Salt is installed and does not load.
        """
        return self._of_salt(name, target_id, given, self._top_function)

    def close(self) -> None:
        """End the thread."""
        if self._worker is not None:
            self._worker.shutdown(wait=False)
            self._worker = None

    def _check_target(self, ctx: FunctionContext, name: str) -> None:
        if ctx.srn.type != MINION_TYPE:
            msg = f"{name} is not available for {ctx.srn.type}: Salt's functions work on this machine only"
            raise NotAvailableError(msg)
        if self._settings.option("minion_root"):
            msg = f"{name} is not available below minion_root: Salt's functions work on the whole machine"
            raise NotAvailableError(msg)

    def _thread(self) -> Threads:
        if self._worker is None:
            self._worker = Threads(1, "ensue-salt")
        return self._worker

    def _look(self, kind: FunctionKind, name: str) -> Any:
        loader = self._loader(kind, test=False)
        module = name.rpartition(".")[0]
        if kind == "modules" and name not in loader and module in loader.missing_modules:
            self._load_again(module, test=False)
        return loader[name] if name in loader else None  # noqa: SIM401 -- Salt's loader has no such get

    def _look_later(self, kind: FunctionKind, name: str) -> inspect.Signature | None:
        """Return the signature of a state function whose module does not load at present."""
        module, _, function = name.rpartition(".")
        loader = self._loader(kind, test=False)
        if kind != "states" or module not in loader.missing_modules:
            return None
        from ensue.salt.bridge.salt_sources import unloaded_signature

        files = [(key, value[0]) for key, value in loader.file_mapping.items()]
        return unloaded_signature(files, module, function)

    def _call(self, kind: FunctionKind, name: str, test: bool, args: Any, kwargs: Any) -> Any:
        loader = self._loader(kind, test=test)
        if name not in loader:
            module = name.rpartition(".")[0]
            self._load_again(module, test=test)
            if name not in loader:
                return self._still_missing(name, loader.missing_modules.get(module), args, test=test)
        return loader[name](*args, **kwargs)

    @staticmethod
    def _still_missing(name: str, reason: object, args: Any, *, test: bool) -> Any:
        """Return, in a plan, that a module does not load yet: an earlier state may change that.

        Raises:
            NotAvailableError: the run is not a plan.
        """
        why = f"Salt's module does not load: {reason}" if reason else "Salt's module does not load"
        if not test:
            raise NotAvailableError(f"{name} is not available: {why}")
        comment = f"{name} is not available yet, and is looked up when the state runs: {why}"
        return {"name": args[0] if args else "", "result": None, "changes": {}, "comment": comment}

    def _load_again(self, module: str, *, test: bool) -> None:
        """Let Salt check again what loads: once per module, and whenever programs were added or removed."""
        seen = _programs()
        if seen == self._seen.get(test) and (test, module) in self._tried:
            return
        self._seen[test] = seen
        self._tried.add((test, module))
        importlib.invalidate_caches()
        for kind in ("modules", "states"):
            self._loaders[kind, test].clear()

    def _loader(self, kind: FunctionKind, *, test: bool) -> Any:
        if (kind, test) not in self._loaders:
            with _quietly(), _refusing():
                self._load(test=test)
        return self._loaders[kind, test]

    def _load(self, *, test: bool) -> None:
        config, loader = _imported()
        opts = self._opts(config, loader, test=test)
        opts["pillar"] = dict(self._pillar())
        base_name = f"{_BASE_NAME}_{'test' if test else 'apply'}"
        utils = loader.utils(opts, loaded_base_name=base_name)
        modules = loader.minion_mods(opts, utils=utils, loaded_base_name=base_name)
        serializers = loader.serializers(opts, loaded_base_name=base_name)
        states = loader.states(opts, modules, utils, serializers, loaded_base_name=base_name)
        self._loaders["modules", test] = modules
        self._loaders["states", test] = states

    def _opts(
        self, config: Any, loader: Any, *, test: bool, grains: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return Salt's options; without given grains, those that Salt gathers on this machine."""
        values = self._settings.values
        below = self._settings.cachedir / "salt"
        opts: dict[str, Any] = config.minion_config(None)
        opts.update(
            id=self._settings.minion_id,
            test=test,
            file_client="local",
            file_roots=values["file_roots"],
            pillar_roots=values["pillar_roots"],
            cachedir=str(below),
            extension_modules=str(below / "extmods"),
            saltenv="base",
            grains=dict(grains or {}),
        )
        if grains is None:
            opts["grains"] = {**loader.grains(opts), **(values.get("grains") or {})}
        return opts


def _imported() -> tuple[Any, Any]:
    """Return Salt's modules `config` and `loader`."""
    with warnings.catch_warnings():
        # Deprecation warnings about Salt's own code do not help ensue's users.
        warnings.simplefilter("ignore", DeprecationWarning)
        config = importlib.import_module("salt.config")
        loader = importlib.import_module("salt.loader")
        secret = importlib.import_module("salt.utils.secret")
    # By default Salt masks pillar; functions need the values.
    secret.mask_pillar.set(False)
    return config, loader


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Undo what Salt does to logging while the block runs."""
    root = logging.getLogger()
    before = (root.level, list(root.handlers))
    try:
        yield
    finally:
        root.setLevel(before[0])
        for handler in [handler_ for handler_ in root.handlers if handler_ not in before[1]]:
            root.removeHandler(handler)


@contextlib.contextmanager
def _refusing() -> Iterator[None]:
    """Report an exception while Salt loads as an error of Salt.

    Raises:
        PluginError: something failed.
    """
    try:
        yield
    except PluginError:
        raise
    except Exception as error:
        raise PluginError(f"Salt is installed and does not load: {type(error).__name__}: {error}") from error


def _programs() -> tuple[int, ...]:
    """Return when the folders of programs and of Python's packages were last changed."""
    programs: list[int] = []
    for folder in [*os.environ.get("PATH", "").split(os.pathsep), *sys.path]:
        try:
            programs.append(Path(folder).stat().st_mtime_ns)
        except OSError:
            programs.append(0)
    return tuple(programs)


def _has_loader() -> bool:
    # A folder of that name on the path is not Salt.
    try:
        # This imports `salt`, which makes Python show deprecations in Salt's code.
        with warnings.catch_warnings():
            return importlib.util.find_spec("salt.loader") is not None
    except ImportError:
        return False


def _state_return(returned: Any) -> Any:
    """Add `new_state`, made of what changed, so that bindings have something to read.

    A planned change does not exist yet, and a failed state may have left anything: neither is described.
    """
    if not isinstance(returned, dict) or "new_state" in returned or returned.get("result") is not True:
        return returned
    changes = returned.get("changes") or {}
    new_state = {
        str(key): value["new"] if isinstance(value, dict) and "new" in value else value
        for key, value in (changes.items() if isinstance(changes, dict) else ())
    }
    return {**returned, "new_state": {"name": returned.get("name"), **new_state}}
