"""Running trees on Salt: many processes of its real command line, forked off one that has it loaded.

Importing Salt takes most of the time of a small tree; a fork that then calls the entry point of
`salt-call` does all that a process of its own does, in half the time.

    python -m tests.compat.salt_side    run by Salt's own Python: jobs as JSON lines on stdin
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.compat.outcome import Outcome
    from tests.compat.trees import Tree

_PRELOADED = ("salt.cli.call", "salt.cli.caller", "salt.minion", "salt.state", "salt.pillar", "salt.output")
_SECONDS = 45
"""Some broken trees keep Salt busy for ever."""


def run_on_salt(trees: list[Tree], python: Path, folder: Path) -> Iterator[Outcome]:
    """Yield the outcome of each tree.

    Args:
        trees: the trees.
        python: the interpreter of Salt's environment.
        folder: an empty folder.
    """
    jobs = [_prepare(tree, folder / f"{number:04}") for number, tree in enumerate(trees)]
    script = Path(__file__).resolve()
    text = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run([str(python), str(script)], input=text, text=True, capture_output=True, check=False)
    codes = [int(line) for line in done.stdout.split()]
    if len(codes) != len(jobs):
        message = f"Salt's process ended after {len(codes)} of {len(jobs)} trees: {done.stderr[-1500:]}"
        raise RuntimeError(message)
    for job, code in zip(jobs, codes, strict=True):
        yield _outcome(job, code)


def arguments(tree: Tree, root: Path) -> list[str]:
    """Return the arguments of `salt-call` for a tree that was laid out in a folder."""
    words = ["--local", "-c", str(root / "salt"), "--out", "json", "--retcode-passthrough", "-l", "quiet"]
    words += ["state.apply", *([",".join(tree.mods)] if tree.mods else [])]
    words += ["test=True"] if tree.test else []
    words += [f"{option}={name}" for option, name in tree.environments.items()]
    return words + ([f"pillar={json.dumps(dict(tree.pillar))}"] if tree.pillar else [])


def _prepare(tree: Tree, root: Path) -> dict[str, Any]:
    from tests.compat.trees import MINION_ID

    root.mkdir()
    tree.lay_out(root)
    (root / "salt").mkdir()
    settings = {
        "id": MINION_ID,
        "file_client": "local",
        "root_dir": str(root / "salt"),
        "file_roots": {"base": [str(root / "states")]},
        "pillar_roots": {"base": [str(root / "pillar")]},
        "log_level": "quiet",
        "log_level_logfile": "quiet",
        "enable_fqdns_grains": False,
        "extension_modules": str(root / "salt/extmods"),
        **_placed(tree.config, root),
    }
    (root / "salt/minion").write_text(json.dumps(settings))  # JSON is YAML
    (root / "salt/grains").symlink_to("../out/grains")
    _synchronise(root)
    return {"root": str(root), "arguments": arguments(tree, root)}


def _synchronise(root: Path) -> None:
    """Put custom modules where `saltutil.sync_all`, which a real minion calls before, puts them."""
    (root / "salt/extmods").mkdir()
    for folder in sorted(path for path in (root / "states").glob("_*") if path.is_dir()):
        (root / "salt/extmods" / folder.name.removeprefix("_")).symlink_to(folder)


def _placed(config: Any, root: Path) -> dict[str, Any]:
    """Return options with the folders of roots made absolute, as Salt requires."""
    placed = dict(config)
    for key in ("file_roots", "pillar_roots"):
        if key in placed:
            placed[key] = {
                env: [str(root / name) for name in folders] for env, folders in placed[key].items()
            }
    return placed


def _outcome(job: dict[str, Any], code: int) -> Outcome:
    from tests.compat.outcome import outcome_of

    root = Path(job["root"])
    written = (root / "stdout").read_text()
    return outcome_of(code, _returned(written), root)


def _returned(written: str) -> Any:
    """Return what is under `local`; commands and a crash may write more around the JSON."""
    start = written.find('{\n    "local"')
    if start < 0:
        return written.strip().splitlines()[-1:]
    return json.JSONDecoder().raw_decode(written, start)[0]["local"]


def _serve() -> None:
    """Run the jobs on stdin, a fork each, and print their exit codes in order."""
    import importlib

    for name in _PRELOADED:
        importlib.import_module(name)
    jobs = [json.loads(line) for line in sys.stdin]
    codes: dict[int, int] = {}
    running: dict[int, int] = {}
    for number, job in enumerate(jobs):
        if len(running) >= (os.cpu_count() or 1):
            _reap(running, codes)
        running[_fork(job)] = number
    while running:
        _reap(running, codes)
    sys.stdout.write("".join(f"{codes[number]}\n" for number in range(len(jobs))))


def _reap(running: dict[int, int], codes: dict[int, int]) -> None:
    pid, status = os.wait()
    if pid in running:
        codes[running.pop(pid)] = os.waitstatus_to_exitcode(status)


def _fork(job: dict[str, Any]) -> int:
    pid = os.fork()
    if pid:
        return pid
    root = job["root"]
    for number, name in ((1, "stdout"), (2, "stderr")):
        os.dup2(os.open(f"{root}/{name}", os.O_WRONLY | os.O_CREAT, 0o600), number)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(root)
    os.umask(0o022)
    signal.alarm(_SECONDS)
    from salt.scripts import salt_call

    sys.argv = ["salt-call", *job["arguments"]]
    code = 1
    try:
        salt_call()
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    _serve()
