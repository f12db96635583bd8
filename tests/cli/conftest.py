"""A project whose states need nothing but `test.*`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with a few SLS, and the means to run commands in it."""
    shell = Shell(tmp_path / "project")
    shell.write("ensue.yaml", "id: web-01\n")
    shell.write(
        "states/good.sls", "ok:\n  test.nop: []\nmore:\n  test.succeed_with_changes:\n    - name: foo\n"
    )
    shell.write("states/bad.sls", "bad:\n  test.fail_without_changes: []\n")
    shell.write("states/broken.sls", "x:\n  test.nop: []\ny:\n  test.noop: []\n")
    shell.write("states/web/init.sls", "web:\n  test.nop: []\n")
    shell.write("states/web/site.sls", "site:\n  test.nop: []\n")
    shell.write("states/top.sls", "base:\n  '*':\n    - good\n")
    shell.write("pillar/top.sls", "base:\n  '*':\n    - data\n")
    shell.write("pillar/data.sls", "port: 80\ndb:\n  host: a\n  user: u\n")
    shell.write(
        "states/pillared.sls",
        "p:\n  test.configurable_test_state:\n    - result: true\n    - changes: false\n"
        "    - comment: '{{ pillar.port }} {{ pillar.db.host }} {{ pillar.db.user }}'\n",
    )
    return shell
