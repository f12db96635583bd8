"""Only the ends of lines that programs know end a line of a file."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.library.states.call_state import execution_functions

from ensue.core.model.file_lines import file_lines
from ensue.core.model.srn import Srn
from ensue.testing.connection import FakeConnection
from ensue.testing.context import FakeFunctionContext

if TYPE_CHECKING:
    from typing import Any

OTHERS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"


@given(st.text("ab\r\n" + OTHERS))
def test_lines_are_those_of_bytes(text: str) -> None:
    """Lines end as those of bytes do, and joined again they are the text."""
    whole = text.encode()
    assert [file_line.encode() for file_line in file_lines(text)] == whole.splitlines()
    assert "".join(file_lines(text, keepends=True)) == text


@pytest.mark.parametrize(
    ("path", "call"),
    [
        ("/etc/hosts", ("hosts.add_host", "10.0.0.1", "new")),
        ("/etc/fstab", ("mount.set_fstab", "/data", "/dev/sdb1", "ext4")),
        ("/etc/app.ini", ("ini.set_option", "/etc/app.ini", {"main": {"a": "b"}})),
        ("/etc/sysctl.d/99-salt.conf", ("sysctl.persist", "vm.swappiness", 10, "/etc/sysctl.d/99-salt.conf")),
        ("/etc/aliases", ("aliases.set_target", "root", "admin")),
    ],
)  # fmt: skip
def test_functions_that_change_a_file_keep_its_other_lines(path: str, call: tuple[Any, ...]) -> None:
    """A form feed or a Unicode separator in a comment of a file stays as it is."""
    comment = f"# a{OTHERS}b"
    target = FakeConnection(Srn("minion", "m"), files={path: f"{comment}\n".encode()})
    target.on_run("*", stdout=b"")
    ctx = FakeFunctionContext(connection=target, functions=dict(execution_functions()))
    function, *arguments = call
    asyncio.run(ctx.call(function, *arguments))
    written = asyncio.run(target.read(path)).decode()
    assert comment in written.split("\n")
    assert written != f"{comment}\n"
