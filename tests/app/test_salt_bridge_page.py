"""The example of docs/salt-bridge.md, applied where a Salt is installed beside ensue."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from tests.cli.shell import Shell
from tests.test_docs import blocks

PAGE = Path(__file__).resolve().parents[2] / "docs/salt-bridge.md"

if importlib.util.find_spec("salt") is not None:

    def test_the_example_works_as_printed(tmp_path: Path) -> None:
        """It applies, and Salt says nothing of its own on stderr: no deprecation, no log line."""
        example, *_ = [
            block for block in blocks(PAGE.read_text(encoding="utf-8")) if block.language == "yaml"
        ]
        shell = Shell(tmp_path)
        shell.write("states/room.sls", example.body)
        ended = shell.run("apply", "room", "--id", "m")
        assert (ended.code, ended.err) == (0, ""), ended.out
