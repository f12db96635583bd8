"""Plain functions of a project run on this machine; resources have them only where their module says so."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import CompileError

MODULE = """
from pathlib import Path
def touch(path): return Path(path).touch()
def twice(number): return 2 * number
"""
THROUGH_SALT = """
FOR_RESOURCES = True
def who(): return __salt__["test.ping"](), __grains__["id"]
"""
STATE = """
from pathlib import Path
def touched(name, path):
    Path(path).touch()
    return {"name": name, "result": True, "changes": {}, "comment": "touched"}
"""
WITH_CONTEXT = """
async def touched(ctx, name, path):
    await ctx.connection.write(path, b"there")
    return {"name": name, "result": True, "changes": {}, "comment": "touched"}
FUNCTIONS = {"touched": touched}
"""
OVERRIDE = """
def touch(ctx, path): return f"{ctx.srn} has no {path}"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, pillar__top="base: {'*': [r]}\n", pillar__r="resources: {dummy: {d1: {}}}\n")
    for name, text in (
        ("_modules/mine.py", MODULE),
        ("_modules/polite.py", THROUGH_SALT),
        ("_states/mine.py", STATE),
    ):
        path = tmp_path / "states" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def called(root: Path, target: str, function: str, *args: Any) -> tuple[bool, Any]:
    async def call() -> tuple[bool, Any]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            (outcome,) = [answer async for answer in project.call(target, function, list(args), {})]
            return outcome.ok, outcome.value

    return asyncio.run(call())


def reason(function: str, kind: str) -> str:
    return (
        f"{function} is not available for dummy: it is a plain function of the project, which would act on"
        f" this machine (write it with `ctx`, put it into _resources/dummy/{kind}/, or set"
        " `FOR_RESOURCES = True` in its module if it works through `__salt__` alone)"
    )


def test_an_execution_function_is_refused_for_a_resource(project: Path) -> None:
    """It names the function and the type, and nothing happens here; this machine has it."""
    path = project / "touched"
    assert called(project, "d1", "mine.touch", str(path)) == (False, reason("mine.touch", "modules"))
    assert not path.exists()
    assert called(project, "m", "mine.touch", str(path)) == (True, None)
    assert path.exists()


def test_a_module_may_say_that_it_works_through_its_dunders(project: Path) -> None:
    """Its calls go to the resource."""
    assert called(project, "d1", "polite.who") == (True, (True, "d1"))


def test_the_override_of_a_type_offers_it(project: Path) -> None:
    """A type of the project that fills the slot has its own function."""
    type_ = project / "states/_resources/box"
    (type_ / "modules").mkdir(parents=True)
    (type_ / "__init__.py").write_text("def connect(context): return object()\n")
    (type_ / "modules/mine.py").write_text(OVERRIDE)
    write(project, pillar__r="resources: {box: {b1: {}}}\n")
    assert called(project, "b1", "mine.touch", "x") == (True, "box:b1 has no x")


def test_a_state_is_refused_before_anything_runs(project: Path) -> None:
    """Where the type of its target is known; where it is not, its returns for resources are failures."""
    path = project / "touched"
    text = f"a:\n  mine.touched:\n    - tgt: T@dummy\n    - path: {path}\n"
    write(project, states__t=text)
    with pytest.raises(CompileError) as caught:
        apply(project, "t")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E0401"]
    assert caught.value.diagnostics[0].summary == reason("mine.touched", "states")
    write(project, states__t=text.replace("T@dummy", "d1"))
    (returned,) = apply(project, "t").returns.values()
    assert (returned.result, returned.comment) == (False, reason("mine.touched", "states"))
    assert not path.exists()


def test_an_sls_that_is_applied_to_a_resource_is_held_to_it(project: Path) -> None:
    """Its states and its templates; the templates of this machine call what they like."""
    write(
        project,
        states__of_states="x:\n  mine.touched:\n    - path: x\n",
        states__of_templates="y{{ salt['mine.twice'](2) }}: test.nop\n",
    )
    assert [entry.id for entry in apply(project, "of_templates").returns.values()] == ["y4"]
    for mods, why in (
        ("of_states", reason("mine.touched", "states")),
        ("of_templates", "there is no execution function 'mine.twice' for dummy: it is a plain function"),
    ):
        write(project, states__t=f"d1: {{ssh_host.state_applied: [{{mods: {mods}}}]}}\n")
        (returned,) = apply(project, "t").returns.values()
        assert returned.result is False
        assert why in returned.comment


def test_what_ensue_has_under_the_same_name_stays(project: Path) -> None:
    """A plain module that adds to one of ensue's takes nothing away from resources."""
    (project / "states/_modules/test.py").write_text("def extra(): return 1\n")
    assert called(project, "d1", "test.ping") == (True, True)
    assert called(project, "m", "test.extra") == (True, 1)
    assert called(project, "d1", "test.extra")[0] is False


def test_a_function_with_a_context_runs_anywhere(project: Path) -> None:
    """It works through the connection of its target."""
    (project / "states/_states/mine.py").write_text(WITH_CONTEXT)
    write(project, states__t="a:\n  mine.touched:\n    - tgt: T@dummy\n    - path: /touched-by-a-test\n")
    (returned,) = apply(project, "t").returns.values()
    assert (returned.result, Path("/touched-by-a-test").exists()) == (True, False)
