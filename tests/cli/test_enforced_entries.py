"""`ensue show enforced` and `ensue enforced forget`: entries of a target and of a state."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

STATES = """
make:
  test.present:
    - new_state: {made: box}
    - registers:
      - minion:web-2: {root: /}
each:
  test.present:
    - new_state: {is: there}
    - tgt: web-*
    - require: [make]
"""
PILLAR = "resources: {minion: {web-1: {root: /}, db-1: {root: /}}}\n"


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A project that has applied its states to a declared resource and a derived one."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: box\n")
    shell.write("pillar/top.sls", "base: {'*': [p]}\n")
    shell.write("pillar/p.sls", PILLAR)
    shell.write("states/t.sls", STATES)
    assert shell.run("apply", "t").code == 0
    return shell


def shown(shell: Shell, *words: str) -> dict[str, list[str]]:
    """Return the IDs of the entries by target, a `!` after those whose target does not exist."""
    document = shell.run("show", "enforced", *words, "--out", "json").document
    return {
        target: [
            entry["id"] + ("" if entry.get("target_exists", True) else "!") for entry in entries.values()
        ]
        for target, entries in document.items()
    }


def test_the_entries_of_one_target(shell: Shell) -> None:
    """`--tgt` shows the entries of what it matches; exit code 2 if there are none."""
    assert shown(shell) == {"box": ["make"], "minion:web-1": ["web-1 each"], "minion:web-2": ["web-2 each"]}
    assert shown(shell, "--tgt", "web-1") == {"minion:web-1": ["web-1 each"]}
    assert shown(shell, "--tgt", "box or web-2") == {"box": ["make"], "minion:web-2": ["web-2 each"]}
    nothing = shell.run("show", "enforced", "--tgt", "web-11")
    assert (nothing.code, nothing.out.strip()) == (2, "")
    assert "ensue: nothing was enforced on 'web-11' (did you mean web-1" in nothing.err
    assert shell.run("show", "enforced", "--tgt", "db-1").code == 2


def test_a_forgotten_target_is_marked(shell: Shell) -> None:
    """Its entries are still there, are found by its name, and can be forgotten, too."""
    assert shell.run("resources", "forget", "web-2").code == 0
    assert shown(shell)["minion:web-2"] == ["web-2 each!"]
    assert shown(shell, "--tgt", "web-*") == {
        "minion:web-1": ["web-1 each"],
        "minion:web-2": ["web-2 each!"],
    }
    forgotten = shell.run("enforced", "forget", "each", "--tgt", "web-2", "--out", "json")
    assert [(entry["id"], entry["target"]) for entry in forgotten.document] == [
        ("web-2 each", "minion:web-2")
    ]
    assert shown(shell) == {"box": ["make"], "minion:web-1": ["web-1 each"]}


def test_all_states_of_a_target_are_forgotten(shell: Shell) -> None:
    """With `--tgt` alone; exit code 2 if it has none, and neither a state nor a target is refused."""
    forgotten = shell.run("enforced", "forget", "--tgt", "web-*")
    assert [line.split()[0] for line in forgotten.out.splitlines()] == ["web-1", "web-2"]
    assert shown(shell) == {"box": ["make"]}
    nothing = shell.run("enforced", "forget", "--tgt", "web-11")
    assert (nothing.code, "nothing was enforced on 'web-11'" in nothing.err) == (2, True)
    assert shell.run("enforced", "forget").code == 1


def test_a_state_is_forgotten(shell: Shell) -> None:
    """By ID, name or tag, on all targets; nothing is forgotten if a word names no entry."""
    refused = shell.run("enforced", "forget", "make", "eacch")
    assert refused.code == 1
    assert "ensue: no state named 'eacch' is kept (did you mean each" in refused.err
    assert len(shown(shell)) == 3
    forgotten = shell.run("enforced", "forget", "each", "test_|-make_|-make_|-present")
    assert forgotten.out.splitlines() == [
        "web-1 each (test.present each in t, minion:web-1)",
        "web-2 each (test.present each in t, minion:web-2)",
        "make (test.present in t, minion:box)",
    ]
    assert shown(shell) == {"box": []}
    assert shell.run("apply", "t").code == 0
    assert len(shown(shell)) == 3


def test_a_word_that_names_several_states(shell: Shell) -> None:
    """Nothing is forgotten; the message has a word for each, by which it is forgotten."""
    shell.write("ensue.yaml", "id: box\npillar_roots: {base: [pillar], dev: [pillar], prod: [pillar]}\n")
    shell.write("states/t.sls", "net:\n  test.present: [name: 'net-{{ opts.pillarenv }}', new_state: {}]\n")
    for environment in ("dev", "prod"):
        shell.write("pillar/top.sls", f"{environment}: {{'*': [p]}}\n")
        assert shell.run("apply", "t", "--pillarenv", environment).code == 0
    refused = shell.run("enforced", "forget", "net", "each")
    assert refused.code == 1
    assert refused.err == (
        "ensue: 'net' names several states; name one of them:"
        " net-dev (test.present net-dev in t, minion:box, --pillarenv dev),"
        " net-prod (test.present net-prod in t, minion:box, --pillarenv prod)\n"
    )
    assert shown(shell)["box"] == ["make", "net", "net"]
    forgotten = shell.run("enforced", "forget", "net-dev")
    assert forgotten.out.splitlines() == ["net (test.present net-dev in t, minion:box, --pillarenv dev)"]
    forgotten = shell.run("enforced", "forget", "net", "--out", "json")
    assert [(entry["name"], entry["environment"]) for entry in forgotten.document] == [
        ("net-prod", "--pillarenv prod")
    ]


def test_the_word_for_each_of_several_states_is_one_of_a_shell(tmp_path: Path) -> None:
    """A name with a line end or an apostrophe is written so that a shell reads it; so is what is offered."""
    shell = Shell(tmp_path)
    scripts = ["|\n          echo 1\n", "echo 'a'\n"]
    shell.write(
        "states/t.sls", "jd:\n  cmd.run:\n    - names:\n" + "".join(f"        - {x}" for x in scripts)
    )
    assert shell.run("apply", "t").code == 0
    for _ in scripts:
        offered = shell.run("enforced", "forget", "jd")
        if offered.code == 0:
            break
        words = shlex.split(offered.err.partition("name one of them: ")[2])
        assert shell.run("enforced", "forget", words[0]).code == 0
    assert [*shown(shell).values()] == [[]]


JD = """jd:
  cmd.run:
    - name: |
        echo '{{"jd": {number}}}'
    - read_only: true
"""


def test_the_entry_of_a_former_command_is_marked(tmp_path: Path) -> None:
    """It is not what the declaration enforced last, and is forgotten with what is."""
    shell = Shell(tmp_path)
    for number in (1, 2):
        shell.write("states/t.sls", JD.format(number=number))
        assert shell.run("apply", "t").code == 0
    (entries,) = shell.run("show", "enforced", "--out", "json").document.values()
    assert [(each["new_state"]["stdout"], each.get("is_former")) for each in entries.values()] == [
        ('{"jd": 1}', True),
        ('{"jd": 2}', None),
    ]
    assert len(shell.run("enforced", "forget", "jd", "--out", "json").document) == 2


def test_one_state_in_several_environments(shell: Shell) -> None:
    """Its entries are shown side by side, and each has a word by which it alone is forgotten."""
    shell.write("ensue.yaml", "id: box\npillar_roots: {base: [pillar], dev: [pillar], prod: [pillar]}\n")
    shell.write("states/n.sls", "net:\n  test.present: [new_state: {}]\n")
    for environment in ("dev", "prod"):
        shell.write("pillar/top.sls", f"{environment}: {{'*': [p]}}\n")
        assert shell.run("apply", "n", "--pillarenv", environment).code == 0
    tag = "test_|-net_|-net_|-present"
    entries = shell.run("show", "enforced", "--tgt", "box", "--out", "json").document["box"]
    assert {key: entry.get("environment") for key, entry in entries.items()} == {
        "test_|-make_|-make_|-present": None,
        f"{tag} --pillarenv dev": "--pillarenv dev",
        f"{tag} --pillarenv prod": "--pillarenv prod",
    }
    refused = shell.run("enforced", "forget", "net")
    assert refused.err == (
        "ensue: 'net' names several states; name one of them:"
        " 'net --pillarenv dev' (test.present in n, minion:box, --pillarenv dev),"
        " 'net --pillarenv prod' (test.present in n, minion:box, --pillarenv prod)\n"
    )
    forgotten = shell.run("enforced", "forget", "net --pillarenv dev")
    assert forgotten.out.splitlines() == ["net (test.present in n, minion:box, --pillarenv dev)"]
    assert shell.run("enforced", "forget", "net").out.splitlines() == [
        "net (test.present in n, minion:box, --pillarenv prod)"
    ]
