"""A run names the states of earlier applies that are no longer declared, as long as what they made stays."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.model.srn import Srn

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
ONE = """
file-{0}:
  file.managed:
    - name: {{{{ opts['root_dir'] }}}}/out/{0}
    - makedirs: true
    - contents: x
"""
BLOCK = """
#!delayed_block each
{% for name in pillar.get('names', []) %}
file-{{ name }}:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/{{ name }}
    - makedirs: true
    - contents: x
{% endfor %}
#!end_delayed_block
names:
  test.nop:
    - delayed_render: [{block: each}]
"""


def named(root: Path, *names: str) -> None:
    """Write the files that the SLS declares."""
    write(root, pillar__top="base: {'*': [p]}\n", pillar__p=f"names: [{', '.join(names)}]\n")


def left(root: Path, *mods: str, test: bool = True) -> list[Diagnostic]:
    """Return the warnings of a run about states that are no longer declared."""
    return [warning for warning in apply(root, *mods, test=test).warnings if warning.code == "E0894"]


def test_what_a_deleted_state_made_stays(tmp_path: Path) -> None:
    """The warning names it, and how to remove it; once it is declared absent there is none."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, "a", "b")
    assert apply(tmp_path, "t").exit_code == 0
    assert left(tmp_path, "t") == []
    named(tmp_path, "a")
    [warning] = left(tmp_path, "t")
    assert f"stays: file-b (file.managed {tmp_path}/out/b in t)" in warning.summary
    assert "`file.absent`" in warning.help
    gone = f"gone:\n  file.absent:\n    - name: {tmp_path}/out/b\n"
    write(tmp_path, states__t=FILES + gone)
    assert left(tmp_path, "t") == []
    assert apply(tmp_path, "t").exit_code == 0
    write(tmp_path, states__t=FILES)
    assert left(tmp_path, "t") == []


def test_what_is_below_a_removed_folder(tmp_path: Path) -> None:
    """An absent folder removes what states made in it, from the plan on; what is made there later stays."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, "a", "b")
    apply(tmp_path, "t")
    write(tmp_path, states__t=f"gone:\n  file.absent:\n    - name: {tmp_path}/out\n")
    assert left(tmp_path, "t") == []
    assert left(tmp_path, "t", test=False) == []
    write(tmp_path, states__t="a: test.nop\n")
    assert left(tmp_path, "t") == []
    write(tmp_path, states__t=FILES)
    named(tmp_path, "c")
    apply(tmp_path, "t")
    write(tmp_path, states__t="a: test.nop\n")
    assert "stays: file-c (file.managed" in left(tmp_path, "t")[0].summary


def test_one_thing_is_named_once(tmp_path: Path) -> None:
    """By its last name; both declarations of it are reported."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, "a")
    apply(tmp_path, "t")
    write(tmp_path, states__t=FILES.replace("file-", "other-"))
    apply(tmp_path, "t")
    write(tmp_path, states__t="a: test.nop\n")
    [warning] = left(tmp_path, "t", test=False)
    assert warning.summary.startswith("a state is no longer declared")
    assert "stays: other-a (file.managed" in warning.summary
    assert left(tmp_path, "t", test=False) == []


def test_a_deployment_is_destroyed_as_a_whole(tmp_path: Path) -> None:
    """The help names the function for a whole environment, not that for one of its resources."""
    score = "apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers: {main: {image: nginx}}\n"
    (tmp_path / "score.yaml").write_text(score)
    deployed = "{graph.deployed: [{app: shop}, {env: dev}, {env_type: live}, {score: score.yaml}]}"
    write(tmp_path, states__t=f"it: {deployed}\n")
    assert apply(tmp_path, "t").exit_code == 0
    write(tmp_path, states__t="a: test.nop\n")
    [warning] = left(tmp_path, "t")
    assert "declare that with `graph.destroyed`" in warning.help


def test_an_apply_says_it_once(tmp_path: Path) -> None:
    """Plans repeat it; an apply names what no apply has named, and a state that was declared again."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, "a", "b", "c")
    apply(tmp_path, "t")
    named(tmp_path, "a", "b")
    assert left(tmp_path, "t") == left(tmp_path, "t", test=False)
    assert left(tmp_path, "t", test=False) == []
    named(tmp_path, "a")
    [warning] = left(tmp_path, "t", test=False)
    assert "file-b" in warning.summary
    assert "file-c" not in warning.summary
    assert left(tmp_path, "t")[0].summary.startswith("2 states are")
    named(tmp_path, "a", "b")
    apply(tmp_path, "t")
    named(tmp_path, "a")
    [warning] = left(tmp_path, "t", test=False)
    assert "file-b" in warning.summary


def test_another_id_for_the_same_thing(tmp_path: Path) -> None:
    """A state that was renamed or moved to another SLS is still declared."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, "a")
    apply(tmp_path, "t")
    write(tmp_path, states__t=FILES.replace("file-{{ name }}", "other-{{ name }}"))
    assert left(tmp_path, "t") == []
    write(tmp_path, states__t="include: [u]\n", states__u=FILES)
    assert left(tmp_path, "t") == []


def test_many_states(tmp_path: Path) -> None:
    """Five are named, and the others counted; a command leaves nothing that could be declared absent."""
    write(tmp_path, states__t=FILES)
    named(tmp_path, *"abcdefg")
    apply(tmp_path, "t")
    named(tmp_path)
    write(tmp_path, states__t="a: test.nop\n")
    [warning] = left(tmp_path, "t")
    assert warning.summary.startswith("7 states are no longer declared")
    assert warning.summary.endswith("and 2 more")
    assert "cmd.run" not in warning.summary


def test_an_sls_that_left_the_top_file(tmp_path: Path) -> None:
    """A highstate names its states, whether its file is still there or not; another SLS alone does not."""
    write(tmp_path, states__top="base: {'*': [a, b]}\n", states__a=ONE.format("a"), states__b=ONE.format("b"))
    assert apply(tmp_path).exit_code == 0
    assert left(tmp_path) == []
    assert left(tmp_path, "a") == []
    write(tmp_path, states__top="base: {'*': [a]}\n")
    [warning] = left(tmp_path)
    assert "file-b" in warning.summary
    assert left(tmp_path, "a") == []
    (tmp_path / "states" / "b.sls").unlink()
    [warning] = left(tmp_path, test=False)
    assert "file-b" in warning.summary


def test_an_sls_that_is_applied_by_name_beside_the_top_file(tmp_path: Path) -> None:
    """The highstate does not miss it; one that a highstate has enforced, it does."""
    write(tmp_path, states__top="base: {'*': [a]}\n", states__a=ONE.format("a"), states__b=ONE.format("b"))
    apply(tmp_path)
    apply(tmp_path, "b")
    assert left(tmp_path) == []
    apply(tmp_path, "a")
    write(tmp_path, states__top="base: {'*': [c]}\n", states__c=ONE.format("c"))
    [warning] = left(tmp_path)
    assert "file-a" in warning.summary
    assert "file-b" not in warning.summary


def test_an_include_that_was_deleted(tmp_path: Path) -> None:
    """A run of the same SLS names what it no longer includes; a run of fewer of them does not."""
    write(
        tmp_path,
        states__a="include: [b]\n" + ONE.format("a"),
        states__b=ONE.format("b"),
        states__c="c: test.nop\n",
    )
    apply(tmp_path, "a")
    write(tmp_path, states__a=ONE.format("a"))
    [warning] = left(tmp_path, "a")
    assert "file-b" in warning.summary
    assert left(tmp_path, "c") == []
    apply(tmp_path, "b", "c")
    assert left(tmp_path, "a") == []
    assert left(tmp_path, "c") == []


def test_an_item_that_left_the_list_of_a_block(tmp_path: Path) -> None:
    """What a block no longer declares is named once the block is rendered, and so is a deleted block."""
    write(tmp_path, states__t=BLOCK)
    named(tmp_path, "a", "b")
    assert apply(tmp_path, "t").exit_code == 0
    assert left(tmp_path, "t") == []
    named(tmp_path, "a")
    [warning] = left(tmp_path, "t")
    assert "file-b" in warning.summary
    assert "file-a" not in warning.summary
    failing = BLOCK.replace("test.nop", "test.fail_without_changes")
    write(tmp_path, states__t=failing)
    assert left(tmp_path, "t", test=False) == []
    write(tmp_path, states__t="names: test.nop\n")
    assert left(tmp_path, "t", test=False)[0].summary.startswith("2 states are")


def test_a_chosen_part_says_nothing(tmp_path: Path) -> None:
    """A run of a part has not looked at everything."""
    from ensue.core.model.run_part import RunPart

    write(tmp_path, states__t=FILES)
    named(tmp_path, "a", "b")
    apply(tmp_path, "t")
    named(tmp_path, "a")
    report = apply(tmp_path, "t", test=True, part=RunPart(only=("file-a",)))
    assert [warning for warning in report.warnings if warning.code == "E0894"] == []


def test_a_resource_of_a_target(tmp_path: Path) -> None:
    """What a fan-out no longer reaches is named with its resource, as long as that can be targeted."""
    pillar = "resources:\n  dummy:\n    x1: {}\n    x2: {}\n"
    write(tmp_path, pillar__top="base: {'*': [p]}\n", pillar__p=pillar)
    state = "m:\n  file.managed:\n    - name: /f\n    - contents: x\n    - tgt: T@dummy:%s\n"
    write(tmp_path, states__t=state % "*")
    assert apply(tmp_path, "t").exit_code == 0
    assert left(tmp_path, "t") == []
    write(tmp_path, states__t=state % "x1")
    [warning] = left(tmp_path, "t")
    assert "m (file.managed /f in t, dummy:x2)" in warning.summary
    assert left(tmp_path, "t", test=False) != []
    write(tmp_path, pillar__p=pillar.replace("    x2: {}\n", ""))
    assert left(tmp_path, "t") == []


@pytest.mark.parametrize("top", ["{}", "{'*': []}", "{'web-2': [t]}"])
def test_what_an_emptied_top_file_leaves_behind(tmp_path: Path, top: str) -> None:
    """A top file that assigns nothing to a machine any more leaves its states behind, too."""
    write(
        tmp_path,
        states__t=FILES,
        states__top="base: {'*': [t]}\n",
        pillar__top="base: {'*': [p]}\n",
        pillar__p="names: [a]\nresources: {minion: {web-2: {root: /}}}\n",
    )
    assert apply(tmp_path).exit_code == 0
    (tmp_path / "states" / "top.sls").write_text(f"base: {top}\n")
    for test in (True, False):
        (warning,) = left(tmp_path, test=test)
        assert "file-a (file.managed" in warning.summary
        assert "in t)" in warning.summary
    assert left(tmp_path, test=False) == []
    (tmp_path / "states" / "top.sls").unlink()
    assert left(tmp_path) == []


@pytest.mark.parametrize("condition", ["creates: ROOT/list", "unless: test -e ROOT/list"])
def test_a_block_whose_caller_is_skipped(tmp_path: Path, condition: str) -> None:
    """Plans name what the block of its kept value no longer declares; without a value, nothing is known."""
    caller = f"""
names:
  cmd.run:
    - name: tee list < names
    - cwd: ROOT
    - {condition}
    - delayed_render: [{{block: each}}]
#!delayed_block each
{{% for name in (prev_ret.new_state or {{}}).get('stdout', '').split() %}}
{{{{ name }}}}: {{file.managed: [name: ROOT/{{{{ name }}}}, contents: x]}}
{{% endfor %}}
#!end_delayed_block
"""
    write(tmp_path, states__t=caller.replace("ROOT", str(tmp_path)))
    (tmp_path / "names").write_text("a b")
    assert left(tmp_path, "t", test=False) == []
    (tmp_path / "names").write_text("a")
    (tmp_path / "list").unlink()
    for test in (False, True, True):
        [warning] = left(tmp_path, "t", test=test)
        assert f"stays: b (file.managed {tmp_path}/b in t)" in warning.summary
    forget(tmp_path, "names")
    assert left(tmp_path, "t") == []


def test_a_teardown_that_is_over(tmp_path: Path) -> None:
    """An SLS that declared the absence of a thing says nothing of the thing once it is made again."""
    write(
        tmp_path,
        states__t=ONE.format("a"),
        states__gone="gone:\n  file.absent:\n    - name: {{ opts['root_dir'] }}/out/a\n",
    )
    for sls in ("t", "gone", "t"):
        assert apply(tmp_path, sls).exit_code == 0
    write(tmp_path, states__t="a: test.nop\n")
    for test in (True, False, True):
        [warning] = left(tmp_path, "t", test=test)
        assert "stays: file-a (file.managed" in warning.summary
    assert apply(tmp_path, "gone").exit_code == 0
    assert left(tmp_path, "t") == []


def test_what_is_on_a_host_that_is_orphaned_with_it(tmp_path: Path) -> None:
    """The apply names both, and so does every plan, until the host is forgotten."""
    write(
        tmp_path,
        states__t="host: {test.present: [new_state: {}, registers: [{'dummy:box': {}}]]}\n"
        "conf: {file.managed: [name: /conf, contents: x, tgt: box]}\nother: test.nop\n",
    )
    assert apply(tmp_path, "t").exit_code == 0
    write(tmp_path, states__t="other: test.nop\n")
    for test, verb in ((True, "would be"), (False, "is"), (True, "is"), (True, "is")):
        orphan, stays = apply(tmp_path, "t", test=test).warnings
        assert f"dummy:box {verb} orphaned: host (test.present in t) is no longer declared" in orphan.summary
        assert "stays: conf (file.managed /conf in t, dummy:box)" in stays.summary
    assert apply(tmp_path, "t").warnings == ()
    write(tmp_path, states__u="other: test.nop\n")
    assert apply(tmp_path, "u", test=True).warnings == ()
    forget(tmp_path, "dummy:box")
    assert apply(tmp_path, "t", test=True).warnings == ()


def forget(root: Path, word: str) -> None:
    """Forget a resource, or what a state enforced."""

    async def work() -> None:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            if ":" in word:
                assert await project.forget(Srn.parse(word))
            else:
                assert (await project.forget_enforced([word])).entries

    asyncio.run(work())


@pytest.mark.parametrize(
    "removal",
    [
        "file.directory: [clean: true]",
        "file.recurse: [source: salt://folder, clean: true]",
        "file.tidied: [age: 0, rmdirs: true]",
    ],
)
def test_what_another_state_removes(tmp_path: Path, removal: str) -> None:
    """A plan that removes it does not say that it stays; once removed, it is no leftover."""
    made = "{0}: {{file.managed: [contents: x, makedirs: true]}}\n"
    write(
        tmp_path,
        states__top="base: {'T@dummy': [t], '*': [own]}\n",
        states__own="a: test.nop\n",
        states__t=made.format("/d/one") + made.format("/d/sub/two") + made.format("/e"),
        pillar__top="base: {'*': [p]}\n",
        pillar__p="resources: {dummy: {h: {}}}\n",
    )
    (tmp_path / "states/folder").mkdir()
    (tmp_path / "states/folder/kept").write_text("x")
    options = ProjectOptions(minion_id="m")

    def warnings(*, test: bool, tgt: str | None = "*") -> str:
        report = apply(tmp_path, options=options, test=test, tgt=tgt)
        assert all(returned.result is not False for returned in report.returns.values())
        return "\n".join(warning.summary for warning in report.warnings)

    warnings(test=False)
    write(tmp_path, states__t=f"/d: {{{removal}}}\n")
    assert "is no longer declared, and what earlier applies made stays: /e (" in warnings(test=True)
    warnings(test=False)
    assert "is no longer declared, and what earlier applies made stays: /e (" in warnings(test=True)
    write(tmp_path, pillar__p="resources: {}\n")
    assert "dummy:h, and 2 things that" in warnings(test=True, tgt=None)
