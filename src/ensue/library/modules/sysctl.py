"""Execution module `sysctl`: the target's kernel parameters, current ones and those set at boot.

It uses the program `sysctl` or, on small systems without it, /proc/sys.

Args:
    name: the parameter.
    **kwargs: accepted as by Salt, without effect.
    value: its value.

Source: Salt's execution module `sysctl` (linux_sysctl), 3008: names, files and return values.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_NAME: Final = re.compile(r"[A-Za-z0-9_./*:@-]+\Z")
_READ: Final = 'cat -- "/proc/sys/$1"'
_LOOK: Final = 'test -f "/proc/sys/$1"'
_WRITE: Final = 'printf "%s\\n" "$2" >"/proc/sys/$1"'


async def default_config(ctx: FunctionContext) -> str:
    """Return the file for persistent parameters: a separate file if systemd reads a folder of them."""
    running = await ctx.connection.stat("/run/systemd/system")
    return "/etc/sysctl.d/99-salt.conf" if running else "/etc/sysctl.conf"


async def get(ctx: FunctionContext, name: str, **kwargs: Any) -> str:
    """Return the current value of a parameter, empty if there is no such parameter.

    Example:
        ensue call '*' sysctl.get vm.swappiness
    """
    answer = await ask(ctx, "sysctl", "-n", "--", _checked(name))
    if answer.is_missing:
        answer = await ask(ctx, "sh", "-c", _READ, "sh", _place(name))
    return answer.stdout.strip() if answer.is_success else ""


async def assign(ctx: FunctionContext, name: str, value: Any, **kwargs: Any) -> dict[str, str]:
    """Set the current value of a parameter.

    Example:
        ensue call '*' sysctl.assign vm.swappiness 10

    Raises:
        StateFailedError: there is no such parameter, or the kernel refuses the value.
    """
    exists = await ask(ctx, "sysctl", "-N", "--", _checked(name))
    has_program = not exists.is_missing
    if not has_program:
        exists = await ask(ctx, "sh", "-c", _LOOK, "sh", _place(name))
    if not exists.is_success:
        raise StateFailedError(f"sysctl {name} does not exist")
    if has_program:
        await must(ctx, "sysctl", "-w", "--", f"{name}={value}", what=f"set {name}")
    else:
        await must(ctx, "sh", "-c", _WRITE, "sh", _place(name), str(value), what=f"set {name}")
    return {name: str(value)}


async def show(ctx: FunctionContext, config_file: str | None = None) -> dict[str, str]:
    """Return all current parameters, or those of a file; the last entry for a name counts.

    Args:
        config_file: the file; without it, the values in the kernel are returned.
    """
    if config_file is None:
        text = (await must(ctx, "sysctl", "-a", what="list parameters")).stdout
    elif await ctx.connection.stat(config_file, follow=True) is None:
        return {}
    else:
        text = (await ctx.connection.read(config_file)).decode("utf-8", "surrogateescape")
    pairs = (_pair(line) for line in file_lines(text))
    return dict(pair for pair in pairs if pair)


async def persist(ctx: FunctionContext, name: str, value: Any, config: str | None = None) -> str:
    """Set a parameter in a file that is read at boot; other lines stay as they are.

    Args:
        config: the file; it is created with its folder if necessary.

    Example:
        ensue call '*' sysctl.persist vm.swappiness 10

    Returns:
        `Updated`, or `Already set`.
    """
    path = config or await default_config(ctx)
    there = await ctx.connection.stat(path, follow=True)
    text = (await ctx.connection.read(path)).decode("utf-8", "surrogateescape") if there else ""
    lines = file_lines(text)
    places = [place for place, line in enumerate(lines) if (_pair(line) or ("", ""))[0] == _checked(name)]
    new = f"{name} = {value}"
    if places and all(_same((_pair(lines[place]) or ("", ""))[1], value) for place in places):
        return "Already set"
    if places:
        lines[places[0]] = new
        lines = [line for place, line in enumerate(lines) if place not in places[1:]]
    else:
        lines.append(new)
    await ctx.connection.make_directory(posixpath.dirname(path), parents=True)
    content = "".join(f"{line}\n" for line in lines)
    await ctx.connection.write(path, content.encode("utf-8", "surrogateescape"))
    return "Updated"


def _pair(line: str) -> tuple[str, str] | None:
    if line.strip()[:1] in {"", "#", ";"} or "=" not in line:
        return None
    name, _, value = line.partition("=")
    return name.strip().removeprefix("-").replace("/", "."), value.strip()


def _same(left: str, right: Any) -> bool:
    return left.split() == str(right).split()


def _checked(name: str) -> str:
    if not _NAME.match(name):
        raise StateFailedError(f"{name!r} is not the name of a kernel parameter")
    return name


def _place(name: str) -> str:
    """Return a parameter's file below /proc/sys; the separator is the dot or slash that comes first."""
    dotted = name.partition("/")[0].count(".") > 0 or "/" not in name
    place = name.translate(str.maketrans("./", "/.")) if dotted else name
    if ".." in place.split("/"):
        raise StateFailedError(f"{name!r} is not the name of a kernel parameter")
    return place


FUNCTIONS: Final = by_name(assign, default_config, get, persist, show)
