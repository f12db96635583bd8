"""Execution functions that start, stop, rename and remove containers.

Source: Salt's extension `saltext-dockermod`, 0.1: names, return values and their texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules.docker.client import answered, checked, described, output_of
from ensue.library.modules.docker.containers import (
    PAUSED,
    RUNNING,
    STOPPED,
    inspect_container,
    state,
    state_of,
)

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def start(ctx: FunctionContext, name: str) -> DataMap:
    """Start a container.

    Example:
        ensue call '*' docker.start web

    Returns:
        `result`, `state` with `old` and `new`; `comment` if nothing was done.

    Raises:
        StateFailedError: there is no such container, or it does not start.
    """
    if await state(ctx, name) == PAUSED:
        return _unchanged(PAUSED, f"Container '{name}' is paused, cannot start")
    return await _changed(ctx, name, "start", RUNNING)


async def stop(
    ctx: FunctionContext,
    name: str,
    timeout: int | None = None,  # noqa: ASYNC109 (docker's own)
    *,
    unpause: bool = False,
) -> DataMap:
    """Stop a container; see `start`.

    Args:
        timeout: the number of seconds after which it is killed; None for its own setting.
        unpause: stop a paused container, too.

    Example:
        ensue call '*' docker.stop web
    """
    before = await state(ctx, name)
    if before == PAUSED:
        if not unpause:
            text = f"Container '{name}' is paused, run with unpause=True to unpause before stopping"
            return _unchanged(PAUSED, text)
        await _changed(ctx, name, "unpause", RUNNING)
    flags = [] if timeout is None else [f"--time={int(timeout)}"]
    done = await _changed(ctx, name, "stop", STOPPED, *flags)
    done["state"]["old"] = before
    return done


async def restart(ctx: FunctionContext, name: str, timeout: int = 10) -> DataMap:  # noqa: ASYNC109 (docker's own)
    """Restart a container; see `start`.

    Args:
        timeout: the number of seconds after which it is killed.

    Example:
        ensue call '*' docker.restart web
    """
    done = await _changed(ctx, name, "restart", RUNNING, f"--time={int(timeout)}")
    return {**done, "restarted": True} if done["result"] else done


async def kill(ctx: FunctionContext, name: str) -> DataMap:
    """Kill a container; see `start`.

    Example:
        ensue call '*' docker.kill web
    """
    return await _changed(ctx, name, "kill", STOPPED)


async def pause(ctx: FunctionContext, name: str) -> DataMap:
    """Pause a container; see `start`.

    Example:
        ensue call '*' docker.pause web
    """
    if await state(ctx, name) == STOPPED:
        return _unchanged(STOPPED, f"Container '{name}' is stopped, cannot pause")
    return await _changed(ctx, name, "pause", PAUSED)


async def unpause(ctx: FunctionContext, name: str) -> DataMap:
    """Resume a paused container; see `start`.

    Example:
        ensue call '*' docker.unpause web
    """
    if await state(ctx, name) == STOPPED:
        return _unchanged(STOPPED, f"Container '{name}' is stopped, cannot unpause")
    return await _changed(ctx, name, "unpause", RUNNING)


async def signal(ctx: FunctionContext, name: str, signal: str | int) -> bool:
    """Send a signal to the first process of a container.

    Args:
        signal: its name or number.

    Example:
        ensue call '*' docker.signal web HUP

    Raises:
        StateFailedError: the container is not running, or there is no such signal.
    """
    await output_of(ctx, "kill", f"--signal={signal}", checked(name), what=f"send a signal to {name}")
    return True


async def wait(
    ctx: FunctionContext,
    name: str,
    *,
    ignore_already_stopped: bool = False,
    fail_on_exit_status: bool = False,
) -> DataMap:
    """Wait until a container ends.

    Args:
        ignore_already_stopped: treat a container that is absent or not running as a success.
        fail_on_exit_status: treat an exit code other than 0 as a failure.

    Example:
        ensue call '*' docker.wait web

    Returns:
        `result`, `state`, `exit_status`, `comment`.
    """
    about = await described(ctx, "container", name)
    if about is None:
        return {"result": ignore_already_stopped, "comment": f"Container '{name}' absent"}
    before = state_of(about)
    code = await output_of(ctx, "wait", checked(name), what=f"wait for {name}")
    after = await described(ctx, "container", name)
    now = state_of(after) if after else None
    status = int(code) if code.lstrip("-").isdigit() else None
    is_done = ignore_already_stopped if before == STOPPED else now in {STOPPED, None}
    done: DataMap = {"state": {"old": before, "new": now}, "exit_status": status}
    done["result"] = is_done and not (fail_on_exit_status and status != 0)
    if before == STOPPED:
        done["comment"] = f"Container '{name}' already stopped"
    return done


async def rename(ctx: FunctionContext, name: str, new_name: str) -> bool:
    """Rename a container.

    Args:
        new_name: the new name.

    Example:
        ensue call '*' docker.rename web web-old

    Raises:
        StateFailedError: there is no such container, or the name is taken.
    """
    identity = (await inspect_container(ctx, name))["Id"]
    await output_of(ctx, "rename", str(identity), checked(new_name), what=f"rename the container {name}")
    return bool((await inspect_container(ctx, new_name))["Id"] == identity)


async def rm(
    ctx: FunctionContext,
    name: str,
    *,
    force: bool = False,
    volumes: bool = False,
    stop: bool = False,
    timeout: int | None = None,  # noqa: ASYNC109 (docker's own)
) -> list[str]:
    """Remove a container.

    Args:
        force: kill a running container first.
        volumes: also remove its anonymous volumes.
        stop: stop it first.
        timeout: with `stop`: the number of seconds after which it is killed.

    Example:
        ensue call '*' docker.rm web

    Returns:
        The id of the container, in a list.

    Raises:
        StateFailedError: there is no such container, or it is running.
    """
    about = await inspect_container(ctx, name)
    identity = str(about["Id"])
    if state_of(about) == RUNNING and not (force or stop):
        raise StateFailedError(f"the container {name} is running; set `force: true` to remove it anyway")
    if stop and not force and state_of(about) != STOPPED:
        await _stop_plainly(ctx, identity, timeout)
    flags = [*(["--force"] if force else []), *(["--volumes"] if volumes else [])]
    answer = await answered(ctx, "rm", *flags, identity)
    # A container with `auto_remove` removes itself when it stops.
    if not answer.is_success and await described(ctx, "container", identity):
        raise StateFailedError(f"cannot remove the container {name}: {answer.complaint()}")
    return [identity]


async def _stop_plainly(ctx: FunctionContext, identity: str, limit_s: int | None) -> None:
    flags = [] if limit_s is None else [f"--time={int(limit_s)}"]
    await answered(ctx, "unpause", identity)
    await answered(ctx, "stop", *flags, identity)


def _unchanged(now: str, comment: str) -> dict[str, Any]:
    return {"result": False, "state": {"old": now, "new": now}, "comment": comment}


async def _changed(ctx: FunctionContext, name: str, verb: str, expected: str, *flags: str) -> dict[str, Any]:
    before = await state(ctx, name)
    if verb != "restart" and before == expected:
        return _unchanged(expected, f"Container '{name}' already {expected}")
    await output_of(ctx, verb, *flags, checked(name), what=f"{verb} the container {name}")
    about = await described(ctx, "container", name)
    # A container with `auto_remove` no longer exists after it has stopped.
    after = state_of(about) if about else None
    is_done = after == expected or (after is None and expected == STOPPED)
    return {"result": is_done, "state": {"old": before, "new": after}}


FUNCTIONS: Final = by_name(kill, pause, rename, restart, rm, signal, start, stop, unpause, wait)
