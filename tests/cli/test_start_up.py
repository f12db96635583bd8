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
    "ensue.cli.event_file",
    "ensue.cli.machine_trouble",
    "ensue.core.contracts.function_docs",
    "ensue.core.contracts.time_limit",
    "ensue.core.model.docstrings",
    "ensue.core.model.property_values",
    "ensue.deploy.drivers.loading",
    "ensue.engine.binding.arguments",
    "ensue.engine.binding.bound_values",
    "ensue.engine.binding.slots",
    "ensue.engine.condition_trouble",
    "ensue.engine.deadlock",
    "ensue.engine.retry",
    "ensue.language.blocks.block_waits",
    "ensue.language.custom.loading",
    "ensue.language.data_faults",
    "ensue.language.function_words",
    "ensue.language.functions.new_state_page",
    "ensue.language.functions.salt_functions",
    "ensue.language.hcl_words",
    "ensue.language.missing_functions",
    "ensue.language.names_by_glob",
    "ensue.language.near_files",
    "ensue.language.place_document",
    "ensue.language.plans.high_low_data",
    "ensue.language.plans.late_rendering",
    "ensue.language.references.grammar",
    "ensue.language.settings.nodegroups",
    "ensue.language.targeting.ansible_patterns",
    "ensue.language.targeting.batch",
    "ensue.language.targets.calls",
    "ensue.language.targets.misspelt_members",
    "ensue.language.targets.unassigned_resources",
    "ensue.output.event_lines",
    "ensue.reach.processes.http_exchange",
    "ensue.reach.resources.minion.connection",
    "ensue.store.registry.registry",
    "ensue.store.runs.journaled_names",
    "ensue.store.runs.minion_locks",
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
