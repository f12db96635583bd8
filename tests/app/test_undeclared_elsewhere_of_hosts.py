"""A run names what states with `tgt`, in an SLS of hosts, made elsewhere and declare no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import ProjectOptions

if TYPE_CHECKING:
    from pathlib import Path

OPTIONS = ProjectOptions(minion_id="m")
TOP = "base: {'*': [own], 'T@dummy': [app]}\n"
OWN = "a: test.nop\n"
KEPT = "keep: {file.managed: [{name: /keep}, {contents: x}]}\n"
ENTRY = """
entry:
  file.managed:
    - name: {{ opts['root_dir'] }}/lb/{{ grains.id }}
    - contents: x
    - makedirs: true
    - tgt: WHERE
"""


def hosts(root: Path, *names: str) -> None:
    listed = ", ".join(f"{name}: {{}}" for name in names)
    write(root, pillar__top="base: {'*': [r]}\n", pillar__r=f"resources: {{dummy: {{{listed}}}}}\n")


def left(root: Path, *mods: str, test: bool = True, tgt: str | None = "*") -> str:
    """Return what a run says of states that are no longer declared."""
    warnings = apply(root, *mods, options=OPTIONS, test=test, tgt=tgt).warnings
    return "\n".join(str(warning) for warning in warnings if warning.code == "E0894")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two hosts whose SLS has made an entry each on this machine."""
    write(tmp_path, states__top=TOP, states__own=OWN, states__app=KEPT + ENTRY.replace("WHERE", "m"))
    hosts(tmp_path, "h1", "h2")
    assert left(tmp_path, test=False) == left(tmp_path) == left(tmp_path, "app", tgt="h*") == ""
    return tmp_path


def test_a_state_that_is_deleted(project: Path) -> None:
    """Each run that compiles the SLS for the hosts names what it made for them; no other run does."""
    write(project, states__app=KEPT)
    assert left(project, "own", tgt=None) == left(project, tgt=None) == ""
    for mods, tgt in ((), "*"), ((), "h*"):
        warning = left(project, *mods, tgt=tgt)
        assert "2 states are no longer declared, and what earlier applies made stays: entry (" in warning
        assert f"{project}/lb/h1 in app of dummy:h1)" in warning
        assert "forget 'm h1 entry' 'm h2 entry'`" in warning.replace("\\", "")
    of_one = left(project, tgt="h1")
    assert "/lb/h1" in of_one
    assert "/lb/h2" not in of_one


def test_a_state_that_is_deleted_on_another_host(project: Path) -> None:
    """It is the host whose SLS it was that decides, not the one that it ran on."""
    write(project, states__app=KEPT + ENTRY.replace("WHERE", "h2"))
    left(project, test=False)
    write(project, states__app=KEPT)
    warning = left(project, tgt="h1")
    assert f"{project}/lb/h1 in app of dummy:h1, dummy:h2)" in warning
    assert f"{project}/lb/h2" not in warning


def test_a_host_that_leaves_pillar(project: Path) -> None:
    """Nothing can declare a state for it any more, whatever the run applies to the others."""
    hosts(project, "h1")
    for tgt in ("*", None):
        warning = left(project, tgt=tgt)
        assert f"{project}/lb/h2 in app of dummy:h2)" in warning
        assert "/lb/h1" not in warning
    assert left(project, "own", tgt=None) == ""
    assert "/lb/h2" in left(project, test=False)
    assert left(project, test=False) == ""
    hosts(project, "h1", "h2")
    assert left(project) == ""


def test_a_host_that_is_orphaned(tmp_path: Path) -> None:
    """The apply that orphans it names what its SLS made elsewhere."""
    registering = "a: {test.nop: [registers: [dummy:h3: {}]]}\n"
    write(tmp_path, states__top=TOP, states__own=registering, states__app=ENTRY.replace("WHERE", "m"))
    left(tmp_path, test=False, tgt=None)
    assert left(tmp_path, test=False) == left(tmp_path) == ""
    write(tmp_path, states__own=OWN)
    assert f"{tmp_path}/lb/h3 in app of dummy:h3)" in left(tmp_path, test=False, tgt=None)
