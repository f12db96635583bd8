"""`MinionConnection`: this machine, or a folder of it, as a target.

Files are in `files`, processes in `processes.runner`; this module determines the shell, folder, environment
and user of a `Command`.
"""

from __future__ import annotations

import errno
import os
import pwd
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.connection import Completed
from ensue.core.contracts.shells import shell_argv
from ensue.core.errors import AuthenticationError, RemoteError, RemoteTimeoutError
from ensue.core.model.numbers import whole_number
from ensue.reach.processes.runner import Launch, run_once
from ensue.reach.resources.faults import FileFaults
from ensue.reach.resources.minion.accounts import current_user, home_folder
from ensue.reach.resources.minion.confine import Confinement
from ensue.reach.resources.minion.files import MinionFiles
from ensue.reach.resources.minion.simple_lines import program_of

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Command
    from ensue.core.contracts.leftovers import LeftoverNotes
    from ensue.core.model.srn import Srn

ROOT_VARIABLE: Final = "ENSUE_ROOT"
"""The variable with the folder that contains the target's paths; empty for the whole machine."""

_ROOT_NAME: Final = ROOT_VARIABLE.encode()
_NOT_FOUND: Final = 127
_NOT_EXECUTABLE: Final = 126


class MinionConnection(MinionFiles):
    """This machine as a target.

    Args:
        srn: its name.
        root: absolute path of the folder that contains all its file paths; `/`: the whole machine.
        leftovers: where temporary files are recorded; None: nowhere.
    """

    def __init__(self, srn: Srn, *, root: str = "/", leftovers: LeftoverNotes | None = None) -> None:
        super().__init__(srn, Confinement(root), leftovers)

    @property
    def can_run(self) -> bool:
        """Always: this machine runs commands."""
        return True

    @property
    def root(self) -> str:
        """The folder that contains the paths, without symlinks; empty for the whole machine."""
        return self._confinement.root

    async def run(self, command: Command) -> Completed:
        """Run a command to its end.

        For a program that is missing or cannot be executed, the exit code is 127 or 126, as in a shell.

        Raises:
            RemoteTimeoutError: it did not end in time, and was ended with everything it started.
            RemoteFileError: the folder to run in does not exist.
            AuthenticationError: ensue may not become that user.
            CommandInputError: its input cannot be read.
            RemoteError: the user does not exist, or the system cannot start a process.
        """
        try:
            launch = self._launch(command)
        except ValueError as fault:
            raise self._unfit(fault) from fault
        try:
            if launch.executable is not None:
                try:
                    return await run_once(launch)
                except (OSError, ValueError) as fault:
                    if isinstance(fault, TimeoutError | RemoteError):
                        raise
                    # A shell may run what the system cannot execute (a script without an interpreter line).
                    launch = self._launch(command, needs_shell=True)
            return await run_once(launch)
        except RemoteError:
            raise  # Of the input, which may come from another target.
        except TimeoutError:
            raise self._timed_out(command) from None
        except OSError as fault:
            return self._not_started(launch, fault)
        except ValueError as fault:
            raise self._unfit(fault) from fault

    def _timed_out(self, command: Command) -> RemoteTimeoutError:
        limit_s = command.timeout_s or 0.0
        message = f"a command on {self._srn} did not end within {limit_s:g} s; it was ended (see its timeout)"
        return RemoteTimeoutError(message, target=str(self._srn), timeout_s=limit_s)

    async def close(self) -> None:
        """Do nothing: running commands continue to their end."""

    def _unfit(self, fault: ValueError) -> RemoteError:
        """Return the error for a command that cannot be passed to the system (a NUL byte)."""
        message = f"a command for {self._srn} cannot be started: {fault}"
        return RemoteError(message, target=str(self._srn))

    def _launch(self, command: Command, *, needs_shell: bool = False) -> Launch:
        line = command.shell_line
        if (line is None) == (command.argv is None):
            raise RemoteError("a command is either a shell line or an argv", target=str(self._srn))
        account = self._account(command.user)
        env = self._environment(command, account)
        cwd = self._folder(command.cwd, account)
        become = account is not None and account.pw_uid != os.geteuid()
        argv: list[bytes]
        program: bytes | None = None
        if line is None:
            argv = [os.fsencode(part) for part in command.argv or ()]
        elif account is None and not needs_shell and (program := program_of(line, command.shell, env)):
            argv = line.encode().split()
            env[b"PWD"] = os.fsencode(cwd)  # As a shell sets it.
        else:
            argv = [os.fsencode(word) for word in shell_argv(command.shell, line)]
        listener = command.listener
        if not argv:
            raise RemoteError("a command's argv is empty", target=str(self._srn))
        return Launch(
            argv,
            cwd,
            env,
            command.stdin,
            account.pw_uid if account and become else None,
            account.pw_gid if account and become else None,
            os.getgrouplist(account.pw_name, account.pw_gid) if account and become else None,
            -1 if command.umask is None else command.umask,
            program,
            command.timeout_s,
            on_start=command.on_start,
            on_output=listener.output if listener is not None else None,
            on_errors=listener.errors if listener is not None else None,
        )

    def _account(self, user: str | None) -> pwd.struct_passwd | None:
        if user is None:
            return None
        try:
            number = whole_number(user)
            account = pwd.getpwnam(user) if number is None else pwd.getpwuid(number)
        except KeyError:
            raise RemoteError(f"there is no user `{user}` on {self._srn}", target=str(self._srn)) from None
        if account.pw_uid != os.geteuid() and os.geteuid() != 0:
            message = (
                f"cannot run as `{user}` on {self._srn}: ensue runs as `{current_user()}` "
                "(only root may become another user)"
            )
            raise AuthenticationError(message, target=str(self._srn))
        return account

    def _environment(self, command: Command, account: pwd.struct_passwd | None) -> dict[bytes, bytes]:
        # As bytes, since decoding and encoding all of it again would be a tenth of a short command's cost.
        env = {} if command.clean_env else dict(os.environb)
        env[_ROOT_NAME] = os.fsencode(self.root)
        if account is None and not command.env:
            return env
        changes: dict[str, str | None] = {}
        if account is not None:
            changes |= {"HOME": account.pw_dir, "USER": account.pw_name, "LOGNAME": account.pw_name}
        for name, value in (changes | dict(command.env or {})).items():
            if value is None:
                env.pop(os.fsencode(name), None)
            else:
                env[os.fsencode(name)] = os.fsencode(value)
        return env

    def _folder(self, cwd: str | None, account: pwd.struct_passwd | None) -> str:
        if cwd is not None:
            with FileFaults(self._srn, "run in", cwd):
                return self._confinement.real(cwd)
        if self.root:
            return self.root
        if account is None:
            return home_folder()
        return account.pw_dir if os.path.isdir(account.pw_dir) else "/"  # noqa: PTH112 (a string)

    def _not_started(self, launch: Launch, fault: OSError) -> Completed:
        with FileFaults(self._srn, "run in", self._confinement.shown(launch.cwd)):
            # Popen reports a missing folder and a missing program alike.
            os.stat(launch.cwd)  # noqa: PTH116 (a string)
            if not os.path.isdir(launch.cwd):  # noqa: PTH112 (a string)
                raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        program = os.fsdecode(launch.argv[0])
        text = f"{program}: {fault.strerror}\n".encode("utf-8", "surrogateescape")
        if fault.errno in {errno.ENOENT, errno.ENOTDIR}:
            return Completed(returncode=_NOT_FOUND, stdout=b"", stderr=text)
        if fault.errno in {errno.EACCES, errno.ENOEXEC, errno.E2BIG, errno.EISDIR, errno.ELOOP}:
            return Completed(returncode=_NOT_EXECUTABLE, stdout=b"", stderr=text)
        message = f"{self._srn} cannot start a process: {fault.strerror or fault}"
        raise RemoteError(message, target=str(self._srn)) from fault
