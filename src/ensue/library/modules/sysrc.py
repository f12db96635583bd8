"""Execution module `sysrc`: variables of FreeBSD's rc.conf, through the target's `sysrc`.

Source: Salt's execution module `sysrc`, 3006, and sysrc(8): names, arguments and return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_CHANGE: Final = " -> "


async def get(
    ctx: FunctionContext, name: str | None = None, **kwargs: Any
) -> dict[str, dict[str, str]] | None:
    """Return variables by file, None if there are none.

    Args:
        name: the variable; None for all that are set.
        **kwargs: `file`: the file to read; `jail`: the jail whose files to read; `includeDefaults`: include
            the system's defaults.

    Raises:
        StateFailedError: the target has no program `sysrc`.
    """
    words = ["-A" if kwargs.get("includeDefaults") else "-a"] if name is None else []
    which = [_checked(name)] if name is not None else []
    answer = await ask(ctx, "sysrc", "-v", *_place(kwargs), *words, *which)
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `sysrc`; it is part of FreeBSD")
    return (_read(answer.stdout) or None) if answer.is_success else None


async def set_(ctx: FunctionContext, name: str, value: Any, **kwargs: Any) -> dict[str, dict[str, str]]:
    """Set a variable and return its new value, by file.

    Args:
        name: the variable.
        value: its value; a boolean becomes YES or NO.
        **kwargs: see `get`.

    Example:
        ensue call '*' sysrc.set sshd_enable 'YES'

    Raises:
        StateFailedError: sysrc refuses it.
    """
    pair = f"{_checked(name)}={shown(value)}"
    answer = await must(ctx, "sysrc", "-v", *_place(kwargs), pair, what=f"set {name}")
    return _read(answer.stdout)


async def remove(ctx: FunctionContext, name: str, **kwargs: Any) -> str:
    """Remove a variable.

    Args:
        name: the variable.
        **kwargs: see `get`.

    Example:
        ensue call '*' sysrc.remove sshd_enable

    Raises:
        StateFailedError: sysrc refuses it.
    """
    await must(ctx, "sysrc", "-v", *_place(kwargs), "-x", _checked(name), what=f"remove {name}")
    return f"{name} removed"


def shown(value: Any) -> str:
    """Return a value as written in rc.conf."""
    if isinstance(value, bool):
        return "YES" if value else "NO"
    return str(value)


def _checked(name: str) -> str:
    if not name.replace("_", "a").isalnum() or not name.isascii():
        raise StateFailedError(f"{name!r} is not the name of an rc.conf variable")
    return name


def _place(kwargs: dict[str, Any]) -> list[str]:
    words = ["-f", str(kwargs["file"])] if kwargs.get("file") else []
    return [*words, "-j", str(kwargs["jail"])] if kwargs.get("jail") else words


def _read(text: str) -> dict[str, dict[str, str]]:
    """Parse lines `FILE: NAME: VALUE`, and `FILE: NAME: OLD -> NEW` for variables that were set."""
    settings: dict[str, dict[str, str]] = {}
    for line in file_lines(text):
        file, first, rest = line.partition(": ")
        name, second, value = rest.partition(": ")
        if not (first and second):
            name, second, value = rest.partition(":")
        if first and second:
            settings.setdefault(file, {})[name] = value.partition(_CHANGE)[2] or value.strip()
    return settings


FUNCTIONS: Final = by_name(get, remove, set_)
