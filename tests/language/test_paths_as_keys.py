"""`pillar.get('db:port', 80)` is warned of where pillar has a value at that path."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("expression", "warns"),
    [
        ("pillar.get('db:port', 80)", True),
        ('pillar.get("db:port")', True),
        ("grains.get('cpu:kind', 1)", True),
        ("pillar.get('db:host', 'x')", False),
        ("pillar.get('with:colon', 'x')", False),
        ("pillar.get('db', {}).get('port')", False),
        ("salt['pillar.get']('db:port', 80)", False),
        ("salt.pillar.get('db:port', 80)", False),
    ],
)
def test_a_path_in_get_of_the_mapping(tmp_path: Path, expression: str, warns: bool) -> None:
    """With the line and the call that follows the path."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: here\ngrains: {cpu: {kind: arm}}\n")
    shell.write("pillar/top.sls", "base: {here: [q]}\n")
    shell.write("pillar/q.sls", "db: {port: 5432}\n'with:colon': 1\n")
    shell.write("states/t.sls", f"# a comment\na:\n  test.nop:\n    - comment: {{{{ {expression} }}}}\n")
    planned = shell.run("plan", "t")
    assert planned.code == 0, planned.err
    assert ("E0914" in planned.err) == warns, planned.err
    if warns:
        assert "states/t.sls:4" in planned.err
        mapping, path = ("grains", "cpu:kind") if "grains" in expression else ("pillar", "db:port")
        assert f"salt['{mapping}.get']('{path}', …)" in planned.err
