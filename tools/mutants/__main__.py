"""Change the sources a little, at random, and report which changes no test notices.

usage: python -m tools.mutants [--count N] [--seed N] [--budget SECONDS] [--below FOLDER…]
"""

from __future__ import annotations

import argparse
import random
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING

from tools.mutants.mutations import Mutation, mutations
from tools.mutants.trials import ROOT, Bench, Trial, attempt, passes_unchanged, prepare, record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.mutants.calls import Recorded

FOLDERS = ("engine", "language/references", "store/registry", "deploy/provisioning")
TESTS = ("language/references", "deploy/provisioning", "engine", "store/registry", "spec", "app")
# Their work is in processes of their own, which the recorder does not see, or takes minutes to record.
UNRECORDED = frozenset({
    "test_crash.py", "test_crowd.py", "test_bad_inputs.py", "test_deadlines.py", "test_hostile_hosts.py",
    "test_platform_example.py",
})  # fmt: skip
# For one mutation in so many the tests also run without it: what fails then has killed nothing.
CONTROL = 20
EQUIVALENT = Path(__file__).with_name("equivalent.toml")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each survivor and the share of mutations that tests noticed."""
    options = _parser().parse_args(arguments)
    bench = Bench(folder=ROOT / ".mutants", seed=options.seed, budget_s=options.budget)
    bench.folder.mkdir(exist_ok=True)
    prepare(bench)
    sample = _sample(options.below, options.count, options.seed)
    print(f"recording which tests call what (progress in {bench.folder}/recording.log)", flush=True)
    recorded = {name: test for files in _test_files() for name, test in record(bench, files).items()}
    trials = [_tried(bench, mutation, number, recorded) for number, mutation in enumerate(sample, 1)]
    for trial in trials[::CONTROL]:
        if not passes_unchanged(bench, trial.mutation, recorded):
            print(f"the tests of src/{trial.mutation.path}:{trial.mutation.line} fail without the change too")
    killed = sum(trial.is_killed for trial in trials)
    print(f"{killed} of {len(trials)} killed ({killed / max(len(trials), 1):.0%}), seed {options.seed}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many mutations (default 300)")
    parser.add_argument("--seed", type=int, default=1, help="which mutations (default 1)")
    parser.add_argument("--budget", type=float, default=20, help="seconds of tests per mutation (default 20)")
    parser.add_argument("--below", nargs="+", default=FOLDERS, help="folders of src/ensue")
    return parser


def _sample(folders: Sequence[str], count: int, seed: int) -> list[Mutation]:
    source = ROOT / "src"
    files = sorted(path for folder in folders for path in (source / "ensue" / folder).rglob("*.py"))
    excused = _equivalent()
    population = [
        mutation
        for path in files
        for mutation in mutations(path.relative_to(source).as_posix(), path.read_bytes())
        if (mutation.path, mutation.function, mutation.change) not in excused
    ]
    chooser = random.Random(seed)  # noqa: S311 # a sample, not a secret
    return chooser.sample(population, min(count, len(population)))


def _equivalent() -> set[tuple[str, str, str]]:
    """Return the mutations that change nothing which a user or a caller can see."""
    entries = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8")).get("mutation", [])
    return {(entry["path"], entry["function"], entry["change"]) for entry in entries}


def _test_files() -> list[list[str]]:
    """Return the test files of each folder."""
    folders = [sorted((ROOT / "tests" / folder).rglob("test_*.py")) for folder in TESTS]
    return [
        [path.relative_to(ROOT).as_posix() for path in files if path.name not in UNRECORDED]
        for files in folders
    ]


def _tried(bench: Bench, mutation: Mutation, number: int, recorded: dict[str, Recorded]) -> Trial:
    trial = attempt(bench, mutation, recorded)
    if not trial.is_killed:
        print(f"{number:4} src/{mutation.path}:{mutation.line} in {mutation.function}, {trial.tests} tests")
        print(f"       {mutation.change}", flush=True)
    return trial


if __name__ == "__main__":
    raise SystemExit(main())
