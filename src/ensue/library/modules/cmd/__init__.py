"""Execution module `cmd`: commands on the target and programs in its PATH.

Source: Salt's execution module `cmd`, 3008: return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.cmd.code import exec_code, exec_code_all
from ensue.library.modules.cmd.programs import has_exec, shells, which, which_bin
from ensue.library.modules.cmd.run import retcode, run, run_all, run_bg, run_stderr, run_stdout, shell
from ensue.library.modules.cmd.script import script, script_retcode

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "exec_code": exec_code,
    "exec_code_all": exec_code_all,
    "has_exec": has_exec,
    "retcode": retcode,
    "run": run,
    "run_all": run_all,
    "run_bg": run_bg,
    "run_stderr": run_stderr,
    "run_stdout": run_stdout,
    "script": script,
    "script_retcode": script_retcode,
    "shell": shell,
    "shells": shells,
    "which": which,
    "which_bin": which_bin,
}
