"""`salt.utils.platform`: the operating system of this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ensue.language.salt_names.absent import not_there

if TYPE_CHECKING:
    from collections.abc import Callable


def _is(*prefixes: str) -> Callable[[], bool]:
    """Return a function that returns whether Python's name of the system begins with one of some texts."""
    return lambda: sys.platform.startswith(prefixes)


is_linux = _is("linux")
is_windows = _is("win")
is_darwin = _is("darwin")
is_sunos = _is("sunos")
is_freebsd = _is("freebsd")
is_netbsd = _is("netbsd")
is_openbsd = _is("openbsd")
is_aix = _is("aix")
is_proxy = is_smartos = _is()
"""ensue is no proxy minion, and does not run on SmartOS."""

__getattr__ = not_there(__name__)
