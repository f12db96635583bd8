"""States with a target in whole runs: real hosts, what is kept of them, and what a later run knows."""

from __future__ import annotations

import asyncio
import os
import pwd
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write
from tests.support.sshd import free_port, running_sshd

from ensue import derived
from ensue.app.project import AppProject, ProjectOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.sshd import Sshd

    from ensue.core.model.report import RunReport

TOP = "base:\n  m:\n    - boxes\n"


def boxes(root: Path, *ids: str) -> None:
    """Declare folders of this machine as resources."""
    lines = "".join(f"    {id_}: {{root: {root / id_}}}\n" for id_ in ids)
    write(root, pillar__top=TOP, pillar__boxes=f"resources:\n  minion:\n{lines}")
    for id_ in ids:
        (root / id_).mkdir(exist_ok=True)


def comments(report: RunReport) -> dict[str, str]:
    return {returned.id: returned.comment for returned in report.returns.values()}


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[list[Sshd]]:
    """Two running OpenSSH servers."""
    user = pwd.getpwuid(os.geteuid()).pw_name
    with (
        running_sshd(tmp_path / "one", user=user) as first,
        running_sshd(tmp_path / "two", user=user) as second,
    ):
        yield [first, second]


def hosts(root: Path, servers: list[Sshd], **more: Any) -> None:
    """Declare servers as `web-1`, `web-2`, and others that are given."""
    import json

    declared = {f"web-{number}": server.config() for number, server in enumerate(servers, start=1)} | more
    write(root, pillar__top=TOP, pillar__boxes=json.dumps({"resources": {"ssh_host": {"hosts": declared}}}))


@pytest.mark.openssh
def test_two_hosts_at_the_same_time(tmp_path: Path, servers: list[Sshd]) -> None:
    """One state runs on both hosts at once: each waits for a pipe that the other one opens.

    A host that is not there fails its own chunk, and a second apply changes nothing.
    """
    gone = {"host": "127.0.0.1", "port": free_port(), "password": "x-secret-x", "connect_attempts": 1}
    hosts(tmp_path, servers, **{"web-3": gone})
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    write(
        tmp_path,
        states__t=(
            "meet:\n  cmd.run:\n    - tgt: web-[12]\n    - name: |\n        set -- $SSH_CONNECTION\n"
            f'        if [ "$4" = {servers[0].port} ]\n        then echo from $4 > {fifo}\n'
            f"        else read word < {fifo}; echo heard $word\n        fi\n"
            "cfg:\n  file.managed:\n    - tgt: T@ssh_host\n    - contents: one\n"
            f"    - name: {tmp_path}/made\n"
        ),
    )
    report = apply(tmp_path, "t")
    stdout = {
        returned.id: returned.new_state["stdout"]  # type: ignore[call-overload, index] # cmd.run has it
        for returned in report.returns.values()
        if returned.module == "cmd"
    }
    assert stdout == {"web-1 meet": "", "web-2 meet": f"heard from {servers[0].port}"}
    results = {returned.id: returned.result for returned in report.returns.values()}
    assert (results["web-1 cfg"], results["web-2 cfg"], results["web-3 cfg"]) == (True, True, False)
    assert "ssh_host:web-3" in comments(report)["web-3 cfg"]
    assert "x-secret-x" not in str(report)
    again = apply(tmp_path, "t")
    assert [
        returned.id for returned in again.returns.values() if returned.changes and returned.module == "file"
    ] == []


@pytest.mark.openssh
def test_grains_decide_over_ssh(tmp_path: Path, servers: list[Sshd]) -> None:
    """Grains of hosts that nobody has talked to are gathered for the target, derived ones included."""
    hosts(tmp_path, servers)
    write(
        tmp_path,
        states__t=(
            "late:\n  test.nop:\n    - tgt: T@ssh_host and G@resource_id:*\n"
            "make:\n  test.present:\n    - new_state: {}\n    - registers:\n"
            f"      - ssh_host:web-9: {servers[0].config()!r}\n"
        ),
    )
    report = apply(tmp_path, "t")
    assert list(comments(report)) == ["make", "web-1 late", "web-2 late", "web-9 late"]


def test_a_derived_host_that_vanished_names_its_source(tmp_path: Path) -> None:
    """What a resource was derived from stands in the failure of its chunk, and nowhere else."""
    boxes(tmp_path, "here")
    write(
        tmp_path,
        states__t=(
            "vm:\n  test.present:\n    - new_state: {}\n    - registers:\n      - ssh_host:db-01:"
            f" {{host: 127.0.0.1, port: {free_port()}, connect_attempts: 1, password: '12345678'}}\n"
            "cfg:\n  file.exists:\n    - name: /\n    - tgt: db-01 or here\n"
        ),
    )
    by_id = comments(apply(tmp_path, "t"))
    assert by_id["db-01 cfg"].endswith("(ssh_host:db-01 was derived from test:vm)")
    assert by_id["here cfg"] == "Path / exists"


def test_the_whole_chain_of_sources_is_named(tmp_path: Path) -> None:
    """What was derived from a derived resource says so, whether it was named or matched among others."""
    write(
        tmp_path,
        states__t=(
            "cfg:\n  file.exists:\n    - name: /\n    - tgt: T@ssh_host:db-01\n"
            "all:\n  file.exists:\n    - name: /\n    - tgt: db-*\n"
        ),
    )
    opts = {"root": str(tmp_path), "id": "m"}
    register = {"host": "127.0.0.1", "port": free_port(), "connect_attempts": 1, "password": "12345678"}
    derived.register(opts, "minion", "vm", {"root": "/"}, source_srn="cloud:account")
    derived.register(opts, "ssh_host", "db-01", register, source_srn="minion:vm")
    by_id = comments(apply(tmp_path, "t"))
    chain = "(ssh_host:db-01 was derived from minion:vm, cloud:account)"
    assert [by_id[f"db-01 {id_}"].endswith(chain) for id_ in ("cfg", "all")] == [True, True]


def test_what_was_invalidated_is_not_matched(tmp_path: Path) -> None:
    """A resource whose source is gone is told of with its chain, not as if it had never been."""
    write(
        tmp_path,
        states__t=(
            "vm:\n  test.present:\n    - new_state: {}\n    - registers:\n"
            f"      - minion:box: {{root: {tmp_path}}}\n"
        ),
        states__u="cfg:\n  test.nop:\n    - tgt: T@minion:box\nall:\n  test.nop:\n    - tgt: b*\n",
    )
    apply(tmp_path, "t")
    assert list(comments(apply(tmp_path, "u"))) == ["box cfg", "box all"]

    async def invalidate() -> None:
        from ensue.core.model.srn import Srn

        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            assert await project.invalidate(Srn("test", "vm")) == [Srn("minion", "box")]

    asyncio.run(invalidate())
    by_id = comments(apply(tmp_path, "u"))
    assert "minion:box was invalidated" in by_id["cfg"]
    assert "minion:box <- test:vm" in by_id["all"]


def test_each_chunk_has_an_enforced_state_of_its_own(tmp_path: Path) -> None:
    """What was made true is kept by resource: for those bound to a skipped chunk, and for drift."""
    boxes(tmp_path, "b1", "b2")
    sls = (
        "cfg:\n  file.managed:\n    - name: /a\n    - contents: x\n    - tgt: b*\n{}"
        "read:\n  test.show_notification:\n    - text: ${{file:cfg[b2]:size}}\n"
    )
    write(tmp_path, states__t=sls.format(""))
    apply(tmp_path, "t")

    async def shown() -> list[tuple[str, str]]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            return [
                (entry.target, entry.state.tag)
                for entry in await project.enforced()
                if entry.state.module == "file"
            ]

    assert asyncio.run(shown()) == [
        ("minion:b1", "file_|-b1 cfg_|-b1 /a_|-managed"),
        ("minion:b2", "file_|-b2 cfg_|-b2 /a_|-managed"),
    ]
    write(tmp_path, states__t=sls.format("    - unless: 'true'\n"))
    assert comments(apply(tmp_path, "t"))["read"] == "2"
    write(tmp_path, states__t=sls.format(""))
    (tmp_path / "b2/a").write_text("another")
    drifted = [returned.id for returned in apply(tmp_path, "t", test=True).returns.values() if returned.drift]
    assert drifted == ["b2 cfg"]


def test_json_of_a_chunk(tmp_path: Path) -> None:
    """A chunk's return has the prefixed ID, the state's own name, and its target."""
    boxes(tmp_path, "b1")
    write(tmp_path, states__t="cfg:\n  test.nop:\n    - name: n\n    - tgt: b1\n")
    (item,) = apply(tmp_path, "t").returns.items()
    assert item[0] == "test_|-b1 cfg_|-b1 n_|-nop"
    data = item[1].as_data()
    assert (data["__id__"], data["name"], data["__target__"]) == ("b1 cfg", "n", "minion:b1")


def test_low_data_shows_the_target(tmp_path: Path) -> None:
    """`show high` and `show low` have the target as it is written; nothing is looked for."""
    write(
        tmp_path,
        states__t=(
            "cfg:\n  test.nop:\n    - tgt: T@minion:*\n    - tgt_optional: true\n"
            "bound:\n  test.nop:\n    - tgt: T@minion:${test:cfg:id}\n"
        ),
    )

    async def show() -> tuple[Any, Any]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            return await project.show("low", ["t"]), await project.show("high", ["t"])

    low, high = asyncio.run(show())
    assert (low[0]["tgt"], low[0]["tgt_optional"]) == ("T@minion:*", True)
    assert high["cfg"]["test"][:2] == [{"tgt": "T@minion:*"}, {"tgt_optional": True}]
    assert low[1]["arg_bind"] == [{"test": ["cfg", {"id": "tgt"}]}]
    assert low[1]["arg_bind"] in [
        argument["arg_bind"] for argument in high["bound"]["test"] if "arg_bind" in argument
    ]


def test_a_target_bound_to_a_secret_is_masked(tmp_path: Path) -> None:
    """A secret that a target is made of is used and never shown."""
    boxes(tmp_path, "hidden-box")
    write(
        tmp_path,
        states__t=(
            "which:\n  test.present:\n    - new_state: {id: hidden-bix}\n    - sensitive: [id]\n"
            "cfg:\n  test.nop:\n    - tgt: T@minion:${test:which:id}\n"
        ),
    )

    async def run() -> str:
        from ensue.app.project import RunOptions

        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            await project.apply(["t"], RunOptions(), on_event=lambda _: None)
            return str(project.run_events("last"))

    events = asyncio.run(run())
    assert "hidden-bix" not in events
    assert "no minion or resource matches" in events
