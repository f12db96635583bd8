"""Matchers of a project's own, which its top files name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.app.custom.test_custom_modules import module
from tests.app.custom.test_master_tops import top_of
from tests.app.test_plain_functions import called
from tests.app.test_project import apply, write

from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

FLOORS = """
def match(tgt):
    return __opts__["id"] + __grains__["id"] + str(__pillar__.get("floor", "")) in tgt.split(",")
"""
TOP = "base:\n  'mm2,d1d12':\n  - match: floor\n  - a\n  'mm3':\n  - match: floor\n  - b\n"


def set_up(root: Path, text: str = FLOORS) -> None:
    module(root, "floor_match", text, "_matchers")
    write(root, states__top=TOP, states__a="a: test.nop\n", states__b="b: test.nop\n")
    write(
        root,
        pillar__top="base:\n  '*': [p]\n  'mm':\n  - match: floor\n  - q\n",
        pillar__p="floor: 2\nresources: {dummy: {d1: {}, d2: {}}}\n",
        pillar__q="seen: true\n",
    )


def test_a_top_file_names_it(tmp_path: Path) -> None:
    """It receives the expression, and has options, grains and pillar of the target as globals."""
    set_up(tmp_path)
    assert [returned.id for returned in apply(tmp_path).returns.values()] == ["a"]
    assert [top_of(tmp_path, f"T@dummy:{name}") for name in ("d1", "d2")] == [{"base": ["a"]}, {}]


def test_the_top_file_of_pillar_names_it_too(tmp_path: Path) -> None:
    """There is no pillar yet when that is matched."""
    set_up(tmp_path)
    assert called(tmp_path, "m", "pillar.items")[1]["seen"] is True
    module(tmp_path, "floor_match", "def match(tgt): return False", "_matchers")
    assert "seen" not in called(tmp_path, "m", "pillar.items")[1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def match(tgt): return 1 / 0", "the matcher 'floor' failed: ZeroDivisionError: division by zero"),
        ("def __virtual__(): return False, 'no floor'", "_matchers/floor_match.py is not used: no floor"),
        ("import no_such_thing", "does not load: ModuleNotFoundError"),
        ("def other(): ...", "there is no kind of match 'floor'"),
    ],
)
def test_one_that_fails_keeps_states_from_being_applied(tmp_path: Path, text: str, why: str) -> None:
    """It is named with the reason and the place in the top file."""
    set_up(tmp_path, text)
    write(tmp_path, pillar__top="base: {'*': [p]}\n")
    with pytest.raises(CompileError) as caught:
        apply(tmp_path)
    fault = caught.value.diagnostics[0]
    assert (fault.code, str(fault.span)) == ("E0602", "states/top.sls:2:3")
    assert why in fault.summary


def test_a_misspelt_one_is_found(tmp_path: Path) -> None:
    """The project's own matchers are among the suggestions."""
    set_up(tmp_path)
    write(tmp_path, states__top=TOP.replace("match: floor", "match: flor"))
    with pytest.raises(CompileError) as caught:
        apply(tmp_path)
    assert caught.value.diagnostics[0].help == "did you mean floor?"


@pytest.mark.parametrize(
    ("path", "options", "summary"),
    [
        ("states/_runners/a.py", "", "_runners below a file root is not used"),
        ("states/_matchers/glob_match.py", "", "_matchers/glob_match.py is not used"),
        ("states/_matchers/confirm_top.py", "", "_matchers/confirm_top.py is not used"),
        (
            "states/_states/shelf.py",
            "state_aggregate: true\n",
            "mod_aggregate of _states/shelf.py is not called",
        ),
        ("states/_states/shelf.py", "", ""),
        ("states/_matchers/floor_match.py", "", ""),
    ],
)
def test_custom_code_without_effect_is_named(tmp_path: Path, path: str, options: str, summary: str) -> None:
    """One warning for each, and the states run."""
    set_up(tmp_path)
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("def mod_aggregate(low, chunks, running):\n    return low\n")
    (tmp_path / "ensue.yaml").write_text(options)
    write(tmp_path, pillar__top="base: {'*': [p]}\n")
    report = apply(tmp_path, "a")
    assert [warning.summary for warning in report.warnings if warning.code == "E0865"] == [summary][
        : bool(summary)
    ]
    assert [returned.result for returned in report.returns.values()] == [True]
