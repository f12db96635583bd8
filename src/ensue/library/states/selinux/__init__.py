"""State module `selinux`: mode, booleans, modules, file contexts and ports of SELinux.

Notes:
    `selinux.mode` and `fcontext_policy_applied` need a kernel with SELinux.

Differences from Salt:
    `selinux.module` reports its `changes`.

Source: Salt's state module `selinux`, 3008: arguments, results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.states.selinux.boolean import boolean
from ensue.library.states.selinux.fcontext import (
    fcontext_policy_absent,
    fcontext_policy_applied,
    fcontext_policy_present,
)
from ensue.library.states.selinux.mode import mode
from ensue.library.states.selinux.module import module, module_install, module_remove
from ensue.library.states.selinux.port import port_policy_absent, port_policy_present

if TYPE_CHECKING:
    from ensue.core.model.returns import Return

FUNCTIONS: Final = by_name(
    boolean, fcontext_policy_absent, fcontext_policy_applied, fcontext_policy_present, mode, module,
    module_install, module_remove, port_policy_absent, port_policy_present,
    make_only=(),
)  # fmt: skip
ABSENT: Final = {
    "fcontext_policy_present": "fcontext_policy_absent",
    "module_install": "module_remove",
    "port_policy_present": "port_policy_absent",
}


def _policies(returned: Return) -> list[str]:
    """Return what a state is about: a policy, also where its name is a path."""
    return [f"{returned.name} ({returned.function.partition('_')[0]})"]


THINGS: Final = _policies
