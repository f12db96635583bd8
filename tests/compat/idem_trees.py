"""The trees of argument binding that Idem and ensue both run, and the state functions they call.

A tree is written as those of Salt are (see `trees.py`), with one more meaning: the SLS in its `run` fence are
runs of their own, one after the other in one project, and only the last one is compared.

Idem ships no state that creates something without a cloud. The functions here stand in for clouds,
the same body for both programs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.compat.outcome import Outcome
from tests.compat.trees import FOLDER, Tree, read_trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

IDEM_FOLDER = FOLDER / "idem"
MODULES = ("cloud", "cloud.instance", "cloud.disk", "other.instance", "demo")
"""Where `present` is found."""

_RESULTS = {True: "yes", False: "NO", None: "would"}
_FUNCTION = '''\
def present({before}name, fails=False, bare=False, **arguments):
    """Create what the arguments say, and give it an ID that was not known before."""
    made = {{"name": name, "ID": f"id of {{name}}", **arguments}}
    if {test}:
        del made["ID"]
    return {{
        "name": name,
        "result": False if fails else {would} if {test} else True,
        "comment": "",
        "changes": {{}},
        "old_state": None,
        "new_state": None if fails or bare else made,
    }}
'''


def all_idem_trees(only: str = "") -> list[Tree]:
    """Return every tree whose area or title holds a text."""
    trees = [tree for path in sorted((IDEM_FOLDER / "trees").glob("*.md")) for tree in read_trees(path)]
    return [tree for tree in trees if only in tree.id]


def write_functions_of_idem(folder: Path) -> None:
    """Write the functions as a plug-in of Idem, found by Idem when the folder is in its PYTHONPATH."""
    text = _FUNCTION.format(before="hub, ctx, ", test='ctx.get("test")', would="True")
    package = folder / "compat_cloud"
    _write(package / "states", text)
    (package / "conf.py").write_text('DYNE = {"states": ["states"]}\n')


def write_functions_of_ensue(states: Path) -> None:
    """Write the functions into a project's `states/`."""
    text = _FUNCTION.format(before="", test='__opts__["test"]', would="None")
    for module in MODULES:
        path = states / "_states" / f"{module}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)


def _write(folder: Path, text: str) -> None:
    """Write a module below folders named as its path; one that is a folder, too, is its `init`."""
    for module in MODULES:
        is_folder = any(other.startswith(f"{module}.") for other in MODULES)
        path = folder.joinpath(*module.split(".")) / "init.py" if is_folder else _module_file(folder, module)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _module_file(folder: Path, module: str) -> Path:
    *parents, last = module.split(".")
    return folder.joinpath(*parents, f"{last}.py")


def outcome_of_returns(returned: Mapping[str, Any] | Iterable[str]) -> Outcome:
    """Return what is compared: of each state its ID, name, result and `new_state`.

    They are ordered by ID: Idem starts all free states at once and ensue in the order of the file. The
    values show that a producer ran first, since nothing else can have given them.

    Args:
        returned: returns by tag; or messages, when it was refused.
    """
    if not isinstance(returned, dict):
        return Outcome(exit=1, states=None, comments=[" ".join(str(line).split())[:300] for line in returned])
    ordered = sorted(returned.values(), key=lambda state: (state["__id__"], state["name"]))
    return Outcome(
        exit=0 if all(state["result"] is not False for state in ordered) else 2,
        states=[_line(state) for state in ordered],
        comments=[" ".join(_text(state.get("comment")).split())[:300] for state in ordered],
    )


def _text(comment: Any) -> str:
    return "; ".join(map(str, comment)) if isinstance(comment, (list, tuple)) else str(comment or "")


def _line(state: Mapping[str, Any]) -> str:
    name = "" if state["name"] == state["__id__"] else f" ({state['name']})"
    made = json.dumps(state["new_state"], ensure_ascii=False, sort_keys=True)
    return f"{state['__id__']}{name} {_RESULTS[state['result']]} {made}"
