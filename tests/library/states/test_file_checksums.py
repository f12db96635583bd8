"""The checksum of a file with a secret is a secret, whatever state wrote or read the file."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.model.sensitive_paths import hide_in_changes, hide_paths
from ensue.core.model.srn import Srn
from ensue.library.states.file import FUNCTIONS
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import StateReturn

SECRET = "hunter2-secret"
FUNCTIONS_OF_CONTENT: dict[str, dict[str, Any]] = {
    "managed": {"contents": f"password {SECRET}"},
    "append": {"text": f"password {SECRET}"},
    "prepend": {"text": f"password {SECRET}"},
    "serialize": {"dataset": {"x": SECRET}, "serializer": "json"},
    "decode": {"encoded_data": base64.b64encode(f"x {SECRET}\n".encode()).decode()},
    "replace": {"pattern": "begin", "repl": SECRET},
    "blockreplace": {"content": SECRET, "append_if_not_found": True},
    "line": {"content": SECRET, "mode": "insert", "location": "end"},
    "keyvalue": {"key": "a", "value": SECRET, "separator": "=", "append_if_not_found": True},
}


def call(path: Path, function: str, *secrets: str, test: bool = False) -> StateReturn:
    """Call a state function on this machine."""
    context = FakeStateContext(
        connection=MinionConnection(Srn("minion", "here")),
        test=test,
        cache_dir=path.parent / "cache",
        functions=execution_functions(),
    )
    context.masker.add(*secrets)
    return asyncio.run(FUNCTIONS[function](context, str(path), **FUNCTIONS_OF_CONTENT[function]))


def shown(returned: StateReturn) -> str:
    """Return what is shown of a return."""
    before = [hide_in_changes(data, returned.sensitive) for data in (returned.changes, returned.old_state)]
    return json.dumps([hide_paths(returned.new_state, returned.sensitive), returned.comment, *before])


@pytest.mark.parametrize("function", FUNCTIONS_OF_CONTENT)
def test_a_checksum_of_a_secret_is_secret(tmp_path: Path, function: str) -> None:
    """In the plan, in the run that writes the file, and in the next one, which reads it."""
    path = tmp_path / "file"
    path.write_text("begin\nend\n")
    for test in (True, False, False):
        before = path.read_bytes()
        returned = call(path, function, SECRET, test=test)
        assert returned.result is not False, returned.comment
        for content in (before, path.read_bytes()):
            if SECRET.encode() in content:
                assert "sha256" in returned.sensitive
                assert hashlib.sha256(content).hexdigest() not in shown(returned)
    open_path = tmp_path / "open"
    open_path.write_text("begin\nend\n")
    assert call(open_path, function).sensitive == ()
