"""`salt.utils.odict`: mappings that keep their order, as all mappings in Python 3 do."""

from __future__ import annotations

import copy
from collections import OrderedDict
from typing import TYPE_CHECKING, Any

from ensue.language.salt_names.absent import not_there

if TYPE_CHECKING:
    from collections.abc import Callable


class DefaultOrderedDict(OrderedDict[Any, Any]):
    """An ordered mapping that creates missing values.

    Args:
        default_factory: creates a missing value.
        a: the content, as for `dict`.
        kw: the content, as for `dict`.
    """

    def __init__(self, default_factory: Callable[[], Any] | None = None, *a: Any, **kw: Any) -> None:
        super().__init__(*a, **kw)
        self.default_factory = default_factory

    def __missing__(self, key: Any) -> Any:
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = made = self.default_factory()
        return made

    def copy(self) -> DefaultOrderedDict:
        """Return a copy."""
        return type(self)(self.default_factory, self)

    def __copy__(self) -> DefaultOrderedDict:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> DefaultOrderedDict:
        return type(self)(self.default_factory, copy.deepcopy(list(self.items()), memo))


__all__ = ["DefaultOrderedDict", "OrderedDict"]

__getattr__ = not_there(__name__)
