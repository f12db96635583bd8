"""Run random trees on ensue and on Salt and show where they differ.

    python -m tests.compat.random_compare --count 2000 --first 1

A tree that differs is reduced to a minimal one that still does before it is shown. Exit code 1 when one does.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from dataclasses import replace
from difflib import unified_diff
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from tests.compat.outcome import Outcome, outcome_of
from tests.compat.random_salt import SaltProcess
from tests.compat.random_trees import Declared, RandomTree, random_tree
from tests.compat.record import python_of_salt

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.app.project import RunReport

_SHOWN = 12


class Comparer:
    """Both programs, ready to run trees that it writes below a folder.

    Args:
        root: an empty folder.
        salt: Salt's process, whose SLS files are in the same folder.
    """

    def __init__(self, root: Path, salt: SaltProcess) -> None:
        self.root = root
        self.salt = salt
        self.written = 0

    def outcomes(self, tree: RandomTree) -> tuple[Outcome, Outcome]:
        """Return the outcomes of a tree in Salt and in ensue."""
        self.written += 1
        prefix = f"g{self.written}"
        folder = self.root / "states" / prefix
        folder.mkdir(parents=True)
        for name, text in tree.files(prefix).items():
            (folder / f"{name}.sls").write_text(text)
        returned = self.salt.run(f"{prefix}.t", test=tree.test)
        return _compared(returned, self.root), self._ours(f"{prefix}.t", test=tree.test)

    def differs(self, tree: RandomTree) -> bool:
        """Return whether the outcomes of a tree differ between the programs."""
        salt, ours = self.outcomes(tree)
        return salt != ours

    def _ours(self, sls: str, *, test: bool) -> Outcome:
        async def run() -> RunReport:
            async with AppProject.open(self.root, ProjectOptions(minion_id="web-01.example.org")) as project:
                return await project.apply([sls], RunOptions(test=test), on_event=lambda _: None)

        try:
            report = asyncio.run(run())
        except CompileError as error:
            return _compared([diagnostic.summary for diagnostic in error.diagnostics], self.root)
        except Exception as error:  # noqa: BLE001 (a crash is a difference to show, and to cut down)
            return Outcome(exit=1, states=[f"ensue crashed: {type(error).__name__}"], comments=[str(error)])
        return _compared({tag: returned.as_data() for tag, returned in report.returns.items()}, self.root)


def _compared(returned: Any, root: Path) -> Outcome:
    """Return an outcome without its exit code, which Salt does not have without a process of its own."""
    return outcome_of(0, returned, root)


def smaller(tree: RandomTree) -> Iterator[RandomTree]:
    """Yield the trees that lack one part of a tree."""
    for place, declaration in enumerate(tree.declared):
        rest = (*tree.declared[:place], *tree.declared[place + 1 :])
        yield replace(tree, declared=rest)
        for part in _smaller_declarations(declaration):
            yield replace(tree, declared=(*tree.declared[:place], part, *tree.declared[place + 1 :]))
    if tree.includes and all(declaration.sls == "t" for declaration in tree.declared):
        yield replace(tree, includes=False)
    if tree.test:
        yield replace(tree, test=False)


def _smaller_declarations(declaration: Declared) -> Iterator[Declared]:
    for place in range(len(declaration.requisites)):
        yield replace(
            declaration, requisites=declaration.requisites[:place] + declaration.requisites[place + 1 :]
        )
    for key in declaration.options:
        yield replace(
            declaration, options={name: value for name, value in declaration.options.items() if name != key}
        )
    if declaration.function != "nop":
        yield replace(declaration, function="nop")
    if declaration.sls != "t":
        yield replace(declaration, sls="t")


def reduced(comparer: Comparer, tree: RandomTree) -> RandomTree:
    """Return the least tree found that still differs, and is refused by neither where it was not before."""
    refused = _refusals(comparer, tree)
    while True:
        for candidate in smaller(tree):
            if _refusals(comparer, candidate) == refused and comparer.differs(candidate):
                tree = candidate
                break
        else:
            return tree


def _refusals(comparer: Comparer, tree: RandomTree) -> tuple[bool, bool]:
    salt, ours = comparer.outcomes(tree)
    return salt.states is None, ours.states is None


def show(comparer: Comparer, tree: RandomTree) -> None:
    """Print a tree and how it differs."""
    salt, ours = comparer.outcomes(tree)
    _say(f"\n!! tree {tree.number}{' (a plan)' if tree.test else ''}")
    for name, text in tree.files("g").items():
        _say(f"  {name}.sls\n    " + text.replace("\n", "\n    ").rstrip())
    lines = unified_diff(
        salt.as_text().splitlines(), ours.as_text().splitlines(), "Salt", "ensue", lineterm="", n=9
    )
    _say("\n".join(f"     {line}" for line in list(lines)[3:]))
    _say(f"     Salt says:  {salt.comments}\n     ensue says: {ours.comments}")


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    """Do it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--count", type=int, default=500, help="how many trees (500)")
    parser.add_argument("--first", type=int, default=1, help="the number of the first (1)")
    parser.add_argument("--whole", action="store_true", help="show trees as they were made, not cut down")
    options = parser.parse_args()
    differing = refused = 0
    with TemporaryDirectory(prefix="ensue-random-") as scratch:
        root = Path(scratch)
        with SaltProcess(python_of_salt(), root) as salt:
            comparer = Comparer(root, salt)
            for number in range(options.first, options.first + options.count):
                tree = random_tree(number)
                theirs, ours = comparer.outcomes(tree)
                refused += theirs.states is None
                if theirs == ours:
                    continue
                differing += 1
                if differing <= _SHOWN:
                    show(comparer, tree if options.whole else reduced(comparer, tree))
                else:
                    _say(f"!! tree {number}")
    _say(f"{options.count} random trees, {refused} of them refused by Salt: {differing} different")
    return int(bool(differing))


if __name__ == "__main__":
    sys.exit(main())
