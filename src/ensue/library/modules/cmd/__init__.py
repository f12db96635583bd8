"""Execution module `cmd`: commands on the target and programs in its PATH.

Source: Salt's execution module `cmd`, 3008: return values.
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.cmd.code import exec_code, exec_code_all
from ensue.library.modules.cmd.programs import has_exec, shells, which, which_bin
from ensue.library.modules.cmd.run import retcode, run, run_all, run_bg, run_stderr, run_stdout, shell
from ensue.library.modules.cmd.script import script, script_retcode

FUNCTIONS: Final = by_name(
    exec_code, exec_code_all, has_exec, retcode, run, run_all, run_bg, run_stderr, run_stdout,
    script, script_retcode, shell, shells, which, which_bin,
)  # fmt: skip
