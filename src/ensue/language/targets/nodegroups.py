"""The names that the targets of a project may use: its nodegroups and its resource types."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError, ConfigurationError, NotAvailableError, PluginError
from ensue.language.targeting import TargetSyntaxError, Vocabulary, read_nodegroups
from ensue.language.targeting.errors import UNKNOWN_NODEGROUP

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ensue.core.diagnostics import Span
    from ensue.core.model.srn import Srn
    from ensue.language.collector import Collector
    from ensue.language.settings.settings import Settings
    from ensue.language.targeting.expression import Target
    from ensue.language.targets.resource_index import ResourceIndex
    from ensue.language.yaml.document import YamlPlace
    from ensue.reach.resources.plugins import Plugins


class TargetNames(msgspec.Struct, frozen=True, kw_only=True, dict=True, eq=False):
    """The names that the targets of one project may use.

    Args:
        settings: the project's options.
        plugins: its resource types.
        index: the names of its resources.
    """

    settings: Settings
    plugins: Plugins
    index: ResourceIndex

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The nodegroups and resource types."""
        return _vocabulary(self)


def _vocabulary(names: TargetNames) -> Vocabulary:
    """Return the names that the targets of a project may use.

    Raises:
        ConfigurationError: a nodegroup that a program has set is not valid.
    """
    given: dict[Any, Any] = names.settings.option("nodegroups") or {}
    groups, errors = read_nodegroups(given)
    if errors:
        from ensue.language.settings.nodegroups import nodegroup_errors

        raise ConfigurationError(nodegroup_errors(given, None))

    def unknown_type(name: str) -> str:
        try:
            names.plugins.resource_type(name)
        except PluginError:
            return ""  # it exists; that it does not load is reported when it is used
        except NotAvailableError as error:
            # A resource whose type was installed when it was registered can be targeted, and forgotten.
            is_registered = name in names.index.types()
            return "" if is_registered else str(error)
        return ""

    return Vocabulary(groups, unknown_type)


def check_nodegroup_types(names: TargetNames, collector: Collector) -> None:
    """Report the nodegroups that name a resource type which does not exist."""
    for name, group in names.vocabulary.nodegroups.items():
        text = _text_of(names, name)
        try:
            names.vocabulary.check(group, text)
        except TargetSyntaxError as error:
            collector.error(error.code, f"the nodegroup {name!r}: {error}", _place(names, name))


def warn_of_misspelt_members(names: TargetNames, static: Mapping[Srn, Any], collector: Collector) -> None:
    """Warn of ids in nodegroups that no machine has, and that are nearly those of one.

    Args:
        names: the names of the project.
        static: the resources that pillar declares.
        collector: collects the warnings.
    """
    groups = names.vocabulary.nodegroups
    if not groups or any(type_.discovers for type_ in names.plugins.loaded):
        return
    from ensue.language.targets.misspelt_members import misspelt_members

    declared = {names.index.minion.id, *(srn.id for srn in static)}
    for name, word, near in misspelt_members(groups, declared, groups):
        if not names.index.find([word]):
            collector.warning(
                "E0888",
                f"{word!r} in the nodegroup {name!r} is taken for the id of a machine, and none has it",
                _place(names, name),
                detail="a word without an engine is a glob of ids",
                help=f"did you mean {near}? For a machine that is registered later, write `… or L@{word}`",
            )


def warn_of_misspelt_targets(
    names: TargetNames, places: Mapping[str, YamlPlace], ids: Collection[str], collector: Collector
) -> None:
    """Warn of ids in targets of a top file that no machine has, and that are nearly those of one.

    Args:
        names: the names of the project.
        places: targets that do not match, and their places.
        ids: the ids that pillar declares.
        collector: collects the warnings.
    """
    if not places or any(type_.discovers for type_ in names.plugins.loaded):
        return
    from ensue.language.targets.misspelt_members import misspelt_members

    targets = {text: names.vocabulary.parse(text) for text in places}
    declared = {names.index.minion.id, *ids}
    for text, word, near in misspelt_members(targets, declared, names.vocabulary.nodegroups):
        if not names.index.find([word]):
            collector.warning(
                "E0888",
                f"{word!r} is taken for the id of a machine, and none has it",
                places[text],
                detail="a word without an engine is a glob of ids",
                help=f"did you mean {near}? For a machine that is registered later, write `L@{word}`",
            )


def checked_target(names: TargetNames, expression: str) -> Target:
    """Return the parsed form of a target of the command line or of a program.

    Raises:
        ConfigurationError: it does not parse, or names what does not exist.
    """
    try:
        return names.vocabulary.parse(expression)
    except TargetSyntaxError as error:
        help_ = "see `ensue call --help` for the grammar of targets"
        if error.code == UNKNOWN_NODEGROUP:
            help_ = (
                "define it in ensue.yaml: `nodegroups: {NAME: [ID, ID]}`, or `{NAME: 'web-*'}` for a pattern"
            )
        raise ConfigurationError([Diagnostic(code=error.code, summary=str(error), help=help_)]) from None


def _text_of(names: TargetNames, name: str) -> str:
    from ensue.language.targeting.nodegroups import expression_of

    given: dict[Any, Any] = names.settings.option("nodegroups") or {}
    return next((expression_of(value) or "" for key, value in given.items() if str(key) == name), "")


def _place(names: TargetNames, name: str) -> Span | None:
    """Return where a nodegroup is defined; reads the file again, which only an error requires."""
    from ensue.language.settings.settings import FILE_NAME
    from ensue.language.yaml import YamlDocument
    from ensue.language.yaml.input_files import read_text

    path = names.settings.root / FILE_NAME
    try:
        return YamlDocument(FILE_NAME, read_text(path, FILE_NAME)).find(("nodegroups", name))
    except CompileError:
        return None
