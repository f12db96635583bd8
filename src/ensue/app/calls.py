"""`ensue call`: one execution function on every target that matches, answers as they come.

Source: Salt Resources, "Execution flow".
"""

from __future__ import annotations

import asyncio
import logging
import math
import re
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.app.nodegroups import checked_target
from ensue.diagnostics import Diagnostic
from ensue.errors import ConfigurationError, EnsueError, StoreError
from ensue.model.data_bounds import DataBoundError, check_data
from ensue.targeting import matches

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from ensue.app.services import Services
    from ensue.model.srn import Srn

_logger = logging.getLogger(__name__)
_UNBOUNDED = 1000


class CallOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """One target's answer.

    Args:
        target: its SRN.
        ok: whether the function returned; False: `value` is the message.
        value: what it returned, masked.
    """

    target: Srn
    ok: bool
    value: Any


class CallRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be called.

    Args:
        target: a target expression.
        function: an execution function, `module.function`.
        args: its arguments by place.
        kwargs: its arguments by name.
        timeout_s: how long one target may take; None: no limit.
        batch: how many targets at once, as a number or a percentage (`25%`); None: all.
    """

    target: str
    function: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any]
    timeout_s: float | None = None
    batch: str | None = None


async def call(services: Services, request: CallRequest) -> AsyncIterator[CallOutcome]:
    """Yield each target's answer as it comes.

    Raises:
        ConfigurationError: the target does not parse, there is no such function, or the batch makes no sense.
        CompileError: pillar does not compile.
        StoreError: a target's configuration cannot be read.
    """
    services.masker.add_from_urls(list(request.args), dict(request.kwargs))
    await services.prepare(services.minion)
    targets = await asyncio.to_thread(matching, services, request.target)
    _check_function(services, request.function, targets)
    at_once = asyncio.Semaphore(_batch_size(request.batch, len(targets)))
    # A configuration that cannot be decrypted is an error of the store, not of the target: nothing is called.
    await asyncio.to_thread(lambda: [services.directory.config(target) for target in targets])
    await services.prepare_all(targets)
    tasks = [asyncio.create_task(_call_one(services, target, request, at_once)) for target in targets]
    try:
        for answered in asyncio.as_completed(tasks):
            yield await answered
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def matching(services: Services, expression: str) -> list[Srn]:
    """Return the active resources that match a target expression, sorted; from a thread beside the loop.

    Raises:
        ConfigurationError: it does not parse, or names a type or a nodegroup that does not exist.
    """
    target = checked_target(services, expression)
    found = services.directory.index.matching(target, services.vocabulary)
    asked = [srn for srn in found.undecided if matches(target, services.subject(srn))]
    return sorted([*found.matched, *asked]) if asked else found.matched


def _check_function(services: Services, function: str, targets: Sequence[Srn]) -> None:
    """Refuse a function that there is neither on this machine nor on any type that is matched or known."""
    module, _, name = function.rpartition(".")
    of_types = [services.modules_of(type_name) for type_name in {target.type for target in targets}]
    known = (services.modules, *of_types, *services.loaders.known("modules"))
    if all(functions.find(module, name) is None for functions in known):
        near = services.modules.near(module, name)
        raise ConfigurationError(
            [
                Diagnostic(
                    code="E0404",
                    summary=f"there is no execution function {function!r}",
                    help=f"did you mean {' or '.join(near)}?"
                    if near
                    else "write module.function, for example cmd.run",
                )
            ]
        )


def _batch_size(batch: str | None, count: int) -> int:
    if batch is None:
        return _UNBOUNDED
    text = batch.strip()
    number = text.removesuffix("%")
    if not re.fullmatch(r"0*[1-9][0-9]{0,8}", number):
        raise ConfigurationError(
            [
                Diagnostic(
                    code="E0104",
                    summary=f"the batch is {batch!r}",
                    help="write a number, or a percentage: 25%",
                )
            ]
        )
    return max(1, math.ceil(count * int(number) / 100)) if text.endswith("%") else int(number)


async def _call_one(
    services: Services, target: Srn, request: CallRequest, at_once: asyncio.Semaphore
) -> CallOutcome:
    async with at_once:
        try:
            async with asyncio.timeout(request.timeout_s):
                await services.prepare(target)
                context = services.context(target, test=False)
                value = await context.call(request.function, *request.args, **request.kwargs)
            check_data(value)
        except StoreError:
            raise
        except EnsueError as error:
            return CallOutcome(target=target, ok=False, value=services.masker.text(str(error)))
        except DataBoundError as error:
            message = f"{request.function} returned what cannot be shown: {error}"
            return CallOutcome(target=target, ok=False, value=message)
        except TimeoutError:
            message = f"no answer within {request.timeout_s:g} s (--timeout)"
            return CallOutcome(target=target, ok=False, value=message)
        except Exception as error:
            _logger.debug("%s on %s", request.function, target, exc_info=True)
            message = services.masker.text(f"{type(error).__name__}: {error}")
            return CallOutcome(target=target, ok=False, value=message)
    return CallOutcome(target=target, ok=True, value=services.masker.data(value))
