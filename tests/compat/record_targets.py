"""Record what Salt's compound matcher answers for `targets.txt`: part of `make compat`.

The subject is a minion with the grains, pillar, nodegroups and resources of `target_subject.json`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
RECORDED = FOLDER / "targets.json"


def all_targets() -> dict[str, str]:
    """Return the expressions, and why ensue answers differently from Salt; empty where it does not."""
    lines = (FOLDER / "targets.txt").read_text().splitlines()
    pairs = [line.partition(" ## ") for line in lines if line and not line.startswith("#")]
    return {expression: why for expression, _, why in pairs}


def main() -> int:
    """Ask Salt, by its own Python, and record its answers."""
    from tests.compat.record import python_of_salt

    done = subprocess.run(
        [str(python_of_salt()), str(Path(__file__).resolve())],
        input=json.dumps(list(all_targets())),
        text=True,
        stdout=subprocess.PIPE,
        check=True,
    )
    RECORDED.write_text(json.dumps(json.loads(done.stdout), indent=1) + "\n")
    return 0


def _serve() -> None:
    """Answer for the expressions on stdin, by Salt's Python."""
    import logging

    import salt.config
    import salt.loader

    logging.disable()
    opts = salt.config.minion_config(None)
    opts.update(json.loads((FOLDER / "target_subject.json").read_text()), file_client="local")
    compound = salt.loader.matchers(opts)["compound_match.match"]
    answers = {expression: bool(compound(expression, opts=opts)) for expression in json.load(sys.stdin)}
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    inside_salt = __package__ is None or not __package__
    sys.exit(_serve() if inside_salt else main())
