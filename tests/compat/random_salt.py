"""Running random trees on Salt: one process of Salt's Python that compiles and runs one tree after another.

    python -m tests.compat.random_salt    run by Salt's own Python: a root and jobs as lines on stdin

A job is the name of an SLS and whether it is a plan; the answer is a line of JSON: what Salt returns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from types import TracebackType


class SaltProcess:
    """A process that has Salt loaded.

    Args:
        python: the interpreter of Salt's environment.
        root: a folder with the SLS files in `states`; Salt writes to `salt` beside it.
    """

    def __init__(self, python: Path, root: Path) -> None:
        settings = {
            "id": "web-01.example.org",
            "file_client": "local",
            "root_dir": str(root / "salt"),
            "file_roots": {"base": [str(root / "states")]},
            "pillar_roots": {"base": [str(root / "pillar")]},
            "log_level": "quiet",
            "log_level_logfile": "quiet",
            "enable_fqdns_grains": False,
        }
        for name in ("salt", "states", "pillar"):
            (root / name).mkdir(parents=True, exist_ok=True)
        (root / "salt/minion").write_text(json.dumps(settings))
        self._process = subprocess.Popen(
            [str(python), str(Path(__file__).resolve()), str(root / "salt/minion")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def run(self, sls: str, *, test: bool) -> Any:
        """Return what Salt returns for an SLS: a mapping by tag, or a list of messages."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps([sls, test]) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            message = f"Salt's process ended at {sls}"
            raise RuntimeError(message)
        return json.loads(line)


def _serve(configuration: str) -> None:
    import salt.config
    import salt.minion
    import salt.state

    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    compilers = {}
    for test in (False, True):  # functions see the options that they were loaded with
        opts = salt.config.minion_config(configuration)
        compilers[test] = salt.state.HighState({**opts, "grains": {"id": opts["id"]}, "test": test})
    for line in sys.stdin:
        sls, test = json.loads(line)
        returned = _returned(compilers[test], salt.state.DependencyGraph, sls)
        answers.write(json.dumps(returned, default=str) + "\n")
        answers.flush()


def _returned(highstate: Any, graph: Any, sls: str) -> Any:
    """Do what `state.sls` does, with a state compiler that is made as a new one."""
    state = highstate.state
    state.pre, state.mod_init, state.active = {}, set(), set()
    state._State__run_num = 0  # it counts over the whole life of the object
    state.dependency_dag = graph()
    highstate.iorder = 10000
    highstate.building_highstate = type(highstate.building_highstate)()
    try:
        high, errors = highstate.render_highstate({"base": [sls]})
        return errors or state.call_high(high)
    except RecursionError:
        return ["Recursive requisite found"]
    except Exception as error:  # noqa: BLE001 (Salt's own crash is its answer)
        return [f"Salt crashed: {type(error).__name__}: {error}"]


if __name__ == "__main__":
    _serve(sys.argv[1])
