"""What an apply enforced of one state, kept for references of later runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from ensue.model.data import Data


class EnforcedState(msgspec.Struct, frozen=True, kw_only=True):
    """What an apply enforced of one state.

    Args:
        tag: the chunk's tag.
        module: the state's module path (`cloud.instance`).
        function: the function in it (`present`).
        id: the declaration's ID.
        name: the state's name.
        sls: the SLS it stood in.
        new_state: what the thing was when that apply ended; secrets in the clear.
        sensitive: colon paths into `new_state` whose values are secrets.
    """

    tag: str
    module: str
    function: str
    id: str
    name: str
    sls: str
    new_state: Data
    sensitive: tuple[str, ...] = ()
