"""What was removed by hand is drift of every state that made it, and a plan says that somebody removed it."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write
from tests.library.states.test_git import Remote

from ensue.core.masking import Masker
from ensue.output.changes_view import changes_text
from ensue.output.colours import PLAIN

if TYPE_CHECKING:
    from pathlib import Path

STATES = {
    "file.directory": "[]",
    "file.symlink": "[target: /tmp]",
    "file.touch": "[]",
    "file.hardlink": "[target: ROOT/source]",
    "file.copy": "[source: ROOT/source]",
    "file.append": "[text: x]",
    "file.managed": "[contents: x]",
    "file.line": "[content: x, mode: insert, location: end, create: true]",
    "file.decode": "[encoded_data: aGVsbG8=, encoding_type: base64]",
    "file.keyvalue": "[key: a, value: b, append_if_not_found: true, create_if_missing: true]",
}


@pytest.mark.parametrize("function", STATES)
def test_a_path_that_was_removed(tmp_path: Path, function: str) -> None:
    """The plan has the word for it, whatever the state made there."""
    (tmp_path / "source").write_text("x")
    arguments = STATES[function].replace("ROOT", str(tmp_path))
    write(tmp_path, states__t=f"{tmp_path}/it:\n  {function}: {arguments}\n")
    assert apply(tmp_path, "t").exit_code == 0
    path = tmp_path / "it"
    assert path.exists()
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    report = apply(tmp_path, "t", test=True)
    [returned] = report.returns.values()
    assert (returned.drift or {})["exists"] == {"old": True, "new": False}
    text = "".join(changes_text(report, Masker(), PLAIN))
    assert f"+ {tmp_path}/it ({function})" in text
    assert "drift since the last apply: removed by someone else" in text
    assert "exists" not in text


def test_a_working_copy_that_was_removed(tmp_path: Path) -> None:
    """A plan says it of anything that a state makes, not only of paths: the sign is that of an apply."""
    remote = Remote(tmp_path / "remote", tmp_path / "copy")
    remote.folder.mkdir()
    remote.git("init", "-q", "-b", "main")
    remote.commit("one")
    write(tmp_path, states__t=f"copy:\n  git.latest: [name: {remote.folder}, target: {remote.target}]\n")
    planned = apply(tmp_path, "t", test=True)
    assert "+ copy (git.latest)" in "".join(changes_text(planned, Masker(), PLAIN))
    assert apply(tmp_path, "t").exit_code == 0
    shutil.rmtree(remote.target)
    text = "".join(changes_text(apply(tmp_path, "t", test=True), Masker(), PLAIN))
    assert "+ copy (git.latest)" in text
    assert "drift since the last apply: removed by someone else" in text


def test_a_folder_with_another_mode(tmp_path: Path) -> None:
    """A plan compares a folder or a link that it would change as well."""
    folder = f"{tmp_path}/d: {{file.directory: [mode: '0750']}}"
    link = f"{tmp_path}/l: {{file.symlink: [target: /tmp]}}"
    write(tmp_path, states__t=f"{folder}\n{link}\n")
    assert apply(tmp_path, "t").exit_code == 0
    (tmp_path / "d").chmod(0o700)
    (tmp_path / "l").unlink()
    (tmp_path / "l").symlink_to("/")
    of_folder, of_link = apply(tmp_path, "t", test=True).returns.values()
    assert of_folder.drift == {"mode": {"old": "0750", "new": "0700"}}
    assert of_link.drift == {"target": {"old": "/tmp", "new": "/"}}
