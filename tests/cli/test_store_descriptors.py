"""No command opens the files of the stores but by SQLite, whose locks a closed descriptor would drop."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_DRIVER = """
import os, sys

def note(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.fsdecode(arguments[0])
        if path.endswith((".db", ".db-wal", ".db-shm")):
            os.write(2, f"opened {path}\\n".encode())

sys.addaudithook(note)
from ensue.cli.entry import main
sys.argv[0] = "ensue"
main()
"""
_FILES = {
    "ensue.yaml": "id: here\n",
    "a.sls": "a:\n  file.exists:\n    - name: /etc/passwd\n",
    "definitions/bucket.yaml": """
kind: Definition
metadata: {id: bucket}
entity: {type: bucket, driver_type: echo, driver_inputs: {values: {dir: /srv}}, criteria: [{}]}
""",
    "web.yaml": """
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx}}
resources: {b: {type: bucket}}
""",
}
_ENVIRONMENT = "--app shop --env dev"


def test_sqlite_alone_opens_the_stores(tmp_path: Path) -> None:
    """In deployments, plans, applies, calls, and commands that show or change the stores."""
    for name, content in _FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    for command in (
        f"deploy web.yaml {_ENVIRONMENT} --env-type development --new-env",
        f"deploy web.yaml {_ENVIRONMENT} --plan --refresh",
        f"deployments list {_ENVIRONMENT}",
        "apply a.sls",
        "plan a.sls",
        "call here test.ping",
        "show enforced",
        "resources list --refresh",
        "keys rotate",
        f"deploy {_ENVIRONMENT} --destroy --yes",
    ):
        completed = subprocess.run(
            [sys.executable, "-c", _DRIVER, *command.split()],
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert (command, completed.returncode) == (command, 0), completed.stderr
        assert "opened " not in completed.stderr, command
    assert {path.name for path in (tmp_path / ".ensue").glob("*.db")} >= {"store.db", "enforced.db"}
