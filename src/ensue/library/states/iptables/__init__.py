"""State module `iptables`: rules, chains and policies of the packet filter.

Notes:
    `save` compares the file with the kernel and writes it only if they differ. `iptables.delete` with
    `position` removes the rule at that position on each run.

Differences from Salt:
    `iptables.flush` leaves a chain without rules alone, and so changes nothing the second time.

Source: Salt's state module `iptables`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.states.iptables.chains import chain_absent, chain_present, flush, set_policy
from ensue.library.states.iptables.rules import append, delete, insert

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "append": append,
    "chain_absent": chain_absent,
    "chain_present": chain_present,
    "delete": delete,
    "flush": flush,
    "insert": insert,
    "set_policy": set_policy,
}
