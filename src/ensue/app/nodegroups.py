"""`nodegroups` of ensue.yaml: targets by name, which other targets use as `N@name`.

Each is checked when the option is read: a group that is matched against parses, and does not lead back to
itself.

Source: Salt's `nodegroups`; a list there is its words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.diagnostics import Diagnostic
from ensue.model.data import is_list
from ensue.model.data_bounds import CircularError, DataBoundError, Kind, check_bounds
from ensue.targeting import TargetSyntaxError, parse_target, words_of
from ensue.targeting.expression import And, Not, Or, Word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.language.yaml import YamlDocument
    from ensue.targeting.expression import Target

OPTION: Final = "nodegroups"


def parse_nodegroups(groups: Mapping[Any, Any]) -> dict[str, Target]:
    """Return the target of each group.

    Raises:
        TargetSyntaxError: one does not parse.
    """
    return {str(name): parse_target(_expression(words)) for name, words in groups.items()}


def nodegroup_faults(groups: Mapping[Any, Any], document: YamlDocument) -> Iterator[Diagnostic]:
    """Yield what is wrong with the groups of a file.

    Args:
        groups: the option's value.
        document: the file.
    """
    targets: dict[str, Target] = {}
    for name, words in groups.items():
        try:
            targets[str(name)] = parse_target(_expression(words))
        except TargetSyntaxError as error:
            yield _fault(document, str(name), str(error), "what a target may be is in the docs on targets")
    try:
        check_bounds(list(targets.values()), _groups(targets))
    except DataBoundError as error:
        name = next((name for name, target in targets.items() if target is error.node), "")
        problem = "leads back to itself" if isinstance(error, CircularError) else "uses too many others"
        help_ = "name minions, resources or grains in it"
        yield _fault(document, name, f"the nodegroup {name!r} {problem}", help_)


def _expression(words: Any) -> str:
    return " ".join(map(str, words)) if is_list(words) else str(words)


def _fault(document: YamlDocument, name: str, summary: str, help_: str) -> Diagnostic:
    return Diagnostic(code="E0701", summary=summary, span=document.locate((OPTION, name)), help=help_)


def _groups(targets: Mapping[str, Target]) -> Kind:
    """Return how groups are walked: a target holds those that it names."""

    def members(target: Target | list[Target]) -> list[Target]:
        if isinstance(target, list):
            return target
        named = (word.pattern for word in words_of(target) if word.engine == "N")
        return [targets[name] for name in named if name in targets]

    return Kind((list, Word, Not, And, Or), members, lambda _: 1)
