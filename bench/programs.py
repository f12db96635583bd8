"""ensue and Salt as they are measured, and the installation of Salt in its own environment."""

from __future__ import annotations

import compileall
import json
import os
import re
import shlex
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from deploys import SET
from graphs import CONTEXT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cases import Case

SALT_VERSION = "3008.5"
"""The release that ensue is measured against."""


class Program(Protocol):
    """A measured program; `peers.py` has those of some cases only."""

    @property
    def name(self) -> str:
        """Its name in the table."""
        ...

    def argv(self, case: Case, *, out: str) -> list[str]:
        """Return the command line that runs a case.

        Args:
            case: what to run.
            out: the name of an output format that ensue and Salt know: `json`, `highstate`, `quiet`.
        """
        ...

    def before(self, case: Case) -> list[list[str]]:
        """Return the commands that bring about what a case begins with; they are run before each run."""
        ...

    def takes(self, case: Case) -> bool:
        """Return whether it can run a case."""
        ...

    def succeeded(self, written: str) -> int:
        """Return how many states have the result True by what it wrote with `json`."""
        ...


@dataclass(frozen=True, slots=True)
class Ensue:
    """ensue, as it is installed beside the interpreter that runs this.

    Args:
        executable: the command.
        root: the project.
    """

    executable: Path
    root: Path
    name: str = "ensue"

    def argv(self, case: Case, *, out: str) -> list[str]:
        """Return `ensue apply`, `call`, `deploy`, `graph` of a deployment, or `ensue --help`."""
        if case.deploys:
            return self._deploy(case, out, destroy=case.deploys == "destroy")
        if case.workloads:
            file, form = str(self.root / f"{case.name}.json"), "json" if out == "json" else "text"
            return [
                *(str(self.executable), "graph", file),
                *("--root", str(self.root), "--out", form, *CONTEXT),
            ]
        options = ["--root", str(self.root / case.project), "--out", out]
        if case.call:
            return [str(self.executable), "call", *case.call, *options]
        if not case.sls:
            return [str(self.executable), "--help"]
        return [str(self.executable), "apply", case.sls_name, *options]

    def before(self, case: Case) -> list[list[str]]:
        """Return nothing, or what forgets or provisions a deployment."""
        if not case.deploys:
            return []
        if case.deploys == "first":
            return [["/bin/rm", "-rf", str(self.root / case.project / ".ensue")]]
        return [self._deploy(case, "quiet", destroy=False)]

    def _deploy(self, case: Case, out: str, *, destroy: bool) -> list[str]:
        folder = self.root / case.project
        what = ["--destroy", *CONTEXT[:4]] if destroy else [str(folder / SET), *CONTEXT]
        return [str(self.executable), "deploy", *what, "--root", str(folder), "--out", out]

    def takes(self, case: Case) -> bool:
        """Return True: every case is for ensue."""
        del case
        return True

    def succeeded(self, written: str) -> int:
        """Count over the one minion, or the resources of a graph."""
        document = json.loads(written)
        if "nodes" not in document:
            return _count_true(written)
        return sum(node["status"] not in {"failed", "skipped"} for node in document["nodes"])


@dataclass(frozen=True, slots=True)
class Salt:
    """Salt without a master.

    Args:
        executable: its `salt-call`.
        root: the project.
        config: a folder with a `minion` file that keeps all that Salt writes below it.
    """

    executable: Path
    root: Path
    config: Path
    name: str = "salt"

    def argv(self, case: Case, *, out: str) -> list[str]:
        """Return `salt-call --local state.apply`, several where the case says so, a call, or `--help`."""
        options = ["--local", "-c", str(self.config / case.project), "--out", out, "--retcode-passthrough"]
        if case.call:
            target, function = case.call
            where = ["--resources", "--tgt", target, "--tgt-type", "compound"]
            return [str(self.executable), *options, *where, function]
        if not case.sls:
            return [str(self.executable), "--help"]
        one = [str(self.executable), *options, "state.apply"]
        if not case.applies:
            return [*one, case.sls_name]
        return ["/bin/sh", "-c", " && ".join(shlex.join([*one, name]) for name in case.applied_names)]

    def before(self, case: Case) -> list[list[str]]:
        """Return nothing: its cases need no preparation."""
        del case
        return []

    def takes(self, case: Case) -> bool:
        """Return whether Salt is a peer of the case; it has no argument binding."""
        return "salt" in case.peers

    def succeeded(self, written: str) -> int:
        """Count below `local`."""
        return _count_true(written)


def _count_true(written: str) -> int:
    """Count what is True, results of delayed scopes and answers too, in one document or several."""
    count = 0
    for document in _documents(written):
        # A target whose SLS did not compile has a list of messages in place of states.
        count += sum(_count_in(found) for found in document.values() if not isinstance(found, list))
    return count


def _count_in(returns: Any) -> int:
    if returns is True:
        return 1  # the answer to a call
    if not isinstance(returns, dict):
        return 0
    found = cast("dict[str, Any]", returns)
    return sum(one is True or _count_returned(one) for one in found.values())


def _count_returned(returned: Any) -> int:
    """Count a state's own result, and those of its delayed scopes."""
    if not isinstance(returned, dict):
        return 0
    state = cast("dict[str, Any]", returned)
    return (state["result"] is True) + sum(_count_in(entry["returns"]) for entry in state.get("delayed", ()))


def _documents(written: str) -> Iterator[dict[str, Any]]:
    """Yield the JSON documents of a text, which are written one after the other."""
    decoder = json.JSONDecoder()
    rest = written.lstrip()
    while True:
        document, end = decoder.raw_decode(rest)
        yield document
        rest = rest[end:].lstrip()
        if not rest:
            return


def count_succeeded(program: Program, case: Case, *, timeout_s: float) -> int:
    """Run a case once, untimed, and count the states that succeeded.

    Raises:
        subprocess.TimeoutExpired: it took too long.
        ValueError: what it wrote is not JSON.
    """
    finished = subprocess.run(
        program.argv(case, out="json"), capture_output=True, check=False, timeout=timeout_s, text=True
    )
    try:
        return program.succeeded(finished.stdout)
    except ValueError as fault:
        msg = f"{program.name} wrote no JSON (exit code {finished.returncode}): {finished.stderr[-1500:]}"
        raise ValueError(msg) from fault


def prepare_salt(folder: Path, root: Path) -> Salt:
    """Return Salt, installed if it is not there yet.

    Args:
        folder: where its environment is made; `BENCH_SALT`, the path of a `salt-call`, outranks it.
        root: the project that it reads.
    """
    given = os.environ.get("BENCH_SALT")
    executable = Path(given) if given else installed_salt(folder)
    config = root / "salt"
    projects = [path.parent.name for path in root.glob("*/ensue.yaml")]
    for project in ("", *projects):
        _write_salt_config(config / project, root / project)
    return Salt(executable, root, config)


def _write_salt_config(config: Path, root: Path) -> None:
    config.mkdir()
    settings = {
        "id": "bench",
        "file_client": "local",
        "root_dir": str(config),
        "file_roots": {"base": [str(root / "states")]},
        "pillar_roots": {"base": [str(root / "pillar")]},
        "log_level": "error",
        "log_level_logfile": "quiet",
        "enable_grains_cache": False,
    }
    # JSON is YAML, and needs no library here.
    (config / "minion").write_text(json.dumps(settings))


def prepare_ensue(executable: Path, root: Path) -> Ensue:
    """Return ensue, compiled to bytecode: what a package manager installs is, a checkout may not be."""
    import ensue

    compileall.compile_dir(Path(ensue.__file__).parent, quiet=1)
    return Ensue(executable, root)


def installed_salt(folder: Path) -> Path:
    """Return the `salt-call` of an environment, which is made if it is not there yet.

    A folder that a symlink leads to belongs to somebody else, and is not cleared.

    Raises:
        SystemExit: the folder would have to be made anew, and a symlink leads to it.
    """
    executable = folder / "bin" / "salt-call"
    stamp = folder / f".installed-{SALT_VERSION}"
    if stamp.exists():
        return executable
    if folder.resolve() != folder.absolute():
        raise SystemExit(
            f"{folder} leads through a symlink to {folder.resolve()}: Salt is not installed there"
        )
    print(f"installing Salt {SALT_VERSION} in {folder} (once) ...", file=sys.stderr)
    venv.create(folder, clear=True, with_pip=False, symlinks=True)
    _pip(folder, "--upgrade", "setuptools<81")  # Salt imports pkg_resources
    if not _pip_succeeds(folder, f"salt=={SALT_VERSION}"):
        _pip(folder, "--no-deps", f"salt=={SALT_VERSION}")
        _pip(folder, *_relaxed_requirements(folder))
    stamp.touch()
    return executable


def _pip_argv(folder: Path, *arguments: str) -> list[str]:
    # The pip of this environment installs into the other one, which needs none of its own.
    python = str(folder / "bin" / "python")
    return [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", *arguments]


def _pip(folder: Path, *arguments: str) -> None:
    subprocess.run(_pip_argv(folder, *arguments), check=True)


def _pip_succeeds(folder: Path, *arguments: str) -> bool:
    return subprocess.run(_pip_argv(folder, *arguments), check=False, capture_output=True).returncode == 0


def _relaxed_requirements(folder: Path) -> list[str]:
    """Return what Salt requires, by its own metadata, without the versions it asks for.

    Markers are kept, so that what belongs to another system or Python stays away; extras are left out.
    """
    script = "from importlib.metadata import requires; import json; print(json.dumps(requires('salt') or []))"
    listed = subprocess.run(
        [str(folder / "bin" / "python"), "-c", script], check=True, capture_output=True, text=True
    )
    requirements = [line for line in json.loads(listed.stdout) if "extra ==" not in line]
    return [relaxed(line) for line in requirements]


def relaxed(requirement: str) -> str:
    """Take the versions out of a requirement: `a>=1; marker` becomes `a; marker`."""
    named, semicolon, marker = requirement.partition(";")
    bare = re.match(r"\s*[A-Za-z0-9._-]+(\[[^\]]*\])?", named)
    if not bare:
        msg = f"not a requirement: {requirement!r}"
        raise ValueError(msg)
    return bare.group().strip() + (f"{semicolon}{marker}" if semicolon else "")
