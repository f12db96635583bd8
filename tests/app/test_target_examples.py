"""The example of states with a target: machines that the apply starts itself, and states on all of them."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.app.test_delayed_examples import all_returns, changed
from tests.app.test_project import apply

EXAMPLE = Path(__file__).parents[2] / "examples/targets"


def test_a_fleet_that_the_apply_starts(tmp_path: Path) -> None:
    """One apply starts two machines and configures both; a second one changes no file."""
    project = shutil.copytree(EXAMPLE, tmp_path / "project")
    planned = apply(project, "fleet", test=True)
    assert planned.exit_code == 0
    known = [
        returned.id for returned in planned.returns.values() if "(known after apply)" in returned.comment
    ]
    assert [id_ for id_ in known if id_.startswith("jumphost-blue")] == [
        "jumphost-blue /etc/motd",
        "jumphost-blue check",
    ]
    try:
        both = ["jumphost-blue", "jumphost-green"]
        first = changed(apply(project, "fleet"))
        assert first[:4] == ["machines", "machines", *(f"{host} /etc/motd" for host in both)]
        assert first[4:8] == ["jumphost-blue check", "here", "jumphost-green check", "here"]
        assert (project / "out/green.txt").read_text() == "green counted 1\n"
        checked = [path.read_text() for path in (project / ".ensue/sandboxes").rglob("etc/checked")]
        assert sorted(checked) == ["jumphost-blue: 1\n", "jumphost-green: 1\n"]
        again = apply(project, "fleet")
        assert [
            returned.id
            for returned in all_returns(again.returns)
            if returned.changes and returned.module == "file"
        ] == []
        whole = apply(project, "site", tgt="T@ssh_host:jumphost-*")
        made = [returned.id for returned in whole.returns.values() if returned.changes]
        assert made == [f"{host} /etc/site" for host in both]
        site = [path.read_text() for path in (project / ".ensue/sandboxes").rglob("etc/site")]
        assert sorted(site) == ["jumphost-blue runs Linux\n", "jumphost-green runs Linux\n"]
    finally:
        assert apply(project, "gone").exit_code == 0
    assert apply(project, "fleet", test=True).exit_code == 0
