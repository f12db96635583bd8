"""The names that the targets of a project may use: its nodegroups and its resource types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError, ConfigurationError, NotAvailableError, PluginError
from ensue.language.settings.nodegroups import nodegroup_errors
from ensue.language.targeting import TargetSyntaxError, Vocabulary, read_nodegroups
from ensue.language.targeting.errors import UNKNOWN_NODEGROUP
from ensue.language.targets.misspelt_members import misspelt_members

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ensue.core.diagnostics import Span
    from ensue.core.model.srn import Srn
    from ensue.language.collector import Collector
    from ensue.language.targeting.expression import Target
    from ensue.language.targets.project_services import ProjectServices
    from ensue.language.yaml.document import YamlPlace


def project_vocabulary(services: ProjectServices) -> Vocabulary:
    """Return the names that the targets of a project may use.

    Raises:
        ConfigurationError: a nodegroup that a program has set is not valid.
    """
    given: dict[Any, Any] = services.settings.option("nodegroups") or {}
    groups, errors = read_nodegroups(given)
    if errors:
        raise ConfigurationError(nodegroup_errors(given, None))

    def unknown_type(name: str) -> str:
        try:
            services.plugins.resource_type(name)
        except PluginError:
            return ""  # it exists; that it does not load is reported when it is used
        except NotAvailableError as error:
            # A resource whose type was installed when it was registered can be targeted, and forgotten.
            is_registered = name in services.directory.index.types()
            return "" if is_registered else str(error)
        return ""

    return Vocabulary(groups, unknown_type)


def check_nodegroup_types(services: ProjectServices, collector: Collector) -> None:
    """Report the nodegroups that name a resource type which does not exist."""
    for name, group in services.vocabulary.nodegroups.items():
        text = _text_of(services, name)
        try:
            services.vocabulary.check(group, text)
        except TargetSyntaxError as error:
            collector.error(error.code, f"the nodegroup {name!r}: {error}", _place(services, name))


def warn_of_misspelt_members(
    services: ProjectServices, static: Mapping[Srn, Any], collector: Collector
) -> None:
    """Warn of ids in nodegroups that no machine has, and that are nearly those of one.

    Args:
        services: the project.
        static: the resources that pillar declares.
        collector: collects the warnings.
    """
    groups = services.vocabulary.nodegroups
    if not groups or any(type_.discovers for type_ in services.plugins.loaded):
        return
    declared = {services.minion.id, *(srn.id for srn in static)}
    for name, word, near in misspelt_members(groups, declared, groups):
        if not services.directory.index.find([word]):
            collector.warning(
                "E0888",
                f"{word!r} in the nodegroup {name!r} is taken for the id of a machine, and none has it",
                _place(services, name),
                detail="a word without an engine is a glob of ids",
                help=f"did you mean {near}? For a machine that is registered later, write `… or L@{word}`",
            )


def warn_of_misspelt_targets(
    services: ProjectServices, places: Mapping[str, YamlPlace], ids: Collection[str], collector: Collector
) -> None:
    """Warn of ids in targets of a top file that no machine has, and that are nearly those of one.

    Args:
        services: the project.
        places: targets that do not match, and their places.
        ids: the ids that pillar declares.
        collector: collects the warnings.
    """
    if not places or any(type_.discovers for type_ in services.plugins.loaded):
        return
    targets = {text: services.vocabulary.parse(text) for text in places}
    declared = {services.minion.id, *ids}
    for text, word, near in misspelt_members(targets, declared, services.vocabulary.nodegroups):
        if not services.directory.index.find([word]):
            collector.warning(
                "E0888",
                f"{word!r} is taken for the id of a machine, and none has it",
                places[text],
                detail="a word without an engine is a glob of ids",
                help=f"did you mean {near}? For a machine that is registered later, write `L@{word}`",
            )


def checked_target(services: ProjectServices, expression: str) -> Target:
    """Return the parsed form of a target of the command line or of a program.

    Raises:
        ConfigurationError: it does not parse, or names what does not exist.
    """
    try:
        return services.vocabulary.parse(expression)
    except TargetSyntaxError as error:
        help_ = "see `ensue call --help` for the grammar of targets"
        if error.code == UNKNOWN_NODEGROUP:
            help_ = (
                "define it in ensue.yaml: `nodegroups: {NAME: [ID, ID]}`, or `{NAME: 'web-*'}` for a pattern"
            )
        raise ConfigurationError([Diagnostic(code=error.code, summary=str(error), help=help_)]) from None


def _text_of(services: ProjectServices, name: str) -> str:
    from ensue.language.targeting.nodegroups import expression_of

    given: dict[Any, Any] = services.settings.option("nodegroups") or {}
    return next((expression_of(value) or "" for key, value in given.items() if str(key) == name), "")


def _place(services: ProjectServices, name: str) -> Span | None:
    """Return where a nodegroup is defined; reads the file again, which only an error requires."""
    from ensue.language.settings.settings import FILE_NAME
    from ensue.language.yaml import YamlDocument
    from ensue.language.yaml.input_files import read_text

    path = services.settings.root / FILE_NAME
    try:
        return YamlDocument(FILE_NAME, read_text(path, FILE_NAME)).find(("nodegroups", name))
    except CompileError:
        return None
