"""Which definition a resource gets."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.deploy.provisioning.building import CONTEXT, definition

from ensue.deploy.provisioning.definition_files import read_definition
from ensue.deploy.provisioning.definitions import CRITERION_FIELDS, field_values
from ensue.deploy.provisioning.identity import ResourceKey
from ensue.deploy.provisioning.matching import Catalog
from ensue.language.collector import Collector
from ensue.language.yaml import YamlDocument

KEY = ResourceKey("s3", "default", "shared.one")
MATCHING = {"res_id": "shared.one", "env_id": "dev", "app_id": "shop", "env_type": "development"}
ALL_CRITERIA = [dict(fields) for count in range(5) for fields in combinations(MATCHING.items(), count)]


def _catalog(criteria: list[dict[str, str]]) -> Catalog:
    collector = Collector()
    definitions = []
    for number, criterion in enumerate(criteria):
        data = {
            "kind": "Definition",
            "metadata": {"id": f"d{number}"},
            "entity": {"type": "s3", "driver_type": "echo", "criteria": [criterion]},
        }
        read = read_definition(data, YamlDocument(f"d{number}.yaml", ""), collector)
        assert read is not None
        definitions.append(read)
    catalog = Catalog(definitions, collector)
    collector.stop_on_errors()
    return catalog


@given(st.lists(st.sampled_from(ALL_CRITERIA), min_size=1, unique_by=tuple))
def test_the_most_specific_criterion_wins(criteria: list[dict[str, str]]) -> None:
    """Of criteria that all match, the one wins whose fields weigh most, compared as bits."""
    catalog = _catalog(criteria)
    weights = [sum(8 >> CRITERION_FIELDS.index(name) for name in criterion) for criterion in criteria]
    best = f"d{weights.index(max(weights))}"
    chosen = catalog.chosen(KEY, CONTEXT)
    assert chosen is not None
    assert chosen.id == best
    ranked = catalog.candidates("s3", "default", field_values(KEY, CONTEXT))
    assert [candidate.definition.id for candidate in ranked if candidate.is_chosen] == [best]
    assert ranked[0].is_chosen


@pytest.mark.parametrize("field", MATCHING)
def test_a_field_that_does_not_match_is_named(field: str) -> None:
    """One field that fails is enough, and the near miss names it."""
    catalog = _catalog([{**MATCHING, field: "other"}])
    assert catalog.chosen(KEY, CONTEXT) is None
    assert catalog.near_misses(KEY, CONTEXT) == f"d0: {field} is {MATCHING[field]!r}, not 'other'"


def test_no_class_means_the_class_default() -> None:
    """A criterion without a class matches no resource of another class."""
    catalog = _catalog([{}, {"class": "large"}])
    chosen = [catalog.chosen(KEY._replace(class_=name), CONTEXT) for name in ("default", "large", "small")]
    assert [choice and choice.id for choice in chosen] == ["d0", "d1", None]


def test_a_definition_without_criteria_is_never_chosen() -> None:
    """It is a near miss that says so."""
    collector = Collector()
    catalog = Catalog([definition("s3", collector, criteria=[])], collector)
    assert catalog.chosen(KEY, CONTEXT) is None
    assert "never chosen" in catalog.near_misses(KEY, CONTEXT)


def test_what_helps_a_resource_that_nothing_matches() -> None:
    """Where no definition of its type has a criterion, one is missing; else the ranking shows why."""
    without, with_one = (
        Catalog([definition("s3", Collector(), criteria=c)], Collector()) for c in ([], [{}])
    )
    assert "criteria: [{}]" in without.help_for(KEY)
    assert "`ensue show match`" in with_one.help_for(KEY)
    assert "id: my-queue" in with_one.help_for(KEY._replace(type="queue"))


def test_one_definition_may_repeat_a_criterion() -> None:
    """Only two definitions tie, never one with itself."""
    collector = Collector()
    Catalog([definition("s3", collector, criteria=[{}, {}])], collector)
    assert not collector.errors


def test_a_type_that_is_nearly_spelled_right_is_offered() -> None:
    """A resource type without a definition is answered with one that has."""
    assert "did you mean s3?" in _catalog([{}]).near_misses(KEY._replace(type="ss3"), CONTEXT)
