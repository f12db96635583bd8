"""SLS that a run applies to this machine by name, and that the top file assigns to other machines only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.data import is_mapping
from ensue.language.plans.unassigned import as_target
from ensue.language.targeting import TargetSyntaxError, matches
from ensue.language.targeting.ansible_patterns import instead_of_group
from ensue.language.targets.target_context import TargetContext

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.language.targets.targets import Targets
    from ensue.language.top_files import Sections, Target


def assigned_elsewhere(services: Targets, mods: Sequence[str], sections: Sections) -> Iterator[Diagnostic]:
    """Yield a warning for each SLS that the top file assigns to other machines of the project only.

    Args:
        services: the project.
        mods: the SLS that a run applies to this machine.
        sections: the targets of the top file by environment and expression.
    """
    for name in mods:
        assigning = {
            expression: target
            for targets in sections.values()
            for expression, target in targets.items()
            if _may_assign(target, name)
        }
        if others := _others(services, {text: as_target(text, target) for text, target in assigning.items()}):
            yield _warning(name, others, services.minion.id)


def _may_assign(target: Target, name: str) -> bool:
    """Return whether a target has an SLS; one with a `subfilter` or other environments may have it."""
    return any(
        entry.replace("/", ".") == name
        if isinstance(entry, str)
        else is_mapping(entry) and "match" not in entry
        for entry in target.entries
    )


def _others(services: Targets, targets: dict[str, str]) -> list[str]:
    """Return the targets of other machines that the project knows; none if one may match this machine."""
    vocabulary, index = services.vocabulary, services.directory.index
    others: list[str] = []
    for expression, text in targets.items():
        if instead_of_group(expression, vocabulary.nodegroups):
            continue
        try:
            target = vocabulary.parse(text)
        except TargetSyntaxError:
            return []
        if not text or matches(target, TargetContext(services, services.minion, test=False).subject()):
            return []
        by_name = index.matching(target, vocabulary)
        if by_name.matched or by_name.undecided:
            others.append(text)
    return others


def _warning(name: str, targets: Sequence[str], minion: str) -> Diagnostic:
    import shlex

    commands = " or ".join(f"`--tgt {shlex.quote(text)}`" for text in targets)
    return Diagnostic(
        code="E0411",
        summary=f"the top file assigns {name!r} to {', '.join(targets)}, not to this machine, {minion}",
        detail="an SLS that is named without --tgt is applied to this machine",
        help=f"for those machines: {commands}",
        severity=Severity.WARNING,
    )
