"""States on the far side of a real SSH connection: archives, repositories, INI files, grains."""

from __future__ import annotations

import asyncio
import io
import os
import pwd
import subprocess
import tarfile
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import context
from tests.support.sshd import Sshd, running_sshd

from ensue.core.contracts.resource_type import ResourceContext
from ensue.core.errors import RemoteError
from ensue.core.masking import Masker
from ensue.core.model.srn import Srn
from ensue.reach.resources import ssh_host

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.connection import Connection
    from ensue.core.model.returns import StateReturn

pytestmark = pytest.mark.openssh
CONTENT = os.urandom(1_000_000)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Sshd]:
    """A running OpenSSH server."""
    with running_sshd(tmp_path / "sshd", user=pwd.getpwuid(os.geteuid()).pw_name) as running:
        yield running


def twice(
    server: Sshd,
    function: str,
    name: str | list[str],
    sources: dict[str, bytes],
    opts: dict[str, Any] | None = None,
    **given: Any,
) -> list[StateReturn]:
    """Apply a state over SSH, and again."""

    def unknown(srn: Srn) -> Connection:
        raise AssertionError(srn)

    resource = ResourceContext(
        srn=Srn("ssh_host", "far"), config=server.config(), opts={}, cache_dir=Path("/nonexistent"),
        masker=Masker(), connect_to=unknown,
    )  # fmt: skip
    module, _, word = function.rpartition(".")
    implementation = import_module(f"ensue.library.states.{module}").FUNCTIONS[word]

    async def run() -> list[StateReturn]:
        connection = ssh_host.connect(resource)
        ctx = context(connection)
        ctx.sources, ctx.opts = sources, opts or {}
        try:
            returned: list[StateReturn] = [await implementation(ctx, name, **given) for _ in range(2)]
            return returned
        finally:
            await connection.close()

    return asyncio.run(run())


def test_an_archive_is_unpacked_over_ssh(server: Sshd, tmp_path: Path) -> None:
    """A megabyte arrives whole, and the second time nothing is done."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as tar:
        info = tarfile.TarInfo("app/data")
        info.size = len(CONTENT)
        tar.addfile(info, io.BytesIO(CONTENT))
    sources = {"salt://a.tar.xz": packed.getvalue()}
    folder = str(tmp_path / "opt")
    done, again = twice(server, "archive.extracted", folder, sources, source="salt://a.tar.xz")
    assert done.changes["extracted_files"] == ["app/data"]
    assert (tmp_path / "opt/app/data").read_bytes() == CONTENT
    assert (again.result, again.changes) == (True, {})


def test_a_repository_is_cloned_over_ssh(server: Sshd, tmp_path: Path) -> None:
    """The target's git clones what the target can reach, and the second time nothing is done."""
    remote = tmp_path / "remote"
    for words in (["init", "-q", "-b", "main", str(remote)], ["commit", "-q", "--allow-empty", "-m", "one"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *who, *words], cwd=remote if remote.exists() else tmp_path, check=True)
    done, again = twice(server, "git.latest", str(remote), {}, target=str(tmp_path / "copy"))
    assert done.changes["new"] == f"{remote} => {tmp_path}/copy"
    assert (tmp_path / "copy/.git").is_dir()
    assert (again.result, again.changes) == (True, {})


def test_an_ini_file_is_changed_over_ssh(server: Sshd, tmp_path: Path) -> None:
    """Its mode and what does not change stay, and the second time nothing is done."""
    path = tmp_path / "a.ini"
    path.write_text("[one]\na = 1\n# kept\n")
    path.chmod(0o640)
    done, again = twice(server, "ini.options_present", str(path), {}, sections={"one": {"a": 2}})
    assert done.changes == {"one": {"a": {"before": "1", "after": "2"}}}
    assert path.read_text() == "[one]\na = 2\n# kept\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert (again.result, again.changes) == (True, {})


def test_a_host_is_given_a_grain_over_ssh(server: Sshd, tmp_path: Path) -> None:
    """It is in the host's own file, whose folder is made, and the second time nothing is done."""
    path = tmp_path / "salt/grains"
    opts = {"grains_file": str(path)}
    done, again = twice(server, "grains.present", "a:b", {}, opts, value=[1])
    assert done.changes == {"a": {"b": [1]}}
    assert path.read_text() == "a:\n  b:\n  - 1\n"
    assert (again.result, again.changes) == (True, {})


def test_a_folder_is_tidied_over_ssh(server: Sshd, tmp_path: Path) -> None:
    """What was not changed for days goes, links are not followed, and the second time nothing is done."""
    (tmp_path / "d/sub").mkdir(parents=True)
    for name in ("old", "young", "sub/old"):
        (tmp_path / "d" / name).write_text("x")
    for name in ("old", "sub/old"):
        os.utime(tmp_path / "d" / name, (7, 7))
    (tmp_path / "d/link").symlink_to(tmp_path)
    folder = str(tmp_path / "d")
    done, again = twice(server, "file.tidied", folder, {}, age=3, time_comparison="mtime")
    assert done.changes == {"removed": [f"{folder}/sub/old", f"{folder}/old"]}
    assert sorted(path.name for path in (tmp_path / "d").iterdir()) == ["link", "sub", "young"]
    assert (again.result, again.changes) == (True, {})


def test_a_schedule_is_kept_over_ssh(server: Sshd, tmp_path: Path) -> None:
    """The backups that were changed last stay, and the second time nothing is done."""
    (tmp_path / "backups").mkdir()
    for day in range(4):
        (tmp_path / f"backups/b{day}").write_text("x")
        os.utime(tmp_path / f"backups/b{day}", (day * 86_400, day * 86_400))
    name = str(tmp_path / "backups")
    done, again = twice(
        server, "file.retention_schedule", name, {}, retain={"most_recent": 2}, timezone="UTC"
    )
    assert done.changes == {"retained": ["b3", "b2"], "deleted": ["b1", "b0"], "ignored": ["..", "."]}
    assert (again.result, again.changes) == (True, {})


def test_words_are_arguments_over_ssh(server: Sshd) -> None:
    """A list of words needs no shell's grammar on the far side either: each is one argument."""
    words = ["printf", "<%s>", "a; touch pwned", "$(id)", "it's", "", "two\nlines", "-n", "é\\"]
    ways: list[dict[str, Any]] = [{}, {"prepend_path": "/nonono"}, {"env": [{"A": "b c"}]}]
    for given in ways:
        first, _ = twice(server, "cmd.run", words, {}, **given)
        assert first.result is True
        assert first.changes["stdout"] == "".join(f"<{word}>" for word in words[2:])
    for words in (["exit", "0"], ["A=1", "true"], ["nonono"]):
        assert twice(server, "cmd.run", words, {})[0].changes["retcode"] == 127
    script = {"salt://s.sh": b"printf '<%s>' \"$@\"\n"}
    ran, _ = twice(server, "cmd.script", "x", script, source="salt://s.sh", args=["$(id)", "it's", ""])
    assert ran.changes["stdout"] == "<$(id)><it's><>"
    with pytest.raises(RemoteError, match="NUL"):
        twice(server, "cmd.run", ["echo", "a\0b"], {})


def test_states_of_the_system_over_ssh(server: Sshd, tmp_path: Path) -> None:
    """A patch, a pipe, a virtual environment, a file system and a line of the fstab come over SSH, once."""
    (tmp_path / "one").write_text("a\n")
    (tmp_path / "fstab").write_text("")
    with (tmp_path / "image").open("wb") as file:
        file.truncate(2 << 20)
    maker = tmp_path / "make-venv"
    maker.write_text('#!/bin/sh\nexec python3 -m venv --without-pip --symlinks "$@"\n')
    maker.chmod(0o755)
    for function, name, given in (
        ("file.patch", "one", {"source": "salt://p"}),
        ("file.mknod", "sub/pipe", {"ntype": "p"}),
        ("virtualenv.managed", "env", {"venv_bin": str(maker)}),
        ("blockdev.formatted", "image", {"fs_type": "ext2"}),
    ):
        patch = b"--- one\n+++ one\n@@ -1 +1 @@\n-a\n+b\n"
        first, second = twice(server, function, str(tmp_path / name), {"salt://p": patch}, **given)
        assert (first.result, bool(first.changes)) == (True, True), first.comment
        assert (second.result, second.changes) == (True, {}), second.comment
    assert (tmp_path / "one").read_text() == "b\n"
    line = {"fs_file": "/data", "fs_vfstype": "nfs", "mount": False, "config": str(tmp_path / "fstab")}
    first, second = twice(server, "mount.fstab_present", "nas:/x", {}, **line)
    assert (first.changes, second.changes) == ({"persist": "new"}, {})
