"""What an earlier run registered and no declaration registers any more is orphaned, and nothing else is."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.report import RunReport
    from ensue.core.model.returns import Return

HOSTS = """
{% for number in pillar.get('hosts', [1, 2, 3]) %}
make-{{ number }}:
  test.present:
    - name: env-{{ number }}
    - new_state: {host: 192.0.2.{{ number }}}
    - registers:
      - ssh_host:h{{ number }}: {host: "${self:host}"}
{% endfor %}
"""
LIST = """
vms:
  test.present:
    - new_state: {}
    - result: {{ pillar.get('result', true) }}
{% if pillar.get('skip') %}
    - creates: /
{% endif %}
    - registers:
{% for name in pillar.get('names', ['a', 'b', 'c']) %}
      - ssh_host:{{ name }}: {host: 192.0.2.9}
{% endfor %}
"""
PROVIDER = """
from ensue.core.contracts.provider import Environment
async def observe(request):
    return Environment(status="succeeded")
deploy = destroy = observe
async def connection_info(request):
    return {"host": "192.0.2.1"}
"""
MODULE = """
import asyncio
from ensue import derived
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
async def context(ctx, name, hosts):
    if not ctx.test:
        for host in hosts:
            await asyncio.to_thread(
                ctx.registry.register, Srn("ssh_host", host), {"host": host}, source=Srn("vm", name)
            )
    return StateReturn(name=name, result=None if ctx.test else True)
async def api(ctx, name, hosts):
    for host in hosts:
        await asyncio.to_thread(
            derived.register, ctx.opts, "ssh_host", host, {"host": host}, source_srn=f"vm:{name}"
        )
    return StateReturn(name=name, result=True)
FUNCTIONS = {"context": context, "api": api}
"""
LATE = """
caller:
  test.present:
    - new_state: {}
    - result: {{ pillar.get('result', true) }}
    - delayed_render:
      - block: more
#!delayed_block more
{% for name in ['x', 'y'] if name not in pillar.get('without', []) %}
late-{{ name }}:
  test.present:
    - new_state: {}
    - registers:
      - ssh_host:{{ name }}: {host: 192.0.2.9}
{% endfor %}
#!end_delayed_block
"""


def run(root: Path, *mods: str, pillar: dict[str, Any] | None = None, **switches: Any) -> RunReport:
    return apply(root, *mods, options=ProjectOptions(minion_id="m", pillar=pillar or {}), **switches)


def statuses(root: Path) -> dict[str, str]:
    async def read() -> dict[str, str]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return {
                resource.srn.id: resource.status
                for resource in await project.resources()
                if resource.origin == "derived"
            }

    return asyncio.run(read())


def by_status(root: Path, status: str) -> str:
    return "".join(sorted(name for name, of_name in statuses(root).items() if of_name == status))


def codes(report: RunReport) -> list[str]:
    return [warning.code for warning in report.warnings]


def only(report: RunReport) -> Return:
    (returned,) = report.returns.values()
    return returned


def test_an_entry_that_is_gone_from_registers_is_orphaned_and_comes_back(tmp_path: Path) -> None:
    """Plan and apply show it in the changes; a second run changes nothing; named again it is active."""
    write(tmp_path, states__t=LIST)
    run(tmp_path, "t")
    fewer = {"names": ["a"]}
    planned = only(run(tmp_path, "t", pillar=fewer, test=True))
    assert (planned.result, planned.changes) == (None, {"orphaned": ["ssh_host:b", "ssh_host:c"]})
    assert by_status(tmp_path, "active") == "abc"
    applied = only(run(tmp_path, "t", pillar=fewer))
    assert (applied.result, applied.changes) == (True, planned.changes)
    assert statuses(tmp_path) == {"a": "active", "b": "orphaned", "c": "orphaned"}
    assert only(run(tmp_path, "t", pillar=fewer)).changes == {}
    assert only(run(tmp_path, "t")).changes == {"registered": ["ssh_host:b", "ssh_host:c"]}
    assert by_status(tmp_path, "active") == "abc"


@pytest.mark.parametrize("names", [["a"], []])
def test_plans_name_what_a_shorter_list_has_orphaned(tmp_path: Path, names: list[str]) -> None:
    """As long as it is orphaned, however its state ends; not once it is registered again."""
    write(tmp_path, states__t=LIST, states__other="a: test.nop\n")
    run(tmp_path, "t")
    run(tmp_path, "t", pillar={"names": names})
    for pillar in ({"names": names}, {"names": names, "skip": True}, {"names": names, "result": False}):
        warnings = run(tmp_path, "t", pillar=pillar, test=True).warnings
        assert [warning.summary for warning in warnings] == [
            f"ssh_host:{name} is orphaned: vms (test.present in t) no longer registers it"
            for name in "abc"
            if name not in names
        ]
    assert codes(run(tmp_path, "t", test=True)) == []
    assert codes(run(tmp_path, "other", test=True)) == []
    assert codes(run(tmp_path, "t", pillar={"names": names})) == []


def test_a_state_without_registers_orphans_all_that_it_had(tmp_path: Path) -> None:
    """The option is taken away, the state stays."""
    write(tmp_path, states__t=LIST)
    run(tmp_path, "t")
    write(tmp_path, states__t="vms:\n  test.present:\n    - new_state: {}\n")
    assert only(run(tmp_path, "t", test=True)).changes == {
        "orphaned": ["ssh_host:a", "ssh_host:b", "ssh_host:c"]
    }
    run(tmp_path, "t")
    assert by_status(tmp_path, "orphaned") == "abc"


@pytest.mark.parametrize("pillar", [{"result": False}, {"skip": True}])
def test_a_state_that_fails_or_is_skipped_orphans_nothing(pillar: dict[str, Any], tmp_path: Path) -> None:
    """What is there stays, although the state now names less."""
    write(tmp_path, states__t=LIST)
    run(tmp_path, "t")
    run(tmp_path, "t", pillar={**pillar, "names": ["a"]})
    assert by_status(tmp_path, "active") == "abc"


def test_a_declaration_that_is_gone_orphans_what_it_registered(tmp_path: Path) -> None:
    """A plan warns of it, an apply does it, with an event, a journal line and one in the audit log."""
    write(tmp_path, states__t=HOSTS, states__other=LIST)
    run(tmp_path, "t")
    run(tmp_path, "other")
    planned = run(tmp_path, "t", pillar={"hosts": [1]}, test=True)
    assert codes(planned) == ["E0718", "E0718"]
    assert "ssh_host:h2 would be orphaned: make-2 (test.present in t)" in planned.warnings[0].summary
    assert by_status(tmp_path, "orphaned") == ""
    report = run(tmp_path, "t", pillar={"hosts": [1]})
    assert (codes(report), report.exit_code) == (["E0718", "E0718"], 0)
    assert by_status(tmp_path, "orphaned") == "h2h3"
    assert codes(run(tmp_path, "t", pillar={"hosts": [1]})) == []
    journal = (tmp_path / f".ensue/runs/{report.run_id}.jsonl").read_text()
    assert journal.count("ResourceOrphaned") == 2
    lines = map(json.loads, (tmp_path / ".ensue/audit.jsonl").read_text().splitlines())
    why = "make-2 (test.present in t) is no longer declared"
    assert next(line["why"] for line in lines if line["action"] == "orphan") == why
    assert codes(run(tmp_path, "t", pillar={"hosts": []})) == ["E0718"]
    assert by_status(tmp_path, "active") == "abc"


def test_an_orphaned_resource_is_no_target_and_keeps_its_configuration(tmp_path: Path) -> None:
    """A state that names it says why it is gone; its configuration is shown; it can be forgotten."""
    write(tmp_path, states__t=HOSTS, states__use="x:\n  test.nop:\n    - tgt: T@ssh_host:h2\n")
    run(tmp_path, "t")
    run(tmp_path, "t", pillar={"hosts": [1, 3]})
    returned = only(run(tmp_path, "use"))
    assert returned.result is False
    assert "ssh_host:h2 is orphaned: make-2 (test.present in t) is no longer declared" in returned.comment

    async def look() -> tuple[Any, bool]:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            config = await project.resource_config(Srn("ssh_host", "h2"))
            return config, await project.forget(Srn("ssh_host", "h2"))

    assert asyncio.run(look()) == ({"host": "192.0.2.2"}, True)
    assert statuses(tmp_path) == {"h1": "active", "h3": "active"}


def test_states_that_still_target_an_orphaned_resource_are_named(tmp_path: Path) -> None:
    """The warning names those that fail in the next apply, and those that run on others."""
    use = """
{% if pillar.get('machine', true) %}
vm:
  test.nop:
    - registers:
      - dummy:web-01: {}
{% endif %}
other:
  test.nop:
    - registers:
      - dummy:web-02: {}
conf:
  test.nop:
    - tgt: web-01
all:
  test.nop:
    - tgt: web-*
"""
    write(tmp_path, states__t=use)
    run(tmp_path, "t")
    for test in (True, False):
        [warning] = run(tmp_path, "t", pillar={"machine": False}, test=test).warnings
        assert "; still targeted by conf (test.nop in t), which fails in the next apply" in warning.detail
        assert (
            "; also targeted by all (test.nop in t), which will run without it from the next apply on"
            in warning.detail
        )
    report = run(tmp_path, "t", pillar={"machine": False})
    assert [returned.id for returned in report.returns.values() if returned.result is False] == ["conf"]


def test_the_removal_of_a_machine_is_named(tmp_path: Path) -> None:
    """What a declaration of `starting_state.deployed` made is removed by a state with its name."""
    machine = "vm:\n  starting_state.deployed:\n    - name: lab-01\n    - provider: none_of_this\n"
    providers = tmp_path / "states/_providers"
    providers.mkdir(parents=True)
    (providers / "none_of_this.py").write_text(PROVIDER)
    write(tmp_path, states__t=f"{machine}    - register_resources: true\n")
    assert run(tmp_path, "t").exit_code == 0
    write(tmp_path, states__t="a: test.nop\n")
    [warning, *_] = run(tmp_path, "t", test=True).warnings
    assert "a state `starting_state.absent` that has `name: lab-01` and the provider" in warning.help


def test_a_highstate_judges_its_whole_tree(tmp_path: Path) -> None:
    """What left the top file is orphaned; an SLS applied by name beside it is not, until its file is gone."""
    write(
        tmp_path,
        states__top="base: {'*': [t, also]}\n",
        states__t=HOSTS,
        states__also=LIST,
        states__extra=LIST.replace("'a', 'b', 'c'", "'e'"),
    )
    run(tmp_path)
    run(tmp_path, "extra")
    write(tmp_path, states__top="base: {'*': [also]}\n")
    assert codes(run(tmp_path)) == ["E0718"] * 3
    assert (by_status(tmp_path, "orphaned"), by_status(tmp_path, "active")) == ("h1h2h3", "abce")
    (tmp_path / "states/extra.sls").unlink()
    run(tmp_path)
    assert by_status(tmp_path, "active") == "abc"


@pytest.mark.parametrize("pillar", [{}, {"skip": True}])
def test_a_registration_of_the_highstate_stays_its_own(tmp_path: Path, pillar: dict[str, Any]) -> None:
    """Applying the SLS by name in between changes nothing; what is made by name afterwards is left alone."""
    write(tmp_path, states__top="base: {'*': [t, also]}\n", states__t=LIST, states__also="a: test.nop\n")
    run(tmp_path)
    run(tmp_path, "t", pillar=pillar)
    write(tmp_path, states__top="base: {'*': [also]}\n")
    run(tmp_path, "t", pillar=pillar)
    assert codes(run(tmp_path, test=True)) == ["E0718"] * 3
    assert codes(run(tmp_path)) == ["E0718"] * 3
    assert by_status(tmp_path, "orphaned") == "abc"
    run(tmp_path, "t")
    assert codes(run(tmp_path)) == []
    assert by_status(tmp_path, "active") == "abc"


@pytest.mark.parametrize("function", ["test.succeed_with_changes", "test.nop"])
def test_a_plan_names_what_a_removed_block_registered(tmp_path: Path, function: str) -> None:
    """Its state is still there and calls the block no more; the plan says what the apply will."""
    write(tmp_path, states__t=LATE)
    run(tmp_path, "t")
    write(tmp_path, states__t=f"caller: {function}\n")
    planned, applied = (run(tmp_path, "t", test=test) for test in (True, False))
    assert [warning.summary.replace(" would be ", " is ") for warning in planned.warnings] == [
        warning.summary for warning in applied.warnings
    ]
    assert codes(planned) == ["E0718"] * 2
    assert by_status(tmp_path, "orphaned") == "xy"


def test_a_plan_leaves_open_what_a_changing_state_may_declare(tmp_path: Path) -> None:
    """A block of it that would be rendered, and whatever a function of the project itself would apply."""
    write(tmp_path, states__t=LATE)
    run(tmp_path, "t")
    write(
        tmp_path,
        states__t=LATE.replace(
            "test.present:\n    - new_state: {}\n    - res", "test.present:\n    - changes: {a: 1}\n    - res"
        ),
    )
    assert codes(run(tmp_path, "t", test=True)) == []
    states = tmp_path / "states/_states"
    states.mkdir()
    (states / "own.py").write_text(
        "def made(name):\n    result = None if __opts__['test'] else True\n"
        "    return {'name': name, 'result': result, 'changes': {'a': 1}, 'comment': ''}\n"
    )
    write(tmp_path, states__t="caller: own.made\n")
    assert codes(run(tmp_path, "t", test=True)) == []
    assert codes(run(tmp_path, "t")) == ["E0718"] * 2


def test_a_highstate_without_a_top_file_orphans_nothing(tmp_path: Path) -> None:
    """Neither does one that gives nothing to this machine."""
    write(tmp_path, states__top="base: {'*': [t]}\n", states__t=HOSTS)
    run(tmp_path)
    write(tmp_path, states__top="base: {'other': [t]}\n")
    for test in (True, False):
        unassigned, *warnings = run(tmp_path, test=test).warnings
        assert unassigned.code == "E0605"
        assert [warning.summary for warning in warnings] == [
            f"ssh_host:h{number} stays registered: make-{number} (test.present in t) is no longer declared"
            for number in (1, 2, 3)
        ]
    (tmp_path / "states/top.sls").unlink()
    assert "E0718" not in codes(run(tmp_path))
    assert by_status(tmp_path, "active") == "h1h2h3"


def test_what_is_orphaned_is_named_of_a_machine_without_sls(tmp_path: Path) -> None:
    """An earlier highstate has orphaned it; then nothing at all is assigned to the machine."""
    write(tmp_path, states__top="base: {'*': [t]}\n", states__t=HOSTS)
    run(tmp_path)
    run(tmp_path, pillar={"hosts": []})
    write(tmp_path, states__top="base: {'other': [t]}\n")
    assert codes(run(tmp_path, test=True)) == ["E0605", "E0718", "E0718", "E0718"]
    assert codes(run(tmp_path)) == ["E0605"]


def test_what_moves_to_another_state_is_never_orphaned(tmp_path: Path) -> None:
    """Two states register parts of one list; a part that moves stays active all the while."""

    def tree(first: str, second: str) -> str:
        return "".join(
            f"{id_}:\n  test.present:\n    - name: vm\n    - new_state: {{}}\n    - registers:\n"
            + "".join(f"      - ssh_host:{name}: {{host: x}}\n" for name in names)
            for id_, names in (("one", first), ("two", second))
        )

    write(tmp_path, states__t=tree("ab", "c"))
    run(tmp_path, "t")
    write(tmp_path, states__t=tree("a", "bc"))
    assert [returned.changes for returned in run(tmp_path, "t").returns.values()] == [{}, {}]
    write(tmp_path, states__t=tree("ac", "b"))
    assert [returned.changes for returned in run(tmp_path, "t", test=True).returns.values()] == [{}, {}]
    assert [returned.changes for returned in run(tmp_path, "t").returns.values()] == [{}, {}]
    assert by_status(tmp_path, "active") == "abc"


def test_what_was_derived_from_an_orphan_is_invalidated(tmp_path: Path) -> None:
    """Transitively; the state's changes name it, and the reason names what is orphaned."""
    from ensue import derived

    write(tmp_path, states__t=LIST)
    run(tmp_path, "t")
    opts: dict[str, Any] = {"id": "m", "root": str(tmp_path)}
    derived.register(opts, "ssh_host", "below", {"host": "x"}, source_srn="ssh_host:c")
    derived.register(opts, "ssh_host", "lowest", {"host": "x"}, source_srn="ssh_host:below")
    changes = only(run(tmp_path, "t", pillar={"names": ["a", "b"]})).changes
    assert changes == {
        "orphaned": ["ssh_host:c"],
        "invalidated": ["ssh_host:below", "ssh_host:lowest"],
    }
    assert by_status(tmp_path, "invalidated") == "belowlowest"


@pytest.mark.parametrize("function", ["context", "api"])
def test_a_function_that_registers_is_pruned_as_well(function: str, tmp_path: Path) -> None:
    """Through its context and through `ensue.derived`; a plan, which cannot know, says nothing."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/mine.py").write_text(MODULE)
    text = f"v:\n  mine.{function}:\n    - hosts: {{{{ pillar.get('hosts', ['p', 'q']) | json }}}}\n"
    write(tmp_path, states__t=text)
    run(tmp_path, "t")
    if function == "context":
        assert only(run(tmp_path, "t", pillar={"hosts": ["p"]}, test=True)).changes == {}
    assert only(run(tmp_path, "t", pillar={"hosts": ["p"]})).changes == {"orphaned": ["ssh_host:q"]}
    if function == "context":  # It says that it would change something, which may be that `q` is back.
        assert codes(run(tmp_path, "t", pillar={"hosts": ["p"]}, test=True)) == []
    write(tmp_path, states__t="other: test.nop\n")
    run(tmp_path, "t")
    assert by_status(tmp_path, "orphaned") == "pq"


def test_what_another_program_registers_is_its_own(tmp_path: Path) -> None:
    """No run orphans what was registered outside of runs, nor what another minion has registered."""
    from ensue import derived

    write(tmp_path, states__top="base: {'*': [t]}\n", states__t=HOSTS)
    derived.register({"id": "m", "root": str(tmp_path)}, "ssh_host", "own", {"host": "x"}, "test:env-1")
    apply(tmp_path, options=ProjectOptions(minion_id="n"))
    write(tmp_path, states__t="a: test.nop\n")
    run(tmp_path)
    assert by_status(tmp_path, "active") == "h1h2h3own"


def test_a_block_that_was_not_rendered_keeps_what_it_registered(tmp_path: Path) -> None:
    """Its caller failed; once it is rendered without a state, what that state registered is orphaned."""
    write(tmp_path, states__t=LATE)
    run(tmp_path, "t")
    report = run(tmp_path, "t", pillar={"result": False, "without": ["y"]})
    assert (report.exit_code, codes(report), by_status(tmp_path, "active")) == (2, [], "xy")
    planned = run(tmp_path, "t", pillar={"without": ["y"]}, test=True)
    assert by_status(tmp_path, "active") == "xy"
    assert set(codes(planned)) <= {"E0718"}
    assert codes(run(tmp_path, "t", pillar={"without": ["y"]})) == ["E0718"]
    assert statuses(tmp_path) == {"x": "active", "y": "orphaned"}
    write(tmp_path, states__t="other: test.nop\n")
    run(tmp_path, "t")
    assert by_status(tmp_path, "orphaned") == "xy"


def test_resources_that_a_target_no_longer_matches(tmp_path: Path) -> None:
    """A state with `tgt` registered something for each; that of a resource which is gone is orphaned."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/mine.py").write_text(
        MODULE.replace("for host in hosts:", "for host in [f'on-{ctx.srn.id}']:")
    )
    pillar = "resources: {dummy: {d1: {}, d2: {}}}\n"
    write(
        tmp_path,
        states__t="v:\n  mine.context:\n    - tgt: T@dummy\n    - hosts: []\n",
        pillar__top="base: {'*': [r]}\n",
        pillar__r=pillar,
    )
    run(tmp_path, "t")
    assert [returned.changes for returned in run(tmp_path, "t").returns.values()] == [{}, {}]
    assert by_status(tmp_path, "active") == "on-d1on-d2"
    write(tmp_path, pillar__r="resources: {dummy: {d1: {}}}\n")
    assert codes(run(tmp_path, "t")) == ["E0718"]
    assert statuses(tmp_path) == {"on-d1": "active", "on-d2": "orphaned"}


def test_scope_run_takes_a_resource_out_of_the_store(tmp_path: Path) -> None:
    """One that a run keeps in memory is registered, and not orphaned."""
    (tmp_path / "states/_states").mkdir(parents=True)
    module = tmp_path / "states/_states/mine.py"
    module.write_text(MODULE)
    write(tmp_path, states__t="v:\n  mine.context:\n    - hosts: [p]\n")
    run(tmp_path, "t")
    module.write_text(MODULE.replace("source=", "scope='run', source="))
    assert only(run(tmp_path, "t")).changes == {}


def test_a_killed_run_that_is_resumed_orphans_the_same(tmp_path: Path) -> None:
    """A run that dies after its first registrations is resumed, and the end is the same."""
    text = (
        HOSTS
        + LIST
        + "die:\n  cmd.run:\n    - name: test -e ok || kill -9 $PPID\n    - cwd: "
        + str(tmp_path)
    )
    write(tmp_path, states__t=text)
    (tmp_path / "ok").touch()
    run(tmp_path, "t")
    (tmp_path / "ok").unlink()
    fewer = '{"hosts": [2], "names": ["a"]}'
    write(tmp_path, pillar__top="base: {'*': [p]}\n", pillar__p=fewer)
    command = [sys.executable, "-m", "ensue", "apply", "t", "--id", "m", "--root", str(tmp_path)]
    subprocess.run(command, check=False, capture_output=True)
    assert by_status(tmp_path, "orphaned") == "bc"
    (tmp_path / "ok").touch()
    report = run(tmp_path, resume=max(path.stem for path in (tmp_path / ".ensue/runs").glob("*.jsonl")))
    assert report.exit_code == 0
    assert (by_status(tmp_path, "active"), by_status(tmp_path, "orphaned")) == ("ah2", "bch1h3")


def test_projects_that_share_a_store_leave_each_other_alone(tmp_path: Path) -> None:
    """`store_url` may be the store of several projects of one minion."""
    for name in ("one", "two"):
        write(
            tmp_path / name,
            states__top="base: {'*': [t]}\n",
            states__t=LIST.replace("'a', 'b', 'c'", f"'{name}'"),
        )
        (tmp_path / name / "ensue.yaml").write_text(f"store_url: sqlite:///{tmp_path}/shared.db\n")
    (tmp_path / "one/.ensue").mkdir()
    run(tmp_path / "one")
    (tmp_path / "two/.ensue").symlink_to(tmp_path / "one/.ensue")
    run(tmp_path / "two")
    write(tmp_path / "two", states__t="a: test.nop\n")
    assert codes(run(tmp_path / "two")) == ["E0718"]
    assert statuses(tmp_path / "one") == {"one": "active", "two": "orphaned"}


def test_a_store_that_cannot_be_written_at_the_end_is_a_warning(tmp_path: Path) -> None:
    """The run's results are shown; what is gone stays a target until it can be noted."""
    write(tmp_path, states__t=HOSTS)
    run(tmp_path, "t")
    write(tmp_path, states__t="a: test.nop\n")
    database = sqlite3.connect(tmp_path / ".ensue/store.db")
    database.execute(
        "CREATE TRIGGER full BEFORE UPDATE ON ensue_resource BEGIN SELECT RAISE(ABORT, 'disk full'); END"
    )
    database.close()
    report = run(tmp_path, "t")
    assert (report.exit_code, codes(report)) == (0, ["E0719"])
    assert by_status(tmp_path, "active") == "h1h2h3"
