"""A plan of a deployment names who asks for a resource, and an error in a template names its file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx}}
resources: {db: {type: postgres, id: main}}
"""
DEFINITIONS = """\
kind: Definition
metadata: {id: db}
entity:
  type: postgres
  driver_type: template
  driver_inputs: {values: {templates: {init: 'host: a', outputs: 'host: {{ init.host }}'}}}
  provision: {log: {}}
  criteria: [{}]
---
kind: Definition
metadata: {id: log}
entity: {type: log, driver_type: echo, criteria: [{}]}
"""


def _deploy(root: Path, definitions: str, *words: str) -> int:
    (root / "definitions").mkdir(exist_ok=True)
    (root / "definitions/all.yaml").write_text(definitions)
    (root / "score.yaml").write_text(SCORE)
    place = ["--app", "shop", "--env", "dev", "--env-type", "development", "--id", "box"]
    return main(["--root", str(root), "deploy", str(root / "score.yaml"), *place, *words])


def test_a_plan_names_who_asks_for_a_resource(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is a workload, or the place of a definition that co-provisions it; a deployment omits it."""
    assert _deploy(tmp_path, DEFINITIONS, "--plan") == 0
    plan = capsys.readouterr().out
    assert "asked for by workload web\n" in plan.partition("postgres.default#shared.main")[2]
    log = plan.partition("log.default#shared.main")[2]
    assert log.splitlines()[2].strip().startswith("asked for at definitions/all.yaml:7:")
    assert "asked for" not in plan.partition("workload.default#modules.web")[2]
    assert _deploy(tmp_path, DEFINITIONS) == 0
    assert "asked for" not in capsys.readouterr().out


def test_an_error_in_a_template_has_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file and the definition precede the name of the template and the line in it."""
    assert _deploy(tmp_path, DEFINITIONS.replace("init.host", "init.hots")) == 2
    captured = capsys.readouterr()
    expected = "definitions/all.yaml:6:"
    for text in (captured.out, captured.err):
        assert expected in text
        assert ", definition db: templates.outputs:1: there is no key hots" in text
    assert "there is no key hots (did you mean host?)" in captured.out
