"""One apply, plan or call, for programs without an event loop."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

from ensue.api.project import Project
from ensue.core.model.run_part import WHOLE_RUN

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Coroutine, Mapping

    from ensue.api.results import CallResult, RunResult, StateResult
    from ensue.core.model.run_part import RunPart

_Result = TypeVar("_Result")


def apply(
    *sls: str,
    root: str | os.PathLike[str] = ".",
    minion_id: str | None = None,
    pillar: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    target: str | None = None,
    part: RunPart = WHOLE_RUN,
    batch: str | None = None,
    fail_limit: str | None = None,
    on_state: Callable[[StateResult], None] | None = None,
) -> RunResult:
    """Bring machines to the state that SLS describe, and return the results.

    A state that fails is part of the result, not an exception.

    Args:
        *sls: names of SLS (`web.nginx`); none: the highstate.
        root: the project's folder.
        minion_id: the id of this machine; None: the option `id`, else the host name.
        pillar: pillar that overrides the project's.
        options: options that override ensue.yaml, by their names there.
        target: a target expression (`T@ssh_host:web-*`); None: this machine.
        part: the part of the run to run: `RunPart(only=("web",))`; by default all of it.
        batch: with a target: how many of its hosts are at work at a time, as a number or a percentage
            (`25%`); None: all.
        fail_limit: with a batch: begin no further host when more than this have failed, as a number or a
            percentage; None: any number may fail.
        on_state: called with the result of each state as it ends.

    Raises:
        CompileError: an SLS, a top file or pillar has errors; nothing was run.
        ConfigurationError: ensue.yaml, the target, the batch or the fail limit does not make sense.
        LockHeldError: another apply of the project is running.
        RuntimeError: an event loop is running here; use `ensue.Project`.
    """
    project = Project(root, minion_id=minion_id, pillar=pillar, options=options)

    async def work() -> RunResult:
        async with project:
            return await project.apply(
                *sls, target=target, part=part, batch=batch, fail_limit=fail_limit, on_state=on_state
            )

    return _run(work, "apply")


def plan(
    *sls: str,
    root: str | os.PathLike[str] = ".",
    minion_id: str | None = None,
    pillar: Mapping[str, Any] | None = None,
    options: Mapping[str, Any] | None = None,
    target: str | None = None,
    part: RunPart = WHOLE_RUN,
    on_state: Callable[[StateResult], None] | None = None,
) -> RunResult:
    """Return what an apply would change, and change nothing.

    Args:
        *sls: names of SLS; none: the highstate.
        root: the project's folder.
        minion_id: the id of this machine; None: the option `id`, else the host name.
        pillar: pillar that overrides the project's.
        options: options that override ensue.yaml, by their names there.
        target: a target expression; None: this machine.
        part: the part of the run to plan; by default all of it.
        on_state: called with the result of each state as it ends.

    Raises:
        CompileError: an SLS, a top file or pillar has errors.
        ConfigurationError: ensue.yaml or the target does not make sense.
        RuntimeError: an event loop is running here; use `ensue.Project`.
    """
    project = Project(root, minion_id=minion_id, pillar=pillar, options=options)

    async def work() -> RunResult:
        async with project:
            return await project.plan(*sls, target=target, part=part, on_state=on_state)

    return _run(work, "plan")


def call(
    target: str,
    function: str,
    *args: Any,
    root: str | os.PathLike[str] = ".",
    timeout_s: float | None = None,
    **kwargs: Any,
) -> tuple[CallResult, ...]:
    """Call an execution function on every target that matches, and return all answers.

    Args:
        target: a target expression (`T@ssh_host:web-*`).
        function: `module.function`, such as `cmd.run`.
        *args: its arguments by position.
        root: the project's folder.
        timeout_s: how long one target may take, in seconds; None: no limit.
        **kwargs: its arguments by name.

    Raises:
        ConfigurationError: the target does not parse, or there is no such function.
        RuntimeError: an event loop is running here; use `ensue.Project`.
    """
    project = Project(root)

    async def work() -> tuple[CallResult, ...]:
        async with project:
            answers = project.call(target, function, *args, timeout_s=timeout_s, **kwargs)
            return tuple([answer async for answer in answers])

    return _run(work, "call")


def _run(work: Callable[[], Coroutine[Any, Any, _Result]], name: str) -> _Result:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    msg = f"ensue.{name}() cannot be used where an event loop is running: use the methods of ensue.Project"
    raise RuntimeError(msg)
