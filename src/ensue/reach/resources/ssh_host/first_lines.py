"""What the script of every command begins with: no startup files, `cmd_umask`, `set_path`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.reach.resources.command_script import quote

if TYPE_CHECKING:
    from ensue.reach.resources.ssh_host.settings import SshSettings

_NO_STARTUP_FILES: Final = "unset BASH_ENV CDPATH ENV\nexport SHLVL=1"
"""The login shell has read its startup files. A bash within a command would read its own unless it is told
that it is not the first shell of the session, and the files may have set variables that name files for it."""


def first_lines(settings: SshSettings) -> str:
    """Return the lines that precede a command in its script."""
    lines = [_NO_STARTUP_FILES]
    if settings.umask is not None:
        lines.append(f"umask {settings.umask:04o}")
    if settings.path:
        path = '"$PATH"'.join(map(quote, settings.path))
        lines.append(f"PATH={path}; export PATH")
    return "\n".join(lines)
