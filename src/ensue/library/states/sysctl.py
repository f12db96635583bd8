"""State module `sysctl`: kernel parameters of the target, now and after a reboot.

Notes:
    A kernel parameter that does not exist, or that the kernel refuses, is not written to the file, unless
    `ignore` is set.

Differences from Salt:
    Salt writes the file first, and so also parameters that do not exist or are refused.

Source: Salt's state module `sysctl`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


async def present(
    ctx: StateContext, name: str, value: str | float | bool, config: str | None = None, ignore: bool = False
) -> StateReturn:
    """Set a kernel parameter, now and after a reboot.

    Args:
        name: the parameter.
        value: its value.
        config: the file to write it to; by default the one that the target reads.
        ignore: if the running kernel lacks or rejects the parameter, only write the file.

    Example:
        vm.swappiness:
          sysctl.present:
            - value: 10

    Returns:
        `changes` has the parameter with its value; `new_state` has `name value config`.

    Raises:
        StateFailedError: the name is not that of a parameter.
    """
    text = str(int(value) if isinstance(value, bool) else value)
    path = config or await ctx.call("sysctl.default_config")
    running: str = await ctx.call("sysctl.get", name)
    kept: str | None = (await ctx.call("sysctl.show", config_file=path)).get(name)
    runs, is_kept = running.split() == text.split(), (kept or "").split() == text.split()
    new_state = {"name": name, "value": text, "config": path}
    if is_kept and (runs or (ignore and not running)):
        return StateReturn.unchanged(name, f"Sysctl value {name} = {text} is already set", new_state)
    if ctx.test:
        return StateReturn.planned(name, f"Sysctl option {name} set to be changed to {text}")
    if not runs:
        try:
            await ctx.call("sysctl.assign", name, text)
        except StateFailedError as error:
            if not ignore:
                return StateReturn.failed(name, f"Failed to set {name} to {text}: {error}")
    await ctx.call("sysctl.persist", name, text, config=path)
    shown = value if isinstance(value, (int, float)) else text
    comment = f"Updated sysctl value {name} = {text}"
    return StateReturn.changed(
        name, comment, {name: shown}, new_state, old_state={"name": name, "value": running, "config": path}
    )


FUNCTIONS: Final = by_name(present, make_only=("paths",))
