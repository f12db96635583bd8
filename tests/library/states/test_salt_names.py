"""ensue has every state function of Salt in the modules that both have, or says why not.

`salt_state_functions.json` has the names of one release; `tools/record-salt-states` makes it from the source.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

from ensue.language.functions.functions import Functions

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "migrating-from-salt.md"
SECTION = re.compile(
    r"^## State functions that ensue leaves out\n(?P<text>.*?)^## ", re.MULTILINE | re.DOTALL
)


@cache
def section() -> str:
    match = SECTION.search(PAGE.read_text())
    assert match, "the page has no list of the functions that are left out"
    return match["text"]


def left_out() -> dict[str, str]:
    """Return the reason for each function that the page lists as left out."""
    rows = [row.strip("|").split("|") for row in section().splitlines() if row.startswith("| `")]
    return {name: reason.strip() for names, reason in rows for name in re.findall(r"`([^`]+)`", names)}


def missing() -> set[str]:
    """Return the functions of Salt that ensue's module of the same name lacks."""
    recorded: dict[str, list[str]] = json.loads((HERE / "salt_state_functions.json").read_text())["functions"]
    functions = Functions("ensue.library.states")
    return {
        f"{module}.{name}"
        for module in recorded.keys() & set(functions.modules())
        for name in recorded[module]
        if name not in functions.shipped(module)
        and not (name == "mod_watch" and functions.mod_watch(module) is not None)
    }


def test_every_function_of_salt_is_there_or_left_out_for_a_reason() -> None:
    """A function of Salt that is neither in ensue nor on the page is missing by oversight."""
    assert missing() - set(left_out()) == set(), "add them, or say in the page why not"


def test_the_page_lists_only_what_is_missing() -> None:
    """A function that ensue has, or that Salt lacks, is not on the list; each entry has a reason."""
    assert set(left_out()) - missing() == set()
    assert all(left_out().values())


def test_the_page_names_the_recorded_release() -> None:
    """The list is about the release whose names are recorded."""
    recorded = json.loads((HERE / "salt_state_functions.json").read_text())
    assert f"Salt {recorded['release']}" in section()
    assert len(recorded["functions"]) > 100
