"""What references read over a run and beyond it: secrets stay secret, and earlier applies count."""

from __future__ import annotations

import asyncio
import hashlib
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.errors import CompileError
from ensue.output.presentable import returns_data

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.report import RunReport

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "binding"
PRODUCER = """
vm:
  test.present:
    - new_state: {id: i-1, login: {user: root, password: hunter2-and-more, pin: 4711}, door: x7}
    - sensitive: [login:password, login:pin, door]
"""


def write(root: Path, text: str, name: str = "t") -> None:
    path = root / "states" / f"{name}.sls"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def apply(root: Path, *mods: str, **switches: Any) -> tuple[RunReport, Mapping[str, Any]]:
    """Apply SLS; return the report, and the returns by ID as they are shown."""

    async def run() -> tuple[RunReport, Mapping[str, Any]]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            report = await project.apply(mods or ("t",), RunOptions(**switches), on_event=lambda _: None)
            shown = dict(returns_data(report.returns, project.masker))
            return report, {chunk["__id__"]: chunk for chunk in shown.values()}

    return asyncio.run(run())


def journals(root: Path) -> str:
    return "".join(path.read_text() for path in (root / ".ensue").rglob("*.jsonl"))


def test_a_secret_stays_one_wherever_it_is_bound(tmp_path: Path) -> None:
    """A sensitive value is masked in output and journal of those that are bound to it, and of theirs."""
    write(
        tmp_path,
        PRODUCER
        + """
a:
  test.present:
    - new_state:
        whole: ${test:vm:login:password}
        text: root:${test:vm:login:password}@host
        all: ${test:vm:login}
        json: "x ${test:vm:login}"
        number: ${test:vm:login:pin}
        open: ${test:vm:id}
    - comment: it is ${test:vm:login:password}
b:
  test.present:
    - new_state: {deep: ["${test:a:whole}", "${test:a:open}"]}
c:
  cmd.run:
    - name: echo ${test:b:deep[0]}
""",
    )
    report, shown = apply(tmp_path)
    assert report.exit_code == 0
    assert "hunter2" not in str(shown)
    assert "4711" not in str(shown)
    assert "hunter2" not in journals(tmp_path)
    assert shown["a"]["new_state"]["whole"] == "(sensitive)"
    assert shown["a"]["new_state"]["open"] == "i-1"
    assert shown["b"]["new_state"]["deep"] == ["(sensitive)", "i-1"]
    returns = {returned.id: returned for returned in report.returns.values()}
    assert set(returns["a"].sensitive) == {"whole", "text", "all:password", "all:pin", "json", "number"}
    assert returns["b"].sensitive == ("deep[0]",)
    assert returns["b"].new_state == {"deep": ["hunter2-and-more", "i-1"]}


def test_a_short_secret_takes_the_text_around_it_along(tmp_path: Path) -> None:
    """A secret too short to be found within a text hides the whole text that it was put into."""
    write(
        tmp_path,
        PRODUCER
        + "a:\n  test.present:\n    - new_state: {text: 'code ${test:vm:door}!'}\n"
        + "    - comment: ${test:vm:door}\n",
    )
    _, shown = apply(tmp_path)
    assert shown["a"]["new_state"] == {"text": "(sensitive)"}
    assert shown["a"]["comment"] == "(sensitive)"


@pytest.mark.parametrize(
    "text",
    [
        "${test:vm:door}",
        "${test:vm:door} ${test:vm:id}",
        "${test:vm:id} ${test:vm:door}",
        "${test:vm:door} ${test:vm:gate}",
        "${test:vm:gate} ${test:vm:id} ${test:vm:door} ${test:vm:id}",
        "${test:vm:flag} ${test:vm:id}",
        "${test:vm:some} ${test:vm:id}",
        "${test:vm:some[0]} ${test:vm:id}",
    ],
)
def test_each_short_secret_takes_the_text_along(tmp_path: Path, text: str) -> None:
    """The first, the last, several of them, and those within data hide the text that they are put into."""
    producer = """
vm:
  test.present:
    - new_state: {id: i-1, door: x7, gate: 12, flag: true, some: [q8, 34]}
    - sensitive: [door, gate, flag, some]
"""
    write(tmp_path, producer + f"a:\n  test.present:\n    - new_state: {{text: 'at {text}!'}}\n")
    _, shown = apply(tmp_path)
    assert shown["a"]["new_state"] == {"text": "(sensitive)"}
    for secret in ("x7", "12", "True", "true", "q8", "34"):
        assert f"at {secret}" not in journals(tmp_path)


def test_a_text_without_a_short_secret_stays(tmp_path: Path) -> None:
    """A value that is no secret hides nothing, though its producer has a secret that is equal to it."""
    producer = "vm:\n  test.present: [new_state: {id: x7, door: x7, flag: true}, sensitive: [door, flag]]\n"
    write(
        tmp_path, producer + "a:\n  test.present:\n    - new_state: {text: 'at ${test:vm:id}!', is: true}\n"
    )
    _, shown = apply(tmp_path)
    assert shown["a"]["new_state"] == {"text": "at x7!", "is": True}


def test_a_secret_boolean_stays_one_where_it_is_bound(tmp_path: Path) -> None:
    """No masker can find it, so each equal one in the return of the state that is bound to it is hidden."""
    producer = "vm:\n  test.present:\n    - new_state: {flag: true}\n    - sensitive: [flag]\n"
    write(
        tmp_path,
        producer
        + "a:\n  test.present:\n    - new_state: {flag: '${test:vm:flag}', 'off': false}\n"
        + "    - changes: {flag: {old: false, new: '${test:vm:flag}'}}\n"
        + "b:\n  test.present:\n    - new_state: ['${test:a:flag}', '${test:a:off}']\n",
    )
    _, shown = apply(tmp_path)
    assert shown["a"]["new_state"] == {"flag": "(sensitive)", "off": False}
    assert "True" not in str(shown["a"]["changes"])
    assert shown["b"]["new_state"] == ["(sensitive)", False]


def test_an_unknown_of_a_plan_shows_no_secret(tmp_path: Path) -> None:
    """A plan binds the real value of a converged producer, and it stays masked there too."""
    write(tmp_path, PRODUCER + "a:\n  test.present:\n    - new_state: ${test:vm:login}\n")
    _, shown = apply(tmp_path, test=True)
    assert shown["a"]["new_state"] == {"user": "root", "password": "(sensitive)", "pin": "(sensitive)"}


def test_a_producer_of_another_sls_counts_as_it_was_last_applied(tmp_path: Path) -> None:
    """What stands in no SLS of a run is what the last apply made of it, secrets included."""
    write(tmp_path, PRODUCER, "base")
    write(tmp_path, "a:\n  test.present:\n    - new_state: ${test:vm:login:password} of ${test:vm:id}\n")
    apply(tmp_path, "base")
    for test in (True, False):
        report, shown = apply(tmp_path, test=test)
        assert shown["a"]["new_state"] == "(sensitive)"
        assert next(iter(report.returns.values())).new_state == "hunter2-and-more of i-1"


RENAMED = """
NAME:
  test.present:
    - new_state: {k: VALUE}
b:
  test.present:
    - new_state: ${test:key-a:k}
"""


def test_a_renamed_producer_is_warned_of_and_its_earlier_value_counts(tmp_path: Path) -> None:
    """If an SLS of the run no longer declares the producer, a warning says where the old value comes from."""
    write(tmp_path, RENAMED.replace("NAME", "key-a").replace("VALUE", "1"))
    apply(tmp_path)
    write(tmp_path, RENAMED.replace("NAME", "key-aa").replace("VALUE", "2"))
    report, shown = apply(tmp_path)
    assert shown["b"]["new_state"] == 1
    (warning,) = report.warnings
    assert (warning.code, str(warning.span)) == ("E0866", "states/t.sls:7:18")
    assert "SLS 't'" in warning.detail
    assert "did you mean key-aa?" in warning.help


def test_a_producer_that_is_excluded_is_not_missed(tmp_path: Path) -> None:
    """`exclude` leaves a declaration out of one run on purpose."""
    write(tmp_path, RENAMED.replace("NAME", "key-a").replace("VALUE", "1"))
    apply(tmp_path)
    write(tmp_path, "exclude: [{id: key-a}]\n" + RENAMED.replace("NAME", "key-a").replace("VALUE", "1"))
    report, _ = apply(tmp_path)
    assert not report.warnings


def test_a_short_secret_of_an_earlier_apply_takes_the_text_along(tmp_path: Path) -> None:
    """A short secret that is bound from the enforced state hides the text that it was put into."""
    write(tmp_path, PRODUCER, "base")
    write(tmp_path, "a:\n  test.present:\n    - new_state: {text: 'code ${test:vm:door}!'}\n")
    apply(tmp_path, "base")
    report, shown = apply(tmp_path)
    assert shown["a"]["new_state"] == {"text": "(sensitive)"}
    assert next(iter(report.returns.values())).new_state == {"text": "code x7!"}


def test_a_plan_leaves_nothing_for_later_references(tmp_path: Path) -> None:
    """Only an apply enforces; without one a reference to another SLS is an error."""
    write(tmp_path, PRODUCER, "base")
    write(tmp_path, "a:\n  test.nop:\n    - arg: ${test:vm:id}\n")
    apply(tmp_path, "base", test=True)
    with pytest.raises(CompileError) as raised:
        apply(tmp_path)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, str(diagnostic.span)) == ("E0801", "states/t.sls:3:12")
    assert "$${test:vm:id}" in diagnostic.help


def test_states_of_earlier_applies_are_never_guessed_among(tmp_path: Path) -> None:
    """Two instances that were applied before need a selector, as two of this run do."""
    write(tmp_path, "vm:\n  test.present:\n    - names: [x, y]\n    - new_state: {k: 1}\n", "base")
    apply(tmp_path, "base")
    write(tmp_path, "a:\n  test.present:\n    - new_state: ${test:vm:k}\n")
    with pytest.raises(CompileError, match="means several states"):
        apply(tmp_path)
    write(tmp_path, "a:\n  test.present:\n    - new_state: ${test:vm[y]:k}\n")
    report, _ = apply(tmp_path)
    assert next(iter(report.returns.values())).new_state == 1


@pytest.mark.parametrize("fan_out", ["", "    - tgt: m\n"])
def test_another_sls_reads_what_an_edited_command_returned_last(tmp_path: Path, fan_out: str) -> None:
    """The entry of the former command is none of the declaration any more, on whatever it runs."""
    write(tmp_path, "a:\n  test.present:\n    - new_state: ${cmd:epoch:stdout}\n")
    for number in (1, 2, 1):
        write(tmp_path, f"epoch:\n  cmd.run:\n    - name: echo {number}\n{fan_out}", "base")
        apply(tmp_path, "base")
        report, _ = apply(tmp_path)
        assert [each.new_state for each in report.returns.values()] == [str(number)]


def test_names_beside_each_other_replace_none_of_each_other(tmp_path: Path) -> None:
    """Each name that is still declared keeps its value, also if it is skipped; one that is not is former."""
    names = "vm:\n  test.present:\n    - names: [%s]\n    - new_state: {k: 1}\n"
    write(tmp_path, names % "x, y, z", "base")
    apply(tmp_path, "base")
    write(tmp_path, names % "y, z: [{unless: 'true'}]", "base")
    apply(tmp_path, "base")
    for name in "yz":
        write(tmp_path, f"a:\n  test.present:\n    - new_state: ${{test:vm[{name}]:k}}\n")
        assert [each.new_state for each in apply(tmp_path)[0].returns.values()] == [1]
    write(tmp_path, "a:\n  test.present:\n    - new_state: ${test:vm:k}\n")
    with pytest.raises(CompileError, match="means several states") as raised:
        apply(tmp_path)
    assert raised.value.diagnostics[0].help == "name one: `vm[y]` or `vm[z]`"


def test_a_state_that_had_several_names_and_is_declared_no_more(tmp_path: Path) -> None:
    """The cause is the missing declaration: neither a module path nor an instance is advised."""
    write(tmp_path, "vm:\n  test.present:\n    - names: [dev, prod]\n    - new_state: {k: 1}\n")
    apply(tmp_path)
    write(tmp_path, "a:\n  test.present:\n    - new_state: ${test:vm:k}\n")
    with pytest.raises(CompileError, match="is no longer declared") as raised:
        apply(tmp_path)
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, str(diagnostic.span)) == ("E0802", "states/t.sls:3:18")
    assert "'vm' (test, name 'dev') of SLS t" in diagnostic.detail
    assert diagnostic.help == "declare it again, or write the value itself"


def test_states_of_earlier_applies_that_are_alike_are_no_instances(tmp_path: Path) -> None:
    """Where no instance tells two states apart, the advice is to include the one that is meant."""
    write(tmp_path, f"{tmp_path}/x:\n  file.managed:\n    - contents: x\n", "base")
    write(tmp_path, f"{tmp_path}/x:\n  file.absent\n", "rm")
    apply(tmp_path, "base")
    apply(tmp_path, "rm")
    write(tmp_path, f"a:\n  test.present:\n    - new_state: ${{file:{tmp_path}/x:mode}}\n")
    with pytest.raises(CompileError, match="means several states") as raised:
        apply(tmp_path)
    (diagnostic,) = raised.value.diagnostics
    assert "include the SLS of the one that is meant" in diagnostic.help
    assert "ID[name]" not in diagnostic.help


def test_a_skipped_producer_is_what_the_last_apply_made_of_it(tmp_path: Path) -> None:
    """A producer that a condition or a requisite skips says nothing new, so what was known of it counts."""
    text = """
quiet: test.nop
vm:
  test.present:
    - new_state: {k: first}
    SKIP
a:
  test.present:
    - new_state: ${test:vm:k}
"""
    write(tmp_path, text.replace("SKIP", ""))
    apply(tmp_path)
    for skip in ("- unless: 'true'", "- onchanges: [test: quiet]"):
        write(tmp_path, text.replace("SKIP", skip).replace("first", "second"))
        report, _ = apply(tmp_path)
        assert [returned.new_state for returned in report.returns.values()] == [None, None, "first"]


def test_a_producer_that_ran_and_said_nothing_is_no_skipped_one(tmp_path: Path) -> None:
    """What the last apply knew is not used for a producer that this run asked in vain."""
    write(tmp_path, "vm:\n  test.present:\n    - new_state: {k: 1}\n")
    apply(tmp_path)
    write(tmp_path, "vm:\n  test.present: []\na:\n  test.nop:\n    - arg: ${test:vm:k}\n")
    report, shown = apply(tmp_path)
    assert report.exit_code == 2
    assert shown["a"]["comment"] == "${test:vm:k} (states/t.sls:5:12): 'vm' returned no new_state"


def test_consumers_do_not_share_what_they_are_given(tmp_path: Path) -> None:
    """A state that changes its argument changes neither the producer's return nor another's argument."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/own.py").write_text(
        "def changed(name, data):\n"
        "    data['l'].append(name)\n"
        "    return {'name': name, 'result': True, 'changes': {}, 'comment': '', 'new_state': data}\n"
    )
    states = "".join(f"{name}:\n  own.changed:\n    - data: ${{test:vm:}}\n" for name in ("a", "b"))
    write(tmp_path, "vm:\n  test.present:\n    - new_state: {l: [1]}\n" + states)
    report, _ = apply(tmp_path)
    assert [returned.new_state for returned in report.returns.values()] == [
        {"l": [1]},
        {"l": [1, "a"]},
        {"l": [1, "b"]},
    ]


@pytest.mark.parametrize(
    ("text", "comment"),
    [
        ("- new_state: {'${test:vm:l}': 1}", "the key ${test:vm:l} must be text, but is bound to a list"),
        ("- new_state: {'${test:vm:n}': 1}", "the key ${test:vm:n} must be text, but is bound to null"),
        (
            "- new_state: {'${test:vm:k}': 1, x: 2}",
            "the key 'x' occurs twice once references are bound",
        ),
        ("- name: ${test:vm:}", "the name must be text, but is bound to a mapping"),
    ],
)
def test_a_key_and_a_name_are_text(tmp_path: Path, text: str, comment: str) -> None:
    """A key or name that is bound to what can be none fails its state."""
    write(
        tmp_path,
        "vm:\n  test.present:\n    - new_state: {k: x, l: [1], n: null}\n"
        f"a:\n  test.present:\n    {text}\n",
    )
    _, shown = apply(tmp_path)
    assert (shown["a"]["result"], shown["a"]["comment"]) == (False, comment)


def test_a_delayed_block_is_a_scope_of_its_own(tmp_path: Path) -> None:
    """A reference in a block finds states of the block, and is told of `prev_ret` for one around it."""
    write(
        tmp_path,
        """
outer:
  test.present:
    - new_state: {k: 1}
    - delayed_render: [block: good, block: bad]
#!delayed_block good
inner:
  test.present:
    - new_state: {{ prev_ret.new_state.k }}
reader:
  test.present:
    - new_state: ${test:inner:}
#!end_delayed_block
#!delayed_block bad
lost:
  test.nop:
    - arg: ${test:outer:k}
#!end_delayed_block
""",
    )
    report, _ = apply(tmp_path)
    good, bad = next(iter(report.returns.values())).delayed
    assert [returned.new_state for returned in good.returns.values()] == [1, 1]
    assert bad.status == "failed"
    assert "states/t.sls:17" in bad.comment
    assert "`prev_ret`" in bad.comment
    assert "`scoped`" in bad.comment


def test_the_example_does_what_it_says(tmp_path: Path) -> None:
    """The folder in examples/ plans what it cannot know, applies in one go, and changes no file again."""
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    _, planned = apply(tmp_path, "app", test=True)
    assert [returned["result"] for returned in planned.values()] == [None, None, None]
    assert planned["receipt"]["comment"].endswith("(known after apply)")
    _, first = apply(tmp_path, "app")
    assert list(first) == ["database", "settings", "receipt"]
    content = (tmp_path / "out/app.conf").read_bytes()
    assert content == b'primary = db-1:5432\nreplicas = ["db-1","db-2"]\n'
    digest = hashlib.sha256(content).hexdigest()
    assert (tmp_path / "out/app.conf.sha256").read_text() == f"{digest} of {len(content)} bytes\n"
    _, second = apply(tmp_path, "app")
    assert [id_ for id_, returned in second.items() if returned["changes"]] == ["database"]


def test_states_that_hold_the_same_reference_are_told_their_own_places(tmp_path: Path) -> None:
    """A value that is missing is told with the line of each state that asks for it, alike as they are."""
    asking = "  test.present:\n    - new_state:\n        ID: ${test:one:missing}\n"
    write(tmp_path, "one:\n  test.nop: []\n" + "".join(f"ask-{number}:\n{asking}" for number in range(4)))
    report, returns = apply(tmp_path)
    assert report.status == "failed"
    places = [returns[f"ask-{number}"]["comment"] for number in range(4)]
    assert [place.partition("t.sls:")[2].partition(":")[0] for place in places] == ["6", "10", "14", "18"]


def test_what_is_extended_tells_where_its_reference_is_written(tmp_path: Path) -> None:
    """A reference that `extend` put into one of many states like it is told with the place in `extend`."""
    asking = "  test.present:\n    - new_state: ${test:one:missing}\n"
    extended = "extend:\n  ask-2:\n    test.present:\n      - new_state: ${test:one:missing}\n"
    states = "".join(f"ask-{number}:\n{asking}" for number in range(4))
    write(tmp_path, f"one:\n  test.nop: []\n{states}{extended}")
    returns = apply(tmp_path)[1]
    places = [returns[f"ask-{number}"]["comment"] for number in range(4)]
    assert [place.partition("t.sls:")[2].partition(":")[0] for place in places] == ["5", "8", "18", "14"]


def test_a_state_in_a_row_of_its_consumers_is_not_bound_to_itself_unnoticed(tmp_path: Path) -> None:
    """Of many states that hold one reference, the one that it names is refused."""
    asking = "  test.present:\n    - new_state: ${test:ask-3:ID}\n"
    write(tmp_path, "".join(f"ask-{number}:\n{asking}" for number in range(6)))
    with pytest.raises(CompileError) as refused:
        apply(tmp_path)
    own, *others = refused.value.diagnostics
    assert own.code == "E0804"
    assert str(own.span).startswith("states/t.sls:12")
    assert not others


def test_a_requisite_beside_a_shared_reference_belongs_to_one_state(tmp_path: Path) -> None:
    """What one of many states like it asks for besides what is bound is asked for by no other."""
    asking = "  test.present:\n    - new_state: ${test:one:ID}\n"
    wishes = "last:\n  test.nop:\n    - require_in:\n      - test: ask-1\n"
    states = "".join(f"ask-{number}:\n{asking}" for number in range(4))
    write(tmp_path, f"one:\n  test.present:\n    - new_state: {{ID: x}}\n{states}{wishes}")
    returns = apply(tmp_path)[1]
    order = sorted(returns, key=lambda id_: returns[id_]["__run_num__"])
    assert order == ["one", "ask-0", "last", "ask-1", "ask-2", "ask-3"]
    assert all(returns[f"ask-{number}"]["new_state"] == "x" for number in range(4))
