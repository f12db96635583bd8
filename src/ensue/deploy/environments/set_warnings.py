"""The warnings about what another set makes of an environment: what leaves it, and other definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.deploy.provisioning.environment_sets import Names
    from ensue.deploy.provisioning.identity import Context

_MOST_NAMED: Final = 10


def leaving_warning(context: Context, leaving: Names, arriving: Names, *, is_pruned: bool) -> Diagnostic:
    """Return the warning that something leaves an environment.

    Args:
        context: the environment.
        leaving: what leaves; not empty.
        arriving: what is new, and may be what leaves by another name.
        is_pruned: whether resources that nothing requests any more are removed.
    """
    named = list(leaving.described())
    verb = "leaves" if len(named) == 1 else "leave"
    return Diagnostic(
        code="E0851",
        severity=Severity.WARNING,
        summary=f"{_listed(named)} {verb} {context.environment}",
        detail="what was given does not have "
        + ("it" if len(named) == 1 else "them")
        + (
            ": what nothing else needs is destroyed"
            if is_pruned
            else ", and what nothing else needs is orphaned"
        ),
        help="--merge keeps what was not given as it was deployed last" + _renaming(leaving, arriving),
    )


def _renaming(leaving: Names, arriving: Names) -> str:
    """Return what to do if a workload was renamed; empty if none can have been."""
    if not (leaving.workloads and arriving.workloads):
        return ""
    former, new = _listed(sorted(leaving.workloads)), _listed(sorted(arriving.workloads))
    return (
        f"; if {former} is {new} now: a resource keeps what it has only if its `id` or the name of its "
        "workload stays"
    )


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


def changed_definitions_warning(
    number: int, then: Mapping[str, str], now: Mapping[str, str]
) -> Diagnostic | None:
    """Return the warning that other definitions are used than in an earlier deployment; None: the same are.

    Args:
        number: the deployment.
        then: the digests of the definitions that it used, by id.
        now: those of the definitions that are used now.
    """
    changed = [id_ for id_, digest in sorted(now.items()) if then.get(id_, digest) != digest]
    gone, new = sorted(then.keys() - now.keys()), sorted(now.keys() - then.keys())
    if not changed and not gone:
        return None
    replaced = f"; used now: {_listed(new)}" if new else ""
    not_used = f"not used any more: {_listed(gone)}{replaced}; " if gone else ""
    return Diagnostic(
        code="E0855",
        severity=Severity.WARNING,
        summary=f"definitions have changed since deployment {number}: {_listed([*changed, *gone])}",
        detail=f"{not_used}the definitions of now are used",
        help="if those of then are meant, bring their files back, for example with git",
    )
