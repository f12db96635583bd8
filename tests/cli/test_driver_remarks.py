"""What a driver remarks about an input, as `ensue deploy` shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import Shell
from tests.support.terraform import BOX, configuration, needs_terraform

if TYPE_CHECKING:
    from pathlib import Path

DEFINITIONS = """\
kind: Definition
metadata: {id: box}
entity:
  type: box
  driver_type: terraform
  driver_inputs:
    values:
      source: {path: modules/box}
      variables:
        siez: big
  criteria: [{}]
---
kind: Definition
metadata: {id: workload}
entity: {type: workload, driver_type: echo, driver_inputs: {values: {}}, criteria: [{}]}
"""
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx}}
resources: {box: {type: box}}
"""


def test_a_variable_that_no_module_declares_has_its_place(tmp_path: Path) -> None:
    """In the definition, with the name that is meant."""
    needs_terraform()
    project = Shell(tmp_path / "project")
    project.write("definitions/all.yaml", DEFINITIONS)
    project.write("score.yaml", SCORE)
    configuration(project.root / "modules/box", BOX)
    remark = (
        "warning: definitions/all.yaml:10:9, definition box: the configuration declares no variable 'siez' "
        "(did you mean size?); its value is not used"
    )
    for words in (["--plan"], []):
        ended = project.run(
            *("deploy", "score.yaml", "--app", "shop", "--env", "dev", "--env-type", "any"), *words
        )
        assert ended.code == 0, ended.err
        assert remark in ended.out
