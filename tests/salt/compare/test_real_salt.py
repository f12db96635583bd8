"""The records equal what Salt answers to the script of `ensue compare`, run by Salt's own Python."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.cli.shell import Shell
from tests.salt.compare.recorded_salt import CASES, MINION_ID, ROOT, lay_out, recorded

from ensue.salt.compare import salt_side

HAS_SALT = importlib.util.find_spec("salt") is not None

if HAS_SALT:

    @pytest.mark.parametrize("case", CASES)
    def test_salt_says_what_is_recorded(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
        """A tree has the recorded states, requests, plan and errors; progress is not compared."""
        reports = _reports(case, tmp_path)
        if request.config.getoption("--update"):
            recorded(case).parent.mkdir(exist_ok=True)
            recorded(case).write_text(
                "".join(json.dumps(report, sort_keys=True) + "\n" for report in reports)
            )
        assert _comparable(reports) == _comparable(map(json.loads, recorded(case).read_text().splitlines()))

    @pytest.mark.parametrize(("case", "exit_code"), [("same", 0), ("custom", 0), ("meant", 2), ("pillar", 1)])
    def test_a_comparison_with_a_real_salt(case: str, exit_code: int, tmp_path: Path) -> None:
        """`ensue compare` starts Salt, and has the same result as with the recorded answers."""
        shell = Shell(tmp_path / "project")
        mods = lay_out(case, shell.root)
        ended = shell.run("compare", *mods, "--id", MINION_ID, "--salt", sys.executable)
        assert ended.code == exit_code, ended.out + ended.err


def _reports(case: str, tmp_path: Path) -> list[dict[str, Any]]:
    root, folder = tmp_path / "tree", tmp_path / "salt"
    mods = lay_out(case, root)
    folder.mkdir()
    order = {
        "folder": str(folder),
        "options": {
            "id": MINION_ID,
            "grains": {"role": "web"},
            "file_roots": {"base": [str(root / "states")]},
            "pillar_roots": {"base": [str(root / "pillar")]},
            "enable_fqdns_grains": False,
            "log_level": "quiet",
        },
        "mods": mods,
        "pillar": {},
        "plan": True,
    }
    script = folder / "salt_side.py"
    script.write_bytes(Path(salt_side.__file__).read_bytes())
    done = subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        input=json.dumps(order),
        text=True,
        capture_output=True,
        check=True,
    )
    lines = done.stdout.replace(str(root), ROOT).splitlines()
    return [report for report in map(json.loads, lines) if report["stage"] != "planning"]


def _comparable(reports: Any) -> list[Any]:
    return [{**report, "version": ""} for report in reports]
