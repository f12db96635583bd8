"""`docker_container.stopped` and `docker_container.absent`.

Source: Salt's extension `saltext-dockermod`, 0.1: results, changes and comments. Unlike Salt's, a plan
has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.model.returns import StateReturn
from ensue.library.states.docker_container.report import Report, state_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


@also_takes()
async def stopped(
    ctx: StateContext,
    name: str,
    containers: list[str] | None = None,
    *,
    shutdown_timeout: int | None = None,
    unpause: bool = False,
    error_on_absent: bool = True,
    **kwargs: Any,  # arguments that `mod_watch` passes
) -> StateReturn:
    """Stop containers.

    Args:
        name: the container.
        containers: several containers, instead of `name`.
        shutdown_timeout: seconds that a container may take to stop before it is killed.
        unpause: also stop paused containers.
        error_on_absent: fail if a container does not exist.
        **kwargs: accepted without effect.

    Example:
        web:
          docker_container.stopped:
            - shutdown_timeout: 30

    Returns:
        `changes` has `result` and `state` (`old`, `new`) by container; `new_state` has `name states`.

    Raises:
        StateFailedError: docker reports an error, or does not answer.
    """
    report = Report(name)
    targets = [str(container) for container in containers] if containers else [str(name)]
    states = {
        container: state_of(await ctx.call("docker.find_container", container)) for container in targets
    }
    refused = _refused(states, unpause=unpause, error_on_absent=error_on_absent)
    if refused:
        return report.returned(False, *refused)
    to_stop = [container for container, now in states.items() if now in {"running", "paused"}]
    if not to_stop:
        who = f"Container '{targets[0]}' is" if len(targets) == 1 else "All specified containers are"
        absent = " absent or" if None in states.values() else ""
        return _stopped(report, states, f"{who}{absent} not running")
    named = ", ".join(to_stop)
    if ctx.test:
        report.changes = {
            container: {"state": {"old": states[container], "new": "stopped"}} for container in to_stop
        }
        return report.returned(None, f"The following container(s) will be stopped: {named}")
    for container in to_stop:
        done = await ctx.call("docker.stop", container, timeout=shutdown_timeout, unpause=unpause)
        if not done["result"]:
            report.comments.append(done.get("comment") or f"Failed to stop container '{container}'")
            continue
        report.changes[container] = done
        states[container] = done["state"]["new"]
    if report.comments:
        return report.returned(False)
    return _stopped(report, states, f"The following container(s) were stopped: {named}")


def _stopped(report: Report, states: dict[str, str | None], comment: str) -> StateReturn:
    # A container that was created to be removed at its end no longer exists after it has stopped.
    new_state: DataMap = {
        "name": report.name,
        "states": {container: now or "absent" for container, now in states.items()},
    }
    done = report.returned(True, comment)
    return StateReturn.changed(done.name, done.comment, done.changes, new_state)


def _refused(states: dict[str, str | None], *, unpause: bool, error_on_absent: bool) -> list[str]:
    absent = [container for container, now in states.items() if now is None]
    paused = [container for container, now in states.items() if now == "paused"]
    obstacles: list[str] = []
    if absent and error_on_absent:
        obstacles.append(f"The following container(s) are absent: {', '.join(absent)}")
    if paused and not unpause:
        obstacles.append(f"The following container(s) are paused: {', '.join(paused)}")
    return obstacles


async def absent(ctx: StateContext, name: str, *, force: bool = False) -> StateReturn:
    """Remove a container.

    Args:
        name: the container.
        force: also remove a running container.

    Example:
        web:
          docker_container.absent:
            - force: true

    Returns:
        `changes` has `removed`, a list of ids; `new_state` has `name exists`.

    Raises:
        StateFailedError: docker reports an error, or does not answer.
    """
    report = Report(name)
    gone: DataMap = {"name": name, "exists": False}
    container = await ctx.call("docker.find_container", str(name))
    if container is None:
        return StateReturn.unchanged(name, f"Container '{name}' does not exist", gone)
    is_running = state_of(container) != "stopped"
    if is_running and not force:
        return report.returned(False, "Container is running, set force to True to forcibly remove it")
    if ctx.test:
        report.changes["removed"] = [container["Id"]]
        return report.returned(None, f"Container '{name}' will be removed")
    report.changes["removed"] = await ctx.call("docker.rm", str(name), force=force)
    how = "Forcibly" if is_running else "Successfully"
    return StateReturn.changed(name, f"{how} removed container '{name}'", report.changes, gone)
