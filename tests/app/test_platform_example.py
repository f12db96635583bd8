"""The example of a platform: what its page says, its databases, and one apply with a machine in it."""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import select
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply
from tests.support import postgresql
from tests.support.sshd import running_sshd
from tests.test_docs import blocks, run_examples

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.core.model.returns import Return

EXAMPLE = Path(__file__).parents[2] / "examples/platform"
ALL = ["shop", "edge_proxy", "edge-shop-dev edge_route"]
SERVER = Path("machine/srv/postgresql/shop-dev")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(postgresql.programs() is None, reason="needs postgresql: apt-get install postgresql"),
]


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A copy of the example; nothing that it starts is left."""
    copy = shutil.copytree(EXAMPLE, tmp_path / "project", ignore=shutil.ignore_patterns(".ensue", "rendered"))
    try:
        yield copy
    finally:
        assert apply(copy, "teardown").exit_code == 0
        assert not (copy / SERVER).exists()
        assert list((copy / ".ensue/sandboxes").glob("*")) == []


@pytest.mark.parametrize("page", ["README.md", "WEEK.md"])
def test_the_page_does_what_it_says(project: Path, page: str) -> None:
    """Every command of the page runs in its order, and its output is what the page shows."""
    run_examples(EXAMPLE / page, project)


def test_what_the_page_shows_is_in_the_files() -> None:
    """Each piece of YAML on the page is a piece of a file of the example."""
    files = [path.read_text() for folder in ("scores", "definitions", "states") for path in files_of(folder)]
    shown = [block.body for block in blocks((EXAMPLE / "README.md").read_text()) if block.language == "yaml"]
    assert len(shown) == 8
    assert [piece for piece in shown if not any(is_within(piece, content) for content in files)] == []


def files_of(folder: str) -> list[Path]:
    return [path for path in (EXAMPLE / folder).rglob("*") if path.suffix in {".yaml", ".sls"}]


def is_within(piece: str, content: str) -> bool:
    """Say whether lines stand in a file one after the other, comments left out."""
    lines = [line.partition(" #")[0].rstrip() for line in content.splitlines()]
    return f"\n{piece}" in "\n" + "\n".join(lines) + "\n"


def test_one_apply_has_both_worlds(project: Path) -> None:
    """One run provisions resources and configures a machine that is one of them; a second changes nothing."""
    planned = apply(project, "site", test=True)
    assert planned.exit_code == 0
    assert not (project / SERVER).exists()
    first = apply(project, "site")
    assert (first.exit_code, changed(first.returns)) == (0, ALL)
    check_route(project, next((project / ".ensue/sandboxes").rglob("etc/proxy/routes/shop.conf")))
    again = apply(project, "site")
    assert (again.exit_code, changed(again.returns)) == (0, [])


@pytest.mark.openssh
def test_one_apply_with_a_machine_that_a_program_provides(project: Path, tmp_path: Path) -> None:
    """A machine behind OpenSSH that the driver `command` registers is configured in the same run."""
    # That machine is this one: its paths are below a folder of the test's.
    etc = tmp_path / "machine"
    for name in ("site.sls", "proxy/init.sls"):
        states = project / "states" / name
        states.write_text(states.read_text().replace("/etc/proxy", f"{etc}/proxy"))
    definitions = project / "definitions/dns.yaml"
    others = definitions.read_text().split("---\n")[:-1]
    definitions.write_text("---\n".join([*others, COMMAND_MACHINE]))
    with running_sshd(tmp_path / "sshd", user=getpass.getuser()) as sshd:
        machine = {"values": {"host": "127.0.0.1"}, "registers": {"ssh_host:edge-shop-dev": sshd.config()}}
        (project / "programs/machine.json").write_text(json.dumps(machine))
        first = apply(project, "site")
        assert (first.exit_code, changed(first.returns)) == (0, ALL)
        check_route(project, etc / "proxy/routes/shop.conf")
        again = apply(project, "site")
        assert (again.exit_code, changed(again.returns)) == (0, [])
    kept = [path.read_bytes() for path in (project / ".ensue").rglob("*") if path.is_file()]
    assert not any(sshd.private_key.splitlines()[1].encode() in content for content in kept)


COMMAND_MACHINE = """\
apiVersion: entity.humanitec.io/v1b1
kind: Definition
metadata: {id: edge-machine}
entity:
  type: machine
  driver_type: command
  driver_inputs:
    values: {command: [cat, programs/machine.json]}
  criteria:
    - res_id: edge
"""


def check_route(project: Path, path: Path) -> None:
    """Check the file on the machine against the server that it tells of."""
    route = dict(line.split(maxsplit=1) for line in path.read_text().splitlines())
    assert route["name"] == "shop-dev.example.test"
    assert Path(route["server"]) == (project / SERVER).resolve()
    policies = json.loads((project / "machine/srv/iam/role/shop-dev-worker.json").read_text())
    assert policies["AttachedPolicies"] == sorted([route["jobs"], route["orders"]])


def changed(returns: Mapping[str, Return]) -> list[str]:
    return [returned.id for returned in returns.values() if returned.changes]


def test_a_server_that_has_stopped_is_started_again(project: Path) -> None:
    """A deployment looks at the server itself: what was in its databases is still there."""
    assert apply(project, "site").exit_code == 0
    pid = int((project / SERVER / "data/postmaster.pid").read_text().split()[0])
    with ended(pid):
        os.kill(pid, signal.SIGQUIT)  # PostgreSQL's immediate shutdown
    again = apply(project, "site")
    assert (again.exit_code, changed(again.returns)) == (0, ["shop"])
    shop = again.returns["graph_|-shop_|-shop_|-deployed"]
    assert shop.changes == {"updated": ["base-env.default#base-env"]}


@contextlib.contextmanager
def ended(pid: int) -> Iterator[None]:
    """Wait until a process has ended, which is not a child of this one."""
    descriptor = os.pidfd_open(pid)
    try:
        yield
        assert select.select([descriptor], [], [], 30)[0]
    finally:
        os.close(descriptor)
