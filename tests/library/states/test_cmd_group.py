"""`cmd.run` with `group`: the primary group of a command."""

from __future__ import annotations

import os

import pytest
from tests.library.states.system_states import HERE, context, state

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may choose a group")


@pytest.mark.parametrize(
    ("line", "arguments", "printed"),
    [
        ("id -u; id -gn; cat", {"stdin": "abc"}, "0\ndaemon\nabc"),
        ("id -un; id -gn; id -Gn", {"runas": "nobody", "cwd": "/"}, "nobody\ndaemon\ndaemon nogroup"),
        ("echo $HOME $USER $A", {"runas": "nobody", "env": {"A": "b"}, "cwd": "/"}, "/nonexistent nobody b"),
        ("umask; echo ${PATH%%:*}", {"umask": "077", "prepend_path": "/x"}, "0077\n/x"),
    ],
)
def test_a_command_has_another_primary_group(line: str, arguments: dict[str, object], printed: str) -> None:
    """It has that group, for its user or for another one, and all other options hold."""
    returned = state("cmd.run", context(MinionConnection(HERE)), line, group="daemon", **arguments)
    assert (returned.result, returned.changes["stdout"]) == (True, printed)


def test_a_target_without_the_program_says_so() -> None:
    """Without setpriv nothing is run."""
    fake = FakeConnection(files={"/etc/group": b"daemon:x:1:\n"})
    fake.on_run("*", returncode=1)
    fake.on_run("getent group*", stdout=b"daemon:x:1:\n")
    returned = state("cmd.run", context(fake), "id", group="daemon")
    assert (returned.result, "install util-linux" in returned.comment) == (False, True)
