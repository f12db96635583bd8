"""`cmd` states that wait for a watched one, and scripts that really run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from tests.library.states.call_state import execution_functions

from ensue.core.model.srn import Srn
from ensue.library.states.cmd import FUNCTIONS, MOD_WATCH
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.context import FakeStateContext

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import StateReturn


def context(folder: Path) -> FakeStateContext:
    return FakeStateContext(
        connection=MinionConnection(Srn("minion", "here")),
        file_root=folder,
        functions=execution_functions(),
        grains_data={"shell": "/bin/sh"},
    )


def watched(folder: Path, sfun: str, name: str, **arguments: Any) -> StateReturn:
    return asyncio.run(MOD_WATCH(context(folder), name, sfun=sfun, **arguments))


def test_a_command_that_waited_is_run(tmp_path: Path) -> None:
    """`cmd.wait` with a changed watch does what `cmd.run` does, with its arguments."""
    returned = watched(tmp_path, "wait", "echo $A", env={"A": "waited"})
    assert returned.result is True
    assert returned.changes["stdout"] == "waited"


def test_a_script_that_waited_is_run(tmp_path: Path) -> None:
    """`cmd.wait_script` with a changed watch does what `cmd.script` does; nothing is left in /tmp."""
    (tmp_path / "s.sh").write_text('#!/bin/sh\necho "$0 $1"\nls -l "$0"\n')
    returned = watched(tmp_path, "wait_script", "s", source="salt://s.sh", args="'a b'")
    first, listing = str(returned.changes["stdout"]).splitlines()
    assert first.endswith(".sh a b")
    assert listing.startswith("-rwx------")
    gone = asyncio.run(context(tmp_path).connection.stat(first.split()[0]))
    assert gone is None


def test_a_script_may_be_a_template(tmp_path: Path) -> None:
    """`template` renders the script before it is run."""
    (tmp_path / "s.j2").write_text("#!/bin/sh\necho {{ who }}\n")
    run = FUNCTIONS["script"](
        context(tmp_path), "s", source="salt://s.j2", template="jinja", context={"who": "me"}
    )
    assert asyncio.run(run).changes["stdout"] == "me"


def test_no_login_shell_reads_a_command(tmp_path: Path) -> None:
    """Without `shell` it is `/bin/sh`, whatever the grain says."""
    ctx = context(tmp_path)
    ctx.grains_data = {"shell": "/bin/bash"}
    assert asyncio.run(FUNCTIONS["run"](ctx, "echo $0")).changes["stdout"] == "/bin/sh"


def test_a_background_command_outlives_the_state(tmp_path: Path) -> None:
    """`bg` returns at once with the pid of what was started."""
    fifo = tmp_path / "fifo"
    line = f"mkfifo {fifo}; echo ready > {fifo}"
    returned = asyncio.run(FUNCTIONS["run"](context(tmp_path), line, bg=True))
    assert returned.changes["retcode"] is None
    assert int(str(returned.changes["pid"])) > 0
    read = f"while [ ! -p {fifo} ]; do :; done; cat {fifo}"
    assert asyncio.run(FUNCTIONS["run"](context(tmp_path), read, timeout=300)).changes["stdout"] == "ready"
