"""`salt.utils.versions`: comparison of versions."""

from __future__ import annotations

import operator
import re
from typing import TYPE_CHECKING, Any, Final

from ensue.language.salt_names.absent import not_there

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_OPERATORS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "==": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "!=": operator.ne,
}


class LooseVersion:
    """A version of numbers and letters, in natural order.

    Args:
        vstring: the version as text.
    """

    def __init__(self, vstring: Any = "") -> None:
        self.vstring = str(vstring)
        self.version: list[int | str] = [
            int(part) if part.isdigit() else part
            for part in re.split(r"(\d+|[a-z]+|\.)", self.vstring)
            if part and part != "."
        ]

    def _key(self) -> tuple[tuple[int, int | str], ...]:
        # Numbers sort after letters, so 1.0rc1 is before 1.0.1.
        return tuple((1, part) if isinstance(part, int) else (0, part) for part in self.version)

    def __str__(self) -> str:
        return self.vstring

    def __repr__(self) -> str:
        return f"LooseVersion ('{self.vstring}')"

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other: object) -> bool:
        return self._key() == _version(other)._key()

    def __lt__(self, other: object) -> bool:
        return self._key() < _version(other)._key()

    def __le__(self, other: object) -> bool:
        return self._key() <= _version(other)._key()

    def __gt__(self, other: object) -> bool:
        return self._key() > _version(other)._key()

    def __ge__(self, other: object) -> bool:
        return self._key() >= _version(other)._key()


class StrictVersion(LooseVersion):
    """A version of two or three numbers."""


Version = LooseVersion


def version_cmp(pkg1: Any, pkg2: Any, ignore_epoch: bool = False) -> int | None:
    """Compare two versions: -1 if the first is older, 0 if they are equal, 1 if it is newer."""
    first, second = (
        LooseVersion(str(version).rpartition(":")[2] if ignore_epoch else version) for version in (pkg1, pkg2)
    )
    return (first > second) - (first < second)


def compare(
    ver1: Any = "",
    oper: str = "==",
    ver2: Any = "",
    cmp_func: Callable[..., int | None] | None = None,
    ignore_epoch: bool = False,
) -> bool:
    """Return whether a comparison of two versions holds (`>=`, …)."""
    order = (cmp_func or version_cmp)(ver1, ver2, ignore_epoch=ignore_epoch)
    return order is not None and _OPERATORS["==" if oper == "=" else oper](order, 0)


def compare_versions(**kwargs: Any) -> bool:
    """Return whether a comparison of two versions holds; the old name of `compare`."""
    return compare(**kwargs)


def warn_until(version: Any, message: str, *_args: Any, **_kwargs: Any) -> None:
    """Do nothing: deprecations in Salt concern its developers only."""
    del version, message


def kwargs_warn_until(kwargs: Any, version: Any, *_args: Any, **_options: Any) -> None:
    """Do nothing: deprecations in Salt concern its developers only."""
    del kwargs, version


def _version(value: Any) -> LooseVersion:
    return value if isinstance(value, LooseVersion) else LooseVersion(value)


__getattr__ = not_there(__name__)
