"""`docker_container.running`: a container with this configuration exists and runs.

To compare an existing container with the requested options, another one is created with these options and not
started. It is removed after the comparison, unless it replaces the first.

Source: Salt's extension `saltext-dockermod`, 0.1: results, changes and comments.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.library.states._docker import OPTIONS
from ensue.library.states.docker_container.replacing import (
    RequestedContainer,
    differences,
    remove_old,
    update_networks,
    with_addresses,
)
from ensue.library.states.docker_container.report import Report, state_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn

_FORCE: Final = "force"


@also_takes(*OPTIONS, "send_signal")
async def running(
    ctx: StateContext,
    name: str,
    image: str | None = None,
    *,
    skip_translate: Any = None,
    ignore_collisions: bool = False,
    validate_ip_addrs: bool = True,
    force: bool = False,
    watch_action: str = _FORCE,
    start: bool = True,
    shutdown_timeout: int | None = None,
    client_timeout: int | None = None,
    networks: Any = None,
    **kwargs: Any,
) -> StateReturn:
    """Ensure that a container with this image and these options exists and runs.

    Args:
        name: the container's name.
        image: its image, which is pulled if it is missing.
        skip_translate: has no effect.
        ignore_collisions: if an option is given by both its name and an alias, use the name.
        validate_ip_addrs: has no effect, because docker checks addresses.
        force: replace the container, even without differences.
        watch_action: what a change of a watched state does: `force` replaces the container; any other word is
            a signal to send to it.
        start: if false, the container is started only when it is created, and need not run later.
        shutdown_timeout: seconds that a replaced container may take to stop before it is killed.
        client_timeout: has no effect.
        networks: the networks that the container must be connected to, and no others; None leaves them alone.
        **kwargs: options of the container, as for `docker.create`.

    Example:
        web:
          docker_container.running:
            - image: nginx:1.27
            - port_bindings: ["8080:80"]
            - restart_policy: unless-stopped

    Returns:
        `changes` has `container` (what differs), `container_id` (`added`, `removed`), `image`, `state`;
        `new_state` has `name id image_id state networks ports`.

    Raises:
        StateFailedError: docker reports an error, or does not answer.
    """
    report = Report(name)
    send_signal = kwargs.pop("send_signal", False)
    if image is None:
        return report.returned(False, "The 'image' argument is required")
    given = {**kwargs, "networks": networks, "ignore_collisions": ignore_collisions}
    given |= {"skip_translate": skip_translate, "validate_ip_addrs": validate_ip_addrs}
    requested = RequestedContainer(
        name=name,
        image=str(image),
        options={**given, "client_timeout": client_timeout},
        force=force,
        start=start,
        signal=watch_action if send_signal else "",
        stop_timeout_s=shutdown_timeout,
    )
    image_id = await _image(ctx, report, requested.image)
    current: dict[str, Any] | None = await ctx.call("docker.find_container", name)
    missing = await _missing_networks(ctx, networks)
    if missing and not ctx.test:
        return report.returned(False, f"The following networks are not present: {', '.join(missing)}")
    if ctx.test and (missing or _is_new(requested, current, image_id)):
        return _planned(report, requested, current, image_id)
    return await _carried_out(ctx, report, requested, current, image_id)


async def _image(ctx: StateContext, report: Report, image: str) -> str | bool:
    """Return the id of the image, pulled if it is missing; False in a plan that would pull it."""
    image_id: str | bool = await ctx.call("docker.resolve_image_id", image)
    if image_id is False and not ctx.test:
        report.changes["image"] = await ctx.call("docker.pull", image)
        image_id = await ctx.call("docker.resolve_image_id", image)
    return image_id


async def _missing_networks(ctx: StateContext, networks: Any) -> list[str]:
    names: list[str] = [*await ctx.call("docker.network_settings", networks)]
    if not names:
        return []
    there = {about.get("Name") for about in await ctx.call("docker.networks")}
    return sorted(set(names) - there)


def _is_new(requested: RequestedContainer, current: dict[str, Any] | None, image_id: str | bool) -> bool:
    """Return whether a new container is needed regardless of the options of the present one."""
    return requested.force or current is None or current["Image"] != image_id


def _planned(
    report: Report, requested: RequestedContainer, current: dict[str, Any] | None, image_id: str | bool
) -> StateReturn:
    old = current["Image"] if current else None
    if requested.force:
        report.changes["forced_update"] = True
    elif old != image_id:
        report.changes["image"] = {"old": old, "new": image_id}
    return report.returned(
        None, f"Container '{requested.name}' would be {'replaced' if current else 'created'}"
    )


async def _carried_out(
    ctx: StateContext,
    report: Report,
    requested: RequestedContainer,
    current: dict[str, Any] | None,
    image_id: str | bool,
) -> StateReturn:
    if current is None:
        made = await ctx.call("docker.create", requested.image, requested.name, **requested.options)
        report.comments.append(f"Created container '{requested.name}'")
        report.changes["container_id"] = {"added": made["Id"]}
        is_new = True
    else:
        is_new = await _brought_up_to_date(
            ctx, report, requested, is_forced=_is_new(requested, current, image_id)
        )
    return await _started(ctx, report, requested, current, is_new=is_new)


async def _brought_up_to_date(
    ctx: StateContext, report: Report, requested: RequestedContainer, *, is_forced: bool
) -> bool:
    """Replace a container that differs from the requested one; say whether it was replaced."""
    other = f"{requested.name}-ensue-{secrets.token_hex(4)}"
    made = await ctx.call("docker.create", requested.image, other, **requested.options)
    is_replaced = False
    try:
        container, networks = await differences(ctx, requested, other)
        if container:
            report.changes["container"] = {**container}
        if networks:
            report.changes.setdefault("container", {})["Networks"] = networks
        if ctx.test:
            _say_plan(report, requested, container, networks)
        elif is_forced or container:
            removed = await remove_old(ctx, requested)
            is_replaced = True
            await ctx.call("docker.rename", made["Id"], requested.name)
            report.changes["container_id"] = {"removed": removed, "added": made["Id"]}
            report.comments.append(f"Replaced container '{requested.name}'")
        else:
            await _signalled(ctx, report, requested)
            report.comments += await update_networks(ctx, requested, networks)
    finally:
        if not is_replaced:
            await ctx.call("docker.rm", made["Id"], volumes=True)
    if not report.comments:
        report.comments.append(f"Container '{requested.name}' is already configured as specified")
    return is_replaced


def _say_plan(
    report: Report, requested: RequestedContainer, container: dict[str, Any], networks: dict[str, Any]
) -> None:
    if container:
        report.comments.append(f"Container '{requested.name}' would be replaced")
    elif requested.signal:
        report.changes["signal"] = requested.signal
        report.comments.append(f"Signal {requested.signal} would be sent to container")
    if networks:
        report.comments.append("Network configuration would be updated")


async def _signalled(ctx: StateContext, report: Report, requested: RequestedContainer) -> None:
    if requested.signal:
        await ctx.call("docker.signal", requested.name, requested.signal)
        report.changes["signal"] = requested.signal
        report.comments.append(f"Sent signal {requested.signal} to container")


async def _started(
    ctx: StateContext,
    report: Report,
    requested: RequestedContainer,
    before: dict[str, Any] | None,
    *,
    is_new: bool,
) -> StateReturn:
    """Start the container if it must run, and return the result of the state."""
    was = state_of(before)
    should_start = before is None or (requested.start and (is_new or was != "running"))
    if ctx.test:
        more = ["Container would be started"] if should_start else []
        if should_start:
            report.changes["state"] = {"old": was, "new": "running"}
        about = None if report.changes else before
        return report.returned(None if report.changes else True, *more, about=about)
    if should_start:
        try:
            await ctx.call("docker.start", requested.name)
        except StateFailedError as fault:
            return report.returned(False, f"Failed to start container '{requested.name}': '{fault}'")
    about = await ctx.call("docker.inspect_container", requested.name)
    now = state_of(about)
    with_addresses(report.changes, about)
    if was != now:
        report.changes["state"] = {"old": was, "new": now}
        if was is not None:
            report.comments.append(f"State changed from '{was}' to '{now}'")
    if before is not None and before["Image"] != about["Image"]:
        report.comments.append("Container has a new image")
        report.changes["image"] = {"old": before["Image"], "new": about["Image"]}
    if now != "running" and requested.start:
        return report.returned(False, "Container is not running")
    return report.returned(True, about=about)
