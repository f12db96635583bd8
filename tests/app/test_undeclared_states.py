"""A plan names the states of earlier applies that are no longer declared, as long as what they made stays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.app.test_project import apply, write

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.diagnostics import Diagnostic

FILES = """
{% for name in pillar.get('names', []) %}
file-{{ name }}:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/{{ name }}
    - makedirs: true
    - contents: x
{% endfor %}
run: {cmd.run: [name: "true"]}
"""


def named(root: Path, *names: str) -> None:
    """Write the files that the SLS declares."""
    write(root, pillar__top="base: {'*': [p]}\n", pillar__p=f"names: [{', '.join(names)}]\n")


def left(root: Path) -> list[Diagnostic]:
    """Return the warnings of a plan about states that are no longer declared."""
    return [one for one in apply(root, "t", test=True).warnings if one.code == "E0894"]


def test_what_a_deleted_state_made_stays(tmp_path: Path) -> None:
    """The warning names it, and how to remove it; once it is declared absent there is none."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, "a", "b")
    assert apply(tmp_path, "t").exit_code == 0
    assert left(tmp_path) == []
    named(tmp_path, "a")
    [warning] = left(tmp_path)
    assert f"stays: file-b (file.managed {tmp_path}/out/b)" in warning.summary
    assert "`file.absent`" in warning.help
    assert [one for one in apply(tmp_path, "t").warnings if one.code == "E0894"] == []
    gone = f"gone:\n  file.absent:\n    - name: {tmp_path}/out/b\n"
    write(tmp_path, states__t=FILES + gone)
    assert left(tmp_path) == []
    assert apply(tmp_path, "t").exit_code == 0
    write(tmp_path, states__t=FILES)
    assert left(tmp_path) == []


def test_another_id_for_the_same_thing(tmp_path: Path) -> None:
    """A state that was renamed is still declared, and so is one that the plan leaves out."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, "a")
    apply(tmp_path, "t")
    write(tmp_path, states__t=FILES.replace("file-{{ name }}", "other-{{ name }}"))
    assert left(tmp_path) == []


def test_many_states(tmp_path: Path) -> None:
    """Five are named, and the others counted; a command leaves nothing that could be declared absent."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, *"abcdefg")
    apply(tmp_path, "t")
    named(tmp_path)
    write(tmp_path, states__t="a: test.nop\n")
    [warning] = left(tmp_path)
    assert warning.summary.startswith("7 states are no longer declared")
    assert warning.summary.endswith("and 2 more")
    assert "cmd.run" not in warning.summary
