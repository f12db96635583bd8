"""`ensue deploy` from the command line: what it makes, what it says, what it keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.cli.deployed_project import (
    CONTEXT,
    DB,
    DEPLOY,
    DESTROY,
    OTHERS,
    SCORE,
    SECRET,
    deployed,
    deployed_project,
    statuses,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.deployed_project import DeployedProject

WITHOUT_DB = SCORE.replace("  db: {type: postgres}\n", "").replace(
    ', variables: {DB: "${resources.db.host}"}', ""
)


@pytest.fixture
def project(tmp_path: Path) -> DeployedProject:
    """A project of a workload with a database and a DNS name."""
    return deployed_project(tmp_path / "project")


def test_resources_are_created_then_left_alone(project: DeployedProject) -> None:
    """The second deployment calls no driver; a changed input updates what has it, and what needs that."""
    assert deployed(project) == dict.fromkeys(("base-env", "postgres", "dns", "workload"), "created") | {}
    assert project.log() == ["create dns", "create postgres"]
    assert set(deployed(project).values()) == {"unchanged"}
    assert project.log() == []
    project.postgres("{host: elsewhere}")
    changed = {"base-env": "orphaned", "postgres": "updated", "dns": "unchanged", "workload": "updated"}
    project.write("definitions/others.yaml", OTHERS.rpartition("---")[0])
    assert deployed(project) == changed
    assert project.log() == ["update postgres"]


def test_the_document_has_the_shape_of_a_graph(project: DeployedProject) -> None:
    """One document: nodes in the order of provisioning with all keys, secrets hidden, the hash of `graph`."""
    document = project.run(*DEPLOY, "--out", "json").document
    assert list(document) == ["app", "env", "env_type", "hash", "nodes"]
    planned = project.run("graph", "score.yaml", *CONTEXT, "--out", "json").document
    assert document["hash"] == planned["hash"]
    assert [node["guresid"] for node in document["nodes"]] == [node["guresid"] for node in planned["nodes"]]
    assert planned["nodes"][1].keys() == document["nodes"][1].keys() - {"outputs", "changes"}
    postgres = document["nodes"][2]
    assert len(postgres.pop("guresid")) == 32
    assert postgres == {
        "type": "postgres",
        "class": "default",
        "id": "modules.web.externals.db",
        "definition": "pg",
        "driver": "log",
        "account": None,
        "params": {},
        "inputs": {
            "values": {"host": "db.shop", "url": "(sensitive)"},
            "secrets": {"password": "(sensitive)"},
        },
        "outputs": {"host": "db.shop", "url": "(sensitive)", "password": "(sensitive)"},
        "depends_on": ["base-env.default#base-env"],
        "edges": [{"to": "base-env.default#base-env", "why": "reference"}],
        "status": "created",
        "comment": "",
        "changes": [],
    }
    workload = document["nodes"][-1]
    assert workload["params"]["spec"]["containers"]["main"]["variables"] == {"DB": "db.shop"}
    assert workload["depends_on"] == ["dns.default#shared.main", DB]


def test_what_a_person_reads(project: DeployedProject) -> None:
    """A line per resource with its status, and how many have each."""
    ended = project.run(*DEPLOY)
    assert ended.code == 0
    assert f"  created  {DB}" in ended.out.splitlines()
    assert ended.out.splitlines()[-1] == "shop/dev (development): 4 created"


def test_a_plan_makes_nothing(project: DeployedProject) -> None:
    """It says what would be done, leaves no store, and needs no second one after the deployment."""
    assert set(deployed(project, "--plan").values()) == {"planned"}
    assert project.log() == []
    assert not (project.root / ".ensue/store.db").exists()
    ended = project.run(*DEPLOY, "--plan")
    assert f" to create  {DB}\n            would make it" in ended.out
    deployed(project)
    assert set(deployed(project, "--plan").values()) == {"unchanged"}


def test_a_failure_keeps_what_was_there(project: DeployedProject) -> None:
    """Exit code 2: what needs the resource is skipped, the rest is made, and the next deployment goes on."""
    project.postgres(f"{{fail: 'no space for {SECRET}'}}")
    ended = project.run(*DEPLOY, "--out", "json")
    assert ended.code == 2
    by_type = statuses(ended.document)
    assert by_type == {"base-env": "created", "dns": "created", "postgres": "failed", "workload": "skipped"}
    comments = {node["type"]: node["comment"] for node in ended.document["nodes"]}
    assert comments["postgres"] == "no space for (sensitive)"
    assert comments["workload"] == f"{DB} failed"
    project.log()
    project.postgres("{host: db}")
    assert deployed(project)["postgres"] == "created"
    assert project.log() == ["create postgres again"]


def test_orphans_are_pruned_and_environments_destroyed(project: DeployedProject) -> None:
    """Users are removed first; what is kept is gone afterwards, and a second time there is nothing."""
    deployed(project)
    project.log()
    project.write("score.yaml", WITHOUT_DB)
    assert deployed(project)["postgres"] == "orphaned"
    assert "orphaned resources are removed with --prune" in project.run(*DEPLOY).out
    assert deployed(project, "--plan", "--prune")["postgres"] == "planned"
    assert project.log() == []
    assert deployed(project, "--prune")["postgres"] == "destroyed"
    assert project.log() == ["delete postgres"]
    assert "postgres" not in deployed(project)
    document = project.run(*DESTROY, "--out", "json").document
    assert statuses(document) == dict.fromkeys(("workload", "dns", "base-env"), "destroyed")
    assert document["nodes"][0]["type"] == "workload"
    assert project.log() == ["delete dns"]
    ended = project.run(*DESTROY)
    assert (ended.code, ended.out.strip()) == (0, "shop/dev: no resources")


def test_a_misspelt_environment_is_not_destroyed(project: DeployedProject) -> None:
    """Those that there are are named; a store without any has nothing that could be meant."""
    misspelt = ("deploy", "--app", "shop", "--env", "dve", "--destroy")
    assert project.run(*misspelt).out.strip() == "shop/dve: no resources"
    deployed(project)
    project.log()
    for words in (misspelt, (*misspelt, "--plan")):
        ended = project.run(*words)
        assert (ended.code, project.log()) == (1, [])
        assert "E0839]: the store has nothing of shop/dve\n  = why: it has shop/dev\n" in ended.err
        assert "did you mean shop/dev?" in ended.err


def test_an_environment_that_was_removed_is_shown_empty(project: DeployedProject) -> None:
    """It is known, unlike one whose name is misspelt; a note says what is active."""
    deployed(project)
    assert project.run(*DESTROY).code == 0
    ended = project.run("show", "active", "--app", "shop", "--env", "dev")
    assert ended.code == 0
    assert "nothing of shop/dev is active (nothing is active)" in ended.err
    misspelt = project.run("show", "active", "--app", "shop", "--env", "dve")
    assert (misspelt.code, "all that it had is destroyed" in misspelt.err) == (1, True)


def test_a_deployment_without_files_may_be_of_the_last_set(project: DeployedProject) -> None:
    """The message says how to deploy that again, for example to replace a resource."""
    deployed(project)
    words = ("deploy", "--app", "shop", "--env", "dev", "--replace", DB, "--allow-replace")
    refused = project.run(*words)
    assert (refused.code, "--from (`--from last`)" in refused.err) == (1, True)
    assert project.run(*words, "--from", "last").code == 0


def test_a_destroyed_environment_is_not_suggested(project: DeployedProject) -> None:
    """Messages about a name that is not known, and about a new one, name what is there."""
    deployed(project)
    other = ("--app", "shop", "--env", "other", "--env-type", "development")
    assert project.run("deploy", "score.yaml", *other).code == 0
    assert project.run(*DESTROY).code == 0
    for words in (
        ("show", "active", "--app", "shop", "--env", "dve"),
        ("deploy", "--app", "shop", "--env", "dve", "--destroy"),
        ("deploy", "score.yaml", "--app", "shop", "--env", "dve"),
        ("deploy", "score.yaml", "--app", "shop", "--env", "dve", "--env-type", "development", "--plan"),
    ):
        ended = project.run(*words)
        assert "dev?" not in ended.err, words
        assert "shop/dev\n" not in ended.err, words


def test_a_destroy_that_fails_keeps_what_is_needed(project: DeployedProject) -> None:
    """What the resource depends on is skipped and stays; a second attempt removes both."""
    deployed(project)
    project.write("in use", "")
    ended = project.run(*DESTROY, "--out", "json")
    assert ended.code == 2
    assert statuses(ended.document) == {
        "workload": "destroyed",
        "postgres": "failed",
        "dns": "failed",
        "base-env": "skipped",
    }
    base = ended.document["nodes"][-1]
    assert base["comment"] == f"{DB} still uses it"
    assert SECRET not in ended.out + ended.err
    (project.root / "in use").unlink()
    ended = project.run(*DESTROY, "--out", "json")
    assert (ended.code, set(statuses(ended.document).values())) == (0, {"destroyed"})


def test_a_resource_that_is_lost_can_be_forgotten(project: DeployedProject) -> None:
    """Its driver is not called, and the next deployment makes it anew; a wrong name forgets nothing."""
    deployed(project)
    project.log()
    forget = (*DESTROY[:-1], "--forget")
    wrong = project.run(*forget, DB, "--forget", "postgres.default#nosuch")
    assert wrong.code == 1
    assert "E0841" in wrong.err
    assert set(deployed(project).values()) == {"unchanged"}
    forgotten = project.run(*forget, DB)
    assert forgotten.code == 0, forgotten.err
    assert forgotten.out == f"forgotten: {DB}\n"
    assert project.log() == []
    assert deployed(project)["postgres"] == "created"


def test_environments_are_apart(project: DeployedProject) -> None:
    """Another environment, application or organization has resources of its own."""
    deployed(project)
    for words in (
        ("--app", "shop", "--env", "prod", "--env-type", "production"),
        ("--app", "other", "--env", "dev", "--env-type", "development"),
        (*CONTEXT, "--org", "acme"),
    ):
        document = project.run("deploy", "score.yaml", *words, "--out", "json").document
        assert set(statuses(document).values()) == {"created"}
    assert project.run(*DESTROY).code == 0
    assert set(deployed(project, "--org", "acme").values()) == {"unchanged"}


def leaks(root: Path) -> list[str]:
    """Return the files of the project's cachedir that hold a secret."""
    needles = [SECRET.encode(), b"b4se-k3y"]
    files = [path for path in (root / ".ensue").rglob("*") if path.is_file()]
    return [str(path) for path in files if any(needle in path.read_bytes() for needle in needles)]


def test_no_secret_is_written_or_shown(project: DeployedProject) -> None:
    """Not on a stream, in the journal, in the store, or in the file of a crash; a failing driver included."""
    crash = f'{{raise: "with {SECRET} and ${{resources.base-env.outputs.key}}"}}'
    for values in ("{host: db, url: 'pg://${resources.base-env.outputs.key}@db'}", crash):
        project.postgres(values)
        for words in (("--plan",), (), ("--out", "json"), ("--out", "yaml"), ("--plan", "--out", "json")):
            ended = project.run(*DEPLOY, *words)
            assert SECRET not in ended.out + ended.err
            assert "b4se-k3y" not in ended.out + ended.err
    assert leaks(project.root) == []
    for words in (("runs", "show", "last"), ("runs", "show", "last", "--out", "json"), DESTROY):
        ended = project.run(*words)
        assert SECRET not in ended.out + ended.err
    assert leaks(project.root) == []


def test_keys_may_be_rotated_between_deployments(project: DeployedProject) -> None:
    """What is kept is encrypted anew, and nothing counts as changed."""
    deployed(project)
    before = (project.root / ".ensue/key").read_text()
    assert project.run("keys", "rotate").code == 0
    assert (project.root / ".ensue/key").read_text() != before
    assert set(deployed(project).values()) == {"unchanged"}


def test_states_make_resources(project: DeployedProject) -> None:
    """The driver `state` runs a real state, with outputs, drift, plan and delete; texts are no templates."""
    motd = project.root / "motd"
    project.write(
        "definitions/pg.yaml",
        f"""\
kind: Definition
metadata: {{id: pg}}
entity:
  type: postgres
  driver_type: state
  driver_inputs:
    values:
      state: file.managed
      name: {motd}
      arguments:
        contents: "key ${{resources.base-env.outputs.key}} {{{{ 7 * 7 }}}} $\\\\{{x}}"
        mode: '0600'
      outputs: {{host: path}}
      delete: {{state: file.absent, name: {motd}}}
  criteria: [{{}}]
""",
    )
    assert deployed(project, "--plan")["postgres"] == "planned"
    assert not motd.exists()
    assert deployed(project)["postgres"] == "created"
    assert motd.read_text() == "key b4se-k3y {{ 7 * 7 }} ${x}\n"
    document = project.run(*DEPLOY, "--out", "json").document
    assert statuses(document)["postgres"] == "unchanged"
    assert document["nodes"][-1]["params"]["spec"]["containers"]["main"]["variables"] == {"DB": str(motd)}
    motd.write_text("drift")
    assert deployed(project, "--plan")["postgres"] == "planned"
    assert deployed(project)["postgres"] == "updated"
    assert leaks(project.root) == []
    assert project.run(*DESTROY).code == 0
    assert not motd.exists()


def active(project: DeployedProject) -> set[str]:
    """Return the resources that can be targeted."""
    listed = project.run("resources", "list", "--out", "json").document
    return {srn for srn, resource in listed.items() if resource["status"] == "active"}


def test_a_resource_that_a_driver_registers(project: DeployedProject) -> None:
    """It can be targeted afterwards, and not any more when its resource is destroyed."""
    project.postgres('{host: db, registers: {"minion:box": {root: /}}}')
    deployed(project)
    assert active(project) == {"minion:m", "minion:box"}
    assert project.run("call", "T@minion:box", "test.ping").code == 0
    assert set(deployed(project).values()) == {"unchanged"}
    assert project.run(*DESTROY).code == 0
    assert active(project) == {"minion:m"}


def test_a_skipped_state_keeps_its_outputs(project: DeployedProject) -> None:
    """As a reference to it would: what `creates` has skipped has the value of the run that made it."""
    made = project.root / "made"
    project.write("states/mk.sls", f"gen:\n  cmd.run: [name: echo made | tee {made}, creates: {made}]\n")
    project.write(
        "definitions/pg.yaml",
        """\
kind: Definition
metadata: {id: pg}
entity:
  type: postgres
  driver_type: state
  driver_inputs: {values: {sls: mk, outputs: {host: "gen:stdout"}}}
  criteria: [{}]
""",
    )
    assert deployed(project)["postgres"] == "created"
    assert deployed(project)["postgres"] == "unchanged"
    document = project.run(*DEPLOY, "--out", "json").document
    assert document["nodes"][-1]["params"]["spec"]["containers"]["main"]["variables"] == {"DB": "made"}


def test_a_state_sees_the_pillar_of_its_target(project: DeployedProject) -> None:
    """Also on a resource that the same deployment registered a moment ago."""
    project.postgres('{host: "dummy:box", registers: {"dummy:box": {}}}')
    project.write("pillar/top.sls", "base:\n  'box': [own]\n")
    project.write("pillar/own.sls", "own: {colour: blue}\n")
    project.write(
        "definitions/own.yaml",
        """\
kind: Definition
metadata: {id: own-dns}
entity:
  type: dns
  driver_type: state
  driver_inputs:
    values:
      state: test.check_pillar
      name: own
      arguments: {present: ["own:colour"]}
      target: ${resources['postgres#modules.web.externals.db'].outputs.host}
  criteria: [{app_id: shop}]
""",
    )
    assert deployed(project)["dns"] == "created"
    assert set(deployed(project).values()) == {"unchanged"}


def test_an_apply_leaves_what_drivers_registered(project: DeployedProject) -> None:
    """Only a deployment takes it back: no state declares it, and none has to."""
    project.postgres('{host: db, registers: {"minion:box": {root: /}}}')
    project.write("states/good.sls", "ok: {test.nop: []}\n")
    project.write("states/top.sls", "base: {'*': [good]}\n")
    deployed(project)
    ended = project.run("apply")
    assert (ended.code, "orphaned" in ended.err) == (0, False)
    assert active(project) == {"minion:m", "minion:box"}


def test_what_a_driver_registers_no_more_is_forgotten(project: DeployedProject) -> None:
    """Others of the same resource stay; a plan forgets nothing."""
    project.postgres('{registers: {"minion:box": {root: /}, "minion:two": {root: /}}, host: db}')
    deployed(project)
    project.postgres('{registers: {"minion:two": {root: /}}, host: db}')
    deployed(project, "--plan")
    assert active(project) == {"minion:m", "minion:box", "minion:two"}
    deployed(project)
    assert active(project) == {"minion:m", "minion:two"}


def test_an_output_that_a_resource_lacks_has_its_place(project: DeployedProject) -> None:
    """The Score file's, also if another placeholder names the same resource; nothing runs."""
    deployed(project)
    project.log()
    score = (project.root / "score.yaml").read_text()
    project.write(
        "score.yaml",
        score.replace('DB: "$', 'GOOD: "${resources.db.host}", DB: "$').replace(
            '{resources.db.host}"}', '{resources.db.hots}"}'
        ),
    )
    ended = project.run(*DEPLOY)
    assert ended.code == 1
    assert "did you mean host?" in ended.err
    assert "--> score.yaml:3:82" in ended.err
    assert "(built in)" not in ended.err
    assert project.log() == []
