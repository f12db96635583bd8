"""Requisites have the same outcomes as in Salt 3008.5 (`salt_facts.json`, recorded from real runs).

Each case holds rows in Salt's order of execution, and the returns in order of start: ID, function,
result, comment, whether anything changed. Left out are cases in which a prereq'd state has a
`prereq` of its own: there Salt's outcome depends on the order of declaration. Those in which a plan would
run an `onfail` state are left out too: Salt counts None as a failure there, ensue as known after apply.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.engine.replay import normal, replay


def is_onfail_of_plan(case: dict[str, Any]) -> bool:
    """Return whether a case is a plan in which an `onfail` names a state that would change something."""
    undecided = {id_ for id_, _, result, _, _ in case["returns"] if result is None}
    names = (name for row in case["rows"] for key in row if key.startswith("onfail") for name in row[key])
    return case["test"] and not undecided.isdisjoint(names)


FACTS: list[dict[str, Any]] = json.loads(Path(__file__).with_name("salt_facts.json").read_text("utf-8"))
CASES = [case for case in FACTS if not is_onfail_of_plan(case)]


def expected(case: dict[str, Any]) -> list[list[Any]]:
    return [
        [id_, fun, result, normal(comment), changed] for id_, fun, result, comment, changed in case["returns"]
    ]


@pytest.mark.parametrize("case", CASES, ids=[f"{place:03}" for place in range(len(CASES))])
def test_same_as_salt(case: dict[str, Any]) -> None:
    """Results, comments, changes and order of start are those of Salt."""
    assert replay(case) == expected(case)


WITHOUT_FAILHARD = [case for case in CASES if not any(row.get("failhard") for row in case["rows"])]
"""Which states are left out after a failure depends on what ran beside it."""


@pytest.mark.parametrize("case", WITHOUT_FAILHARD, ids=[f"{n:03}" for n in range(len(WITHOUT_FAILHARD))])
def test_same_as_salt_when_concurrent(case: dict[str, Any]) -> None:
    """Without a sequence the order of start may differ; results and comments do not."""
    assert sorted(replay(case, ordered=False), key=str) == sorted(expected(case), key=str)
