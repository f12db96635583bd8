"""What a run of a plain state loads: the price that every run pays."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.cli.shell import environment

if TYPE_CHECKING:
    from pathlib import Path

NOT_NEEDED = (
    "asyncssh",
    "cryptography",
    "dataclasses",
    "ensue.registry.registry",
    "jinja2",
    "rich",
    "sqlalchemy",
    "sqlite3",
    "yaml",
)


def test_a_run_loads_only_what_it_needs(tmp_path: Path) -> None:
    """A state without a template, a secret, a resource or a fault loads no library for them."""
    (tmp_path / "states").mkdir()
    (tmp_path / "pillar").mkdir()
    (tmp_path / "ensue.yaml").write_text("id: web-01\n")
    (tmp_path / "states" / "one.sls").write_text("one:\n  test.nop: []\n")
    (tmp_path / "pillar" / "top.sls").write_text("base:\n  '*':\n    - common\n")
    (tmp_path / "pillar" / "common.sls").write_text("port: 80\n")
    program = (
        "import sys; from ensue.cli import main\n"
        "code = main(['apply', 'one', '--out', 'quiet'])\n"
        "print(code, 'loaded:', *sorted(set(sys.argv[1:]) & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *NOT_NEEDED],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "0 loaded:\n"
