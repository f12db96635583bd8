"""Execution functions that create and run containers, and run commands in them.

Source: Salt's extension `saltext-dockermod`, 0.1: names, arguments and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.library.modules.docker.client import answered, checked, described, must_describe, output_of
from ensue.library.modules.docker.containers import RUNNING, name_of, state_of
from ensue.library.modules.docker.images import pull
from ensue.library.modules.docker.lifecycle import rm
from ensue.library.modules.docker.networks import connect_container_to_network, endpoint_flags
from ensue.library.modules.docker.options import create_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_REMOVES: Final = ("auto_remove", "rm")
_OF_THE_HOST: Final = ("host", "none", "container:")


async def create(
    ctx: FunctionContext,
    image: str,
    name: str | None = None,
    *,
    start: bool = False,
    networks: Any = None,
    skip_translate: Any = None,  # no library requires a translation
    ignore_collisions: bool = False,
    validate_ip_addrs: bool = True,  # docker checks them
    client_timeout: int | None = None,
    **options: Any,
) -> dict[str, Any]:
    """Create a container.

    Args:
        image: its image; pulled if it does not exist.
        name: its name; None lets docker choose one.
        start: start it.
        networks: the networks to connect it to, each with the settings of
            `connect_container_to_network`. None for docker's default, empty for no network.
        skip_translate: has no effect.
        ignore_collisions: if an option and its alias are both given, use the option.
        validate_ip_addrs: has no effect: docker refuses invalid addresses.
        client_timeout: has no effect.
        **options: its settings, see `OPTIONS`.

    Example:
        ensue call '*' docker.create nginx:1.27

    Returns:
        `Id` and `Name`; `Started` if it was started.

    Raises:
        StateFailedError: docker refuses to create it.
    """
    if await described(ctx, "image", image) is None:
        await pull(ctx, image)
    nets = None if networks is None else networks_of(networks)
    flags = _network_flags(nets, options)
    made = create_options(options, ignore_collisions=ignore_collisions)
    named = [f"--name={checked(name)}"] if name else []
    argv = ["create", *named, *made.flags, *flags, checked(image), *made.command]
    text = await output_of(ctx, *argv, what=f"create the container {name or image}", env=made.env)
    identity = text.split()[-1] if text else ""
    await _connected(ctx, identity, dict(list((nets or {}).items())[1:]))
    made_up = "" if name else name_of(await must_describe(ctx, "container", identity))
    done: dict[str, Any] = {"Id": identity, "Name": name or made_up}
    if start:
        await output_of(ctx, "start", identity, what=f"start the container {done['Name']}")
        done["Started"] = True
    return done


async def _connected(ctx: FunctionContext, identity: str, nets: Mapping[str, Mapping[str, Any]]) -> None:
    """Connect a new container to more networks; remove the container if a connection fails."""
    try:
        for net, settings in nets.items():
            await connect_container_to_network(ctx, identity, net, **settings)
    except StateFailedError:
        await rm(ctx, identity, volumes=True)
        raise


def networks_of(given: Any) -> dict[str, dict[str, Any]]:
    """Return the settings of each network, given as names, as names separated by commas, or as mappings.

    Raises:
        StateFailedError: the settings are not valid.
    """
    items = given if is_list(given) else [given] if is_mapping(given) else str(given).split(",")
    networks: dict[str, dict[str, Any]] = {}
    for item in items:
        if not is_mapping(item):
            networks |= {str(item).strip(): {}} if str(item).strip() else {}
            continue
        for name, settings in item.items():
            networks[str(name)] = _settings_of(name, settings)
    return networks


def _settings_of(name: str, given: Any) -> dict[str, Any]:
    parts: list[Any] = given if is_list(given) else [given or {}]
    options: dict[str, Any] = {}
    for part in parts:
        if not is_mapping(part):
            raise StateFailedError(f"Invalid configuration for network '{name}': {part!r} is not a setting")
        options |= part
    missing = sorted(key for key, value in options.items() if value is None)
    if missing:
        raise StateFailedError(f"Config option '{missing[0]}' for network '{name}' is missing a value")
    return options


def _network_flags(nets: Mapping[str, Mapping[str, Any]] | None, options: dict[str, Any]) -> list[str]:
    """Return the flags for the first network, and drop a `network_mode` that it replaces."""
    if nets is None:
        return []
    mode = str(options.get("network_mode") or "")
    if mode.startswith(_OF_THE_HOST):
        return []
    options.pop("network_mode", None)
    first = next(iter(nets), "none")
    return [f"--network={first}", *endpoint_flags(nets.get(first, {}), creating=True)]


async def run_container(
    ctx: FunctionContext,
    image: str,
    name: str | None = None,
    *,
    bg: bool = False,
    replace: bool = False,
    force: bool = False,
    **options: Any,
) -> dict[str, Any]:
    """Create a container, start it, and wait until it ends.

    Args:
        image: its image.
        name: its name; None lets docker choose one.
        bg: do not wait.
        replace: replace an existing container of this name.
        force: with `replace`: even if that container is running.
        **options: see `create`.

    Example:
        ensue call '*' docker.run_container nginx:1.27

    Returns:
        `Id` and `Name`; without `bg` also `Logs` and `ExitCode`; `Replaces` if a container was replaced.

    Raises:
        StateFailedError: the container exists, or docker refuses to create it.
    """
    removed = await _made_room(ctx, name, replace=replace, force=force) if name else []
    # Without `bg`, the container is kept until its exit code has been read.
    is_removed = not bg and [options.pop(word, False) for word in _REMOVES].count(True) > 0
    done = await create(ctx, image, name, **options)
    if removed:
        done["Replaces"] = [*removed]
    identity = str(done["Id"])
    await output_of(ctx, "start", identity, what=f"start the container {done['Name']}")
    if bg:
        return done
    code = await output_of(ctx, "wait", identity, what=f"wait for the container {done['Name']}")
    done["ExitCode"] = int(code)
    printed = await answered(ctx, "logs", identity)
    done["Logs"] = printed.stdout + printed.stderr
    if is_removed:
        await rm(ctx, identity)
    return done


async def _made_room(ctx: FunctionContext, name: str, *, replace: bool, force: bool) -> list[str]:
    existing = await described(ctx, "container", name)
    if existing is None:
        return []
    if state_of(existing) == RUNNING and not (replace and force):
        raise StateFailedError(
            f"Container '{name}' exists and is running. Run with replace=True and force=True to force removal"
            " of the existing container."
        )
    if not replace:
        raise StateFailedError(
            f"Container '{name}' exists. Run with replace=True to remove the existing container"
        )
    return await rm(ctx, name, force=force)


async def run_all(
    ctx: FunctionContext,
    name: str,
    cmd: str | list[str],
    *,
    stdin: str | None = None,
    user: str | None = None,
    python_shell: bool = True,
    ignore_retcode: bool = False,
    **others: Any,  # how a library runs it
) -> DataMap:
    """Run a command in a container.

    Args:
        name: the container's name or id.
        stdin: its input.
        user: the user of the container who runs it.
        python_shell: False to split the line into words and run it without a shell.
        ignore_retcode: let `ensue call` succeed whatever the exit code is.

    Example:
        ensue call '*' docker.run_all web uptime

    Returns:
        `retcode`, `stdout`, `stderr`.
    """
    words = [*map(str, cmd)] if is_list(cmd) else ["sh", "-c", str(cmd)] if python_shell else str(cmd).split()
    flags = [*(["--interactive"] if stdin is not None else []), *([f"--user={user}"] if user else [])]
    answer = await answered(ctx, "exec", *flags, checked(name), *words, stdin=(stdin or "").encode())
    ctx.command_ended(0 if ignore_retcode else answer.returncode)
    return {
        "retcode": answer.returncode,
        "stdout": answer.stdout.removesuffix("\n"),
        "stderr": answer.stderr.removesuffix("\n"),
    }


async def run(ctx: FunctionContext, name: str, cmd: str | list[str], **options: Any) -> str:
    """Run a command in a container and return its output and error output; see `run_all`.

    Example:
        ensue call '*' docker.run web uptime
    """
    done = await run_all(ctx, name, cmd, **options)
    return "\n".join(filter(None, [str(done["stdout"]), str(done["stderr"])]))


async def run_stdout(ctx: FunctionContext, name: str, cmd: str | list[str], **options: Any) -> str:
    """Run a command in a container and return its output; see `run_all`.

    Example:
        ensue call '*' docker.run_stdout web uptime
    """
    return str((await run_all(ctx, name, cmd, **options))["stdout"])


async def run_stderr(ctx: FunctionContext, name: str, cmd: str | list[str], **options: Any) -> str:
    """Run a command in a container and return its error output; see `run_all`.

    Example:
        ensue call '*' docker.run_stderr web uptime
    """
    return str((await run_all(ctx, name, cmd, **options))["stderr"])


async def retcode(ctx: FunctionContext, name: str, cmd: str | list[str], **options: Any) -> Any:
    """Run a command in a container and return its exit code; see `run_all`.

    Example:
        ensue call '*' docker.retcode web uptime
    """
    return (await run_all(ctx, name, cmd, **options))["retcode"]


async def network_settings(ctx: FunctionContext, networks: Any) -> dict[str, dict[str, Any]]:
    """Return the settings of each network that a container is connected to, in any of the accepted forms.

    Args:
        networks: the networks, each with the settings of `connect_container_to_network`.

    Example:
        ensue call '*' docker.network_settings '[backend]'
    """
    return networks_of(networks or [])


FUNCTIONS: Final = by_name(
    create, network_settings, retcode, run, run_all, run_container, run_stderr, run_stdout
)
