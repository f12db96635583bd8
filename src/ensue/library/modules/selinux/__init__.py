"""Execution module `selinux`: mode, booleans, modules, file contexts and ports of SELinux.

Source: Salt's execution module `selinux`, 3008: names and return values;
semanage(8), semodule(8), restorecon(8).
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.selinux import booleans, enforcing, file_contexts, policy_modules, ports

FUNCTIONS: Final = by_name(
    enforcing.OFFERED, booleans.OFFERED, policy_modules.OFFERED, file_contexts.OFFERED, ports.OFFERED
)
