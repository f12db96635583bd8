"""Execution module `iptables`: the kernel's packet filter, and the rules that are saved for the next boot.

Args:
    table: the table.
    chain: the chain.
    family: `ipv4` or `ipv6`.
    rule: the rule, as `iptables.build_rule` returns it.

Source: Salt's execution module `iptables`, 3008: names, arguments and return values; iptables(8).
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.iptables.chains import (
    check_chain,
    delete_chain,
    flush,
    get_policy,
    new_chain,
    set_policy,
)
from ensue.library.modules.iptables.program import version
from ensue.library.modules.iptables.rule_words import build_rule
from ensue.library.modules.iptables.rules import append, check, delete, insert
from ensue.library.modules.iptables.saved import get_rules, get_saved_policy, get_saved_rules, is_saved, save

FUNCTIONS: Final = by_name(
    append, build_rule, check, check_chain, delete, delete_chain, flush, get_policy, get_rules,
    get_saved_policy, get_saved_rules, insert, is_saved, new_chain, save, set_policy, version,
)  # fmt: skip
