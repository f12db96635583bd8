"""Changes users: one function per attribute (`chuid`, `chhome`, `chfullname`, …)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.library.modules._programs import must
from ensue.library.modules.user.queries import GECOS, info

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ensue.core.contracts.context import FunctionContext

    Change = Callable[[FunctionContext, str, Any], Awaitable[bool]]


async def chhome(ctx: FunctionContext, name: str, home: str, persist: bool = False) -> bool:
    """Change a user's home folder.

    Args:
        name: the user.
        home: the new folder.
        persist: move the content of the old folder there.

    Example:
        ensue call '*' user.chhome alice /srv/alice

    Raises:
        StateFailedError: the home folder could not be changed.
    """
    options = ["-m"] if persist else []
    await must(ctx, "usermod", "-d", home, *options, "--", name, what=f"change the home folder of {name}")
    return True


async def chgroups(
    ctx: FunctionContext, name: str, groups: str | Sequence[str], append: bool = False
) -> bool:
    """Change a user's supplementary groups.

    Args:
        name: the user.
        groups: the group names, as a list or separated by commas.
        append: keep the groups that the user is already in.

    Example:
        ensue call '*' user.chgroups alice staff

    Raises:
        StateFailedError: the groups could not be changed.
    """
    joined = groups if isinstance(groups, str) else ",".join(groups)
    options = ["-a"] if append else []
    await must(ctx, "usermod", *options, "-G", joined, "--", name, what=f"change the groups of {name}")
    return True


_DOCSTRING: Final = """Change {what} of a user.

Args:
    name: the user.
    value: the new value.

Example:
    ensue call '*' user.chfullname alice {value}
"""


def _attribute(option: str, what: str, value: str) -> Change:
    async def change(ctx: FunctionContext, name: str, value: Any) -> bool:
        await must(ctx, "usermod", option, str(value), "--", name, what=f"change {what} of {name}")
        return True

    change.__doc__ = _DOCSTRING.format(what=what, value=value)
    return change


def _comment_part(part: str) -> Change:
    async def change(ctx: FunctionContext, name: str, value: Any) -> bool:
        account = await info(ctx, name)
        if not account:
            raise StateFailedError(f"there is no user {name} on {ctx.srn}")
        texts = [str(value if each == part else account[each]) for each in GECOS]
        comment = ",".join(texts).rstrip(",")
        await must(ctx, "usermod", "-c", comment, "--", name, what=f"change the {part} of {name}")
        return True

    change.__doc__ = _DOCSTRING.format(what=f"the {part}", value="'Alice Doe'")
    return change


CHANGES: Final = by_name(
    chgroups, chhome,
    {f"ch{part}": _comment_part(part) for part in GECOS},
    chgid=_attribute("-g", "the primary group", "www-data"),
    chshell=_attribute("-s", "the shell", "/bin/bash"),
    chuid=_attribute("-u", "the user id", "1500"),
)  # fmt: skip
