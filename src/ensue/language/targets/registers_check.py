"""Checks of the entries of `registers:`, as far as possible before anything runs.

Names, types and literal keys are checked. A value that contains `${self:…}` is not known yet, so only
problems that exist for every possible value are errors. `registrations` repeats the checks when the state
registers. The types' own checks are the same as for resources that pillar declares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import NotAvailableError, PluginError
from ensue.core.model.data import is_mapping, texts
from ensue.core.model.srn import TYPE_ALIASES, Srn

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.core.diagnostics import Span
    from ensue.core.model.chunk import StateOptions
    from ensue.language.collector import Collector
    from ensue.reach.resources.plugins import Plugins

SELF_SIGN: Final = "${self"
"""The beginning of a reference to the state's own `new_state`."""

_STAND_INS: Final[tuple[Any, ...]] = ("text", "1", 1, 0.5, True, ["text"], {"key": "text"}, None)
"""One value of each kind that a reference may have."""


def registered_name(text: str) -> Srn:
    """Return the resource that an entry of `registers:` names; accepts Salt's names of types.

    Raises:
        ValueError: the text is not a resource name, or contains a reference.
    """
    if SELF_SIGN in text:
        raise ValueError(
            f"{text!r} holds a reference, and which resources a state registers is known before it runs "
            "(write the name out)"
        )
    srn = Srn.parse(text)
    return Srn(TYPE_ALIASES.get(srn.type, srn.type), srn.id)


class RegistersCheck:
    """Reports errors in the entries of the states of one compilation.

    Args:
        plugins: the resource types.
        declared_as: returns the owner of an id among this machine and the resources that pillar declares.
    """

    def __init__(self, plugins: Plugins, declared_as: Callable[[str], Srn | None]) -> None:
        self._plugins = plugins
        self._declared_as = declared_as
        self._registered: dict[str, tuple[Srn, Span]] = {}

    def __call__(self, options: StateOptions, id_: str, collector: Collector) -> None:
        """Check a state's entries.

        Args:
            options: the state's options.
            id_: its ID.
            collector: receives the errors.
        """
        named: dict[str, Srn] = {}
        for number, (text, config) in enumerate(options.registers):
            document, keys = options.registers_at[number]
            place = document.locate(keys)
            try:
                srn = registered_name(text)
            except ValueError as error:
                summary = f"`registers` of {id_!r} names no resource"
                collector.error("E0705", summary, place, detail=str(error))
                continue
            self._check_config(srn, config, place, collector)
            self._check_id(srn, named, place, collector)
            if srn.id not in named:
                self._check_other_states(srn, place, collector)
            named[srn.id] = srn

    def _check_config(self, srn: Srn, config: Any, place: Span, collector: Collector) -> None:
        if isinstance(config, str) and SELF_SIGN in config:
            return
        if config is not None and not is_mapping(config):
            summary = f"the configuration of {srn} is {config!r}"
            collector.error("E0705", summary, place, help="it is a mapping, for example `host: 192.0.2.1`")
            return
        try:
            for problem in self._certain_faults(srn, config or {}):
                collector.error("E0705", f"{srn}: {problem}", place)
        except NotAvailableError as error:
            collector.error("E0704", str(error), place, detail=f"{srn} is to be registered")
        except PluginError as error:
            collector.error("E0405", str(error), place, detail=f"{srn} is to be registered")

    def _certain_faults(self, srn: Srn, config: Mapping[str, Any]) -> list[str]:
        """Return errors of a configuration that do not depend on the values of its references."""
        bound = [key for key, value in config.items() if _holds_reference(value)]
        faults = self._plugins.configuration_faults(srn, dict(config))
        for stand_in in _STAND_INS if bound else ():
            others = self._plugins.configuration_faults(srn, {**config, **dict.fromkeys(bound, stand_in)})
            faults = [fault for fault in faults if fault in others]
        return faults

    def _check_id(self, srn: Srn, named: Mapping[str, Srn], place: Span, collector: Collector) -> None:
        other = named.get(srn.id)
        if other is not None:
            what = f"{srn} is registered twice" if other == srn else f"{other} and {srn} have one id"
            collector.error(
                "E0702", what, place, detail="ids of resources are unique over all types",
                help="give one of them another id",
            )  # fmt: skip
            return
        claimed = self._declared_as(srn.id)
        if claimed is not None:
            collector.error(
                "E0702", f"{srn} cannot be registered: {claimed} has its id", place,
                detail="ids of resources are unique over all types, minions included",
                help="choose another id",
            )  # fmt: skip

    def _check_other_states(self, srn: Srn, place: Span, collector: Collector) -> None:
        """Report an id that another state registers for a resource of another type."""
        other, other_place = self._registered.setdefault(srn.id, (srn, place))
        if other != srn:
            collector.error(
                "E0702", f"{other} and {srn} have one id", place,
                detail=f"ids of resources are unique over all types; {other} is registered at {other_place}",
                help="give one of them another id",
            )  # fmt: skip


def _holds_reference(value: Any) -> bool:
    return any(SELF_SIGN in text for text in texts(value))
