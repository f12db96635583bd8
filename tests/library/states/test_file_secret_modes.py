"""A new file with a secret is readable by its owner alone, unless its state declares a mode."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.call_state import execution_functions

from ensue.core.model.srn import Srn
from ensue.library.states import file, ini
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "hunter2-secret"
NEW_FILES: dict[str, dict[str, Any]] = {
    "managed": {"contents": f"password {SECRET}"},
    "append": {"text": f"password {SECRET}"},
    "prepend": {"text": f"password {SECRET}"},
    "serialize": {"dataset": {"x": SECRET}, "serializer": "json"},
    "decode": {"encoded_data": base64.b64encode(f"x {SECRET}\n".encode()).decode()},
    "line": {"content": SECRET, "mode": "insert", "location": "end", "create": True},
    "keyvalue": {
        "key": "a",
        "value": SECRET,
        "separator": "=",
        "create_if_missing": True,
        "append_if_not_found": True,
    },
    "options_present": {"sections": {"db": {"word": SECRET}}},
}
DECLARED: dict[str, dict[str, Any]] = {
    "managed": {"mode": "0644"},
    "serialize": {"mode": "0644"},
    "line": {"file_mode": "0644"},
}


def mode_after(path: Path, function: str, *secrets: str, **arguments: Any) -> int:
    """Call a state function on this machine, and return the permission bits of its file."""
    context = FakeStateContext(
        connection=MinionConnection(Srn("minion", "here")),
        cache_dir=path.parent / "cache",
        functions=execution_functions(),
    )
    context.masker.add(*secrets)
    functions = {**file.FUNCTIONS, **ini.FUNCTIONS}
    returned = asyncio.run(functions[function](context, str(path), **NEW_FILES[function], **arguments))
    assert returned.result is True
    assert SECRET in path.read_text()
    return path.stat().st_mode & 0o777


@pytest.mark.parametrize("function", NEW_FILES)
def test_a_new_file_with_a_secret_is_private(tmp_path: Path, function: str) -> None:
    """However the secret came into its content; without one, the target decides."""
    assert mode_after(tmp_path / "secret", function, SECRET) == 0o600
    assert mode_after(tmp_path / "plain", function) == 0o644


@pytest.mark.parametrize("function", NEW_FILES)
def test_a_file_that_is_there_keeps_its_mode(tmp_path: Path, function: str) -> None:
    """Who made it, or changed its mode, has decided."""
    path = tmp_path / "file"
    path.write_text("")
    path.chmod(0o640)
    assert mode_after(path, function, SECRET) == 0o640


@pytest.mark.parametrize("function", DECLARED)
def test_a_declared_mode_is_the_one_of_a_new_file(tmp_path: Path, function: str) -> None:
    """The author has decided."""
    assert mode_after(tmp_path / "file", function, SECRET, **DECLARED[function]) == 0o644
