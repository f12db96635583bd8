"""What a plan says of random trees is what the apply does: no state changes, fails or holds that should not.

A plan may leave a state open (`known after apply`); what it says for certain is compared, also in the second
apply and after somebody has changed the files. The trees edit the same few files, so that states are in each
other's way. Commands that fail, and what a failure brings about, are left out: no plan knows them.
"""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.cli.shell import Shell

TREES_A_TEST: Final = 3
NAMES: Final = ("a", "b", "c", "d/x", "d/y", "d/e/z", "g", "m.ini")
CONTENTS: Final = ("one\n", "one\ntwo\n", "k = v\n", "# c\nx=1\n", "")
KINDS: Final = (
    "require", "onchanges", "watch", "onfail", "require_any", "onchanges_any", "prereq", "listen",
)  # fmt: skip
OPEN: Final = ("known after apply", "unless an earlier one makes it")

FUNCTIONS: Final[Mapping[str, tuple[dict[str, Any], ...]]] = {
    "file.managed": (
        {"contents": "one"},
        {"contents": "two", "makedirs": True},
        {"source": "salt://source.txt", "mode": "0600"},
        {"source": "salt://page.j2", "template": "jinja"},
        {"contents": "x", "replace": False},
        {"contents": "x", "create": False},
    ),
    "file.absent": ({},),
    "file.directory": ({}, {"makedirs": True}, {"clean": True}, {"mode": "0750"}),
    "file.symlink": ({"target": "@OTHER@"}, {"target": "@OTHER@", "force": True, "makedirs": True}),
    "file.hardlink": ({"target": "@OTHER@"}, {"target": "@OTHER@", "force": True}),
    "file.append": ({"text": "one"}, {"text": ["p", "q"], "makedirs": True}),
    "file.prepend": ({"text": "one"},),
    "file.replace": (
        {"pattern": "one", "repl": "ONE"},
        {"pattern": "^x=.*", "repl": "x=2", "append_if_not_found": True},
        {"pattern": "one", "repl": "ONE", "ignore_if_missing": True},
    ),
    "file.blockreplace": (
        {"marker_start": "# S", "marker_end": "# E", "content": "in", "append_if_not_found": True},
    ),
    "file.comment": ({"regex": "^one", "ignore_missing": True},),
    "file.keyvalue": ({"key": "x", "value": "5", "separator": "=", "append_if_not_found": True},),
    "file.line": ({"content": "new", "mode": "ensure", "after": "one"},),
    "file.touch": ({}, {"makedirs": True}),
    "file.copy": ({"source": "@OTHER@"}, {"source": "@OTHER@", "force": True, "makedirs": True}),
    "file.rename": ({"source": "@OTHER@"}, {"source": "@OTHER@", "force": True, "makedirs": True}),
    "file.recurse": ({"source": "salt://tree"}, {"source": "salt://tree", "clean": True}),
    "file.serialize": ({"dataset": {"k": 1}, "serializer": "json"},),
    "file.exists": ({},),
    "file.missing": ({},),
    "file.tidied": ({"matches": [".*"]},),
    "ini.options_present": ({"sections": {"s": {"k": "v"}}},),
    "ini.options_absent": ({"sections": {"s": ["k"]}},),
    "test.nop": ({},),
    "test.succeed_with_changes": ({},),
}  # fmt: skip


class RandomTree:
    """The states of one random tree, and the files that they are about.

    Args:
        seed: decides them.
        folder: the folder of the files.
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self._random = random.Random(seed)  # noqa: S311 - it decides about test cases
        self._folder = folder
        folder.mkdir()

    def states(self) -> dict[str, Any]:
        states: dict[str, Any] = {}
        for place in range(self._random.randint(2, 6)):
            function = self._random.choice([*FUNCTIONS])
            arguments = {"name": self._path(), **self._given(function)}
            earlier = [(id_, *body) for id_, body in states.items()]
            if earlier and self._random.random() < 0.5:
                id_, other = self._random.choice(earlier)
                arguments[self._random.choice(KINDS)] = [{other.partition(".")[0]: id_}]
            for condition in ("unless", "onlyif"):
                if self._random.random() < 0.1:
                    arguments[condition] = f"test -e {self._path()}"
            states[f"s{place}"] = {function: [{key: value} for key, value in arguments.items()]}
        return states

    def change_files(self) -> None:
        """Make, change and remove some of the files, as somebody might do."""
        for name in NAMES:
            path = self._folder / name
            if self._random.random() < 0.6 or not self._is_free(path):
                continue
            if path.is_dir():
                shutil.rmtree(path)
            path.unlink(missing_ok=True)
            if self._random.random() < 0.7:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self._random.choice(CONTENTS))

    def _given(self, function: str) -> dict[str, Any]:
        given = self._random.choice(FUNCTIONS[function])
        return {key: self._path() if value == "@OTHER@" else value for key, value in given.items()}

    def _path(self) -> str:
        return str(self._folder / self._random.choice(NAMES))

    def _is_free(self, path: Path) -> bool:
        above = path.relative_to(self._folder).parents
        return not any(
            (self._folder / parent).is_symlink() or (self._folder / parent).is_file() for parent in [*above]
        )


@pytest.mark.parametrize("first", range(0, 8 * TREES_A_TEST, TREES_A_TEST))
def test_an_apply_does_what_its_plan_says(shell: Shell, first: int) -> None:
    """Whatever a plan of a random tree is certain of; first, again, and after changes by somebody else."""
    shell.write("ensue.yaml", "id: m\n")
    shell.write("states/source.txt", "source\n")
    shell.write("states/page.j2", "{{ grains.id }}\n")
    shell.write("states/tree/one", "1\n")
    shell.write("states/tree/sub/two", "2\n")
    for seed in range(first, first + TREES_A_TEST):
        tree = RandomTree(seed, shell.root / f"files{seed}")
        text = yaml.safe_dump(tree.states(), sort_keys=False)
        shell.write("states/t.sls", text)
        for step in ("first", "second", "changed"):
            if step != "second":
                tree.change_files()
            planned = shell.run("plan", "t", "--out", "json").document["m"]
            applied = shell.run("apply", "t", "--out", "json").document["m"]
            differences = [*contradictions(planned, applied)]
            assert not differences, f"{seed}, {step}:\n{text}\n{differences}"


IN_TURN: Final = {
    "edits that find what the one before has written": """
        - file.keyvalue: {key: x, value: '5', separator: '=', append_if_not_found: true}
        - file.replace: {pattern: '^x=5$', repl: x=6}
        - file.comment: {regex: '^x=6$'}
        - file.line: {content: last, mode: ensure, after: 'x=6'}
        - file.append: {text: last}
    """,
    "sections that an option makes": """
        - ini.options_present: {sections: {s: {k: v}}}
        - ini.sections_present: {sections: [s]}
        - ini.options_absent: {sections: {s: [k]}}
    """,
    "patches": """
        - file.patch: {source: salt://first.patch}
        - file.patch: {source: salt://second.patch}
    """,
}
PATCH: Final = "--- a\n+++ b\n@@ -1,1 +1,1 @@\n-{}\n+{}\n"


@pytest.mark.parametrize("states", IN_TURN.values(), ids=IN_TURN.keys())
def test_states_that_edit_one_file_in_turn(shell: Shell, states: str) -> None:
    """A plan says of each what it does after the ones before, or that only an apply can know."""
    shell.write("ensue.yaml", "id: m\n")
    shell.write("states/first.patch", PATCH.format("one", "two"))
    shell.write("states/second.patch", PATCH.format("two", "three"))
    shell.write("file", "one\n")
    tree = {
        f"s{place}": {
            function: [{key: value} for key, value in {"name": f"{shell.root}/file", **arguments}.items()]
        }
        for place, state in enumerate(yaml.safe_load(states))
        for function, arguments in state.items()
    }
    shell.write("states/t.sls", yaml.safe_dump(tree, sort_keys=False))
    planned = shell.run("plan", "t", "--out", "json").document["m"]
    applied = shell.run("apply", "t", "--out", "json").document["m"]
    assert "fails" not in map(kind, applied.values())
    assert not [*contradictions(planned, applied)]


def contradictions(planned: Mapping[str, Any], applied: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield what a plan was certain of and an apply did not do, with both returns."""
    for tag, did in applied.items():
        foreseen = planned[tag]
        if any(text in foreseen["comment"] for text in OPEN) or is_consequence(did):
            continue
        if kind(foreseen) != kind(did):
            yield tag, foreseen, did


def kind(returned: Mapping[str, Any]) -> str:
    if returned["result"] is False:
        return "fails"
    return "changes" if returned["changes"] else "holds"


def is_consequence(returned: Mapping[str, Any]) -> bool:
    """Return whether a state is about the failure of another one, which its plan may have left open."""
    comment = returned["comment"]
    return returned["result"] is None or comment.startswith(("One or more requisite failed", "State was not"))
