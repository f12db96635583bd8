"""What Salt gives to a file that it loads, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class SaltMinion(msgspec.Struct, frozen=True, kw_only=True):
    """The Salt around a call.

    Args:
        opts: the options of the minion, with its pillar and grains: `__opts__`.
        functions: the execution functions of the minion: `__salt__`.
        context: what calls of one job share: `__context__`.
    """

    opts: Mapping[str, Any]
    functions: Mapping[str, Callable[..., Any]] = {}
    context: dict[str, Any] = {}

    @classmethod
    def of(cls, scope: Mapping[str, Any]) -> SaltMinion:
        """Return the Salt around a call.

        Args:
            scope: the globals of the loaded file that is called.
        """
        return cls(opts=scope["__opts__"], functions=scope["__salt__"], context=scope["__context__"])
