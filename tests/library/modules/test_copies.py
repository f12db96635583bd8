"""`cp`, `sdb`, `cmd.exec_code`, `file.find` with `print` and more that templates call, on real parts."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.errors import StateFailedError
from ensue.core.model.srn import Srn
from ensue.library.modules.cp.caching import FOLDER
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext

if TYPE_CHECKING:
    from pathlib import Path

HERE = Srn("minion", "here")


def context(tmp_path: Path, **options: Any) -> FakeFunctionContext:
    """A context whose target is this machine."""
    files = tmp_path / "roots"
    (files / "app/sub").mkdir(parents=True, exist_ok=True)
    (files / "app/a.conf").write_text("a {{ who }}\n")
    (files / "app/sub/b.conf").write_text("b\n")
    return FakeFunctionContext(
        connection=options.pop("connection", None) or MinionConnection(HERE),
        file_root=files,
        functions=dict(execution_functions()),
        cache_dir=tmp_path / "cache",
        grains_data={"shell": "/bin/sh"},
        **options,
    )


def call(ctx: FakeFunctionContext, function: str, *args: Any, **kwargs: Any) -> Any:
    return asyncio.run(ctx.call(function, *args, **kwargs))


def test_a_file_of_the_roots_needs_no_copy_here(tmp_path: Path) -> None:
    """On this machine `cp.cache_file` returns the file's own path, and nothing for what is nowhere."""
    ctx = context(tmp_path)
    own = tmp_path / "roots/app/a.conf"
    assert call(ctx, "cp.cache_file", "salt://app/a.conf") == str(own)
    assert call(ctx, "cp.is_cached", "salt://app/a.conf") == str(own)
    assert call(ctx, "cp.cache_file", "salt://app/none") is False
    digest = hashlib.sha256(own.read_bytes()).hexdigest()
    assert call(ctx, "cp.hash_file", "salt://app/a.conf") == {"hsum": digest, "hash_type": "sha256"}
    assert call(ctx, "cp.cache_file", "salt://app/a.conf", source_hash=f"sha256={digest}") == str(own)
    assert call(ctx, "cp.cache_file", "salt://app/a.conf", source_hash="0" * 64) is False


def test_another_target_is_given_a_copy(tmp_path: Path) -> None:
    """On another target there is a copy, which is written again only when it differs."""
    target = FakeConnection(Srn("ssh_host", "web"))
    ctx = context(tmp_path, connection=target)
    place = f"{FOLDER}/files/base/app/a.conf"
    assert call(ctx, "cp.is_cached", "salt://app/a.conf") == ""
    assert call(ctx, "cp.cache_file", "salt://app/a.conf") == place
    assert asyncio.run(target.read(place)) == b"a {{ who }}\n"
    assert call(ctx, "cp.is_cached", "salt://app/a.conf") == place
    assert call(ctx, "cp.cache_dir", "salt://app", exclude_pat="sub/*") == [place]
    assert call(ctx, "cp.cache_files", ["salt://app/a.conf", "salt://app/none"]) == [place, False]
    with pytest.raises(StateFailedError, match="leads out"):
        call(
            context(tmp_path, sources={"salt://../x": b""}, connection=target), "cp.cache_file", "salt://../x"
        )


def test_files_are_copied_to_a_place(tmp_path: Path) -> None:
    """`get_file`, `get_dir`, `get_template` and `get_url` write to the target and return where."""
    ctx, out = context(tmp_path), tmp_path / "out"
    out.mkdir()
    assert call(ctx, "cp.get_file", "salt://app/a.conf", f"{out}/") == f"{out}/a.conf"
    assert call(ctx, "cp.get_file", "salt://app/a.conf", f"{out}/x/y") == ""
    assert call(ctx, "cp.get_file", "salt://app/a.conf", f"{out}/x/y", makedirs=True) == f"{out}/x/y"
    assert call(ctx, "cp.get_dir", "salt://app", str(out)) == [f"{out}/app/a.conf", f"{out}/app/sub/b.conf"]
    assert call(ctx, "cp.get_template", "salt://app/a.conf", f"{out}/t", who="me") == f"{out}/t"
    assert (out / "t").read_text() == "a me\n"
    assert call(ctx, "cp.get_url", "salt://app/sub/b.conf", None) == "b\n"
    assert call(ctx, "cp.get_url", "salt://app/none", f"{out}/none") is False
    assert call(ctx, "cp.get_file", "salt://app/{{ 'a' }}.conf", f"{out}/j", template="jinja") == f"{out}/j"


def test_a_plan_copies_nothing(tmp_path: Path) -> None:
    """In a plan `cp.get_file` says where the file would be, and leaves the target alone."""
    ctx = context(tmp_path, test=True)
    assert call(ctx, "cp.get_file", "salt://app/a.conf", f"{tmp_path}/new") == f"{tmp_path}/new"
    assert not (tmp_path / "new").exists()


def test_sdb_reads_environment_and_yaml(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A profile's driver finds the value, `config.get` follows a URI, and both are secrets from then on."""
    monkeypatch.setenv("FROM_OUTSIDE", "outside-secret")
    (tmp_path / "one.yml").write_text("a: {b: inner-secret, c: 1}\n")
    (tmp_path / "two.yml").write_text("a: {c: 2}\n")
    ctx = context(
        tmp_path,
        opts={
            "root_dir": str(tmp_path),
            "osenv": {"driver": "env"},
            "files": {"driver": "yaml", "files": ["one.yml", "two.yml"]},
            "odd": {"driver": "nothing"},
        },
        pillar={"word": "sdb://files/a:b", "mine": {"driver": "env"}},
    )
    assert call(ctx, "sdb.get", "sdb://osenv/FROM_OUTSIDE") == "outside-secret"
    assert call(ctx, "sdb.get", "sdb://mine/FROM_OUTSIDE") == "outside-secret"
    assert call(ctx, "sdb.get", "sdb://osenv/NOT_SET_ANYWHERE") is None
    assert call(ctx, "config.get", "word") == "inner-secret"
    assert call(ctx, "sdb.get", "sdb://files/a:c") == 2
    assert "secret" not in ctx.masker.text("inner-secret outside-secret")
    assert call(ctx, "sdb.get", "sdb://unknown/key") == "sdb://unknown/key"
    with pytest.raises(StateFailedError, match="with a profile"):
        call(ctx, "sdb.get", "sdb://unknown/key", strict=True)
    with pytest.raises(StateFailedError, match="no sdb driver 'nothing'"):
        call(ctx, "sdb.get", "sdb://odd/key")


def test_code_runs_by_its_interpreter(tmp_path: Path) -> None:
    """`cmd.exec_code` runs lines of a program with arguments, and leaves no file."""
    ctx = context(tmp_path)
    code = ["import os, sys", "print(sys.argv[1], os.getcwd(), sys.argv[0])"]
    word, folder, place = call(ctx, "cmd.exec_code", "python3", code, cwd=str(tmp_path), args="x").split()
    assert (word, folder) == ("x", str(tmp_path))
    assert not call(ctx, "file.file_exists", place)
    done = call(ctx, "cmd.exec_code_all", "sh", "echo no >&2; exit 3")
    assert (done["retcode"], done["stdout"], done["stderr"]) == (3, "", "no")


def test_find_prints_what_is_asked_for(tmp_path: Path) -> None:
    """With `print`, `file.find` returns one value per path, or a list of several."""
    (tmp_path / "f").write_text("abc")
    (tmp_path / "f").chmod(0o640)
    ctx = context(tmp_path)
    assert call(ctx, "file.find", str(tmp_path), name="f", print="name") == ["f"]
    md5 = hashlib.md5(b"abc", usedforsecurity=False).hexdigest()
    rows = call(ctx, "file.find", str(tmp_path), name="f", print="path,type,size,mode,md5")
    assert rows == [[f"{tmp_path}/f", "f", 3, 640, md5]]
    with pytest.raises(StateFailedError, match="cannot print colour"):
        call(ctx, "file.find", str(tmp_path), print="colour")


def test_pillar_files_are_looked_for_in_the_roots(tmp_path: Path) -> None:
    """A file is found below a pillar root, in one environment or any, and never outside."""
    (tmp_path / "pillar").mkdir()
    (tmp_path / "pillar/p.sls").write_text("")
    ctx = context(tmp_path, opts={"pillar_roots": {"base": [str(tmp_path / "pillar")]}})
    assert call(ctx, "pillar.file_exists", "p.sls") is True
    assert call(ctx, "pillar.file_exists", "p.sls", saltenv="dev") is False
    assert call(ctx, "pillar.file_exists", "../roots/app/a.conf") is False


@pytest.mark.skipif(shutil.which("dpkg-query") is None, reason="this system has other packages")
def test_what_a_package_is(tmp_path: Path) -> None:
    """Fields come from the database of packages; one that is not installed is refused or left out."""
    ctx = context(tmp_path)
    ctx.grains_data["os_family"] = "Debian"
    packages = call(ctx, "pkg.info_installed", "dpkg", "no-such-package", attr="version,arch", failhard=False)
    assert packages["dpkg"].keys() == {"version", "arch"}
    assert packages.keys() == {"dpkg"}
    assert "Debian" in call(ctx, "pkg.info_installed", "dpkg")["dpkg"]["description"]
    with pytest.raises(StateFailedError, match=r"not installed.*no-such-package"):
        call(ctx, "pkg.info_installed", "no-such-package")


def test_what_has_no_meaning_here_succeeds(tmp_path: Path) -> None:
    """Functions of `saltutil` for a master's minion return what Salt's return when there is nothing to do."""
    ctx = context(tmp_path)
    assert call(ctx, "saltutil.sync_modules") == []
    assert call(ctx, "saltutil.sync_all", refresh=True)["states"] == []
    assert call(ctx, "saltutil.refresh_pillar") is True
    assert call(ctx, "saltutil.clear_cache") is True
    assert call(ctx, "saltutil.is_running", "state.*") == []
    assert call(ctx, "saltutil.runner", "salt.cmd", fun="test.echo", text="x") == "x"
    with pytest.raises(StateFailedError, match="manage a master"):
        call(ctx, "saltutil.wheel", "key.list_all")
