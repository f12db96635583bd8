"""`sensitive` of states: what is no path, what leads nowhere, what a project's own function may give."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

FUNCTIONS = """
def made(name, paths, result=True, state=None):
    return {
        "name": name, "result": result, "comment": "made pl4nted-one", "changes": {"new": {"pin":
        "pl4nted-one"}}, "new_state": {"pin": "pl4nted-one", "on": True} if state is None else state,
        "sensitive": paths, "warnings": ["not pl4nted-one"],
    }
"""

MISSPELT = """
x:
  test.present:
    - new_state: {pin: pl4nted-two}
    - changes: {pin: {new: pl4nted-two}}
    - comment: it is pl4nted-two
    - sensitive: [pn]
"""
MALFORMED = """first: test.nop
x:
  test.present:
    - new_state: {users: [{pin: pl4nted-two}]}
    - sensitive:
      - users
      - users[0:pin
"""
DECLARED = """
{% from 'macros.jinja' import pin %}
include: [open]
x:
  test.present:
    - name: is pl4nted-two
    - new_state: {a: pl4nted-two, b: {{ pin() }}, c: 4711}
    - sensitive: [a, b, c]
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project with a function of its own."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: m1\n")
    shell.write("states/_states/mine.py", FUNCTIONS)
    return shell


def applied(shell: Shell, text: str, *words: str) -> dict[str, Any]:
    """Apply an SLS and return its returns by ID."""
    shell.write("states/a.sls", text)
    document = shell.run("apply", "a", "--out", "json", *words).document["m1"]
    return {returned["__id__"]: returned for returned in document.values()}


def all_written(shell: Shell) -> bytes:
    """Return everything below the cachedir."""
    return b"\n".join(path.read_bytes() for path in (shell.root / ".ensue").rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("[pn]", "names 'pn', which is not in new_state"),
        ("['pin[0]']", "names 'pin[0]', which is not in new_state"),
        ("['pin[']", "has a malformed path 'pin['"),
        ("[5.5]", "has a malformed path 5.5"),
        ("true", "lists property paths"),
        ("pn", "names 'pn', which is not in new_state"),
    ],
)
def test_a_return_whose_paths_are_wrong_fails(shell: Shell, given: str, problem: str) -> None:
    """The state fails, and no value of its return is shown or kept: any of them may be the secret."""
    returned = applied(shell, f"x:\n  mine.made:\n    - paths: {given}\n")["x"]
    assert returned["result"] is False
    assert problem in returned["comment"]
    assert "made (sensitive)" in returned["comment"]
    assert returned["changes"] == {"new": "(sensitive)"}
    assert "new_state" not in returned or returned["new_state"] is None
    assert returned["warnings"] == ["not (sensitive)"]
    assert b"pl4nted-one" not in all_written(shell)


def test_a_state_that_failed_keeps_its_comment(shell: Shell) -> None:
    """A path that leads nowhere after a failure does not hide why the state failed."""
    returned = applied(shell, "x:\n  mine.made: [paths: [a], result: false, state: {b: 1}]\n")["x"]
    assert "made pl4nted-one" not in returned["comment"]
    assert returned["comment"].endswith("made (sensitive)")


@pytest.mark.parametrize("given", ["pin", "[pin]", "['']", "''", "[pin, 'on']"])
def test_paths_of_a_project_function(shell: Shell, given: str) -> None:
    """One path may be given as a text, and an empty one means all of new_state."""
    returned = applied(shell, f"x:\n  mine.made:\n    - paths: {given}\n")["x"]
    assert returned["result"] is True
    assert b"pl4nted-one" not in all_written(shell)
    assert "pl4nted-one" not in str(returned)


def test_without_new_state_there_is_nothing_to_match(shell: Shell) -> None:
    """A plan, or a state that knows nothing, returns none; its paths are right all the same."""
    shell.write("states/a.sls", "x:\n  test.present: [sensitive: [pin]]\n")
    assert shell.run("apply", "a").code == 0


def test_a_producer_whose_paths_are_wrong_gives_nothing(shell: Shell) -> None:
    """A reference to it fails as one to any failed state, and shows nothing of it."""
    returned = applied(shell, MISSPELT + "y:\n  test.nop: [a: '${test:x:pin}']\n")
    assert returned["y"]["result"] is False
    assert "pl4nted-two" not in str(returned)


def test_what_is_no_path_is_refused_before_the_run(shell: Shell) -> None:
    """The diagnostic has the place of the path and what was probably meant, and shows no secret."""
    shell.write("states/a.sls", MALFORMED)
    ended = shell.run("apply", "a")
    assert ended.code == 1
    assert "E0410" in ended.err
    assert "states/a.sls:7:9" in ended.err
    assert "did you mean users[0]:pin?" in ended.err
    assert "pl4nted-two" not in ended.err
    assert not (shell.root / ".ensue" / "enforced.db").exists()


@pytest.mark.parametrize("form", ["high", "low"])
def test_literals_at_a_path_that_leads_nowhere(shell: Shell, form: str) -> None:
    """`show` hides all values of such a state: where its secret is, nobody knows."""
    shell.write("states/a.sls", MISSPELT)
    ended = shell.run("show", form, "a", "--out", "json")
    assert ended.code == 0
    assert "pl4nted-two" not in ended.out + ended.err


def test_literals_are_in_no_picture_and_no_cache(shell: Shell) -> None:
    """A name with a declared literal is masked, and no template with one is stored, short ones included."""
    shell.write("states/open.sls", "{% set x = 1 %}\no: test.nop\n")
    shell.write("states/macros.jinja", "{% macro pin() %}x7{% endmacro %}")
    shell.write("states/a.sls", DECLARED)
    for words in (("graph", "a", "--out", "json"), ("apply", "a"), ("graph", "a", "--out", "dot")):
        ended = shell.run(*words)
        assert ended.code == 0
        assert "pl4nted-two" not in ended.out + ended.err
    stored = [path.read_bytes() for path in (shell.root / ".ensue" / "templates").iterdir()]
    assert len(stored) == 1
    assert not [content for content in stored if b"pl4nted" in content or b"x7" in content]


def test_a_template_that_does_not_compile_is_not_stored(shell: Shell) -> None:
    """What a broken SLS declares is not known, so nothing of it is written."""
    shell.write("states/open.sls", "{% set x = 1 %}\no: test.nop\n")
    assert shell.run("apply", "open").code == 0
    shell.write("states/a.sls", "{% set x = 1 %}\n" + MISSPELT + "]\n")
    assert shell.run("apply", "a").code == 1
    assert len(list((shell.root / ".ensue" / "templates").iterdir())) == 1


COMMAND = """
db:
  cmd.run:
    - name: cat {file}
    - read_only: true
    - sensitive: {paths}
"""


@pytest.mark.parametrize("paths", ["[password]", "password", "['users[*]:pin', password]", "['']"])
def test_paths_into_the_json_of_a_command(shell: Shell, tmp_path: Path, paths: str) -> None:
    """The secrets are hidden with the whole stdout, and every other value of `stdout_json` is shown."""
    output = tmp_path / "out.json"
    output.write_text(json.dumps({"host": "192.0.2.7", "password": "pl4nted-one", "users": [{"pin": 12}]}))
    shown = applied(shell, COMMAND.format(file=output, paths=paths))["db"]["new_state"]
    assert shown["stdout"] == "(sensitive)"
    if paths == "['']":
        assert shown["stdout_json"] == "(sensitive)"
    else:
        assert (shown["stdout_json"]["host"], shown["stdout_json"]["password"]) == (
            "192.0.2.7",
            "(sensitive)",
        )
    ended = shell.run("apply", "a")
    assert "pl4nted-one" not in ended.out + ended.err
    assert "pl4nted-one" not in shell.run("show", "enforced").out


@pytest.mark.parametrize(
    ("output", "after", "why"),
    [
        ('{"key": "pl4nted-one"}', "", "`sensitive` names 'stdout_json:password', which is not in new_state"),
        ("pl4nted-one", "", "`sensitive` names 'stdout_json:password', which is not in new_state"),
        ('{"key": "pl4nted-one"}', "; echo '{}' | tee /dev/stderr; false", 'Command "'),
    ],
)
def test_the_json_of_a_command_without_the_path(
    shell: Shell, tmp_path: Path, output: str, after: str, why: str
) -> None:
    """The state fails, and its whole output is hidden."""
    file = tmp_path / "out.json"
    file.write_text(output)
    (only,) = applied(shell, COMMAND.format(file=f"{file}{after}", paths="[password]")).values()
    assert (only["result"], why in only["comment"]) == (False, True)
    assert "pl4nted" not in str(only)
