"""A plan of a deployment says which inputs are known later, and what its states would change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

DEPLOY = ("deploy", "score.yaml", "--app", "shop", "--env", "dev", "--env-type", "development")
SCORE = """
apiVersion: score.dev/v1b1
metadata: {name: web}
containers:
  main:
    image: nginx
    variables: {F: "${resources.vol.path}"}
resources:
  vol: {type: volume}
"""
DEFINITION = """
kind: Definition
metadata: {id: vol}
entity:
  type: volume
  driver_type: state
  driver_inputs:
    values:
      state: file.managed
      name: %s
      arguments: {contents: hi}
      outputs: {path: path}
  criteria: [{}]
"""


def project(root: Path) -> Shell:
    """Return a project whose volume is a file, deployed, and the file changed by hand."""
    shell = Shell(root)
    shell.write("score.yaml", SCORE)
    shell.write("definitions/vol.yaml", DEFINITION % (root / "vol.txt"))
    assert shell.run(*DEPLOY).code == 0
    with (root / "vol.txt").open("a") as volume:
        volume.write("x\n")
    return shell


def test_a_late_input_is_no_placeholder(tmp_path: Path) -> None:
    """The resource may change, and what it waits for has its diff; the deployment changes only that."""
    shell = project(tmp_path)
    plan = shell.run(*DEPLOY, "--plan").out
    assert "~ /file.managed/diff:" in plan
    assert "-x" in plan
    assert f'/variables/F: "{tmp_path}/vol.txt" → (known after deploy)' in plan
    assert "${" not in plan
    assert "shop/dev (development): 1 to update, 1 may change" in plan
    assert "1 updated, 1 unchanged" in shell.run(*DEPLOY).out
    assert "2 unchanged" in shell.run(*DEPLOY, "--plan").out


def test_a_program_reads_the_placeholder_apart(tmp_path: Path) -> None:
    """The change has no new value, and the diff is a change of the volume."""
    shell = project(tmp_path)
    nodes: list[Any] = shell.run(*DEPLOY, "--plan", "--out", "json").document["nodes"]
    [volume, workload] = (node["changes"] for node in nodes)
    assert volume[0]["path"] == "/file.managed/diff"
    assert workload == [
        {
            "op": "replace",
            "path": "/params/spec/containers/main/variables/F",
            "old": f"{tmp_path}/vol.txt",
            "known_after": "${resources.vol.path}",
        }
    ]


def test_a_known_change_beside_a_late_input_is_an_update(tmp_path: Path) -> None:
    """The resource will change, whatever the late input turns out to be."""
    shell = project(tmp_path)
    shell.write("score.yaml", SCORE.replace("nginx", "nginx:2"))
    assert "2 to update" in shell.run(*DEPLOY, "--plan").out


PROGRAM = """
import json, sys
request = json.load(sys.stdin)
number = str(request["values"].get("n"))
print(json.dumps({"values": {"id": number}, "secrets": {"token": "s3cret-of-program"}}))
"""
COMMAND = """
kind: Definition
metadata: {id: vol}
entity:
  type: volume
  driver_type: command
  driver_inputs: {values: {command: [python3, program.py], n: 1}}
  criteria: [{}]
"""


def test_a_late_secret_is_known_later_too(tmp_path: Path) -> None:
    """A secret that the plan does not know is no change from one mask to another."""
    shell = Shell(tmp_path)
    shell.write("program.py", PROGRAM)
    shell.write(
        "score.yaml", SCORE.replace("vol.path", "vol.id").replace("{F:", '{T: "${resources.vol.token}", F:')
    )
    shell.write("definitions/vol.yaml", COMMAND)
    assert shell.run(*DEPLOY).code == 0
    shell.write("definitions/vol.yaml", COMMAND.replace("n: 1", "n: 2"))
    plan = shell.run(*DEPLOY, "--plan").out
    assert '/variables/T: "(sensitive)" → (known after deploy)' in plan
    assert "1 to update, 1 may change" in plan
    assert "s3cret" not in plan
