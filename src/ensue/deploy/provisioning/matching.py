"""Choose a resource's definition: all given fields of a criterion match, and the most specific one wins.

Specificity compares (res_id, env_id, app_id, env_type) as bits. Identical criteria would tie, and
are refused when definitions are loaded, so the choice never depends on the order of definitions.

Source: resource graph document, step 2 of "Building and executing".
"""

from __future__ import annotations

from itertools import compress
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from ensue.deploy.provisioning.definitions import CRITERION_FIELDS, field_values
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.deploy.provisioning.definitions import Criterion, Definition
    from ensue.deploy.provisioning.identity import Context, ResourceKey
    from ensue.language.collector import Collector

_MOST_NEAR_MISSES: Final = 8
_Table: TypeAlias = "dict[tuple[bool, ...], dict[tuple[str, ...], tuple[Definition, Criterion]]]"
"""Which fields are given, the most specific first, to their values, to the candidates with these values."""


class DefinitionCandidate(NamedTuple):
    """A definition of a resource's type, and how well it matches.

    Args:
        definition: the definition.
        criterion: the criterion that matches, else the one with the fewest failures; None: it has none.
        failures: why it does not match; empty if it does.
        is_chosen: whether it is the definition that the resource gets.
    """

    definition: Definition
    criterion: Criterion | None
    failures: tuple[str, ...]
    is_chosen: bool = False


class Catalog:
    """All definitions of a project, indexed for matching.

    Args:
        definitions: the definitions, in any order.
        collector: receives the errors: duplicate ids, and criteria that tie.
    """

    def __init__(self, definitions: Iterable[Definition], collector: Collector) -> None:
        ordered = sorted(definitions, key=_reading_order)
        self.definitions: dict[str, Definition] = {}
        self._by_type: dict[str, list[Definition]] = {}
        self._tables: dict[tuple[str, str], _Table] = {}
        for definition in ordered:
            self._add(definition, collector)
        for kind, table in self._tables.items():
            self._tables[kind] = dict(sorted(table.items(), reverse=True))

    def chosen(self, key: ResourceKey, context: Context) -> Definition | None:
        """Return the definition that a resource gets, None if none matches."""
        match = self.matched(key, context)
        return None if match is None else match[0]

    def matched(self, key: ResourceKey, context: Context) -> tuple[Definition, Criterion] | None:
        """Return the definition that a resource gets, with the criterion that matches; None if none does."""
        table = self._tables.get((key.type, key.class_))
        if table is None:
            return None
        values = (key.id, context.env, context.app, context.env_type)
        for given, by_values in table.items():
            if candidate := by_values.get(tuple(compress(values, given))):
                return candidate
        return None

    def possible(self, type_: str, class_: str, context: Context) -> tuple[Definition, ...]:
        """Return the definitions that resources of a type and class may get, whatever their ids are."""
        fields = {"env_id": context.env, "app_id": context.app, "env_type": context.env_type}
        return self.offering(type_, class_, fields)

    def kinds(self) -> Iterable[tuple[str, str]]:
        """Return the types and classes that criteria name."""
        return self._tables.keys()

    def offering(self, type_: str, class_: str, fields: Mapping[str, str]) -> tuple[Definition, ...]:
        """Return the definitions that a resource may get, the most specific first.

        Args:
            type_: the resource's type.
            class_: its class.
            fields: the fields of criteria that are known.
        """
        offered = [
            (-criterion.specificity, definition.id, definition)
            for definition in self.of_type(type_)
            for criterion in definition.criteria
            if criterion.may_match(class_, fields)
        ]
        return tuple(
            {id_: definition for _, id_, definition in sorted(offered, key=lambda each: each[:2])}.values()
        )

    def of_type(self, type_: str) -> list[Definition]:
        """Return the definitions for resources of a type, sorted by id."""
        return sorted(self._by_type.get(type_, ()), key=lambda definition: definition.id)

    def candidates(
        self, type_: str, class_: str, values: Mapping[str, str | None]
    ) -> list[DefinitionCandidate]:
        """Rank the definitions of a type for a resource, the chosen one first.

        Args:
            type_: the resource's type.
            class_: its class.
            values: criterion field to the value of the resource; None: not known.
        """
        ranked = sorted(
            (_candidate(definition, class_, values) for definition in self.of_type(type_)),
            key=lambda definition_candidate: (
                bool(definition_candidate.failures),
                len(definition_candidate.failures)
                if definition_candidate.criterion
                else len(CRITERION_FIELDS) + 2,
                -definition_candidate.criterion.specificity if definition_candidate.criterion else 0,
                definition_candidate.definition.id,
            ),
        )
        if ranked and not ranked[0].failures:
            ranked[0] = ranked[0]._replace(is_chosen=True)
        return ranked

    def near_misses(self, key: ResourceKey, context: Context) -> str:
        """Describe the definitions that nearly match a resource, and the fields that differ."""
        candidates = self.candidates(key.type, key.class_, field_values(key, context))
        if not candidates:
            close = near_names(key.type, self._by_type)
            return f"no definition is for the type {key.type!r}" + (f" ({close})" if close else "")
        shown = [
            f"{candidate.definition.id}: {' and '.join(candidate.failures)}"
            for candidate in candidates[:_MOST_NEAR_MISSES]
        ]
        more = len(candidates) - len(shown)
        return "; ".join([*shown, *([f"and {more} more"] if more else [])])

    def help_for(self, key: ResourceKey) -> str:
        """Return how a resource that no definition matches gets one."""
        others = self._by_type.get(key.type)
        if others is None:
            entity = (
                f"{{type: {key.type}, driver_type: echo, driver_inputs: {{values: {{}}}}, criteria: [{{}}]}}"
            )
            return (
                "write one into a file of definitions/, such as "
                f"`{{kind: Definition, metadata: {{id: my-{key.type}}}, entity: {entity}}}`"
            )
        if not any(definition.criteria for definition in others):
            return "add `criteria: [{}]` below `entity`, which matches everywhere"
        return "`ensue show match` shows how definitions are ranked"

    def _add(self, definition: Definition, collector: Collector) -> None:
        first = self.definitions.setdefault(definition.id, definition)
        if first is not definition:
            there = first.place._replace(keys=("metadata", "id")).span()
            collector.error(
                "E0811",
                f"the definition id {definition.id!r} occurs twice",
                definition.place._replace(keys=("metadata", "id")).span(),
                detail=f"the first one is at {there}",
                help="give one of them another id",
                related=((there, "the first one"),),
            )
            return
        self._by_type.setdefault(definition.type, []).append(definition)
        for criterion in definition.criteria:
            self._add_criterion(definition, criterion, collector)

    def _add_criterion(self, definition: Definition, criterion: Criterion, collector: Collector) -> None:
        table = self._tables.setdefault((definition.type, criterion.class_), {})
        given = tuple(field in criterion.fields for field in CRITERION_FIELDS)
        values = tuple(criterion.fields[field] for field in compress(CRITERION_FIELDS, given))
        first, first_criterion = table.setdefault(given, {}).setdefault(values, (definition, criterion))
        if first is definition:
            return
        here, there = criterion.place.span(), first_criterion.place.span()
        collector.error(
            "E0812",
            f"the definitions {first.id!r} and {definition.id!r} tie for the same resources",
            here,
            detail=f"both are for type {definition.type!r}, class {criterion.class_!r}, "
            f"{criterion_words(criterion)}; the other one is at {there}",
            help="make one criterion more specific, or remove it",
            related=((there, "the other criterion"),),
        )


def criterion_words(criterion: Criterion) -> str:
    """Return the fields of a criterion as words, `any resource` if it has none."""
    return ", ".join(f"{name} {value!r}" for name, value in criterion.fields.items()) or "any resource"


def _candidate(definition: Definition, class_: str, values: Mapping[str, str | None]) -> DefinitionCandidate:
    best: DefinitionCandidate | None = None
    for criterion in sorted(definition.criteria, key=lambda criterion_: -criterion_.specificity):
        failures = tuple(criterion.failures(class_, values))
        if best is None or len(failures) < len(best.failures):
            best = DefinitionCandidate(definition, criterion, failures)
    return best or DefinitionCandidate(definition, None, ("it has no criteria, so it is never chosen",))


def _reading_order(definition: Definition) -> tuple[str, int, int]:
    span = definition.place.document.source_span(1)
    return (span.path, span.line, span.column)
