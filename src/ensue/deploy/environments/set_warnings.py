"""The warnings about what another set makes of an environment: what leaves it, and other definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.first_names import first_names

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.provisioning.deployment_records import DeploymentRecord
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
    return first_names(names, _MOST_NAMED)


def changed_definitions_warning(
    record: DeploymentRecord, source: Context, built: BuiltGraph
) -> Diagnostic | None:
    """Return the warning that other definitions are used than in an earlier deployment; None: the same are.

    Args:
        record: the deployment.
        source: the environment that it was deployed into, with the type that it had then.
        built: the graph of now.
    """
    then, now, known = record.definitions, built.digests, built.source.digests
    choices = list(_other_choices(then, source, built))
    before, after = {choice.before for choice in choices}, {choice.after for choice in choices}
    changed = {id_ for id_ in (*now, *before) if then.get(id_, known[id_]) != known[id_]}
    gone, new = sorted(then.keys() - now.keys() - before), sorted(now.keys() - then.keys() - after)
    sentences = [choice.words for choice in choices]
    env = built.source.context.env
    detail, help_ = "", f"if {source.env} and {env} are to have the same, change the criteria"
    if changed or gone:
        names = _listed([*sorted(changed), *gone])
        sentences.insert(0, f"definitions have changed since deployment {record.number}: {names}")
        replaced = f"; used now: {_listed(new)}" if new else ""
        not_used = f"not used any more: {_listed(gone)}{replaced}; " if gone else ""
        detail = f"{not_used}the definitions of now are used"
        help_ = "if those of then are meant, bring their files back, for example with git"
    if not sentences:
        return None
    more = f"; and {len(sentences) - _MOST_NAMED} more" if len(sentences) > _MOST_NAMED else ""
    summary = "; ".join(sentences[:_MOST_NAMED]) + more
    return Diagnostic(code="E0855", severity=Severity.WARNING, summary=summary, detail=detail, help=help_)


class _OtherChoice(NamedTuple):
    """A definition that an environment uses where another environment used another one, by their criteria."""

    env: str
    after: str
    source_env: str
    before: str
    criteria: str

    @property
    def words(self) -> str:
        there = f"{self.source_env} used {self.before}"
        return f"{self.env} uses {self.after} where {there} (criteria {self.criteria})"


def _other_choices(then: Collection[str], source: Context, built: BuiltGraph) -> Iterator[_OtherChoice]:
    """Yield which definitions a graph has where its resources had others in the source, once each.

    Args:
        then: the definitions that the source used.
        source: the environment that is the source.
        built: the graph.
    """
    catalog, context = built.source.catalog, built.source.context
    seen: set[_OtherChoice] = set()
    for node in built.graph.nodes:
        before, after = catalog.chosen(node.key, source), catalog.matched(node.key, context)
        if before is None or after is None or before.id not in then or before.id == after[0].id:
            continue
        fields = after[1].fields.items()
        criteria = ", ".join(f"{field}={value}" for field, value in fields) or "any resource"
        choice = _OtherChoice(context.env, after[0].id, source.env, before.id, criteria)
        if choice not in seen:
            seen.add(choice)
            yield choice
