"""Finding state and execution functions: those of ensue, and a project's own.

A module is imported when something in it is first requested.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.argument_types import argument_types
from ensue.core.contracts.callables import parameters
from ensue.core.contracts.functions import (
    ALSO_TAKES,
    EDITS_PART,
    TAKES_WORDS,
    WRITES_TEXT,
    AlsoTakes,
    made_by,
)
from ensue.core.contracts.signature import NOTHING_WRITTEN, Signature
from ensue.core.errors import NotAvailableError, PluginError
from ensue.core.model.data import is_mapping
from ensue.language.transparent import TREQ, rules_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from types import ModuleType

    from ensue.core.contracts.function_docs import FunctionKind
    from ensue.core.contracts.further_functions import FurtherFunctions
    from ensue.language.custom.modules import CustomModules
    from ensue.language.transparent import Rules

_UNDECORATED: Final = AlsoTakes(frozenset(), "", {}, passes_others=True)


class Functions:
    """All functions of one kind.

    Args:
        package: the package that ensue's own modules are in (`ensue.library.states`).
        custom: the project's own modules, which take precedence over ensue's; None if there are none.
        bridge: provides functions that ensue lacks; None if there is no bridge.
    """

    def __init__(
        self, package: str, custom: CustomModules | None = None, bridge: FurtherFunctions | None = None
    ) -> None:
        self.package = package
        self._kind: FunctionKind = "states" if package.endswith("states") else "modules"
        self._custom = custom
        self._bridge = bridge
        self._modules: dict[str, ModuleType | None] = {}
        self._found: dict[tuple[str, str], Callable[..., Any] | None] = {}
        self._signatures: dict[tuple[str, str], Signature | None] = {}

    @property
    def may_wait(self) -> bool:
        """Whether a look-up may wait for the event loop: files of the project may call functions."""
        return self._custom is not None

    def find(self, module: str, function: str) -> Callable[..., Any] | None:
        """Return a function; None if there is none of that name.

        Raises:
            PluginError: its module does not load.
        """
        key = (module, function)
        if key not in self._found:
            function_ = self._custom.find(module, function) if self._custom else None
            function_ = function_ or self._own(module, function)
            if function_ is None and self._bridge is not None:
                function_ = self._bridge.find(self._kind, module, function)
                if function_ is None and self._bridge.is_waiting(self._kind, module):
                    return None
            self._found[key] = function_
        return self._found[key]

    def mod_watch(self, module: str) -> Callable[..., Any] | None:
        """Return the function that is called when a watched state has changed; None if there is none."""
        custom = self._custom.find(module, "mod_watch") if self._custom else None
        own = custom or self.attribute(module, "MOD_WATCH")
        if own is None and self._bridge is not None and self._module(module) is None:
            return self._bridge.find(self._kind, module, "mod_watch")
        return own

    def attribute(self, module: str, name: str) -> Any:
        """Return a module's attribute (`AWAITS`, `PROMISES`); None if it has none, or does not load."""
        try:
            custom = self._custom.attribute(module, name) if self._custom else None
            loaded = self._module(module)
        except PluginError:
            # The look-up of a function reports that it does not load.
            return None
        return custom or (getattr(loaded, name, None) if loaded else None)

    def opens_scopes(self, module: str, function: str) -> bool:
        """Return whether a function may run further states; of ensue's own, only those that say so do."""
        try:
            function_ = self.find(module, function)
        except PluginError:
            return True
        is_own = getattr(function_, "__module__", "").startswith(f"{self.package}.")
        return not is_own or bool(self.attribute(module, "OPENS_SCOPES"))

    def makes(self, module: str, function: str) -> frozenset[str] | None:
        """Return what a function makes at most (`made_by`); None: anything, or it is not known."""
        try:
            declared = self.find(module, function)
        except PluginError:
            return None
        return None if declared is None else made_by(declared)

    def properties_of_one_call(self, module: str, function: str) -> Collection[str]:
        """Return the properties of a function that say what one call did (`OF_ONE_CALL`); none by default."""
        declared = self.attribute(module, "OF_ONE_CALL")
        return declared.get(function, ()) if is_mapping(declared) else ()

    def is_query(self, module: str, function: str) -> bool:
        """Return whether the `new_state` of a function is the output of one call (`QUERIES`)."""
        return function in (self.attribute(module, "QUERIES") or ())

    def absences(self, module: str) -> Collection[str]:
        """Return the functions of a module that make something absent (`ABSENT`)."""
        declared = self._absences(module)
        return frozenset(declared.values()) if is_mapping(declared) else declared

    def removal(self, module: str, function: str) -> str:
        """Return the function of a module that removes what a function makes; empty if there is none."""
        declared = self._absences(module)
        removal: str = declared.get(function, "") if is_mapping(declared) else declared[0]
        is_maker = function not in self.absences(module)
        return removal if is_maker and removal in self.names(module) else ""

    def _absences(self, module: str) -> Any:
        return self.attribute(module, "ABSENT") or ("absent",)

    def signature(self, module: str, function: str) -> Signature | None:
        """Return what a function accepts; None if there is no such function."""
        key = (module, function)
        if key not in self._signatures:
            callable_ = self.find(module, function)
            self._signatures[key] = (
                _signature(callable_, self.package, self._rules(callable_, *key)) if callable_ else None
            )
        return self._signatures[key]

    def _rules(self, callable_: Callable[..., Any], module: str, function: str) -> Rules:
        """Return the requisites that a module declares for a function in its variable `TREQ`."""
        plain = callable_
        while wrapped := getattr(plain, "__wrapped__", None):
            plain = wrapped
        declared = getattr(plain, "__globals__", {}).get(TREQ)
        if declared is None or self._kind != "states":
            return ()
        try:
            return rules_of(declared, function)
        except ValueError as error:
            raise PluginError(f"the module {module!r}: {error}") from None

    def is_of_this_machine(self, module: str) -> bool:
        """Return whether the project has a module of this name whose functions are only for this machine."""
        return self._custom is not None and self._custom.is_of_this_machine(module)

    def shipped(self, module: str) -> Mapping[str, Callable[..., Any]]:
        """Return ensue's own functions in a module."""
        loaded = self._module(module)
        functions: Mapping[str, Callable[..., Any]] = loaded.FUNCTIONS if loaded else {}
        return functions

    def why_missing(self, module: str, function: str) -> str:
        """Return why a target lacks a function that others have; empty if nothing more is known."""
        if self._custom is None or self.find(module, function) is not None:
            return ""
        return self._custom.why_refused(module)

    async def get_ready(self, module: str) -> None:
        """Load the project's file of a module, if it has one, so that `find` may be called on the event loop.

        Raises:
            PluginError: it does not load.
        """
        if self._custom is not None and not self._custom.is_loaded(module):
            await asyncio.to_thread(self._custom.names, module)

    @property
    def hint(self) -> str:
        """What a user may do about a missing function, besides correcting its name."""
        return self._bridge.hint if self._bridge is not None else ""

    def near(self, module: str, function: str) -> Sequence[str]:
        """Return full names that a user may have meant, best first."""
        import difflib

        from ensue.language.function_words import usual_names

        tag = f"{module}.{function}"
        known = self.names(module)
        if usual := usual_names(function, known):
            return [f"{module}.{name}" for name in usual]
        names = [f"{module}.{name}" for name in known]
        close = difflib.get_close_matches(tag, names, n=3, cutoff=0.5)
        if close:
            return close
        others = [
            f"{other}.{name}"
            for other in self.modules()
            if difflib.SequenceMatcher(None, other, module).ratio() > 0.6  # noqa: PLR2004 -- difflib's usual cutoff
            for name in self.names(other)
        ]
        return difflib.get_close_matches(tag, others, n=3, cutoff=0.5)

    def not_available(self, module: str, function: str, type_name: str) -> str:
        """Return the message that targets of a type lack a function: why, or what may have been meant."""
        why, near = self.why_missing(module, function), self.near(module, function)
        meant = f" (did you mean {' or '.join(near)}?)" if near else ""
        return f"{module}.{function} is not available for {type_name}{f': {why}' if why else meant}"

    def has_module(self, module: str) -> bool:
        """Return whether there is a module of this name in the project, in ensue or in the bridge."""
        return bool(self.names(module)) or (
            self._bridge is not None and self._bridge.has_module(self._kind, module)
        )

    def names(self, module: str) -> list[str]:
        """Return the names of a module's functions."""
        loaded = self._module(module)
        own = list(loaded.FUNCTIONS) if loaded else []
        return own + (self._custom.names(module) if self._custom else [])

    def modules(self) -> list[str]:
        """Return the names of all modules."""
        import pkgutil

        package = importlib.import_module(self.package)
        own = [
            info.name.removeprefix(f"{self.package}.")
            for info in pkgutil.walk_packages(package.__path__, f"{self.package}.")
            if hasattr(importlib.import_module(info.name), "FUNCTIONS")
        ]
        return own + (self._custom.modules() if self._custom else [])

    def _own(self, module: str, function: str) -> Callable[..., Any] | None:
        loaded = self._module(module)
        return loaded.FUNCTIONS.get(function) if loaded else None

    def _module(self, module: str) -> ModuleType | None:
        if module not in self._modules:
            self._modules[module] = self._load(module)
        return self._modules[module]

    def _load(self, module: str) -> ModuleType | None:
        if not all(map(_is_module_name, module.split("."))):
            return None
        name = f"{self.package}.{module}"
        try:
            if importlib.util.find_spec(name) is None:
                return None
        except ModuleNotFoundError:
            return None
        try:
            loaded = importlib.import_module(name)
        except ImportError as error:
            raise PluginError(f"the module {module!r} of {self.package} does not load: {error}") from error
        return loaded if hasattr(loaded, "FUNCTIONS") else None


class TargetFunctions:
    """The state functions of one target, as the engine calls them.

    Args:
        functions: all state functions.
        target_type: the target's resource type, for messages.
    """

    def __init__(self, functions: Functions, target_type: str) -> None:
        self._functions = functions
        self._target_type = target_type

    def state(self, module: str, function: str) -> Callable[..., Any]:
        """Return a state function.

        Raises:
            NotAvailableError: there is none.
        """
        function_ = self._functions.find(module, function)
        if function_ is None and function == "mod_watch":
            # The call of another minion of a fleet names it so; in an SLS it is refused.
            function_ = self._functions.mod_watch(module)
        if function_ is None:
            why = self._functions.why_missing(module, function)
            msg = f"{module}.{function} is not available for {self._target_type}"
            raise NotAvailableError(f"{msg}: {why}" if why else msg)
        return function_

    def mod_watch(self, module: str) -> Callable[..., Any] | None:
        """Return the module's `MOD_WATCH`; None if it has none."""
        return self._functions.mod_watch(module)


def _is_module_name(word: str) -> bool:
    return word.isidentifier() and word.isascii() and word == word.lower()


def _signature(function: Callable[..., Any], package: str, rules: Rules) -> Signature:
    taken = parameters(function)
    if taken and taken[0].name == "ctx":
        taken = taken[1:]
    named = [parameter for parameter in taken if parameter.is_named]
    has_others = any(parameter.takes_others for parameter in taken)
    also: AlsoTakes = getattr(function, ALSO_TAKES, _UNDECORATED)
    return Signature(
        names=frozenset(parameter.name for parameter in named) | also.names,
        required=frozenset(
            parameter.name for parameter in named if not parameter.is_optional and parameter.name != "name"
        ),
        accepts_any=has_others and also.passes_others,
        takes_words=bool(getattr(function, TAKES_WORDS, False)),
        others_with=also.others_with,
        outdated=also.outdated,
        absorbs_any=has_others,
        is_ours=_is_of(function, package) and (also is _UNDECORATED or not also.passes_others),
        requisites=rules,
        types=argument_types(function),
        edits_part=bool(getattr(function, EDITS_PART, False)),
        writes=getattr(function, WRITES_TEXT, NOTHING_WRITTEN),
    )


def _is_of(function: Callable[..., Any], package: str) -> bool:
    return str(getattr(function, "__module__", "")).startswith(f"{package}.")
