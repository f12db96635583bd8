"""Master tops: what functions of a project's `_tops` files assign beside the top file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.app.custom.test_custom_modules import module
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

RACKS = """
def top(opts, grains):
    named = opts["master_tops"]["racks"]["sls"]
    return {"base": [*named, grains["id"] + "_" + opts["id"] + "_" + __grains__["id"]]}
"""


def set_up(root: Path, options: str, *sls: str, text: str = RACKS) -> None:
    module(root, "racks", text, "_tops")
    (root / "ensue.yaml").write_text(options)
    write(root, **{f"states__{name}": f"of {name}: test.nop\n" for name in sls})


def top_of(root: Path, target: str = "m") -> Any:
    async def shown() -> Any:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.show_targets("top", target, ())

    (answer,) = asyncio.run(shown()).values()
    return answer.value


@pytest.mark.parametrize(
    ("first", "order"), [("false", ["a", "b", "c", "m_m_m"]), ("true", ["b", "c", "m_m_m", "a"])]
)
def test_it_assigns_sls_beside_the_top_file(tmp_path: Path, first: str, order: list[str]) -> None:
    """After those of the top file or before them, each once; it is given options and grains."""
    options = f"master_tops: {{racks: {{sls: [b, c]}}}}\nmaster_tops_first: {first}\n"
    set_up(tmp_path, options, "a", "b", "c", "m_m_m")
    write(tmp_path, states__top="base: {'*': [a, b]}\n")
    assert top_of(tmp_path) == {"base": order}
    assert [returned.id for returned in apply(tmp_path).returns.values()] == [f"of {name}" for name in order]


def test_no_top_file_is_needed(tmp_path: Path) -> None:
    """What the function assigns is the highstate."""
    set_up(tmp_path, "master_tops: {racks: {sls: [b]}}\n", "b", "m_m_m")
    assert [returned.id for returned in apply(tmp_path).returns.values()] == ["of b", "of m_m_m"]


def test_each_resource_has_its_own(tmp_path: Path) -> None:
    """The function is called with the id and the grains of a resource."""
    set_up(tmp_path, "master_tops: {racks: {sls: []}}\n", "d1_d1_d1")
    write(tmp_path, pillar__top="base: {'*': [p]}\n", pillar__p="resources: {dummy: {d1: {}}}\n")
    assert top_of(tmp_path, "T@dummy") == {"base": ["d1_d1_d1"]}


def test_a_function_that_is_not_listed_is_not_called(tmp_path: Path) -> None:
    """As in Salt, the option names the functions."""
    set_up(tmp_path, "", "a", text="def top(**kwargs): raise RuntimeError\n")
    write(tmp_path, states__top="base: {'*': [a]}\n")
    assert [returned.id for returned in apply(tmp_path).returns.values()] == ["of a"]


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("def top(**kwargs): return 1 / 0", "racks", "ZeroDivisionError: division by zero"),
        ("def top(**kwargs): return ['a']", "racks", "it returned list, not a mapping of environments"),
        ("def top(**kwargs): return {'base': [{'a': 1}]}", "racks", "it returned {'a': 1} among the SLS"),
        ("def __virtual__(): return False, 'no rack'", "racks", "_tops/racks.py is not used: no rack"),
        ("import no_such_thing", "racks", "does not load: ModuleNotFoundError"),
        ("", "rackz", "did you mean racks?"),
        ("", "stone", "write _tops/stone.py with top(**kwargs) below a file root"),
    ],
)
def test_one_that_fails_keeps_states_from_being_applied(
    tmp_path: Path, text: str, name: str, why: str
) -> None:
    """It is named, with the reason, and nothing runs: a part of the highstate would be missing."""
    set_up(tmp_path, f"master_tops: {{{name}: {{}}}}\n", "a", text=text)
    write(tmp_path, states__top="base: {'*': [a]}\n")
    with pytest.raises(CompileError) as caught:
        apply(tmp_path)
    (fault,) = caught.value.diagnostics
    assert fault.code == "E0857"
    assert repr(name) in fault.summary
    assert why in f"{fault.detail} {fault.help}"


def test_an_sls_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """The message names the option that assigned it."""
    set_up(tmp_path, "master_tops: {racks: {sls: [nowhere]}}\n")
    with pytest.raises(CompileError) as caught:
        apply(tmp_path)
    assert {str(fault.span) for fault in caught.value.diagnostics} == {"ensue.yaml"}
