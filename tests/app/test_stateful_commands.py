"""What a plan says of a command that reports itself whether it changes something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.app.test_project import apply, write

if TYPE_CHECKING:
    from pathlib import Path

TESTED = """
it:
  cmd.run:
    - name: echo real; echo "changed=no comment=real"
    - stateful: [test_name: 'echo test; echo "changed=CHANGED comment=test"']
read:
  test.show_notification: [text: '${cmd:it:stdout}']
"""


def test_the_command_of_a_plan_says_nothing_of_the_output_of_the_other(tmp_path: Path) -> None:
    """Its output is no drift, and no value that a reference reads."""
    write(tmp_path, states__t=TESTED.replace("CHANGED", "no"))
    assert apply(tmp_path, "t").exit_code == 0
    it, read = apply(tmp_path, "t", test=True).returns.values()
    assert (it.result, it.comment, it.drift) == (True, "test", {})
    assert read.comment.startswith("real")
    write(tmp_path, states__t=TESTED.replace("CHANGED", "yes"))
    it, read = apply(tmp_path, "t", test=True).returns.values()
    assert (it.result, it.new_state, read.unknown) == (None, None, True)


def test_without_such_a_command_only_an_apply_knows(tmp_path: Path) -> None:
    """A plan neither counts it as a change, nor claims that it is none."""
    for command in (
        "cmd.run: [name: echo changed=no, stateful: true]",
        "cmd.script: [source: salt://x.sh, stateful: true]",
    ):
        write(tmp_path, states__t=f"it: {{{command}}}\n")
        [it] = apply(tmp_path, "t", test=True).returns.values()
        assert (it.result, it.unknown, it.changes) == (None, True, {})
        assert "reports whether it changes something (known after apply)" in it.comment
