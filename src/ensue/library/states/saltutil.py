"""State module `saltutil`: the functions `sync_…`, which always succeed because there is nothing to copy.

ensue reads `_modules`, `_states` and similar folders directly from the file roots.

Source: Salt's state module `saltutil`, 3008: names and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data

_KINDS: Final = (
    "all", "beacons", "clouds", "engines", "executors", "grains", "log_handlers", "matchers", "modules",
    "output", "outputters", "pillar", "proxymodules", "renderers", "resources", "returners", "sdb",
    "serializers", "states", "thorium", "tops", "utils", "wrapper",
)  # fmt: skip


_DOCSTRING: Final = """Hold: there is nothing to copy of {kind}.

Args:
    name: the state's name.
    **kwargs: arguments of Salt's function, which have no effect.

Example:
    sync:
      saltutil.sync_{kind}
"""


def _sync(kind: str) -> Callable[..., StateReturn]:
    @also_takes("saltenv", "refresh", "clean_pillar_cache", "extmod_whitelist", "extmod_blacklist")
    def sync(ctx: StateContext, name: str, **kwargs: Data) -> StateReturn:
        return StateReturn.unchanged(name, "No updates to sync")

    sync.__doc__ = _DOCSTRING.format(kind=kind)
    return sync


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {f"sync_{kind}": _sync(kind) for kind in _KINDS}
