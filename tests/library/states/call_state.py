"""Calling a state function for a case, the way the engine does: what it raises becomes a result False."""

from __future__ import annotations

import asyncio
import functools
import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.library.states.new_state_tables import check_new_state

from ensue.core.contracts.context import StateDeclaration
from ensue.core.diagnostics import Span
from ensue.core.errors import EnsueError
from ensue.core.model.own_grains import DEFAULT_PATH, read_own_grains
from ensue.core.model.returns import StateReturn
from ensue.language.functions.functions import Functions
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.library.states.case_files import Case

    from ensue.core.contracts.connection import Connection


@functools.cache
def execution_functions() -> dict[str, Callable[..., Any]]:
    return {
        f"{module}.{name}": function
        for module in Functions("ensue.library.modules").modules()
        for name, function in import_module(f"ensue.library.modules.{module}").FUNCTIONS.items()
    }


def context_for(case: Case, connection: Connection, folder: Path, *, test: bool) -> FakeStateContext:
    requires = tuple((function, name) for function, name in case.data.get("requires", []))
    sources = {name: text.encode() if isinstance(text, str) else bytes.fromhex(text["binary"])
               for name, text in case.data.get("sources", {}).items()}  # fmt: skip
    return FakeStateContext(
        connection=connection,
        test=test,
        pillar=case.data.get("pillar", {}),
        grains_data={
            "shell": "/bin/sh",
            "id": "target",
            **case.data.get("grains", {}),
            **own_grains(connection),
        },
        opts=case.data.get("opts", {}),
        sources=sources,
        functions=dict(execution_functions()),
        cache_dir=folder / "cache",
        declaration=StateDeclaration(
            id="case",
            sls="case",
            function=case.function,
            scope="",
            span=Span("case.sls", 1),
            requires=requires,
        ),
    )


def own_grains(connection: Connection) -> dict[str, Any]:
    """Return what the target's file of own grains holds, as a target's grains do."""
    if asyncio.run(connection.stat(DEFAULT_PATH)) is None:
        return {}
    text = asyncio.run(connection.read(DEFAULT_PATH)).decode()
    return read_own_grains(text)


async def call_state(case: Case, context: FakeStateContext) -> StateReturn:
    module, _, name = case.function.rpartition(".")
    function = import_module(f"ensue.library.states.{module}").FUNCTIONS[name]
    try:
        returned = function(context, case.name, **case.arguments)
        returned = await returned if inspect.isawaitable(returned) else returned
    except EnsueError as error:
        return StateReturn(name=case.name, result=False, comment=str(error))
    check_new_state(case.function, returned, test=context.test)
    return returned
