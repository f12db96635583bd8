"""`ensue compare`, beside an environment that answers what a real Salt answered for the same tree."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.shell import Shell
from tests.salt.compare.recorded_salt import MINION_ID, lay_out, recorded, stand_in

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Ended

GRAINS = "role: web\n"
LOW = [{"state": "test", "fun": "nop", "__id__": "a", "name": "a", "__sls__": "t"}]


def compare(case: str, tmp_path: Path, *words: str, answer: Path | None = None, stderr: str = "") -> Ended:
    """Run `ensue compare` on the tree of a case; the environment and the grains file lie beside it."""
    shell = Shell(tmp_path / "project")
    mods = lay_out(case, shell.root)
    shell.write("../grains.yaml", GRAINS)
    salt = stand_in(tmp_path / "salt", answer or recorded(case), stderr)
    return shell.run(
        "compare", *mods, "--id", MINION_ID, "--salt", str(salt), "--grains", "../grains.yaml", *words
    )


def causes(ended: Ended) -> list[tuple[str, str, int, bool]]:
    return [
        (cause["kind"], cause["what"], cause["count"], bool(cause["meant"]))
        for cause in ended.document["causes"]
    ]


def test_a_tree_that_is_the_same_in_both(tmp_path: Path) -> None:
    """Nothing differs: exit code 0, one line says so, and nothing is left in the project."""
    ended = compare("same", tmp_path)
    assert (ended.code, ended.err) == (0, ""), ended.out
    assert ended.out.endswith("Nothing differs: both compile and plan it in the same way.\n")
    assert "Salt   6 states, planned" in ended.out
    assert not (tmp_path / "project/.ensue").exists()


def test_one_document_for_programs(tmp_path: Path) -> None:
    """`--out json` is one document with both sides; Salt's compiled pillar is not in it."""
    ended = compare("same", tmp_path, "--out", "json")
    document = ended.document
    assert (document["equal"], document["planned"], document["causes"]) == (True, True, [])
    assert document["salt"]["states"] == document["ensue"]["states"] == 6
    assert "correct-horse-battery" not in ended.out


def test_what_ensue_lacks_is_counted(tmp_path: Path) -> None:
    """A state function that Salt has and ensue has not is named once, with its count and its place."""
    ended = compare("lacking", tmp_path, "--out", "json")
    assert ended.code == 2
    assert ("missing-state-function", "highstate_doc.note", 1, False) in causes(ended)


def test_what_differs_on_purpose_says_why(tmp_path: Path) -> None:
    """A difference that is intended is marked, with the reason; it is a difference all the same."""
    ended = compare("meant", tmp_path, "--out", "json")
    assert ended.code == 2
    assert causes(ended) == [
        ("changes", "ini.options_present: no changes in Salt, changes of web here", 1, True)
    ]
    assert "on purpose" in compare("meant", tmp_path / "again").out


@pytest.mark.parametrize(
    ("case", "kind", "message"),
    [
        ("refused-here", "refused-by-ensue", "states/ours.sls:3:7: `order` of 'ordered' is [1]"),
        ("refused-by-salt", "refused-by-salt", "Cannot extend ID 'first'"),
    ],
)
def test_a_tree_that_one_of_them_refuses(case: str, kind: str, message: str, tmp_path: Path) -> None:
    """The other's messages are shown; that is a difference."""
    ended = compare(case, tmp_path, "--out", "json")
    assert (ended.code, [cause[0] for cause in causes(ended)]) == (2, [kind])
    assert message in compare(case, tmp_path / "again").out


@pytest.mark.parametrize("case", ["refused-both", "pillar"])
def test_a_tree_that_neither_compiles(case: str, tmp_path: Path) -> None:
    """Nothing can be compared: the messages of both are shown, each as its program says it, exit code 1."""
    ended = compare(case, tmp_path)
    assert ended.code == 1
    assert "Salt does not compile it" in ended.out
    assert "ensue does not compile it" in ended.out


def test_an_edited_argument_and_its_order(tmp_path: Path) -> None:
    """What differs in arguments and in order is shown with both values and places."""
    shell = Shell(tmp_path / "project")
    lay_out("same", shell.root)
    site = (shell.root / "states/web/site.sls").read_text()
    shell.write("states/web/site.sls", site.replace("order: 1", "order: 30000\n        - hidden: 'no'"))
    text = shell.run("compare", "--salt", str(_edited_salt(tmp_path)), "--grains", _grains(shell))
    assert text.code == 2
    assert "hidden of test.succeed_with_changes" in text.out
    assert "Order" in text.out


def _edited_salt(tmp_path: Path) -> Path:
    """Return a Salt that has the argument `hidden` in one state, with another value."""
    lines = [json.loads(line) for line in recorded("same").read_text().splitlines()]
    next(chunk for chunk in lines[0]["low"] if chunk["name"] == "two")["hidden"] = "yes"
    answer = tmp_path / "answer.jsonl"
    answer.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return stand_in(tmp_path / "salt", answer)


def _grains(shell: Shell) -> str:
    shell.write("../grains.yaml", GRAINS)
    return "../grains.yaml"


def test_a_secret_of_pillar_is_never_shown(tmp_path: Path) -> None:
    """What Salt's pillar calls a password is masked in whatever Salt says, its errors included."""
    lines = [json.loads(line) for line in recorded("same").read_text().splitlines()]
    lines[0] |= {"errors": ["broken by correct-horse-battery"], "low": []}
    answer = tmp_path / "answer.jsonl"
    answer.write_text(json.dumps(lines[0]) + "\n")
    for folder, words in (("a", ()), ("b", ("--out", "json"))):
        ended = compare("same", tmp_path / folder, *words, answer=answer)
        assert (ended.code, "correct-horse-battery" in ended.out + ended.err) == (2, False)
        assert "broken by (sensitive)" in ended.out


def test_control_sequences_of_a_tree_do_not_reach_the_terminal(tmp_path: Path) -> None:
    """What Salt says is data: escape sequences in an error are not printed."""
    answer = tmp_path / "answer.jsonl"
    answer.write_text('{"stage": "compiled", "version": "1", "errors": ["\\u001b[2Jgone\\u202e"]}\n')
    ended = compare("same", tmp_path, answer=answer)
    assert ended.code == 2
    assert "\x1b" not in ended.out
    assert "\u202e" not in ended.out


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no JSON\n",
        '{"stage": "compiled", "low": [1]}\n',
        '{"stage": "compiled", "low": [{"x": ' + "[" * 400 + "]" * 400 + "}]}\n",
    ],
)
def test_an_answer_that_is_none(answer: str, tmp_path: Path) -> None:
    """What does not come in the agreed shape is refused with Salt's last words, exit code 1."""
    file = tmp_path / "answer"
    file.write_text(answer)
    ended = compare("same", tmp_path, "--out", "json", answer=file, stderr="boom of Salt\n")
    assert ended.code == 1
    assert "E0843" in ended.err
    assert "boom of Salt" in ended.document["errors"][0]


def test_a_python_without_salt(tmp_path: Path) -> None:
    """An interpreter that has no Salt is named, with what to do."""
    answer = tmp_path / "answer"
    answer.write_text('{"stage": "absent", "why": "No module named salt"}\n')
    ended = compare("same", tmp_path, answer=answer)
    assert ended.code == 1
    assert "E0842" in ended.err
    assert "--salt" in ended.err


def test_no_salt_at_all(tmp_path: Path) -> None:
    """Without a Salt the places that were looked at are named."""
    shell = Shell(tmp_path)
    shell.write("states/t.sls", "a:\n  test.nop: []\n")
    ended = shell.run("compare", "t", "--salt", "nowhere")
    assert (ended.code, "there is no Salt at nowhere" in ended.err) == (1, True)


def test_an_sls_by_its_path_is_refused(tmp_path: Path) -> None:
    """Salt has no such way to name an SLS."""
    ended = Shell(tmp_path).run("compare", "t.sls")
    assert (ended.code, "Salt takes only names of SLS" in ended.err) == (1, True)


def test_roots_of_a_tree_that_is_no_project(tmp_path: Path) -> None:
    """`--file-root` and `--pillar-root` name Salt's folders; Salt gets them, and no option of ensue's own."""
    tree = tmp_path / "srv"
    lay_out("same", tree)
    (tree / "states").rename(tree / "salt")
    shell = Shell(tmp_path / "elsewhere")
    shell.write("ensue.yaml", "state_output: terse\nkeep_runs: 3\nfailhard: true\n")
    order = _order_of(shell, tmp_path, tree)
    assert order["options"]["file_roots"] == {"base": [str(tree / "salt")]}
    assert order["options"]["pillar_roots"] == {"base": [str(tree / "pillar")]}
    assert order["options"]["failhard"] is True
    assert {"keep_runs", "cachedir", "root_dir"}.isdisjoint(order["options"])
    assert order["options"]["config_dir"] == str(shell.root)
    assert (order["pillar"], order["plan"]) == ({"web": {"port": 80}}, False)


def _order_of(shell: Shell, tmp_path: Path, tree: Path) -> Any:
    """Return the order that Salt gets."""
    salt = stand_in(tmp_path / "salt", recorded("same"))
    python = salt / "bin/python3"
    kept = tmp_path / "order.json"
    python.write_text(
        python.read_text().replace(
            'pathlib.Path(order["folder"], "order.json")', f"pathlib.Path({str(kept)!r})"
        )
    )
    words = ("--file-root", str(tree / "salt"), "--pillar-root", str(tree / "pillar"), "--compile-only")
    ended = shell.run(
        "compare", *words, "--salt", str(salt), "--pillar", "web:port=80", "--grains", _grains(shell)
    )
    assert ended.code == 0, ended.out + ended.err
    return json.loads(kept.read_text())


def test_nothing_to_compare(tmp_path: Path) -> None:
    """A tree without a state proves nothing: exit code 1."""
    answer = tmp_path / "answer"
    answer.write_text('{"stage": "compiled", "version": "1"}\n')
    shell = Shell(tmp_path / "project")
    shell.write("states/empty.sls", "")
    ended = shell.run("compare", "empty", "--salt", str(stand_in(tmp_path / "salt", answer)))
    assert ended.code == 1
    assert "E0844" in ended.err


def test_nothing_to_compare_beside_a_warning(tmp_path: Path) -> None:
    """A warning about something else does not take the place of the reason, and stays a warning."""
    answer = tmp_path / "answer"
    answer.write_text('{"stage": "compiled", "version": "1"}\n')
    shell = Shell(tmp_path / "project")
    shell.write("states/empty.sls", "")
    shell.write("states/_returners/mine.py", "")
    words = ("--salt", str(stand_in(tmp_path / "salt", answer)), "--out", "json")
    ended = shell.run("compare", "empty", *words)
    assert ended.code == 1
    assert "warning[E0865]" in ended.err
    assert [error.partition(":")[0] for error in json.loads(ended.out)["errors"]] == [
        "there is nothing to compare"
    ]


def test_what_templates_ask_for(tmp_path: Path) -> None:
    """Execution functions and renderers that ensue lacks are counted as Salt's templates asked for them."""
    answer = tmp_path / "answer"
    asked = {"functions": {"no.such": 3, "test.ping": 1}, "renderers": {"yaml": 2, "pydsl": 2}}
    answer.write_text(json.dumps({"stage": "compiled", "version": "1", "low": LOW, "asked": asked}) + "\n")
    shell = Shell(tmp_path / "project")
    shell.write("states/t.sls", "#!pydsl\nstate('a').test.nop()\n")
    words = ("--salt", str(stand_in(tmp_path / "salt", answer)), "--out", "json")
    ended = shell.run("compare", "t", *words)
    assert ended.code == 2, ended.err
    assert causes(ended) == [
        ("missing-execution-function", "no.such", 3, False),
        ("missing-renderer", "pydsl", 2, False),
        ("refused-by-ensue", "E0206", 1, True),
    ]
