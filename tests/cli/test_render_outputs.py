"""`ensue deploy --render kubernetes`: outputs reach a container as they are."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

import yaml
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

DEFINITION = """\
apiVersion: entity.humanitec.io/v1b1
kind: Definition
metadata: {id: db}
entity:
  type: postgres
  name: db
  driver_type: humanitec/echo
  driver_inputs:
    values: {host: "h$(HOME)$$"}
    secrets: {password: "p$(HOME)$$"}
  criteria: [{}]
"""
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers:
  main:
    image: "i:1"
    args: ["--host=${resources.db.host}", "--own=$(OWN)"]
    variables:
      OWN: own
      HOST: ${resources.db.host}
      URL: "$(OWN)://${resources.db.host}/"
      PASSWORD: ${resources.db.password}
resources:
  db: {type: postgres}
"""


def test_outputs_are_not_expanded(tmp_path: Path) -> None:
    """Dollar signs of an output are doubled where Kubernetes expands, and only there."""
    shell = Shell(tmp_path / "project")
    shell.write("definitions/db.yaml", DEFINITION)
    shell.write("web.yaml", SCORE)
    ended = shell.run(
        *("deploy", "web.yaml", "--app", "a", "--env", "e", "--env-type", "t"),
        *("--render", "kubernetes", "--to", "out"),
    )
    assert ended.code == 0, ended.err
    documents = [yaml.safe_load(path.read_text()) for path in (shell.root / "out").iterdir()]
    by_kind = {document["kind"]: document for document in documents}
    (container,) = by_kind["Deployment"]["spec"]["template"]["spec"]["containers"]
    assert container["args"] == ["--host=h$$(HOME)$$$$", "--own=$(OWN)"]
    variables = {variable["name"]: variable.get("value") for variable in container["env"]}
    assert variables == {
        "HOST": "h$$(HOME)$$$$",
        "OWN": "own",
        "PASSWORD": None,
        "URL": "$(OWN)://h$$(HOME)$$$$/",
    }
    (secret,) = by_kind["Secret"]["data"].values()
    assert base64.b64decode(secret) == b"p$(HOME)$$"
