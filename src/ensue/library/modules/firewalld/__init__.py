"""Execution module `firewalld`: zones and services of firewalld, with its program `firewall-cmd`.

Source: Salt's execution module `firewalld`, 3008: names, arguments and return values; firewall-cmd(1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.firewalld import rules, zones

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {**rules.OFFERED, **zones.OFFERED}
