"""What is recorded of Salt is what Salt says: the script of `ensue compare`, run by Salt's own Python."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.compare.recorded_salt import CASES, MINION_ID, ROOT, lay_out, recorded

from ensue.compare import salt_side
from ensue.processes.runner import Launch, run_once

if TYPE_CHECKING:
    from ensue.contracts.connection import Completed

HAS_SALT = importlib.util.find_spec("salt") is not None

if HAS_SALT:

    @pytest.mark.parametrize("case", CASES)
    def test_salt_says_what_is_recorded(case: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
        """A tree comes to the recorded states, requests, plan and errors; progress apart."""
        said = _said(case, tmp_path)
        if request.config.getoption("--update"):
            recorded(case).parent.mkdir(exist_ok=True)
            recorded(case).write_text("".join(json.dumps(one, sort_keys=True) + "\n" for one in said))
        assert _comparable(said) == _comparable(map(json.loads, recorded(case).read_text().splitlines()))


def _said(case: str, tmp_path: Path) -> list[dict[str, Any]]:
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
    done = asyncio.run(_run(order))
    lines = done.stdout.decode().replace(str(root), ROOT).splitlines()
    return [one for one in map(json.loads, lines) if one["said"] != "planning"]


async def _run(order: dict[str, Any]) -> Completed:
    script = Path(str(order["folder"]), "salt_side.py")
    script.write_bytes(Path(salt_side.__file__).read_bytes())
    return await run_once(
        Launch(
            argv=[sys.executable.encode(), str(script).encode()],
            cwd=str(order["folder"]),
            env={b"PATH": b"/usr/sbin:/usr/bin:/sbin:/bin", b"LANG": b"C.UTF-8"},
            stdin=json.dumps(order).encode(),
        )
    )


def _comparable(said: Any) -> list[Any]:
    return [{**one, "version": ""} for one in said]
