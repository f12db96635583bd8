"""`docker_container.run`: runs a container to its end, like a command.

Source: Salt's extension `saltext-dockermod`, 0.1: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.library.states._docker import OPTIONS
from ensue.library.states.docker_container.report import Report

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn


@also_takes(*OPTIONS, "networks")
async def run(
    ctx: StateContext,
    name: str,
    image: str | None = None,
    *,
    bg: bool = False,
    failhard: bool = True,
    replace: bool = False,
    force: bool = False,
    skip_translate: Any = None,
    ignore_collisions: bool = False,
    validate_ip_addrs: bool = True,
    client_timeout: int | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Run a container. It runs each time, so give the state `unless`, `onlyif`, `creates` or `onchanges`.

    Args:
        name: the container's name.
        image: its image, which is pulled if it is missing.
        bg: do not wait for its end.
        failhard: whether an exit code other than 0 is a failure.
        replace: replace an existing container of this name.
        force: with `replace`, also replace a running container.
        skip_translate: has no effect.
        ignore_collisions: if an option is given by both its name and an alias, use the name.
        validate_ip_addrs: has no effect, because docker checks addresses.
        client_timeout: has no effect.
        **kwargs: options of the container, as for `docker.create`.

    Example:
        shop:2.1:
          docker_image.present

        migrate:
          docker_container.run:
            - image: shop:2.1
            - command: ./migrate
            - replace: true
            - onchanges: [{docker_image: shop:2.1}]

    Returns:
        `changes` has `Id`, `Name`, `Logs`, `ExitCode`.

    Raises:
        StateFailedError: docker does not answer.
    """
    report = Report(name)
    if image is None:
        return report.returned(False, "The 'image' argument is required")
    if ctx.test:
        return report.returned(None, f"Container would be run{' in the background' if bg else ''}")
    options = {"skip_translate": skip_translate, "validate_ip_addrs": validate_ip_addrs}
    options |= {"ignore_collisions": ignore_collisions, "client_timeout": client_timeout}
    try:
        done: dict[str, Any] = await ctx.call(
            "docker.run_container",
            str(image),
            name,
            bg=bg,
            replace=replace,
            force=force,
            **{**options, **kwargs},
        )
    except StateFailedError as fault:
        return report.returned(False, f"Encountered error running container: {fault}")
    report.changes.update(done)
    if bg:
        return report.returned(True, "Container was run in the background")
    code = done["ExitCode"]
    comment = f"Container ran and exited with a return code of {code}"
    return report.returned(code == 0 or not failhard, comment)
