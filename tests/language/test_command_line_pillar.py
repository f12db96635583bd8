"""A plan says so if pillar of the command line does not do what it looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("given", "warns"),
    [
        ("quotes:vhosts={}", True),
        ("{quotes: {vhosts: {}}}", True),
        ("quotes:vhosts={a: {}}", False),
        ("quotes:vhosts=null", False),
        ("quotes:other={}", False),
        ("quotes:empty={}", False),
    ],
)
@pytest.mark.parametrize("target", [(), ("--tgt", "web")], ids=["here", "on a host"])
def test_an_empty_mapping_for_one_with_keys(
    tmp_path: Path, given: str, warns: bool, target: tuple[str, ...]
) -> None:
    """In the pillar of this machine, and in that of a host."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: here\n")
    web = "web: [q]" if target else "web: []"
    shell.write("pillar/top.sls", f"base: {{here: [hosts{'' if target else ', q'}], {web}}}\n")
    shell.write("pillar/hosts.sls", "resources: {minion: {hosts: {web: {root: /tmp}}}}\n")
    shell.write("pillar/q.sls", "quotes: {vhosts: {a: 1}, empty: {}}\n")
    shell.write("states/t.sls", "a: {test.nop: [comment: '{{ pillar.quotes | length }}']}\n")
    planned = shell.run("plan", "t", *target, "--pillar", given)
    assert planned.code == 0, planned.err
    assert ("E0915" in planned.err) == warns, planned.err
    assert ("'quotes:vhosts'" in planned.err) == warns


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("quotes.limit=5", "quotes:limit"),
        ("quotes.vhosts.a=5", "quotes:vhosts:a"),
        ("quotes.limits=5", ""),
        ("quotes:limit=5", ""),
        ("postgres.user=x", ""),
        ("mysql.user=x", ""),
    ],
)
def test_a_key_with_dots_for_a_path(tmp_path: Path, given: str, meant: str) -> None:
    """A dot goes below no mapping: the plan names the path, unless pillar lacks it or has the dotted key."""
    shell = Shell(tmp_path)
    shell.write("pillar/top.sls", "base: {'*': [q]}\n")
    shell.write("pillar/q.sls", "quotes: {vhosts: {a: 1}, limit: 1}\nmysql: {user: a}\nmysql.user: b\n")
    shell.write("states/t.sls", "a: {test.nop: [comment: '{{ pillar.quotes | length }}']}\n")
    planned = shell.run("plan", "t", "--pillar", given)
    assert planned.code == 0, planned.err
    assert ("E0895" in planned.err) == bool(meant), planned.err
    assert f"did you mean {meant}?" in planned.err if meant else "did you mean" not in planned.err
