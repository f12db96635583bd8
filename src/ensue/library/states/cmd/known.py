"""Arguments of the functions of `cmd` that are not in their signatures.

Source: Salt's execution function `cmd.run_all`, 3008, which gets them from the states.
"""

from __future__ import annotations

from typing import Final

FURTHER: Final = frozenset({
    "bg", "clean_env", "cmd_opts_exclude", "encoded_cmd", "group", "hide_output", "ignore_retcode",
    "log_callback", "loglevel", "output_encoding", "output_loglevel", "password", "pillar", "pillarenv",
    "prepend_path", "python_shell", "quiet", "redirect_stderr", "reset_system_locale", "root", "rstrip",
    "runas_password", "saltenv", "shell", "stdin", "stdin_raw_newlines", "success_retcodes",
    "success_stderr", "success_stdout", "template", "use_vt", "windows_codepage",
})  # fmt: skip
"""Arguments of a command; those that concern only Salt itself have no effect."""

OF_RUN: Final = FURTHER | {
    "cwd", "env", "ignore_timeout", "runas", "stateful", "timeout", "umask",
}  # fmt: skip
"""All arguments of a command, for functions that only pass them on."""

OF_SCRIPT: Final = OF_RUN | {"args", "context", "defaults", "source"}

OUTDATED: Final = {"user": "runas"}
"""Arguments of earlier releases of Salt."""
