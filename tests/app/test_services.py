"""The three values of an opened project: they are frozen, and none knows what is made after it."""

from __future__ import annotations

import asyncio
import gc
import types
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.language.targets.compilation import Compilation
from ensue.language.targets.target_context import TargetContext
from ensue.language.targets.targets import Targets

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ensue.app.services import Services

_NOT_FOLLOWED = (
    types.FunctionType,
    types.MethodType,
    types.ModuleType,
    type,
    asyncio.AbstractEventLoop,
    asyncio.Future,
)
"""A function that was handed over is no reference to what it belongs to; all hangs on the event loop."""


def parts_of(value: object) -> Iterator[object]:
    """Yield every object that a value holds, directly or through others."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, _NOT_FOLLOWED):
            continue
        seen.add(id(part))
        yield part
        waiting += gc.get_referents(part)


def opened(root: Path, work: Any) -> None:
    """Open a project, and call a function with its three values after a run."""

    async def run() -> None:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            await project.apply(["t"], RunOptions(), on_event=lambda _: None)
            work(project._services())

    asyncio.run(run())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with code of its own, pillar, and a template that calls both."""
    write(
        tmp_path,
        states__t="{{ salt['mine_own.word']() }}-{{ pillar.word }}-{{ grains.id }}: test.nop\n",
        pillar__top="base: {'*': [all]}\n",
        pillar__all="word: {{ salt['mine_own.word']() }}\n",
    )
    (tmp_path / "states/_modules").mkdir()
    (tmp_path / "states/_modules/mine_own.py").write_text("def word():\n    return __grains__['id']\n")
    return tmp_path


def test_nothing_is_assigned_after_construction(root: Path) -> None:
    """No field of any of the three can be replaced."""

    def try_all(services: Services) -> None:
        for value in (services, services.stores, services.compilation, services.targets):
            for name in value.__struct_fields__:
                with pytest.raises(AttributeError):
                    setattr(value, name, None)

    opened(root, try_all)


def test_a_value_knows_nothing_that_is_made_after_it(root: Path) -> None:
    """Stores hold neither of the other two, the compilation no targets, and none of them a context."""

    def look(services: Services) -> None:
        later = (Compilation, Targets, TargetContext)
        assert [part for part in parts_of(services.stores) if isinstance(part, later)] == []
        assert [part for part in parts_of(services.compilation) if isinstance(part, later[1:])] == []
        held = [part for part in parts_of(services.targets) if isinstance(part, Targets)]
        assert held == [services.targets]

    opened(root, look)


def test_code_of_the_project_is_called_through_all_three(root: Path) -> None:
    """A function of the project reads grains in a template of an SLS, and in one of pillar."""
    (returned,) = apply(root, "t").returns.values()
    assert returned.id == "m-m-m"
