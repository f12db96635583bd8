"""State module `service`: starts and stops services, now and at boot.

A service is restarted or reloaded if a watched state has changes. `_service_masking` has the functions for
masks.

Notes:
    `service` works with systemd, and elsewhere with the scripts in `/etc/init.d`, which have no masks. A
    target with `systemctl` but without a running systemd is a chroot or an image: `service.running` and
    `service.dead` succeed without doing anything (`Running in OFFLINE mode`, as in Salt; `service.running`
    warns of it), and `service.enabled` and masks work. On a target with neither, the state fails and says so.

Differences from Salt:
    `init_delay` has no effect. If a watched state has changes and an `/etc/init.d` script fails, the changes
    are empty, as with systemd; Salt reports `{name: false}`.

Args:
    name: the service.
    enable: whether it starts at boot; None leaves that.

Source: Salt's state module `service`, 3008: results, changes and comments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states._service_masking import masked, unmasked

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_KNOWN: Final = (
    "domain", "force", "full_restart", "init_delay", "no_block", "provider", "reload", "root", "runas",
    "runlevel", "sig", "start_delayed", "start_type", "timeout", "unmask", "unmask_runtime",
)  # fmt: skip
"""Arguments of Salt's service managers, and of `mod_watch`."""
_OUTDATED: Final = {"restart": ""}
_OUTDATED_OF_START: Final = {**_OUTDATED, "enable": ""}
_WATCHED: Final = {
    "restart": "restarted",
    "reload": "reloaded",
    "force_reload": "reloaded",
    "start": "started",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _ServiceOutcome:
    """The result of starting or stopping a service.

    Args:
        name: the service.
        state: its state, for the comment.
        has_changed: whether it was started or stopped.
        is_running: whether it runs, if that is known.
        comment: the comment.
        warnings: warnings for the return.
    """

    name: str
    state: str
    has_changed: bool = False
    is_running: bool | None = None
    comment: str = ""
    warnings: tuple[str, ...] = ()


@also_takes(*_KNOWN, outdated=_OUTDATED)
async def running(
    ctx: StateContext,
    name: str,
    *,
    enable: bool | None = None,
    no_block: bool = False,
    unmask: bool = False,
    **kwargs: Any,
) -> StateReturn:
    """Start a service.

    Args:
        no_block: do not wait until it runs.
        unmask: first unmask it.
        **kwargs: arguments for `mod_watch`, and arguments without effect (`sig`, `init_delay`).

    Example:
        /etc/nginx/nginx.conf:
          file.managed:
            - source: salt://nginx.conf

        nginx:
          service.running:
            - enable: true
            - reload: true
            - watch: [{file: /etc/nginx/nginx.conf}]

    Returns:
        `changes` has the service.

    Raises:
        NotAvailableError: the target has no service manager that ensue knows.
    """
    warnings = _remarks("service.running", kwargs)
    is_there: bool = await ctx.call("service.available", name)
    was_running: bool = is_there and await ctx.call("service.status", name)
    if not was_running and await _is_offline(ctx):
        fault = "is not started" if is_there else "is not started, and does not exist"
        warning = f"{name} {fault}: systemd does not run here (a chroot, an image, a container)"
        return await _nothing_runs(ctx, name, (*warnings, warning))
    if not is_there:
        return _absent(ctx, name, "started", warnings)
    if not was_running:
        if ctx.test:
            return StateReturn.planned(name, f"Service {name} is set to start", warnings=warnings)
        try:
            await ctx.call("service.start", name, no_block=no_block, unmask=unmask)
        except StateFailedError as error:
            return StateReturn.failed(name, f"Service {name} failed to start: {error}", warnings=warnings)
        if not no_block and not await ctx.call("service.status", name):
            return StateReturn.failed(name, f"Service {name} failed to start", warnings=warnings)
    comment = f"The service {name} is already running" if was_running else f"Started service {name}"
    outcome = _ServiceOutcome(
        name=name, state="running", has_changed=not was_running,
        is_running=True if was_running or not no_block else None, comment=comment, warnings=warnings,
    )  # fmt: skip
    return await _with_start(ctx, enable, outcome)


@also_takes(*_KNOWN, outdated=_OUTDATED)
async def dead(
    ctx: StateContext, name: str, *, enable: bool | None = None, no_block: bool = False, **kwargs: Any
) -> StateReturn:
    """Stop a service; a missing service is fine.

    Args:
        no_block: do not wait until it has ended.
        **kwargs: arguments for `mod_watch`, and arguments without effect.

    Example:
        apache2:
          service.dead:
            - enable: false

    Returns:
        `changes` has the service.

    Raises:
        NotAvailableError: the target has no service manager that ensue knows.
    """
    warnings = _remarks("service.dead", kwargs)
    is_there: bool = await ctx.call("service.available", name)
    was_running: bool = is_there and await ctx.call("service.status", name)
    if not was_running and await _is_offline(ctx):
        return await _nothing_runs(ctx, name, warnings)
    if not is_there:
        return _absent(ctx, name, "stopped", warnings) if ctx.test else _not_there(name, warnings)
    if was_running:
        if ctx.test:
            return StateReturn.planned(name, f"Service {name} is set to be killed", warnings=warnings)
        try:
            await ctx.call("service.stop", name, no_block=no_block)
        except StateFailedError as error:
            return StateReturn.failed(name, f"Service {name} failed to die: {error}", warnings=warnings)
        if not no_block and await ctx.call("service.status", name):
            return StateReturn.failed(name, f"Service {name} failed to die", warnings=warnings)
    comment = f"Service {name} was killed" if was_running else f"The service {name} is already dead"
    outcome = _ServiceOutcome(
        name=name, state="dead", has_changed=was_running,
        is_running=None if was_running and no_block else False, comment=comment, warnings=warnings,
    )  # fmt: skip
    return await _with_start(ctx, enable, outcome)


@also_takes(*_KNOWN, outdated=_OUTDATED_OF_START)
async def enabled(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Enable a service at boot, whether it runs now or not.

    Args:
        **kwargs: accepted, as in Salt, without effect.

    Example:
        nginx:
          service.enabled

    Raises:
        NotAvailableError: the target has no service manager that ensue knows.
    """
    warnings = _remarks("service.enabled", kwargs)
    if not await ctx.call("service.available", name):
        return _absent(ctx, name, "enabled", warnings)
    return await _with_start(
        ctx, True, _ServiceOutcome(name=name, state="in the desired state", warnings=warnings)
    )


@also_takes(*_KNOWN, outdated=_OUTDATED_OF_START)
async def disabled(ctx: StateContext, name: str, **kwargs: Any) -> StateReturn:
    """Disable a service at boot; a missing service is fine.

    Args:
        **kwargs: accepted, as in Salt, without effect.

    Example:
        apache2:
          service.disabled

    Raises:
        NotAvailableError: the target has no service manager that ensue knows.
    """
    warnings = _remarks("service.disabled", kwargs)
    if not await ctx.call("service.available", name):
        return _not_there(name, warnings)
    return await _with_start(
        ctx, False, _ServiceOutcome(name=name, state="in the desired state", warnings=warnings)
    )


async def mod_watch(
    ctx: StateContext,
    name: str,
    sfun: str = "running",
    *,
    reload: bool = False,
    force: bool = False,
    full_restart: bool = False,  # of upstart and others
    no_block: bool = False,
    **kwargs: Any,
) -> StateReturn:
    """Restart or reload a service because a watched state has changes; `dead` stops it.

    Args:
        sfun: name of the state function.
        reload: reload it instead.
        force: with `reload`, restart it if it cannot be reloaded.
        full_restart: accepted, as in Salt, without effect.
        no_block: do not wait until it runs.
        **kwargs: the state's other arguments.

    Raises:
        NotAvailableError: the target has no service manager that ensue knows.
    """
    is_running: bool = await ctx.call("service.status", name)
    if not is_running and await _is_offline(ctx) and not await _has_scripts(ctx):
        return await _nothing_runs(ctx, name, ())
    if sfun == "dead":
        verb, past = "stop", "stopped"
        if not is_running:
            return StateReturn.unchanged(name, f"Service is already {past}", await _state(ctx, name))
    elif sfun == "running":
        verb = ("force_reload" if force else "reload") if reload else "restart"
        verb = verb if is_running else "start"
        past = _WATCHED[verb]
    else:
        return StateReturn.failed(name, f"Unable to trigger watch for service.{sfun}")
    if ctx.test:
        return StateReturn.planned(name, f"Service is set to be {past}")
    try:
        await ctx.call(f"service.{verb}", name, no_block=no_block)
    except StateFailedError as error:
        words = verb.replace("_", "-")
        return StateReturn.failed(name, f"Failed to {words} the service: {error}")
    return StateReturn.changed(name, f"Service {past}", {name: True}, await _state(ctx, name))


async def _with_start(ctx: StateContext, enable: bool | None, outcome: _ServiceOutcome) -> StateReturn:
    """Enable or disable the service at boot, and make the return."""
    name, comment, warnings = outcome.name, outcome.comment, outcome.warnings
    changes: DataMap = {name: True} if outcome.has_changed else {}
    is_enabled: bool | None = None
    if enable is not None:
        word = "enabled" if enable else "disabled"
        if await ctx.call("service.enabled", name) is enable:
            comment = comment or f"Service {name} is already {word}, and is {outcome.state}"
            is_enabled = enable
        elif ctx.test:
            return StateReturn.planned(name, f"Service {name} set to be {word}", warnings=warnings)
        else:
            try:
                await ctx.call("service.enable" if enable else "service.disable", name)
            except StateFailedError as error:
                return StateReturn.failed(name, str(error), changes, warnings=warnings)
            changes = {name: True}
            comment = f"Service {name} has been {word}, and is {outcome.state}"
    return StateReturn.changed(
        name,
        comment,
        changes,
        await _state(ctx, name, is_running=outcome.is_running, is_enabled=is_enabled),
        warnings=warnings,
    )


async def _state(
    ctx: StateContext, name: str, *, is_running: bool | None = None, is_enabled: bool | None = None
) -> DataMap:
    """Describe a service; the target is asked only for what is not known yet."""
    if is_running is None:
        is_running = await ctx.call("service.status", name)
    if is_enabled is None:
        is_enabled = await ctx.call("service.enabled", name)
    return {"name": name, "running": is_running, "enabled": is_enabled}


async def _is_offline(ctx: StateContext) -> bool:
    """Return whether no service can run on the target because it is not booted: a chroot, an image."""
    try:
        return bool(await ctx.call("service.offline"))
    except NotAvailableError:  # a resource type with its own service manager
        return False


async def _has_scripts(ctx: StateContext) -> bool:
    """Return whether scripts of `/etc/init.d` can restart a service if systemd cannot, as in Salt."""
    return await ctx.connection.stat("/etc/init.d", follow=True) is not None


async def _nothing_runs(ctx: StateContext, name: str, warnings: tuple[str, ...]) -> StateReturn:
    """Make Salt's return for a target on which nothing can be started or stopped."""
    return StateReturn.unchanged(
        name,
        "Running in OFFLINE mode. Nothing to do",
        await _state(ctx, name, is_running=False),
        warnings=warnings,
    )


def _not_there(name: str, warnings: tuple[str, ...]) -> StateReturn:
    return StateReturn.unchanged(
        name,
        f"The named service {name} is not available",
        {"name": name, "exists": False, "running": False, "enabled": False},
        warnings=warnings,
    )


def _absent(ctx: StateContext, name: str, what: str, warnings: tuple[str, ...]) -> StateReturn:
    if ctx.test:
        comment = f"Service {name} not present; if created in this state run, it would have been {what}"
        return StateReturn.planned(name, comment, warnings=warnings)
    return StateReturn.failed(name, f"The named service {name} is not available", warnings=warnings)


def _remarks(function: str, given: dict[str, Any]) -> tuple[str, ...]:
    quiet = {"reload", "force", "full_restart", "sig", "provider", "unmask_runtime", "timeout"}
    return tuple(f"{function}: `{word}` has no effect" for word in sorted(set(given) - quiet))


FUNCTIONS: Final = by_name(dead, disabled, enabled, masked, mod_watch, running, unmasked)
ABSENT: Final = ("dead",)

MOD_WATCH = mod_watch
