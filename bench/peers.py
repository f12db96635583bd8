"""The peers of some cases only: Idem for argument binding, Terraform for resources that refer to others.

Each gets the same states as ensue, in its own language if that differs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cases import Case

IDEM_VERSION = "25.0.1"
"""The release that ensue is measured against."""

_STATE = "deployed.tfstate"
_IDEM_STATE = """\
def present(hub, ctx, name, new_state=None, **kwargs):
    return {"name": name, "result": True, "comment": "", "old_state": new_state, "new_state": new_state}
"""


@dataclass(frozen=True, slots=True)
class Idem:
    """Idem, with the one state function of the cases as a plug-in: it returns what it is given.

    Args:
        executable: its `idem`.
        root: the project, whose SLS it reads as they are.
        home: a folder for all that it writes.
    """

    executable: Path
    root: Path
    home: Path
    name: str = "idem"

    def before(self, case: Case) -> list[list[str]]:
        """Return nothing: its cases need no preparation."""
        del case
        return []

    def takes(self, case: Case) -> bool:
        """Return whether Idem is a peer of the case: only argument binding has it."""
        return "idem" in case.peers

    def argv(self, case: Case, *, out: str) -> list[str]:
        """Return `idem state`, with its defaults but for the progress bar; `quiet` is its JSON, too."""
        del out
        folders = ["--tree", str(self.root / "states"), "--root-dir", str(self.home)]
        written = ["--cache-dir", str(self.home / "cache"), "--log-file", str(self.home / "log")]
        start = ["/usr/bin/env", f"PYTHONPATH={self.home}", str(self.executable), "state"]
        return [*start, case.sls_name, *folders, *written, "--no-progress-bar", "--output", "json"]

    def succeeded(self, written: str) -> int:
        """Count over all returns."""
        return sum(one["result"] is True for one in json.loads(written).values())


@dataclass(frozen=True, slots=True)
class Terraform:
    """Terraform with its built-in `terraform_data`, a folder for each case: no provider, no network.

    Args:
        executable: the command.
        root: a folder for the configurations.
    """

    executable: Path
    root: Path
    name: str = "terraform"

    def takes(self, case: Case) -> bool:
        """Return whether the case has a Terraform configuration."""
        return bool(case.terraform)

    def argv(self, case: Case, *, out: str) -> list[str]:
        """Return `terraform apply` with a new state file, to create everything, or a deployment's step."""
        if case.deploys:
            return self._command(case, "destroy" if case.deploys == "destroy" else "apply", _STATE, out)
        return self._command(case, "apply", f"{time.monotonic_ns()}.tfstate", out)

    def before(self, case: Case) -> list[list[str]]:
        """Return nothing, or what forgets or provisions a deployment."""
        if not case.deploys:
            return []
        if case.deploys == "first":
            return [["/bin/rm", "-f", str(self.root / case.sls_name / _STATE)]]
        return [self._command(case, "apply", _STATE, "quiet")]

    def _command(self, case: Case, word: str, state: str, out: str) -> list[str]:
        options = ["-auto-approve", "-no-color", "-input=false", "-backup=-", f"-state={state}"]
        options += ["-json"] if out == "json" else []
        return [str(self.executable), f"-chdir={self.root / case.sls_name}", word, *options]

    def succeeded(self, written: str) -> int:
        """Count what it created, destroyed, or found as it is to be: it writes a JSON document per line."""
        lines = [json.loads(line) for line in written.splitlines()]
        summaries = [line["changes"] for line in lines if line["type"] == "change_summary"]
        done = [change for change in summaries if change["operation"] != "plan"]
        if any(change["add"] or change["remove"] for change in done):
            return max(change["add"] + change["remove"] for change in done)
        return sum(line["type"] == "refresh_complete" for line in lines) if done else 0

    def prepare(self, case: Case) -> None:
        """Write a case's configuration and initialize its folder."""
        folder = self.root / case.sls_name
        folder.mkdir(parents=True)
        (folder / "main.tf").write_text(case.terraform)
        argv = [str(self.executable), f"-chdir={folder}", "init", "-input=false", "-no-color"]
        subprocess.run(argv, check=True, capture_output=True)


def prepare_idem(folder: Path, root: Path) -> Idem:
    """Return Idem, installed if it is not there yet.

    Args:
        folder: where its environment is made; `BENCH_IDEM`, the path of an `idem`, outranks it.
        root: the project that it reads.
    """
    given = os.environ.get("BENCH_IDEM")
    executable = Path(given) if given else installed_idem(folder)
    home = root / "idem"
    (home / "bench_states" / "states").mkdir(parents=True)
    (home / "bench_states" / "conf.py").write_text('DYNE = {"states": ["states"]}\n')
    (home / "bench_states" / "states" / "test.py").write_text(_IDEM_STATE)
    return Idem(executable, root, home)


def prepare_terraform(root: Path, cases: list[Case]) -> Terraform | None:
    """Return Terraform with the cases that have a configuration, or None where it is not installed."""
    found = shutil.which(os.environ.get("BENCH_TERRAFORM", "terraform"))
    if found is None:
        return None
    terraform = Terraform(Path(found), root / "terraform")
    for case in cases:
        if terraform.takes(case):
            terraform.prepare(case)
    return terraform


def installed_idem(folder: Path) -> Path:
    """Return the `idem` of an environment, which is made if it is not there yet."""
    executable = folder / "bin" / "idem"
    stamp = folder / f".installed-{IDEM_VERSION}"
    if stamp.exists():
        return executable
    print(f"installing Idem {IDEM_VERSION} in {folder} (once) ...", file=sys.stderr)
    venv.create(folder, clear=True, with_pip=False, symlinks=True)
    # The pip of this environment installs into the other one, which needs none of its own.
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--quiet"]
    subprocess.run([*pip, "setuptools<81", f"idem=={IDEM_VERSION}"], check=True)
    stamp.touch()
    return executable
