"""`ensue call`: one execution function on every target that matches, answers as they arrive.

Resources are independent of each other: each is examined until it is known whether the target matches it,
waits for its place in the batch, and is called. One that cannot be reached or never answers delays no other.

Source: Salt Resources, "Execution flow".
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.origins import with_origins
from ensue.core.contracts.shells import SHELL_ON_REQUEST
from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import ConfigurationError, EnsueError, NotAvailableError, RemoteError, StoreError
from ensue.core.model.data import is_mapping
from ensue.core.model.data_bounds import DataBoundError, check_data
from ensue.language.call_arguments import argument_fault
from ensue.language.function_words import instead_of_call
from ensue.language.targeting import reads_grains
from ensue.language.targeting.batch import Batch, TimeAllowance
from ensue.language.targets.nodegroups import checked_target
from ensue.language.targets.target_context import TargetContext
from ensue.language.targets.target_matcher import ProjectMatcher

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Mapping, Sequence

    from ensue.core.model.srn import Srn
    from ensue.language.functions.functions import Functions
    from ensue.language.targeting.expression import Target
    from ensue.language.targets.targets import Targets

_logger = logging.getLogger(__name__)

_GATHERING_AT_ONCE: Final = 1000
_FORM: Final = "write module.function, for example cmd.run"


class CallOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One target's answer.

    Args:
        target: its SRN.
        ok: whether the function returned; False: `value` is the message.
        value: what it returned, masked.
        exit_code: of the command that the function ran; 0 if it ran none, or returned no code.
    """

    target: Srn
    ok: bool
    value: Any
    exit_code: int = 0

    @property
    def succeeded(self) -> bool:
        """Whether the function returned, and the command that it ran, if any, succeeded."""
        return self.ok and not self.exit_code


class CallRequest(msgspec.Struct, frozen=True, kw_only=True):
    """The call of an execution function.

    Args:
        target: a target expression.
        function: an execution function, `module.function`.
        args: its arguments by position.
        kwargs: its arguments by name.
        timeout_s: how long one target may take, with connecting and gathering its grains; None: no limit.
        batch: how many targets at once, as a number or a percentage (`25%`); None: all.
    """

    target: str
    function: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    timeout_s: float | None = None
    batch: str | None = None


async def call(services: Targets, request: CallRequest) -> AsyncIterator[CallOutcome]:
    """Yield each target's answer as it arrives.

    Raises:
        ConfigurationError: the target does not parse, there is no such function, it does not take the
            arguments, or the batch is not valid.
        CompileError: pillar does not compile.
        StoreError: a target's configuration cannot be read.
    """
    services.stores.masker.add_from_urls(list(request.args), dict(request.kwargs))
    await services.preparation.prepare(services.minion)
    caller = await asyncio.to_thread(_Caller, services, request)
    possible = await caller.possible()
    tasks = [asyncio.create_task(caller.outcome(srn, is_certain=possible[srn])) for srn in possible]
    try:
        for answered in asyncio.as_completed(tasks):
            if (outcome := await answered) is not None:
                yield outcome
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class _Caller:
    """One call of a function on many targets; made in a thread beside the loop.

    Args:
        services: the project.
        request: what is to be called.

    Raises:
        ConfigurationError: the target does not parse, or the batch is not valid.
    """

    def __init__(self, services: Targets, request: CallRequest) -> None:
        self._services = services
        self._request = request
        self._target: Target = checked_target(services.names, request.target)
        self._matcher = ProjectMatcher(services)
        self._batch = Batch.parse(request.batch)
        self._gathering = asyncio.Semaphore(_GATHERING_AT_ONCE)

    async def possible(self) -> dict[Srn, bool]:
        """Return resources that match or may match, each with whether it is certain to match.

        Raises:
            ConfigurationError: there is no such function, or it does not take the arguments.
            StoreError: a target's configuration cannot be read.
        """
        services = self._services
        by_name = await asyncio.to_thread(
            services.directory.index.matching, self._target, services.vocabulary
        )
        await self._matcher.recall(self._target, by_name.undecided)
        verdicts = ((srn, self._matcher.verdict(self._target, srn)) for srn in by_name.undecided)
        possible = dict.fromkeys(by_name.matched, True)
        possible |= {srn: verdict is True for srn, verdict in verdicts if verdict is not False}
        await asyncio.to_thread(self._check_function, {srn.type for srn in possible})
        # A configuration that cannot be decrypted is an error of the store: nothing is called.
        await asyncio.to_thread(lambda: [services.directory.config(srn) for srn in possible])
        await services.preparation.prepare_all(list(possible))
        self._batch.expect(sum(possible.values()))
        return possible

    def _check_function(self, types: Iterable[str]) -> None:
        """Refuse a function that no target has, and arguments that it takes on no target."""
        services, request = self._services, self._request
        function = request.function
        module, _, name = function.rpartition(".")
        of_types: list[Functions] = []
        for type_name in types:
            # A type that is not installed is reported as the answer of its resources.
            with suppress(NotAvailableError):
                of_types.append(services.compilation.modules_of(type_name))
        known = (services.compilation.modules, *of_types, *services.compilation.loaders.known("modules"))
        if all(functions.find(module, name) is None for functions in known):
            near = services.compilation.modules.near(module, name)
            is_state = services.compilation.states.find(module, name) is not None
            why = services.compilation.modules.why_missing(module, name)
            raise ConfigurationError(
                [
                    Diagnostic(
                        code="E0404",
                        summary=f"there is no execution function {function!r}",
                        detail=why,
                        help=instead_of_call(function, is_state=is_state)
                        or (f"did you mean {' or '.join(near)}?" if near else _FORM),
                    )
                ]
            )
        of_targets = [
            declared for of_type in of_types if (declared := of_type.find(module, name)) is not None
        ]
        if fault := argument_fault(function, of_targets, request.args, request.kwargs):
            raise ConfigurationError([fault])

    async def outcome(self, srn: Srn, *, is_certain: bool) -> CallOutcome | None:
        """Return a resource's answer; None if the target does not match it.

        Args:
            srn: the resource.
            is_certain: whether it is known that the target matches it.

        Raises:
            StoreError: its configuration cannot be read.
        """
        allowance = TimeAllowance(self._request.timeout_s)
        try:
            if not is_certain:
                async with self._gathering, allowance.spent():
                    if not await self._matches(srn):
                        return None
                self._batch.expect(1)
            async with self._batch.place(), allowance.spent():
                value, exit_code = await self._called(srn)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 - functions, and the hooks of types, are plug-ins
            message = await self._message(srn, error, is_late=allowance.is_over)
            return CallOutcome(target=srn, ok=False, value=self._services.stores.masker.text(message))
        return CallOutcome(
            target=srn, ok=True, value=self._services.stores.masker.data(value), exit_code=exit_code
        )

    async def _message(self, srn: Srn, error: Exception, *, is_late: bool) -> str:
        """Return why a resource has not answered."""
        match error:
            case RemoteError():
                return await with_origins(error, self._services.stores.registry, srn)
            case EnsueError():
                return str(error)
            case DataBoundError():
                return f"{self._request.function} returned what cannot be shown: {error}"
            case TimeoutError() if is_late:
                return f"no answer within {self._request.timeout_s:g} s (--timeout)"
            case _:
                _logger.debug("%s on %s", self._request.function, srn, exc_info=error)
                return f"{type(error).__name__}: {error}"

    async def _matches(self, srn: Srn) -> bool:
        """Return whether the target matches a resource, after gathering what that depends on."""
        await self._services.preparation.prepare(srn)
        verdict = self._matcher.verdict(self._target, srn)
        if verdict is None and reads_grains(self._target):
            await self._services.directory.grains(srn)
            verdict = self._matcher.verdict(self._target, srn)
        return verdict is not False

    async def _called(self, srn: Srn) -> tuple[Any, int]:
        """Return what the function returned, and the exit code that it reported."""
        await self._services.preparation.prepare(srn)
        context = TargetContext(self._services, srn, test=False)
        value = await context.call(self._request.function, *self._request.args, **self._keywords(srn))
        check_data(value)
        return value, _returned_code(value) if context.reported_code is None else context.reported_code

    def _keywords(self, srn: Srn) -> Mapping[str, Any]:
        """Return the arguments by name; what is written on a command line is for the shell, as in Salt."""
        given = self._request.kwargs
        if self._request.function not in SHELL_ON_REQUEST or given.get("python_shell") is not None:
            return given
        module, _, name = self._request.function.rpartition(".")
        function = self._services.compilation.modules_of(srn.type).find(module, name)
        takes_any = function is not None and _takes_any_keyword(function)
        return {**given, "python_shell": True} if takes_any else given


def _returned_code(value: Any) -> int:
    """Return the `retcode` in what a function returned, such as `cmd.run_all`; 0 without one."""
    code = value.get("retcode") if is_mapping(value) else None
    return code if isinstance(code, int) and not isinstance(code, bool) else 0


def _takes_any_keyword(function: Any) -> bool:
    kinds = (parameter.kind for parameter in inspect.signature(function).parameters.values())
    return inspect.Parameter.VAR_KEYWORD in kinds
