"""State module `terraform` in whole runs, with the real binary."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write
from tests.language.settings.test_environments import records
from tests.support.terraform import BOX, BROKEN, NULLS, configuration, needs_terraform

from ensue.app.project import ProjectOptions
from ensue.output.change_lines import mark_of
from ensue.output.outcome import outcome_line

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.model.returns import Return

VM = """\
db_vm:
  terraform.applied:
    - source: box
    - variables: {size: "${test:say:size}"}
    - registers:
      - dummy:db-01: {grains: {size: "${self:size}", token: "${self:password}"}}
say:
  test.present:
    - new_state: {size: big}
copy:
  file.managed:
    - name: @/copy
    - contents: ${terraform:db_vm:size}
"""
GONE = "db_vm:\n  terraform.destroyed: []\n"


@pytest.fixture(autouse=True)
def _terraform() -> None:
    needs_terraform()


def test_outputs_are_bound_and_registered(tmp_path: Path) -> None:
    """The second apply does nothing, and destroying it invalidates what it registered."""
    configuration(tmp_path / "box", BOX)
    write(tmp_path, states__vm=VM.replace("@", str(tmp_path)), states__gone=GONE)

    first = apply(tmp_path, "vm")

    assert first.exit_code == 0, {returned.id: returned.comment for returned in first.returns.values()}
    assert (tmp_path / "copy").read_text() == "big\n"
    files = [path for path in (tmp_path / ".ensue").rglob("*") if path.is_file()]
    assert [path for path in files if b"hunter2" in path.read_bytes()] == []
    assert not any(returned.changes for returned in apply(tmp_path, "vm").returns.values())
    (gone,) = apply(tmp_path, "gone").returns.values()
    assert gone.changes["invalidated"] == ["dummy:db-01"]
    (record,) = [record for record in records(tmp_path) if record.srn.type == "dummy"]
    assert record.invalidated_because == "terraform:db_vm was destroyed"
    (again,) = apply(tmp_path, "gone").returns.values()
    assert (again.result, again.changes) == (True, {})


REGISTERING = """\
fleet:
  terraform.applied:
    - source: box
    - variables: {size: big}
    - registers:
      - dummy:direct: {}
    - delayed_render: [block: hosts]
#!delayed_block hosts
host:
  test.nop:
    - registers:
      - dummy:late: {}
#!end_delayed_block
"""


def test_a_plan_says_what_becomes_of_what_a_destroyed_configuration_registered(tmp_path: Path) -> None:
    """What is derived from it becomes invalid, what its block registered is orphaned: in the plan as well."""
    configuration(tmp_path / "box", BOX)
    write(tmp_path, states__t=REGISTERING)
    assert apply(tmp_path, "t").exit_code == 0
    write(tmp_path, states__t="fleet: terraform.destroyed\n")
    for test in (True, False):
        report = apply(tmp_path, "t", test=test)
        (returned,) = report.returns.values()
        assert returned.changes["invalidated"] == ["dummy:direct"]
        assert [warning.summary.partition(" ")[0] for warning in report.warnings] == ["dummy:late"]
        assert [warning.code for warning in report.warnings] == ["E0718"]
    statuses = {record.srn.id: record.status for record in records(tmp_path) if record.srn.type == "dummy"}
    assert statuses == {"direct": "invalidated", "late": "orphaned"}


def test_a_null_output_is_bound(tmp_path: Path) -> None:
    """A reference to it is null, in the first apply, in a second one, and in a plan."""
    configuration(tmp_path / "box", NULLS)
    sls = """\
vm:
  terraform.applied:
    - source: box
uses:
  test.present:
    - new_state:
        size: ${terraform:vm:size}
        text: "size ${terraform:vm:size}"
"""
    write(tmp_path, states__vm=sls)
    for _ in range(2):
        returns = {returned.id: returned for returned in apply(tmp_path, "vm").returns.values()}
        assert returns["uses"].result is True, returns["uses"].comment
        assert returns["uses"].new_state == {"size": None, "text": "size null"}


def test_a_failure_halfway_registers_nothing(tmp_path: Path) -> None:
    """The state fails with terraform's reason, and the next apply completes it."""
    there = tmp_path / "there"
    configuration(tmp_path / "box", BROKEN % there)
    sls = "vm:\n  terraform.applied:\n    - source: box\n    - registers:\n      - dummy:vm: {}\n"
    write(tmp_path, states__vm=sls)

    (failed,) = apply(tmp_path, "vm").returns.values()

    assert failed.result is False
    assert "local-exec provisioner error" in failed.comment
    assert [record for record in records(tmp_path) if record.srn.type == "dummy"] == []
    there.touch()
    assert apply(tmp_path, "vm").exit_code == 0
    assert [record.status for record in records(tmp_path) if record.srn.type == "dummy"] == ["active"]


def test_a_resource_is_not_where_terraform_runs(tmp_path: Path) -> None:
    """It runs on the minion; with a resource as the target it fails by name."""
    write(
        tmp_path,
        pillar__top="base:\n  m:\n    - box\n",
        pillar__box="resources:\n  dummy: {a: {}}\n",
        states__vm="vm:\n  terraform.applied:\n    - source: box\n    - tgt: T@dummy\n",
    )

    (failed,) = apply(tmp_path, "vm").returns.values()

    assert "terraform is not available for dummy" in failed.comment


def test_a_source_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With its whole path."""
    write(tmp_path, states__vm="vm:\n  terraform.applied:\n    - source: modules/nowhere\n")

    (failed,) = apply(tmp_path, "vm").returns.values()

    assert failed.comment == f"source: there is no folder {tmp_path}/modules/nowhere"


REPLACED = """\
variable "name" {}
resource "terraform_data" "kept" { triggers_replace = var.name }
"""
NAMED = "vm:\n  terraform.applied:\n    - source: box\n    - variables: {name: NAME}\n"


def test_nothing_is_replaced_unless_the_state_allows_it(tmp_path: Path) -> None:
    """A plan says the same as an apply; with `allow_destroy` both have the replacement."""
    configuration(tmp_path / "box", REPLACED)
    write(tmp_path, states__vm=NAMED.replace("NAME", "a"))
    assert apply(tmp_path, "vm").exit_code == 0
    write(tmp_path, states__vm=NAMED.replace("NAME", "b"))
    for is_test in (True, False, True):
        (refused,) = apply(tmp_path, "vm", test=is_test).returns.values()
        assert (refused.result, refused.changes) == (False, {})
        assert "-/+ would destroy terraform_data.kept (and make it anew); nothing was" in refused.comment
        assert "`- allow_destroy: true`" in refused.comment
    write(tmp_path, states__vm=f"{NAMED.replace('NAME', 'b')}    - allow_destroy: true\n")
    for is_test in (True, False):
        report = apply(tmp_path, "vm", test=is_test)
        (replaced,) = report.returns.values()
        assert replaced.changes == {"terraform_data.kept": "replace"}
        assert mark_of(replaced) == "-/+"
        expected = "1 to change (1 destroys something)" if is_test else "1 changed (1 destroyed something)"
        assert expected in outcome_line(report)
    assert not any(returned.changes for returned in apply(tmp_path, "vm").returns.values())


def test_a_configuration_of_another_environment_is_told_apart(tmp_path: Path) -> None:
    """A plan and an apply say so; it is not destroyed for this one, and not taken over without a word."""
    configuration(tmp_path / "box", 'variable "n" {}\nresource "terraform_data" "a" { count = var.n }\n')
    write(tmp_path, **{"ensue.yaml": "pillar_roots: {base: [p], dev: [p], prod: [p]}\n"})
    number = "{{ {'dev': 1, 'prod': 0}.get(opts['pillarenv'], 2) }}"
    write(
        tmp_path,
        states__vm=f"vm:\n  terraform.applied:\n    - source: box\n    - variables: {{n: {number}}}\n",
    )

    def of(pillarenv: str, *, test: bool) -> Return:
        options = ProjectOptions(minion_id="m", overrides={"pillarenv": pillarenv} if pillarenv else {})
        (returned,) = apply(tmp_path, "vm", test=test, options=options).returns.values()
        return returned

    assert of("dev", test=False).warnings == ()
    remark = (
        "vm was applied last with `--pillarenv dev`: for another environment, give it a state of its own, "
        "with `- name: vm-{{ opts['pillarenv'] }}`"
    )
    for test in (True, False):
        assert f"nothing was changed: {remark}; if that is meant" in of("prod", test=test).comment
    for test in (True, False):
        assert of("", test=test).warnings == (remark,)
    assert "vm was applied last without `--saltenv` and `--pillarenv`: " in of("dev", test=True).comment


def test_a_plan_names_what_the_apply_reports(tmp_path: Path) -> None:
    """Both have the resources and the outputs; a removal counts as destroying something."""
    configuration(tmp_path / "box", BOX)
    write(tmp_path, states__vm="vm:\n  terraform.applied:\n    - source: box\n    - variables: {size: big}\n")
    (planned,) = apply(tmp_path, "vm", test=True).returns.values()
    (applied,) = apply(tmp_path, "vm").returns.values()
    assert any(address.startswith("output.") for address in planned.changes)
    assert applied.changes == planned.changes
    write(tmp_path, states__vm="vm:\n  terraform.destroyed: []\n")
    for is_test in (True, False):
        report = apply(tmp_path, "vm", test=is_test)
        (destroyed,) = report.returns.values()
        assert mark_of(destroyed) == "-"
        assert "(1 destroy" in outcome_line(report)
    assert "destroy" not in outcome_line(apply(tmp_path, "vm"))


def test_another_id_loses_what_was_made(tmp_path: Path) -> None:
    """The warning says how the state keeps it, before the apply makes it a second time."""
    configuration(tmp_path / "box", BOX)
    sls = "vm:\n  terraform.applied:\n    - source: box\n    - variables: {size: big}\n"
    write(tmp_path, states__vm=sls)
    assert apply(tmp_path, "vm").exit_code == 0
    write(tmp_path, states__vm=sls.replace("vm:", "machine:"))
    [warning] = [warning for warning in apply(tmp_path, "vm", test=True).warnings if warning.code == "E0894"]
    assert warning.help.startswith(
        "if vm is machine now, keep what it made with `- name: vm`; if it has to go"
    )
    write(tmp_path, states__vm=f"{sls.replace('vm:', 'machine:')}    - name: vm\n")
    report = apply(tmp_path, "vm", test=True)
    assert [warning.code for warning in report.warnings] == []
    assert [returned.result for returned in report.returns.values()] == [True]


def test_what_leaves_the_configuration_is_destroyed_only_if_allowed(tmp_path: Path) -> None:
    """A block that was deleted, perhaps by mistake, destroys nothing by itself."""
    configuration(tmp_path / "box", 'resource "terraform_data" "a" {}\nresource "terraform_data" "b" {}\n')
    sls = "vm:\n  terraform.applied:\n    - source: box\n"
    write(tmp_path, states__vm=sls)
    assert apply(tmp_path, "vm").exit_code == 0
    configuration(tmp_path / "box", 'resource "terraform_data" "a" {}\noutput "o" { value = 1 }\n')
    (refused,) = apply(tmp_path, "vm").returns.values()
    assert "- would destroy terraform_data.b, create output.o; nothing was changed" in refused.comment
    assert "-/+" not in refused.comment
    write(tmp_path, states__vm=f"{sls}    - allow_destroy: true\n")
    for is_test in (True, False):
        (removed,) = apply(tmp_path, "vm", test=is_test).returns.values()
        assert removed.changes == {"terraform_data.b": "delete", "output.o": "create"}
        assert mark_of(removed) == "-"
    configuration(tmp_path / "box", 'resource "terraform_data" "a" {}\n')
    (without,) = apply(tmp_path, "vm", test=True).returns.values()
    assert (without.changes, mark_of(without)) == ({"output.o": "delete"}, "~")
    configuration(tmp_path / "box", 'resource "terraform_data" "c" {}\n')
    (both,) = apply(tmp_path, "vm", test=True).returns.values()
    assert mark_of(both) == "-/+"


def test_the_plan_of_a_removal_names_what_goes(tmp_path: Path) -> None:
    """As terraform plans it; what is gone already is not planned again."""
    configuration(tmp_path / "box", BOX)
    states = "vm:\n  terraform.applied: [source: box]\n"
    write(tmp_path, states__vm=states, states__gone="vm:\n  terraform.destroyed: []\n")
    apply(tmp_path, "vm")
    (planned,) = apply(tmp_path, "gone", test=True).returns.values()
    assert (planned.result, planned.comment) == (None, "vm would be destroyed: delete 3")
    (done,) = apply(tmp_path, "gone").returns.values()
    assert planned.changes == done.changes
    assert done.changes["terraform_data.box"] == "delete"
    (again,) = apply(tmp_path, "gone", test=True).returns.values()
    assert (again.result, again.changes) == (True, {})


PROTECTED = """\
resource "terraform_data" "kept" {
  lifecycle { prevent_destroy = true }
}
"""


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (None, "there is no folder"),
        (PROTECTED, "Instance cannot be destroyed"),
        ('resource "terraform_data" "kept" {', "main.tf line 1"),
    ],
)
def test_a_removal_that_cannot_be_fails_in_its_plan_as_in_its_apply(
    tmp_path: Path, changed: str | None, words: str
) -> None:
    """Without the folder, with something protected, and with a configuration that cannot be read."""
    configuration(tmp_path / "box", 'resource "terraform_data" "kept" {}')
    states = "vm:\n  terraform.applied: [source: box]\n"
    write(tmp_path, states__vm=states, states__gone="vm:\n  terraform.destroyed: []\n")
    apply(tmp_path, "vm")
    shutil.rmtree(tmp_path / "box")
    if changed is not None:
        configuration(tmp_path / "box", changed)
    for is_test in (True, False):
        (failed,) = apply(tmp_path, "gone", test=is_test).returns.values()
        assert failed.result is False
        assert words in failed.comment
        assert "Errno" not in failed.comment


def test_a_variable_that_the_configuration_does_not_declare_is_a_warning(tmp_path: Path) -> None:
    """In the plan and in the apply, with what is meant."""
    configuration(tmp_path / "box", 'variable "env" { default = "none" }\nresource "terraform_data" "b" {}')
    sls = "vm:\n  terraform.applied:\n    - source: box\n    - variables: {evn: prod}\n"
    write(tmp_path, states__vm=sls)
    for is_test in (True, False, False):
        (returned,) = apply(tmp_path, "vm", test=is_test).returns.values()
        (warning,) = returned.warnings
        assert warning.startswith("the configuration declares no variable 'evn' (did you mean env?)")


def test_a_configuration_that_never_made_anything_is_forgotten(tmp_path: Path) -> None:
    """Its folder is not needed, as nothing is destroyed."""
    configuration(tmp_path / "box", 'variable "size" {}')
    write(
        tmp_path,
        states__vm="vm:\n  terraform.applied: [source: box]\n",
        states__gone="vm: terraform.destroyed\n",
    )
    apply(tmp_path, "vm")
    shutil.rmtree(tmp_path / "box")
    for is_test, result in ((True, None), (False, True)):
        (returned,) = apply(tmp_path, "gone", test=is_test).returns.values()
        assert (returned.result, returned.changes) == (result, {"vm": "destroy"})
    (again,) = apply(tmp_path, "gone").returns.values()
    assert again.comment == "nothing is left of vm"


def test_a_move_is_a_change_of_the_apply_as_of_the_plan(tmp_path: Path) -> None:
    """Both count it and name it."""
    configuration(tmp_path / "box", 'resource "terraform_data" "a" {}\n')
    write(tmp_path, states__t="i: {terraform.applied: [source: box]}\n")
    assert apply(tmp_path, "t").exit_code == 0
    moved = "moved {\n  from = terraform_data.a\n  to = terraform_data.b\n}\n"
    configuration(tmp_path / "box", f'{moved}resource "terraform_data" "b" {{}}\n')
    for test in (True, False):
        (returned,) = apply(tmp_path, "t", test=test).returns.values()
        assert returned.changes == {"terraform_data.b": "move"}
    assert returned.comment == "i was applied: move 1"
