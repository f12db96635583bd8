"""What `watch` means for packages: the function is called once more.

Source: Salt's state module `pkg`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.library.states.pkg.installed import installed
from ensue.library.states.pkg.latest import latest
from ensue.library.states.pkg.removed import purged, removed

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.returns import StateReturn

_CALLED_AGAIN: Final[dict[str, Callable[..., Any]]] = {
    "installed": installed,
    "latest": latest,
    "purged": purged,
    "removed": removed,
}


async def mod_watch(ctx: StateContext, name: str, sfun: str = "installed", **kwargs: Any) -> StateReturn:
    """Call the function again because a watched state has changes.

    Args:
        name: the state's name.
        sfun: name of the state function.
        **kwargs: its arguments.

    Raises:
        StateFailedError: the function does not support `watch`.
    """
    function = _CALLED_AGAIN.get(sfun)
    if function is None:
        raise StateFailedError(f"pkg.{sfun} does not work with the watch requisite")
    returned: StateReturn = await function(ctx, name, **kwargs)
    return returned
