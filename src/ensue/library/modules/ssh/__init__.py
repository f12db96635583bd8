"""Execution module `ssh`: the target's authorized keys, known hosts and own keys.

Args:
    user: the user.
    **kwargs: accepted as by Salt, without effect.

Source: Salt's execution module `ssh`, 3008: names and return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.ssh.authorized import (
    auth_keys,
    check_key,
    check_key_file,
    rm_auth_key,
    rm_auth_key_from_file,
    set_auth_key,
    set_auth_key_from_file,
)
from ensue.library.modules.ssh.known_hosts import (
    check_known_host,
    get_known_host_entries,
    hash_known_hosts,
    recv_known_host_entries,
    rm_known_host,
    set_known_host,
)
from ensue.library.modules.ssh.own_keys import host_keys, user_keys

FUNCTIONS: Final = by_name(
    auth_keys, check_key, check_key_file, check_known_host, get_known_host_entries,
    hash_known_hosts, host_keys, recv_known_host_entries, rm_auth_key, rm_auth_key_from_file,
    rm_known_host, set_auth_key, set_auth_key_from_file, set_known_host, user_keys,
)  # fmt: skip
