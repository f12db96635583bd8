"""Execution module `selinux`: mode, booleans, modules, file contexts and ports of SELinux.

Source: Salt's execution module `selinux`, 3008: names and return values;
semanage(8), semodule(8), restorecon(8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.selinux import booleans, enforcing, file_contexts, policy_modules, ports

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    **enforcing.OFFERED,
    **booleans.OFFERED,
    **policy_modules.OFFERED,
    **file_contexts.OFFERED,
    **ports.OFFERED,
}
