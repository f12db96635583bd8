"""A misspelt output is refused at the first deployment, before anything is made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.cli import main

if TYPE_CHECKING:
    from pathlib import Path

SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: nginx, variables: {HOST: "${resources.db.WORD}"}}}
resources: {db: {type: postgres}}
"""
DEFINITION = """\
kind: Definition
metadata: {id: db}
entity: {type: postgres, driver_type: DRIVER, driver_inputs: {values: VALUES}, criteria: [{}]}
"""
OWN = """\
from ensue.plugin import Planned, Provisioned

OUTPUTS = ("host", "login")


async def create(request):
    return Provisioned(values={"host": "a", "login": {"name": "x"}})


update = create


async def delete(request):
    return None


async def plan(request):
    return Planned(comment="it would be made")
"""
TEMPLATES = "{templates: {outputs: 'host: a'}}"


@pytest.mark.parametrize(
    ("driver", "values", "right"),
    [
        ("echo", "{host: a}", "host"),
        ("template", TEMPLATES, "host"),
        ("own", "{}", "host"),
        ("own", "{}", "login.name"),
        ("own", "{}, secret_refs: {password: {value: x}}", "host"),
    ],
)
def test_a_misspelt_output_is_refused_at_the_first_deployment(
    driver: str, values: str, right: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The place is that of the placeholder, and nothing is made; any key may be below a declared output."""
    (tmp_path / "definitions").mkdir()
    (tmp_path / "states/_drivers").mkdir(parents=True)
    (tmp_path / "states/_drivers/own.py").write_text(OWN)
    text = DEFINITION.replace("DRIVER", driver).replace("VALUES", values)
    (tmp_path / "definitions/db.yaml").write_text(text)
    assert _deploy(tmp_path, "hosst") == 1
    out, err = capsys.readouterr()
    assert "has no output 'hosst'" in err
    assert "did you mean host?" in err
    assert "score.yaml:3:" in err
    assert "created" not in out
    assert _deploy(tmp_path, right) == 0


def _deploy(root: Path, output: str) -> int:
    score = root / "score.yaml"
    score.write_text(SCORE.replace("WORD", output))
    words = ["--app", "shop", "--env", "dev", "--env-type", "development", "--id", "box"]
    return main(["--root", str(root), "deploy", str(score), *words])
