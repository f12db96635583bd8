"""Trials: the tests that call a changed function run against a copy of the sources that has the change in it.

Each trial is a process of its own, forked from one that has imported the libraries and nothing of the
product, so that a trial begins within a second. The checkout itself is never changed.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
import os
import shutil
import signal
import sys
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tools.mutants.calls import Chosen, Recorded, Recorder

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from tools.mutants.mutations import Mutation

ROOT = Path(__file__).resolve().parents[2]

# A trial forks after these; whatever else it needs it imports by itself.
_LIBRARIES = (
    "asyncssh",
    "click",
    "cryptography.hazmat.primitives.asymmetric.ed25519",
    "cryptography.x509",
    "jinja2",
    "jsonschema",
    "msgspec",
    "packaging.version",
    "rich.console",
    "sqlalchemy",
    "yaml",
)
_PYTEST = ("-q", "-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:xdist")
_SETUP_S = 60
_FORK = multiprocessing.get_context("fork")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """What trials share.

    Attributes:
        folder: Where the copy of the sources and the records are.
        seed: The seed of Hypothesis.
        budget_s: How long the tests of one trial may take together, as recorded.
    """

    folder: Path
    seed: int
    budget_s: float

    @property
    def source(self) -> Path:
        """The copy of `src`."""
        return self.folder / "src"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """What the tests did with one mutation.

    Attributes:
        mutation: The mutation.
        tests: How many tests were chosen for it.
        is_killed: Whether a test failed, or took far longer than it does.
    """

    mutation: Mutation
    tests: int
    is_killed: bool


def prepare(bench: Bench) -> None:
    """Copy the sources, and import the libraries that all trials need."""
    shutil.rmtree(bench.source, ignore_errors=True)
    shutil.copytree(ROOT / "src", bench.source)
    (bench.folder / "docs").mkdir(exist_ok=True)
    shutil.copy2(ROOT / "docs" / "diagnostics.md", bench.folder / "docs")  # `ensue explain` reads it there
    for name in _LIBRARIES:
        importlib.import_module(name)


def record(bench: Bench, files: Sequence[str]) -> dict[str, Recorded]:
    """Run test files unchanged and return what each test called, from the record if a file is unchanged."""
    kept = bench.folder / "calls.json"
    known: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    digests = {file: digest_of(ROOT / file) for file in files}
    stale = [file for file in files if known.get(file, {}).get("digest") != digests[file]]
    if stale:
        result = bench.folder / "recorded.json"
        result.unlink(missing_ok=True)
        _in_process(lambda: _record_into(bench, stale, result), bench.folder / "recording.log", None)
        fresh: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
        known |= {file: {"digest": digests[file], "tests": fresh.get(file, {})} for file in stale}
        kept.write_text(json.dumps(known), encoding="utf-8")
    tests = {name: test for file in files for name, test in known[file]["tests"].items()}
    return {
        name: Recorded(duration_s=test["duration_s"], calls=frozenset(map(tuple, test["calls"])))
        for name, test in tests.items()
    }


def digest_of(file: Path) -> str:
    """Return the digest of a test file with the cases beside it."""
    parts = (path.read_bytes() for path in (file, *sorted(file.parent.glob("*.md"))))
    return hashlib.sha256(b"".join(parts)).hexdigest()


def _record_into(bench: Bench, files: Sequence[str], result: Path) -> int:
    recorder = Recorder(source=bench.source)
    status = _pytest(bench, files, recorder)
    by_file: dict[str, dict[str, object]] = {}
    for name, test in recorder.tests.items():
        by_file.setdefault(name.partition("::")[0], {})[name] = asdict(test) | {"calls": sorted(test.calls)}
    result.write_text(json.dumps(by_file), encoding="utf-8")
    return status


def chosen(mutation: Mutation, recorded: dict[str, Recorded], budget_s: float) -> list[str]:
    """Return the tests that call a changed function, nearest and quickest first, within the budget."""
    callers = [name for name, test in recorded.items() if _calls(test, mutation)]
    callers.sort(key=lambda name: (_distance(name, mutation.path), recorded[name].duration_s))
    result: list[str] = []
    left_s = budget_s
    for name in callers:
        left_s -= recorded[name].duration_s
        if left_s < 0 and result:
            break
        result.append(name)
    return result


def _calls(test: Recorded, mutation: Mutation) -> bool:
    if mutation.function == "<module>":
        return any(path == mutation.path for path, _ in test.calls)
    return (mutation.path, mutation.function) in test.calls


def _distance(test: str, path: str) -> int:
    """Return 0 for the test file that mirrors a module, 1 for its folder, 2 for the room, 3 for others."""
    file = Path(test.partition("::")[0])
    module = Path("tests", *Path(path).parts[1:])
    if file == module.with_name(f"test_{module.name}"):
        return 0
    if file.parent == module.parent:
        return 1
    return 2 if file.parts[:2] == module.parts[:2] else 3


def attempt(bench: Bench, mutation: Mutation, recorded: dict[str, Recorded]) -> Trial:
    """Run the tests that call a changed function against the change."""
    tests = chosen(mutation, recorded, bench.budget_s)
    with _applied(bench.source / mutation.path, mutation):
        return Trial(mutation=mutation, tests=len(tests), is_killed=not _pass(bench, tests, recorded))


def passes_unchanged(bench: Bench, mutation: Mutation, recorded: dict[str, Recorded]) -> bool:
    """Report whether the tests of a mutation pass without it, in the same way."""
    return _pass(bench, chosen(mutation, recorded, bench.budget_s), recorded)


def _pass(bench: Bench, tests: Sequence[str], recorded: dict[str, Recorded]) -> bool:
    if not tests:
        return True
    timeout_s = _SETUP_S + 5 * sum(recorded[name].duration_s for name in tests)
    files = list(dict.fromkeys(name.partition("::")[0] for name in tests))
    status = _in_process(
        lambda: _pytest(bench, ["-x", *files], Chosen(tests=tests)), bench.folder / "trial.log", timeout_s
    )
    return status in {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


@contextmanager
def _applied(path: Path, mutation: Mutation) -> Generator[None]:
    original = ROOT / "src" / mutation.path
    path.write_bytes(mutation.applied(original.read_bytes()))
    try:
        yield
    finally:
        shutil.copy2(original, path)


def _pytest(bench: Bench, arguments: Sequence[str], plugin: object) -> int:
    sys.path.insert(0, str(bench.source))
    os.environ["PYTHONPATH"] = str(bench.source)
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(bench.folder / "hypothesis")
    os.environ.setdefault("HYPOTHESIS_PROFILE", "quick")
    # Bytecode of a changed module must not outlive its trial.
    sys.dont_write_bytecode = isinstance(plugin, Chosen)
    if sys.dont_write_bytecode:
        os.environ["PYTHONDONTWRITEBYTECODE"] = "1"
    return int(pytest.main([*_PYTEST, f"--hypothesis-seed={bench.seed}", *arguments], plugins=[plugin]))


def _in_process(call: Callable[[], int], log: Path, timeout_s: float | None) -> int:
    """Return what a call returns in a process of its own, 124 if it takes too long."""
    process = _FORK.Process(target=_child, args=(call, log))
    process.start()
    try:
        process.join(timeout_s)
        status = process.exitcode
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid or 0, signal.SIGKILL)  # with all that the tests started and left
        process.join()
    return 124 if status is None else status


def _child(call: Callable[[], int], log: Path) -> None:
    os.setsid()
    os.chdir(ROOT)
    with log.open("wb") as file:
        for number in (1, 2):
            os.dup2(file.fileno(), number)
    sys.exit(call())
