"""`file.shortcut`: refused, because only Windows has shortcuts and no target of ensue runs it.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data


@also_takes(
    "arguments", "backupname", "description", "force", "icon_location", "makedirs", "user", "working_dir"
)
def shortcut(ctx: StateContext, name: str, target: str, **kwargs: Data) -> NoReturn:
    """Refuse to make a shortcut.

    Args:
        name: path of the shortcut.
        target: what it points to.
        **kwargs: other arguments of Salt's function.

    Raises:
        StateFailedError: always.
    """
    del ctx, name, target, kwargs
    raise StateFailedError("Shortcuts are only supported on Windows (file.symlink makes a symlink)")
