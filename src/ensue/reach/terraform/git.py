"""Fetches one commit of a Git repository as a plain folder, with the git binary and without a shell.

Only the transports in `_PROTOCOLS` are allowed, hooks do not run, and submodules are left out. A password or
a key reaches git through a temporary file, never as an argument.

Source: git, "git-fetch", "gitcredentials", `GIT_ALLOW_PROTOCOL`, `GIT_ASKPASS`, `GIT_SSH_COMMAND`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.files.private_files import open_private_file
from ensue.core.masking import MASK
from ensue.reach.terraform.binary import run_binary
from ensue.reach.terraform.messages import end_of

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

_PROTOCOLS: Final = "file:git:http:https:ssh"
_OPTIONS: Final = (
    "-c", f"core.hooksPath={os.devnull}",
    "-c", "core.fsmonitor=false",
    "-c", "credential.helper=",
    "-c", "submodule.recurse=false",
    "-c", "http.lowSpeedLimit=1000",
    "-c", "http.lowSpeedTime=60",
)  # fmt: skip
_COMMIT: Final = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")
_REVISION: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./@+#-]*")
_URL: Final = re.compile(r"(https?|ssh|git|file)://[^\s]+|[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:[^\s]+")
_ASKPASS: Final = """\
#!/bin/sh
case $1 in
Username*"//$ENSUE_GIT_HOST'"*) printf '%s\\n' "$ENSUE_GIT_USERNAME" ;;
Password*"@$ENSUE_GIT_HOST'"*) printf '%s\\n' "$ENSUE_GIT_PASSWORD" ;;
*) exit 1 ;;
esac
"""
"""The askpass program. It answers only for the repository's host: a server may redirect git to another."""


class RemoteRepository(msgspec.Struct, frozen=True, kw_only=True):
    """A repository and its credentials.

    Args:
        url: its URL, or `user@host:path`.
        revision: a branch, a tag, a full reference or a full commit id; empty for the default branch.
        username: the user of the password; empty for `git`.
        password: the password for HTTP; empty for none.
        ssh_key: a private key as text; empty for the user's own.
        known_hosts: lines of a known_hosts file; empty for the user's own.
    """

    url: str
    revision: str = ""
    username: str = ""
    password: str = ""
    ssh_key: str = ""
    known_hosts: str = ""

    def problems(self) -> list[str]:
        """Return the errors in the URL and the revision, one sentence each."""
        faults: list[str] = []
        if not _URL.fullmatch(self.url):
            faults.append(
                f"source.url: {self.url!r} is not a Git URL (https, ssh, git, file, or user@host:path)"
            )
        elif "://" in self.url and urlsplit(self.url).password:
            faults.append("source.url contains a password; move it to secrets, source.password")
        if self.revision and (not _REVISION.fullmatch(self.revision) or ".." in self.revision):
            faults.append(f"source.rev: {self.revision!r} is not a branch, tag or commit")
        return faults

    async def commit(self) -> str:
        """Return the commit id of the revision; asks the server unless it is a commit id already.

        Raises:
            StateFailedError: the server does not answer, or has no such revision.
        """
        if _COMMIT.fullmatch(self.revision):
            return self.revision
        with _folder() as scratch:
            revision = self.revision or "HEAD"
            printed = await self._git(scratch, "ls-remote", "--", self.url, revision, f"{revision}^{{}}")
        return _best_of(printed, revision) or self._fail(f"there is no {revision} in the repository")

    async def fetch(self, folder: Path) -> str:
        """Write the files of the revision to a folder, without the history.

        Args:
            folder: the folder, which must not exist.

        Returns:
            The id of the commit.

        Raises:
            StateFailedError: the revision cannot be fetched.
        """
        with _folder() as scratch:
            revision = self.revision or "HEAD"
            at = str(folder)
            await self._git(scratch, "init", "--quiet", "--template=", "--", at)
            depth = ("--depth=1", "--no-tags", "--no-recurse-submodules", "--no-write-fetch-head")
            named = f"+{revision}:refs/ensue/wanted"
            await self._git(scratch, "-C", at, "fetch", "--quiet", *depth, "--", self.url, named)
            await self._git(scratch, "-C", at, "checkout", "--quiet", "--detach", "refs/ensue/wanted", "--")
            commit = await self._git(scratch, "-C", at, "rev-parse", "--verify", "HEAD")
        shutil.rmtree(folder / ".git")
        return commit.strip()

    async def _git(self, scratch: Path, *arguments: str) -> str:
        git = shutil.which("git")
        if git is None:
            raise StateFailedError("git is not on this machine's PATH; a source with a `url` requires it")
        ended = await run_binary(
            (git, *_OPTIONS, *arguments), variables=self._environment(scratch), cwd=str(scratch)
        )
        if ended.code:
            return self._fail(end_of(ended.stderr) or f"git failed with exit code {ended.code}")
        return ended.stdout.decode("utf-8", "backslashreplace")

    def _environment(self, scratch: Path) -> Mapping[str, str]:
        names = {
            "GIT_ALLOW_PROTOCOL": _PROTOCOLS,
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "GIT_SSH_COMMAND": "ssh -o BatchMode=yes -o ConnectTimeout=30",
            "GIT_ASKPASS": "",
            "SSH_ASKPASS": "",
        }
        if self.password:
            _write(scratch / "askpass", _ASKPASS, mode=0o700)
            names |= {
                "GIT_ASKPASS": str(scratch / "askpass"),
                "ENSUE_GIT_HOST": urlsplit(self.url).netloc.rpartition("@")[2],
                "ENSUE_GIT_USERNAME": self.username or "git",
                "ENSUE_GIT_PASSWORD": self.password,
            }
        if self.ssh_key:
            _write(scratch / "key", self.ssh_key.rstrip("\n") + "\n", mode=0o600)
            key = shlex.quote(str(scratch / "key"))
            names["GIT_SSH_COMMAND"] += f" -o IdentitiesOnly=yes -i {key}"
        if self.known_hosts:
            _write(scratch / "known_hosts", self.known_hosts.rstrip("\n") + "\n", mode=0o600)
            hosts = shlex.quote(f"UserKnownHostsFile={scratch / 'known_hosts'}")
            names["GIT_SSH_COMMAND"] += f" -o StrictHostKeyChecking=yes -o {hosts}"
        return names

    def _fail(self, why: str) -> str:
        text = why.replace(self.password, MASK) if self.password else why
        raise StateFailedError(f"source {self.url} {self.revision}".rstrip() + f": {text}")


def _best_of(printed: str, revision: str) -> str:
    """Return the commit in the output of `git ls-remote`, chosen as `git fetch` would."""
    commits = {name: commit for commit, _, name in (line.partition("\t") for line in printed.splitlines())}
    for form in (revision, f"refs/{revision}", f"refs/tags/{revision}", f"refs/heads/{revision}"):
        if commit := commits.get(f"{form}^{{}}") or commits.get(form):
            return commit
    return ""


def _write(path: Path, text: str, *, mode: int) -> None:
    if path.exists():
        return
    with os.fdopen(open_private_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "w") as file:
        file.write(text)
    path.chmod(mode)


@contextmanager
def _folder() -> Generator[Path]:
    """Yield a private temporary folder for credentials."""
    with tempfile.TemporaryDirectory(prefix="ensue-git-") as name:
        yield Path(name)
