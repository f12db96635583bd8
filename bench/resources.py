"""Many resources: calls and states on dummies beside Salt's own, and a registry of a million entries.

Salt runs without a master (`salt-call --local --resources`), so that both are one process each. The states on
many resources have no peer, because Salt's dummy has no `state.apply`; nor has the registry, because Salt has
none that outlives a process.
"""

from __future__ import annotations

import sqlite3
import time
from statistics import median
from typing import TYPE_CHECKING, Final

import derived
from cases import Case

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

REGISTRY: Final = "registry-1000000"
"""The project whose store has a million entries."""

_ENTRIES: Final = 1_000_000
_DUMMIES: Final = 10
_LOOKUPS: Final = 101
_TWO_STATES: Final = """\
cfg:
  file.managed:
    - name: /etc/cfg
    - contents: hello
    - makedirs: true
    - tgt: T@dummy
package:
  pkg.installed:
    - name: redbull
    - tgt: T@dummy
"""


def resource_cases() -> list[Case]:
    """Return the cases, cheapest first."""
    ping, none = ("T@dummy", "test.ping"), ()
    few, many, most = "dummies-100", "dummies-10000", "dummies-100000"
    one = ("T@dummy:dummy-77777", "test.ping")
    compound = "T@ssh_host:web-0* and not E@.*[0-9]$ or L@box-3,box-7"
    managed = "M@bench and not T@ssh_host"
    return [
        Case(name="resources-ping-100", call=ping, project=few, sls="", states=100, wall_goal_s=0.5),
        Case(name="resources-ping-10000", call=ping, project=many, sls="", states=10000, wall_goal_s=1.5),
        Case(
            name="resources-two-states-100",
            project=few,
            sls=_TWO_STATES,
            states=200,
            wall_goal_s=0.6,
            peers=none,
        ),
        Case(
            name="resources-one-of-100000",
            call=one,
            project=most,
            sls="",
            states=1,
            memory_goal_mib=130.0,  # 1 KiB each over what one resource takes
            peers=none,
        ),
        *(
            Case(
                name=f"{REGISTRY}-{name}",
                call=(target, "test.ping"),
                project=REGISTRY,
                sls="",
                states=answers,
                wall_goal_s=2.0,
                peers=none,
            )
            for name, target, answers in (
                ("one", "T@dummy:box-3", 1),
                ("compound", compound, 2),
                ("managed", managed, 1 + _DUMMIES),
            )
        ),
    ]


def write_projects(root: Path, cases: list[Case]) -> list[str]:
    """Write the projects that the cases name, each with as many dummies as its name says.

    Args:
        root: the folder of all projects.
        cases: those that are measured; stores take seconds to fill and are made only for their own.

    Returns:
        What filling them has shown.
    """
    notes: list[str] = []
    for name in dict.fromkeys(case.project for case in cases if case.project):
        folder = root / name
        (folder / "states").mkdir(parents=True)
        (folder / "pillar").mkdir()
        (folder / "ensue.yaml").write_text("id: bench\n")
        for case in cases:
            if case.project == name and case.sls:
                (folder / "states" / f"{case.sls_name}.sls").write_text(case.sls)
        if name == REGISTRY:
            fill_registry(folder / ".ensue", _ENTRIES)
        elif name == derived.PROJECT:
            notes.append(derived.fill_derived(folder / ".ensue"))
        else:
            (folder / "pillar" / "top.sls").write_text("base:\n  '*':\n    - dummies\n")
            ids = "".join(f"    - dummy-{number}\n" for number in range(int(name.partition("-")[2])))
            text = f"resources:\n  dummy:\n    resource_ids:\n{ids}"
            (folder / "pillar" / "dummies.sls").write_text(text)
    return notes


def fill_registry(cachedir: Path, entries: int) -> None:
    """Fill a store: a few dummies that are registered as any, and hosts that nobody connects to.

    Args:
        cachedir: the project's.
        entries: how many there are in the end.
    """
    from ensue.core.model.srn import Srn
    from ensue.store.registry.entry import RegistrationRequest
    from ensue.store.registry.registry import ResourceRegistry

    registry = ResourceRegistry(cachedir, minion_id="bench")
    dummies = [Srn("dummy", f"box-{number}") for number in range(_DUMMIES)]
    registry.register_many([RegistrationRequest(srn=srn, config={}) for srn in dummies])
    registry.close()
    with sqlite3.connect(cachedir / "store.db") as store:
        store.execute("PRAGMA synchronous=OFF")
        pattern = store.execute("SELECT * FROM ensue_resource LIMIT 1")
        columns = [column[0] for column in pattern.description]
        row: dict[str, object] = dict(zip(columns, pattern.fetchone(), strict=True))
        row |= {"type": "ssh_host", "config": bytes(250)}
        marks = ",".join("?" * len(columns))
        store.executemany(
            f"INSERT INTO ensue_resource VALUES ({marks})",  # noqa: S608 (only question marks)
            _rows(row, entries - _DUMMIES),
        )
    store.close()


def _rows(row: dict[str, object], count: int) -> Iterator[tuple[object, ...]]:
    for number in range(count):
        yield tuple((row | {"id": f"web-{number:07d}"}).values())


def lookup_note(root: Path) -> str:
    """Look one of a million up by type and id, in an open process, and say how long it takes."""
    from ensue.core.model.srn import Srn
    from ensue.language.targeting import Vocabulary, parse_target
    from ensue.language.targets.resource_index import ResourceIndex
    from ensue.store.registry.registry import ResourceRegistry

    registry = ResourceRegistry(root / REGISTRY / ".ensue", minion_id="bench")
    index = ResourceIndex(Srn("minion", "bench"), registry)
    spent_s: list[float] = []
    for number in range(_LOOKUPS):
        target = parse_target(f"T@ssh_host:web-{number * 9000:07d}")
        started = time.perf_counter()
        found = index.matching(target, Vocabulary())
        spent_s.append(time.perf_counter() - started)
        if len(found.matched) != 1:
            return f"{REGISTRY}: {number * 9000} was not found"
    registry.close()
    word = "met" if median(spent_s) <= 0.001 else "MISSED"  # noqa: PLR2004 (the goal is 1 ms)
    return f"{REGISTRY}: T@ssh_host:ID in an open process: {median(spent_s) * 1000:.2f} ms (goal 1 ms {word})"
