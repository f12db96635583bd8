"""What to do if the top file assigns nothing to this machine: usually it assigns SLS to other machines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.data import is_mapping
from ensue.language.top import ENGINES

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ensue.language.top_files import Sections, Target

NOTHING_ASSIGNED: Final = "E0605"
_MOST_NAMED: Final = 3
"""How many targets of the top file the warning names."""


def nothing_assigned(names: str, elsewhere: Sequence[str] = ()) -> Diagnostic:
    """Return the warning that the top file assigns nothing to a target.

    Args:
        names: the ids of the targets.
        elsewhere: the targets to which the top file assigns SLS; none: they have been requested.
    """
    help_ = "add a target that matches it, or name an SLS"
    if elsewhere:
        import shlex

        commands = " or ".join(
            f"`ensue apply --tgt {shlex.quote(target)}`" for target in elsewhere[:_MOST_NAMED]
        )
        help_ = (
            f"{commands} applies what it assigns to the machines of that target; without --tgt, a highstate "
            f"is of this machine, {names}: if SLS are meant for it, {help_}"
        )
    return Diagnostic(
        code=NOTHING_ASSIGNED,
        summary=f"the top file assigns nothing to {names}",
        help=help_,
        severity=Severity.WARNING,
    )


def assigned_targets(sections: Sections, nodegroups: Collection[str]) -> list[str]:
    """Return the targets of top files that have SLS as `--tgt` takes them.

    Left out are those of matchers of the project, and those that name a nodegroup without `N@`, which match
    nothing.

    Args:
        sections: the targets by environment and expression.
        nodegroups: the names of the project's nodegroups.
    """
    from ensue.language.targeting.ansible_patterns import instead_of_group

    texts = (
        as_target(expression, target)
        for targets in sections.values()
        for expression, target in targets.items()
        if not instead_of_group(expression, nodegroups)
        and any(not is_mapping(entry) or "match" not in entry for entry in target.entries)
    )
    return list(dict.fromkeys(filter(None, texts)))


def as_target(expression: str, target: Target) -> str:
    """Return a target of a top file as `--tgt` takes it; empty for one of a matcher of the project."""
    kinds = [str(entry["match"]) for entry in target.entries if is_mapping(entry) and "match" in entry]
    engine = ENGINES.get(kinds[-1]) if kinds else ""
    if engine is None:
        return ""
    return f"{engine}@{expression}" if engine else expression
