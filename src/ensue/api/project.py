"""A project, for programs that have an event loop."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ensue.api.results import call_result, masked, run_result, state_result
from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.diagnostics import Diagnostic, without_silenced
from ensue.core.errors import ConfigurationError, DiagnosticError, EnsueError
from ensue.core.model.events import NodeFinished
from ensue.core.model.run_part import WHOLE_RUN

if TYPE_CHECKING:
    import os
    from collections.abc import AsyncIterator, Callable, Container, Generator, Mapping

    from ensue.api.results import CallResult, RunResult, StateResult
    from ensue.core.model.events import RunEvent
    from ensue.core.model.run_part import RunPart


class Project:
    """A project folder: `ensue.yaml`, SLS and pillar. An async context manager.

    Two runs of one project cannot run at the same time, unless both are plans.

    Args:
        root: the folder that has `ensue.yaml`, or `states/` if there is no `ensue.yaml`.
        minion_id: the id of this machine; None: the option `id`, else the host name.
        pillar: pillar that overrides the project's.
        options: options that override ensue.yaml, by their names there.

    Raises:
        ConfigurationError: ensue.yaml is not valid; the error has all diagnostics.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] = ".",
        *,
        minion_id: str | None = None,
        pillar: Mapping[str, Any] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        given = ProjectOptions(minion_id=minion_id, pillar=pillar or {}, overrides=options or {})
        self._project = AppProject.open(Path(root), given)

    @property
    def minion_id(self) -> str:
        """The id of this machine."""
        return self._project.minion_id

    async def apply(
        self,
        *sls: str,
        target: str | None = None,
        part: RunPart = WHOLE_RUN,
        concurrency: int | None = None,
        failhard: bool | None = None,
        wait_for_lock: bool | float = False,
        batch: str | None = None,
        fail_limit: str | None = None,
        on_state: Callable[[StateResult], None] | None = None,
        on_warning: Callable[[Diagnostic], None] | None = None,
    ) -> RunResult:
        """Bring machines to the state that SLS describe.

        A state that fails is part of the result, not an exception. Cancelling the task ends the run: nothing
        new starts, what is running ends, and the result has the status `interrupted`.

        Args:
            *sls: names of SLS (`web.nginx`); none: the highstate.
            target: a target expression (`T@ssh_host:web-*`); the SLS run on each resource that it matches,
                with its grains and its pillar. None: this machine.
            part: the part of the run to run: `RunPart(only=("web",))`; by default all of it.
            concurrency: how many functions run at once; None: 10 per processor, not counting remote ones.
            failhard: whether to stop at the first failure; None: as `ensue.yaml` says.
            wait_for_lock: wait for another apply of the project instead of refusing; a number: at most so
                many seconds.
            batch: with a target: how many of its hosts are at work at a time, as a number or a percentage
                (`25%`); None: all.
            fail_limit: with a batch: begin no further host when more than this have failed, as a number or a
                percentage; None: any number may fail.
            on_state: called with the result of each state as it ends, before anything that grew from it. An
                exception that it raises ends the run and is raised here.
            on_warning: called with warnings that matter while the run is going on; the result has the others.

        Raises:
            CompileError: an SLS, a top file, pillar or the part has errors; nothing was run.
            ConfigurationError: the target does not parse, or the batch or the fail limit is not valid.
            LockHeldError: another apply of the project is running.
            EnsueError: the store of derived resources cannot be read; nothing was run.
        """
        _check_limits(target, batch, fail_limit)
        options = RunOptions(
            concurrency=concurrency,
            failhard=failhard,
            wait_for_lock=wait_for_lock,
            tgt=target,
            part=part,
            batch=batch,
            fail_limit=fail_limit,
        )
        return await self._run(sls, options, on_state, on_warning)

    async def plan(
        self,
        *sls: str,
        target: str | None = None,
        part: RunPart = WHOLE_RUN,
        on_state: Callable[[StateResult], None] | None = None,
        on_warning: Callable[[Diagnostic], None] | None = None,
    ) -> RunResult:
        """Return what an apply would change, and change nothing.

        Args:
            *sls: names of SLS; none: the highstate.
            target: a target expression; None: this machine.
            part: the part of the run to plan; by default all of it.
            on_state: called with the result of each state as it ends.
            on_warning: called with warnings that matter while the plan is made.

        Raises:
            CompileError: an SLS, a top file or pillar has errors.
            ConfigurationError: the target does not parse.
        """
        return await self._run(sls, RunOptions(test=True, tgt=target, part=part), on_state, on_warning)

    async def call(
        self,
        target: str,
        function: str,
        *args: Any,
        timeout_s: float | None = None,
        batch: str | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[CallResult]:
        """Call an execution function on every target that matches, and yield answers as they arrive.

        Args:
            target: a target expression (`T@ssh_host:web-*`).
            function: `module.function`, such as `cmd.run`.
            *args: its arguments by position.
            timeout_s: how long one target may take, in seconds; None: no limit.
            batch: how many targets at once, a number or a percentage (`25%`); None: all.
            **kwargs: its arguments by name.

        Raises:
            ConfigurationError: the target does not parse, or there is no such function.
        """
        with self._masked():
            outcomes = self._project.call(target, function, args, kwargs, timeout_s=timeout_s, batch=batch)
            async for outcome in outcomes:
                yield call_result(outcome)

    async def close(self) -> None:
        """Close connections and stores; a later call opens them again."""
        await self._project.__aexit__()

    async def __aenter__(self) -> Self:
        """Return the project."""
        return self

    async def __aexit__(self, error: type[BaseException] | None = None, *_: object) -> None:
        """Close connections and stores; after an error, without waiting for other processes."""
        await self._project.__aexit__(error)

    async def _run(
        self,
        sls: tuple[str, ...],
        options: RunOptions,
        on_state: Callable[[StateResult], None] | None,
        on_warning: Callable[[Diagnostic], None] | None,
    ) -> RunResult:
        masker = self._project.masker
        silenced = self._silenced

        def tell(event: RunEvent) -> None:
            if on_state is not None and isinstance(event, NodeFinished):
                on_state(state_result(event.returned, masker))

        def warn(diagnostic: Diagnostic) -> None:
            if on_warning is not None and diagnostic.code not in silenced:
                on_warning(masked(diagnostic, masker))

        with self._masked():
            report = await self._project.apply(sls, options, on_event=tell, on_warning=warn)
        return run_result(report, masker, silenced)

    @property
    def _silenced(self) -> Container[str]:
        return self._project.settings.option("silence_warnings") or ()

    @contextmanager
    def _masked(self) -> Generator[None]:
        """Mask the secrets in exceptions that are raised to the caller."""
        masker = self._project.masker
        try:
            yield
        except DiagnosticError as error:
            shown = without_silenced(error.diagnostics, self._silenced)
            error.diagnostics = tuple(masked(diagnostic, masker) for diagnostic in shown)
            error.args = ("\n".join(diagnostic.message for diagnostic in error.diagnostics),)
            raise
        except EnsueError as error:
            error.args = tuple(masker.text(arg) if isinstance(arg, str) else arg for arg in error.args)
            raise


def _check_limits(target: str | None, batch: str | None, fail_limit: str | None) -> None:
    """Refuse limits that would have no effect.

    Raises:
        ConfigurationError: there is a limit without a target, or a fail limit without a batch.
    """
    if target is None and (batch is not None or fail_limit is not None):
        why = "the batch and the fail limit are for runs over many hosts", "give a target"
    elif batch is None and fail_limit is not None:
        why = "the fail limit has no effect without a batch: all hosts begin at once", "give a batch"
    else:
        return
    raise ConfigurationError([Diagnostic(code="E0104", summary=why[0], help=why[1])])
