"""Which files of a folder are definitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.deploy.environments.deployment_files import read_definitions
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from pathlib import Path

DEFINITION = """\
apiVersion: entity.humanitec.io/v1b1
kind: Definition
metadata: {id: NAME}
entity: {type: dns, driver_type: humanitec/echo, criteria: [{}]}
"""


def test_definitions_in_linked_folders_are_read(tmp_path: Path) -> None:
    """Links are followed to their end, hidden files and folders are not read."""
    for place in ("shared/a.yaml", "definitions/b.yaml", "definitions/.git/c.yaml", "definitions/.d.yaml"):
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(DEFINITION.replace("NAME", path.stem.lstrip(".")))
    (tmp_path / "definitions/linked").symlink_to(tmp_path / "shared")
    (tmp_path / "shared/loop").symlink_to(tmp_path / "definitions")
    diagnostics = Collector()
    read = read_definitions([tmp_path / "definitions"], tmp_path, diagnostics, must_exist=True)
    assert [definition.id for definition in read] == ["b", "a"]
    assert not diagnostics.errors
