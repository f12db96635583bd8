"""Compound targets match the same in ensue as in Salt 3008.5."""

from __future__ import annotations

import json

from tests.compat.record_targets import FOLDER, RECORDED, all_targets

from ensue.core.model.srn import Srn
from ensue.language.targeting import TargetSubject, Vocabulary, matches, parse_target, read_nodegroups

EXPRESSIONS = all_targets()
SALTS: dict[str, bool] = json.loads(RECORDED.read_text())


def answers() -> dict[str, bool]:
    given = json.loads((FOLDER / "target_subject.json").read_text())
    groups, errors = read_nodegroups(given["nodegroups"])
    assert not errors
    return {
        expression: matches(
            parse_target(expression),
            TargetSubject(
                srn=Srn("minion", given["id"]),
                managing_minions=(given["id"],),
                grains=lambda: given["grains"],
                pillar=lambda: given["pillar"],
                vocabulary=Vocabulary(groups),
            ),
        )
        for expression in EXPRESSIONS
    }


def test_targets_match_what_they_match_in_salt() -> None:
    """Every expression matches as in Salt, except those with a documented difference, and these do differ."""
    ours = answers()
    differing = {expression for expression, answer in ours.items() if answer != SALTS[expression]}
    assert differing == {expression for expression, why in EXPRESSIONS.items() if why}


def test_the_table_is_recorded_and_decides_both_ways() -> None:
    """The recorded and the written expressions are the same set, of over a hundred, with both answers."""
    assert list(SALTS) == list(EXPRESSIONS)
    assert len(SALTS) > 100
    assert min(sum(SALTS.values()), len(SALTS) - sum(SALTS.values())) > 30
