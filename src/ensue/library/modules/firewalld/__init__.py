"""Execution module `firewalld`: zones and services of firewalld, with its program `firewall-cmd`.

Args:
    zone: the zone.

Source: Salt's execution module `firewalld`, 3008: names, arguments and return values; firewall-cmd(1).
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.firewalld import rules, zones

FUNCTIONS: Final = by_name(rules.OFFERED, zones.OFFERED)
