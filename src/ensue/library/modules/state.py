"""Execution module `state`: runs states on behalf of a state, as growth below it.

`module.run` can therefore apply SLS to its own target. If no state is running (in a template, in
`ensue call`), these functions fail: use `ensue apply` there.

Source: Salt's execution module `state`, 3008: names, arguments and the shape of return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext, StateContext
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import ScopeReturn


async def apply_(ctx: FunctionContext, mods: str | list[str] | None = None, **kwargs: Any) -> DataMap:
    """Apply SLS to the target of the state that calls this.

    Args:
        ctx: the context of the calling state.
        mods: SLS names, as a list or separated by commas.
        **kwargs: `saltenv`, `test` and `queue` are accepted if they request what happens anyway.

    Example:
        further-states:
          module.run:
            - state.apply:
              - mods: db

    Returns:
        The return of each state, by tag.

    Raises:
        StateFailedError: no state is running, no SLS is named, or the SLS do not compile.
    """
    state = _state_context(ctx, "apply")
    _refuse(kwargs, ctx)
    names = [str(mod).strip() for mod in (mods if is_list(mods) else str(mods or "").split(","))]
    if not any(names):
        raise StateFailedError("state.apply needs the names of SLS here; `ensue apply` applies a highstate")
    return _returns(await state.apply(ctx.srn, [name for name in names if name]))


async def single(ctx: FunctionContext, fun: str, name: str, **kwargs: Any) -> DataMap:
    """Run one state on the target of the state that calls this.

    Args:
        ctx: the context of the calling state.
        fun: a state function, `module.function`.
        name: the name argument of the state.
        **kwargs: its other arguments.

    Example:
        further-states:
          module.run:
            - state.single:
              - fun: service.running
              - name: nginx

    Returns:
        The return of the state, by tag.

    Raises:
        StateFailedError: no state is running, the function does not exist, or does not accept the arguments.
    """
    state = _state_context(ctx, "single")
    _refuse({key: kwargs.pop(key) for key in _ACCEPTED & kwargs.keys()}, ctx)
    return _returns(await state.apply_state(fun, name, dict(kwargs)))


async def running(ctx: FunctionContext, concurrent: bool = False) -> list[str]:
    """Return an empty list: another run of this project waits until this one ends.

    Args:
        concurrent: has no effect.
    """
    return []


_ACCEPTED: Final = frozenset({"saltenv", "test", "queue", "concurrent"})


def _state_context(ctx: FunctionContext, function: str) -> StateContext:
    # Only the context of a state can grow a run.
    if not hasattr(ctx, "apply_state"):
        raise StateFailedError(
            f"state.{function} works only within a state (module.run, slots); use `ensue apply` elsewhere"
        )
    context: StateContext = ctx  # type: ignore[assignment] # as just checked
    return context


def _refuse(kwargs: dict[str, Any], ctx: FunctionContext) -> None:
    unknown = sorted({*kwargs} - _ACCEPTED)
    if unknown:
        raise StateFailedError(f"state.apply does not accept {', '.join(unknown)} here")
    if kwargs.get("test") is not None and bool(kwargs["test"]) != ctx.test:
        raise StateFailedError("`test` cannot differ from the run's: use `ensue plan`")


def _returns(scope: ScopeReturn) -> DataMap:
    if scope.status == "failed":
        raise StateFailedError(scope.comment)
    return {
        tag: {
            "name": returned.name,
            "result": returned.result,
            "changes": returned.changes,
            "comment": returned.comment,
            "__id__": returned.id,
            "__sls__": returned.sls,
            "__run_num__": returned.run_num,
        }
        for tag, returned in scope.returns.items()
    }


FUNCTIONS: Final = by_name(apply_, running, single, sls=apply_)
