"""The resources that need no registration: those that pillar declares, and those that types discover.

Every type that pillar names and every type of the project is loaded and checked here, so that an error in one
is a diagnostic before anything runs. An error in the configuration of one resource concerns that resource
alone: it cannot be used, and the others can.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import NotAvailableError, ResourceTypeError
from ensue.core.model.data import is_mapping
from ensue.core.model.secret_values import secret_values
from ensue.core.model.srn import TYPE_ALIASES, Srn
from ensue.language.collector import Collector
from ensue.language.static_resources import read_static, type_defaults
from ensue.language.targets.discovered import added, discovered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.core.diagnostics import Span
    from ensue.core.masking import Masker
    from ensue.language.functions.type_functions import TypeLoaders
    from ensue.language.pillar import PillarCompiler
    from ensue.language.targets.directory import Directory
    from ensue.reach.resources.loaded_type import LoadedType
    from ensue.reach.resources.plugins import Plugins

    Configs = dict[Srn, dict[str, Any]]

_logger = logging.getLogger(__name__)


class KnownResources:
    """Reads, discovers and checks resources, and passes them to the directory.

    Args:
        directory: receives the resources.
        plugins: the types.
        loaders: their functions.
        masker: receives the secrets in configurations.
        key: the pillar key that declares resources.
    """

    def __init__(
        self, directory: Directory, plugins: Plugins, loaders: TypeLoaders, masker: Masker, key: str
    ) -> None:
        self._directory = directory
        self._plugins = plugins
        self._loaders = loaders
        self._masker = masker
        self._key = key
        self._found: dict[str, dict[str, Any]] | None = None
        self._refused: dict[Srn, str] = {}
        self._reported: set[str] = set()

    def read(self, pillar: Mapping[str, Any], compiler: PillarCompiler, collector: Collector) -> Configs:
        """Return the resources that pillar declares, each checked by its type; types are loaded."""
        minion = self._directory.minion
        declared = pillar.get(self._key)
        static = read_static(
            declared, key=self._key, minion_id=minion.id, locate=compiler.locate, collector=collector
        )
        places = {
            name: compiler.locate([self._key, written]) or compiler.locate([self._key])
            for name, written in _declared(declared)
        }
        usable = {name: self._loaded(name, place, collector) for name, place in places.items()}
        for name in self._plugins.of_project:
            if name not in usable:
                self._loaded(name, None, collector)

        def place(srn: Srn) -> Span | None:
            for written in (name for alias, name in _declared(declared) if alias == srn.type):
                for path in (["hosts", srn.id], [srn.id]):
                    if span := compiler.locate([self._key, written, *path]):
                        return span
            return places.get(srn.type)

        self._refused = {}
        self._check(static, {name: type_ for name, type_ in usable.items() if type_}, place, collector)
        return static

    def forget_discovered(self) -> None:
        """Make the next `take` call `discover` again."""
        self._found = None

    async def take(self, static: Configs, pillar: Mapping[str, Any]) -> None:
        """Add what types discover to what pillar declares, and pass all to the directory.

        `discover` is called once; a pillar that is compiled again gets the same resources.

        Args:
            static: what `read` returned.
            pillar: the minion's pillar, for `discover`.

        Raises:
            CompileError: a type's `discover` raised, or its result is not valid.
        """
        collector = Collector()
        by_name = {type_.name: type_ for type_ in self._plugins.loaded if type_.discovers}
        if self._found is None:
            opts = {"id": self._directory.minion.id, "pillar": pillar}
            self._found = await discovered(by_name.values(), opts, collector) if by_name else {}
        declared = pillar.get(self._key)
        defaults = {
            name: type_defaults(declared[written])
            for name, written in _declared(declared)
            if is_mapping(declared)
        }
        places = {name: type_.place_of("discover") for name, type_ in by_name.items()}
        owned: Configs = {self._directory.minion: {}, **static}
        more = added(owned, self._found, defaults, places, collector)
        self._check(more, by_name, lambda srn: places.get(srn.type), collector)
        collector.stop_on_errors()
        for config in more.values():
            self._masker.add_guessed(*secret_values(config))
        for default in defaults.values():
            self._masker.add_guessed(*secret_values(default))
        self._directory.defaults.set(
            {name: config for name, config in defaults.items() if self._is_there(name)}
        )
        self._directory.set_static({**static, **more}, more, self._refused)

    def _is_there(self, name: str) -> bool:
        """Return whether a type is loaded; `read` has reported one that cannot be."""
        return any(type_.name == name for type_ in self._plugins.loaded)

    def _loaded(self, name: str, place: Span | None, collector: Collector) -> LoadedType | None:
        try:
            type_ = self._plugins.resource_type(name)
            self._loaders.check(type_)
        except NotAvailableError as error:
            collector.error("E0704", str(error), place)
        except ResourceTypeError as error:
            collector.error("E0710", str(error), error.span or place, help=error.help)
        else:
            return type_
        return None

    def _check(
        self,
        resources: Configs,
        types: Mapping[str, LoadedType],
        place: Callable[[Srn], Span | None],
        collector: Collector,
    ) -> None:
        refusing: set[str] = set()
        remarks: dict[tuple[str, str], list[Srn]] = {}
        for srn, config in resources.items():
            type_ = types.get(srn.type)
            if type_ is None or srn.type in refusing:
                continue
            try:
                problems = self._plugins.configuration_faults(srn, config)
                for remark in () if problems else type_.remarks(config):
                    remarks.setdefault((type_.name, remark), []).append(srn)
            except ResourceTypeError as error:
                # The message would be the same for each.
                refusing.add(srn.type)
                collector.error("E0711", str(error), error.span or place(srn), help=error.help)
                continue
            if problems:
                fault = "; ".join(problems)
                self._refused[srn] = f"{srn} is not configured properly: {fault}"
                self._warn("E0703", f"{srn} is not used: {fault}", place(srn))
        for (type_name, remark), srns in remarks.items():
            others = f" and {len(srns) - 1} more" if len(srns) > 1 else ""
            self._warn("E0722", f"{type_name}: {remark}, in {srns[0].id}{others}", place(srns[0]))

    def _warn(self, code: str, summary: str, place: Span | None) -> None:
        """Log a warning, once."""
        warning = Diagnostic(code=code, summary=summary, span=place, severity=Severity.WARNING)
        message = self._masker.text(warning.message)
        if message not in self._reported:
            self._reported.add(message)
            _logger.warning("%s: %s", code, message)


def _declared(declared: object) -> Iterator[tuple[str, str]]:
    """Yield the types that pillar names: the type, and its name as written."""
    if is_mapping(declared):
        for written in declared:
            name = str(written)
            yield TYPE_ALIASES.get(name, name), written
