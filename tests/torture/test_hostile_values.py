"""What a host prints never changes the structure of an SLS, wherever a template prints it.

Each value of the run that a recorded template uses is replaced by hostile ones. The data is shaped as
with harmless values, or it is refused. There are 2,000 cases, with `ENSUE_TORTURE_ROUNDS` 200 per round.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.torture.hostile_values import (
    HARMLESS,
    MINION_ID,
    Corpus,
    Run,
    Shape,
    Site,
    Unit,
    all_corpora,
    difference,
    harmless_of,
    hostile,
    shape_of,
    units,
)

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import EnsueError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROUNDS = int(os.environ.get("ENSUE_TORTURE_ROUNDS", "3"))
CASES = 2000
PARTS = ROUNDS // 10 if ROUNDS >= 50 else 1
_OF_ONE_SITE = 25
"""Cases in a row of one value, so that its harmless renderings are made once."""


@pytest.mark.parametrize("part", range(PARTS))
def test_a_hostile_value_changes_nothing_but_itself(tmp_path: Path, part: int) -> None:
    """IDs, functions, names of arguments and their number are those of a harmless value, or it is refused."""
    del part
    seed = random.randrange(10**6)  # noqa: S311 -- chance, not secrecy
    chance = random.Random(seed)  # noqa: S311 -- chance, not secrecy
    corpora = all_corpora()
    assert len(corpora) > 150
    counts: Counter[str] = Counter()
    differences: list[str] = []
    number = 0
    while counts["cases"] < CASES:
        if number % len(corpora) == 0:
            chance.shuffle(corpora)
        corpus = corpora[number % len(corpora)]
        number += 1
        differences += asyncio.run(_tried(corpus, tmp_path / str(number), chance, counts))
    print(f"seed {seed}: {dict(counts)}")  # noqa: T201 -- figures, shown with -s
    assert not differences, f"seed {seed}\n" + "\n".join(differences[:20])
    assert counts["accepted"] > counts["cases"] // 20
    assert counts["refused"] > counts["cases"] // 20


async def _tried(corpus: Corpus, root: Path, chance: random.Random, counts: Counter[str]) -> list[str]:
    """Try a project with some cases; return what is wrong."""
    corpus.lay_out(root)
    options = ProjectOptions(minion_id=MINION_ID, pillar=dict(corpus.pillar))
    try:
        async with AppProject.open(root, options) as project:
            services = await project._prepared()
            return await asyncio.to_thread(
                lambda: list(_cases(list(units(services, corpus.files)), corpus, chance, counts))
            )
    except EnsueError:
        counts["projects that do not compile"] += 1
        return []


def _cases(usable: list[Unit], corpus: Corpus, chance: random.Random, counts: Counter[str]) -> Iterator[str]:
    sites = [(unit, site) for unit in usable for site in unit.sites()]
    for unit, site in chance.sample(sites, min(len(sites), 2)):
        counts["sites"] += 1
        words = [harmless_shape for word in HARMLESS if (harmless_shape := _shape(unit, site, word))]
        for _ in range(_OF_ONE_SITE):
            value = hostile(chance, unit.source)
            counts["cases"] += 1
            shape = _shape(unit, site, value)
            counts["refused" if shape is None else "accepted"] += 1
            if shape is None:
                continue
            if not difference(shape, words):
                continue
            harmless = [
                *words,
                *(
                    harmless_shape
                    for word in harmless_of(value)
                    if (harmless_shape := _shape(unit, site, word))
                ),
            ]
            if harmless and (reason := difference(shape, harmless)):
                yield f"{corpus.id}: {unit.file.name}: {site}: {value!r}: {reason}"


def _shape(unit: Unit, site: Site, value: str) -> Shape | None:
    """Return the shape of what is rendered with a value; None if it is refused."""
    try:
        return shape_of(unit.rendered(Run(unit.services, site, value)).data)
    except EnsueError:
        return None


@pytest.mark.parametrize(
    ("data", "is_refused"),
    [
        ({"a": {"m.f": [{"name": "/d/x/c"}]}}, False),
        ({"a": {"m.f": [{"name": "/d/x"}]}}, True),
        ({"a": {"m.f": [{"name": "/d/x/c"}, {"onlyif": "1"}]}}, True),
        ({"a": {"m.g": [{"name": "/d/x/c"}]}}, True),
        ({"b": {"m.f": [{"name": "/d/x/c"}]}}, True),
        ({"a": {"m.f": [{"name": "/d/${a:b:c}/c"}]}}, True),
        ({"a": {"m.f": [{"name": "/d/x/c"}]}, "b": {"m.f": []}}, True),
    ],
)
def test_what_is_compared(data: object, is_refused: bool) -> None:
    """Every way in which a value could change an SLS is a difference."""
    harmless = [shape_of({"a": {"m.f": [{"name": f"/d/{word}/c"}]}}) for word in ("one", "2")]
    assert bool(difference(shape_of(data), harmless)) is is_refused


@pytest.mark.parametrize("value", ["- \x85x\t", "-\n'", "-\n-\n-", "x\ny\n#"])
def test_harmless_forms_of_lines_that_become_ids(value: str) -> None:
    """A value whose lines become IDs has two forms at least whose IDs all differ."""
    count = len(value.splitlines())
    forms = {tuple(map(str.strip, form.splitlines())) for form in harmless_of(value)}
    assert len([lines for lines in forms if len(lines) == len(set(lines)) == count]) >= 2
