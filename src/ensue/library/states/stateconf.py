"""State module `stateconf`: values for the renderer `stateconf`; the states themselves do nothing.

Source: Salt's state module `stateconf`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data


def set_values(ctx: StateContext, name: str, **kwargs: Data) -> StateReturn:  # read by the renderer
    """Set values for the templates of the SLS; the renderer `stateconf` reads them.

    Args:
        name: the state's name.
        **kwargs: the values.

    Example:
        defaults:
          stateconf.set:
            - port: 8080
    """
    return StateReturn(name=name, result=True)


FUNCTIONS: Final = by_name(context=set_values, set=set_values)
