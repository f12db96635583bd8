"""The names that the targets of a project may use: its nodegroups and its resource types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError, ConfigurationError, NotAvailableError, PluginError
from ensue.language.settings.nodegroups import nodegroup_errors
from ensue.language.targeting import TargetSyntaxError, Vocabulary, read_nodegroups

if TYPE_CHECKING:
    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.targeting.expression import Target
    from ensue.language.targets.project_services import ProjectServices


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


def checked_target(services: ProjectServices, expression: str) -> Target:
    """Return the parsed form of a target of the command line or of a program.

    Raises:
        ConfigurationError: it does not parse, or names what does not exist.
    """
    try:
        return services.vocabulary.parse(expression)
    except TargetSyntaxError as error:
        help_ = "see `ensue call --help` for the grammar of targets"
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
