"""An id in a nodegroup or top file that is nearly that of a machine, and of none, is warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.cli import main

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = "resources: {ssh_host: {hosts: {web1: {host: 192.0.2.1}, web2: {host: 192.0.2.2}}}}\n"


@pytest.mark.parametrize(
    ("members", "near"),
    [
        ("[web1, wbe2]", "web2"),
        ("[web1, webb2]", "web2"),
        ("web1 or wb2", "web2"),
        ("[web1, db]", ""),
        ("[bx, web1]", "box"),
        ("[web1, web2, box]", ""),
        ("[web1, web3, web22]", ""),
        ("[web1, web1s, web1-a]", "web1"),
        ("web1 or L@wbe2", ""),
        ("[web1, 'wbe*']", ""),
        ("[web1, cache]", ""),
        ("[web1, web1a]", "web1"),
    ],
)
def test_misspelt_members(
    members: str, near: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """There is a warning with the place, unless the difference is a number, a glob, or written with L@."""
    for name, text in {
        "ensue.yaml": f"nodegroups:\n  web: {members}\n",
        "pillar/top.sls": "base: {'*': [hosts]}\n",
        "pillar/hosts.sls": HOSTS,
        "states/t.sls": "a: test.nop\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert main(["--root", str(tmp_path), "plan", "t", "--id", "box"]) == 0
    err = capsys.readouterr().err
    assert ("warning[E0888]" in err) is bool(near)
    assert not near or (f"did you mean {near}?" in err and "ensue.yaml:2" in err)


@pytest.mark.parametrize("folder", ["states", "pillar"])
@pytest.mark.parametrize(
    ("target", "near"),
    [
        ("webb2", "web2"),
        ("'web1 or wbe2'", "web2"),
        ("web22", ""),
        ("L@wbe2", ""),
        ("'wbe*'", ""),
        ("db-b", ""),
        ("db-aa", "db-a"),
    ],
)
def test_misspelt_targets_of_top_files(
    folder: str, target: str, near: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A top file is judged as a nodegroup is; ids that differ in a part of one letter are of a series."""
    for name, text in {
        "pillar/top.sls": "base: {'*': [hosts]}\n",
        "pillar/hosts.sls": HOSTS.replace("web1:", "db-a: {host: 192.0.2.3}, web1:"),
        "pillar/t.sls": "a: 1\n",
        "states/top.sls": "base: {box: [t]}\n",
        "states/t.sls": "a: test.nop\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    top = tmp_path / folder / "top.sls"
    top.write_text(top.read_text().replace("}", f", {target}: [t]}}"))
    assert main(["--root", str(tmp_path), "plan", "--id", "box"]) == 0
    err = capsys.readouterr().err
    assert ("warning[E0888]" in err) is bool(near)
    assert not near or (f"did you mean {near}?" in err and f"{folder}/top.sls:1" in err)
