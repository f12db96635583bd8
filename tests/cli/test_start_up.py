"""What the help and a run of a plain state load: the price that every command and every run pays."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from tests.cli.shell import environment

if TYPE_CHECKING:
    from pathlib import Path

NOT_NEEDED_FOR_HELP = (
    "asyncio",
    "difflib",
    "json",
    "logging",
    "msgspec",
    "socket",
    "traceback",
)

NOT_NEEDED = (
    "asyncssh",
    "cryptography",
    "dataclasses",
    "difflib",
    "ensue.engine.binding.arguments",
    "ensue.engine.binding.bound_values",
    "ensue.language.targets.calls",
    "ensue.language.custom.loading",
    "ensue.language.plans.late_rendering",
    "ensue.language.functions.salt_functions",
    "ensue.deploy.drivers.loading",
    "ensue.engine.deadlock",
    "ensue.language.references.grammar",
    "ensue.language.plans.high_low_data",
    "ensue.engine.binding.slots",
    "ensue.store.registry.registry",
    "ensue.reach.resources.minion.connection",
    "ensue.store.runs.resume",
    "glob",
    "jinja2",
    "json",
    "pkgutil",
    "random",
    "rich",
    "shlex",
    "sqlalchemy",
    "sqlite3",
)

_PROGRAM = """
import atexit, sys
command, names = sys.argv[1].split(), sys.argv[2:]
atexit.register(lambda: print("loaded:", *(name for name in names if name in sys.modules)))
sys.argv = ["ensue", *command]
from ensue.cli import main
sys.exit(main())
"""


def _loaded(command: str, names: tuple[str, ...], folder: Path) -> list[str]:
    """Run the command and return which of some modules it has loaded."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, command, *names],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rpartition("loaded:")[2].split()


def test_a_run_loads_only_what_it_needs(tmp_path: Path) -> None:
    """A state without a template, a secret, a resource, a reference or a fault loads nothing for them."""
    (tmp_path / "states").mkdir()
    (tmp_path / "pillar").mkdir()
    (tmp_path / "ensue.yaml").write_text("id: web-01\n")
    (tmp_path / "states" / "one.sls").write_text("one:\n  test.nop: []\n")
    (tmp_path / "pillar" / "top.sls").write_text("base:\n  '*':\n    - common\n")
    (tmp_path / "pillar" / "common.sls").write_text("port: 80\n")
    assert _loaded("apply one --out quiet", NOT_NEEDED, tmp_path) == []
    # That it can be told:
    assert _loaded("apply one --out quiet", ("asyncio", "ensue.library.states.test"), tmp_path) != []


def test_the_help_loads_only_what_it_needs(tmp_path: Path) -> None:
    """The help loads nothing for runs, and of the standard library what it uses, or click."""
    assert _loaded("--help", NOT_NEEDED_FOR_HELP, tmp_path) == []
