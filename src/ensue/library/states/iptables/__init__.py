"""State module `iptables`: rules, chains and policies of the packet filter.

Notes:
    `save` compares the file with the kernel and writes it only if they differ. `iptables.delete` with
    `position` removes the rule at that position on each run.

Differences from Salt:
    `iptables.flush` leaves a chain without rules alone, and so changes nothing the second time.

Source: Salt's state module `iptables`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.iptables.chains import chain_absent, chain_present, flush, set_policy
from ensue.library.states.iptables.rules import append, delete, insert

FUNCTIONS: Final = by_name(
    append, chain_absent, chain_present, delete, flush, insert, set_policy, make_only=("paths",)
)
ABSENT: Final = {"append": "delete", "chain_present": "chain_absent", "insert": "delete"}
