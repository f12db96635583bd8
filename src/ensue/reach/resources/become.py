"""Runs scripts as another user of a host: directly, through su (when logged in as root) or through sudo.

The method is determined once per user. Sudo never prompts on a terminal: either it requires no password, or
it gets `sudo_password` on standard input, before anything else, and never on a command line.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from ensue.core.errors import AuthenticationError, RemoteError
from ensue.reach.resources.client_process import quoted_end
from ensue.reach.resources.command_script import quote, shell_word

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ensue.core.contracts.connection import Completed
    from ensue.core.model.srn import Srn


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How scripts run as a user.

    Args:
        kind: directly, through su, through sudo without or with a password.
        user: the user in the form that su or sudo expects; for sudo quoted for the shell.
    """

    kind: Literal["direct", "su", "sudo", "sudo_with_password"]
    user: str


_ASK = """
name=$(id -un -- {user} 2>/dev/null || id -un {user} 2>/dev/null || {by_number}) ||
  {{ echo unknown; exit 0; }}
if [ "$(id -un)" = "$name" ]; then echo direct
elif [ "$(id -u)" = 0 ]; then echo "su $name"
elif ! command -v sudo >/dev/null; then echo missing
elif sudo -n -H -u {sudo_user} -- /bin/sh -c true >/dev/null; then echo sudo
else echo refused; fi
"""
"""It tries the same command line that is sent later, because a rule of sudoers may name the shell."""

_BY_NUMBER = r"sed -n 's/^\([^:]*\):[^:]*:{user}:.*/\1/p' /etc/passwd | grep -m 1 ."
"""For the `id` of busybox, which accepts only names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """A script, and the bytes to send before the standard input of the command.

    Args:
        script: for a POSIX shell.
        stdin_first: the bytes; empty for none.
    """

    script: str
    stdin_first: bytes = b""


class Becoming:
    """Determines and remembers how to run scripts as the users of one host.

    Args:
        srn: the host's name.
        password: password for sudo; empty if there is none.
        send: runs a script on the host as the user logged in, with the given standard input.
    """

    def __init__(self, srn: Srn, password: str, send: Callable[[str, bytes], Awaitable[Completed]]) -> None:
        self._srn = srn
        self._password = password
        self._send = send
        self._ways: dict[str, Way] = {}

    async def errand(self, script: str, user: str) -> Errand:
        """Return a script that runs another one as a user.

        Raises:
            AuthenticationError: sudo refuses.
            RemoteError: the user does not exist.
        """
        way = self._ways.get(user)
        if way is None:
            way = self._ways[user] = await self._ask(user)
        match way.kind:
            case "direct":
                return Errand(script=script)
            case "su":
                return Errand(script=f"exec su -s /bin/sh -c {quote(script)} {quote(way.user)}")
            case "sudo":
                return Errand(script=f"exec sudo -n -H -u {way.user} -- {shell_word(script)}")
            case "sudo_with_password":
                # -k: with a recent ticket, the password would be left to the command's own input.
                line = f"exec sudo -S -k -p '' -H -u {way.user} -- {shell_word(script)}"
                return Errand(script=line, stdin_first=self._password.encode() + b"\n")
            case _:
                assert_never(way.kind)

    async def _ask(self, user: str) -> Way:
        sudo_user = quote(f"#{user}" if user.isdecimal() else user)
        by_number = _BY_NUMBER.format(user=user) if user.isdecimal() else "false"
        done = await self._send(_ASK.format(user=quote(user), sudo_user=sudo_user, by_number=by_number), b"")
        answer, _, name = done.stdout.decode("utf-8", "replace").strip().rpartition("\n")[2].partition(" ")
        match answer:
            case "direct" | "sudo":
                return Way(kind=answer, user=sudo_user)
            case "su":
                return Way(kind="su", user=name)
            case "unknown":
                raise RemoteError(f"there is no user `{user}` on {self._srn}", target=str(self._srn))
            case "missing":
                why = "there is no sudo (install it, or log in as that user)"
                message = f"cannot become `{user}` on {self._srn}: {why}"
                raise AuthenticationError(message, target=str(self._srn))
            case "refused" if self._password:
                return await self._ask_with_password(user, sudo_user)
            case "refused":
                raise self.refused(user, done)
            case _:
                why = f"{self._srn} cannot find out how to become `{user}`{quoted_end(done)}"
                raise RemoteError(why, target=str(self._srn))

    async def _ask_with_password(self, user: str, sudo_user: str) -> Way:
        line = f"exec sudo -S -k -p '' -H -u {sudo_user} -- /bin/sh -c true"
        proof = await self._send(line, self._password.encode() + b"\n")
        if proof.returncode:
            raise self.refused(user, proof)
        return Way(kind="sudo_with_password", user=sudo_user)

    def refused(self, user: str, completed: Completed) -> AuthenticationError:
        """Return the error of a sudo or su that has run nothing.

        Args:
            user: who should have been become.
            completed: how it ended, with its own words as error output.
        """
        program = "su" if user in self._ways and self._ways[user].kind == "su" else "sudo"
        mend = " (see `sudo_password`, `tty`, and its sudoers)" if program == "sudo" else ""
        message = f"cannot become `{user}` on {self._srn}: {program} refused{quoted_end(completed)}{mend}"
        return AuthenticationError(message, target=str(self._srn))
