"""The organization is part of what an environment is: without it a command means another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

HERE = ("--app", "shop", "--env", "dev")
SCORE = """\
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {main: {image: web}}
"""


def test_a_forgotten_organization_is_noticed(tmp_path: Path) -> None:
    """Removing or deploying without it names the organization that has resources there."""
    shell = Shell(tmp_path / "project")
    shell.write("score.yaml", SCORE)
    deploy = ("deploy", "score.yaml", *HERE, "--env-type", "development")
    first = shell.run(*deploy, "--org", "acme")
    assert (first.code, "E0838" in first.err) == (0, False)

    lost = shell.run("deploy", *HERE, "--destroy")
    assert lost.code == 1
    assert "E0839" in lost.err
    assert "give --org acme" in lost.err
    assert "E0838" in shell.run(*deploy).err
    for words in ((*deploy, "--org", "acme"), deploy, ("deploy", *HERE, "--destroy", "--org", "acme")):
        assert "E0838" not in shell.run(*words).err
