"""What another user puts into a folder that everybody writes to does not lead root's states elsewhere."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.shell import Shell

OTHER_UID = 65534

# Each names a link of the other user, `file` or `folder` in the sticky folder.
THROUGH_A_LINK = {
    "managed": "file.managed: [{name: STICKY/file}, {contents: forged}]",
    "managed below": "file.managed: [{name: STICKY/folder/new}, {contents: forged}]",
    "managed mode": "file.managed: [{name: STICKY/file}, {mode: '0666'}, {replace: false}]",
    "append": "file.append: [{name: STICKY/file}, {text: forged}]",
    "prepend": "file.prepend: [{name: STICKY/file}, {text: forged}]",
    "replace": "file.replace: [{name: STICKY/file}, {pattern: kept}, {repl: forged}]",
    "line": "file.line: [{name: STICKY/file}, {content: forged}, {mode: ensure}, {after: kept}]",
    "blockreplace": "file.blockreplace: [{name: STICKY/file}, {content: forged}, {append_if_not_found: 1}]",
    "serialize": "file.serialize: [{name: STICKY/file}, {dataset: {a: 1}}]",
    "copy": "file.copy: [{name: STICKY/file}, {source: SOURCE}, {force: true}]",
    "copy below": "file.copy: [{name: STICKY/folder/new}, {source: SOURCE}]",
    "recurse": "file.recurse: [{name: STICKY/folder}, {source: 'salt://tree'}]",
    "directory": "file.directory: [{name: STICKY/folder/new}, {makedirs: true}]",
    "directory mode": "file.directory: [{name: STICKY/folder}, {dir_mode: '0777'}, {follow_symlinks: true}]",
    "directory owner": "file.directory: [{name: STICKY/folder}, {user: OTHER}, {recurse: [user]}]",
    "touch": "file.touch: [{name: STICKY/file}, {mtime: 1000}, {atime: 1000}]",
    "symlink": "file.symlink: [{name: STICKY/folder/new}, {target: file}]",
    "absent": "file.absent: [{name: STICKY/folder/inside}]",
}


def _described(folder: Path) -> list[tuple[str, int, int, float, bytes]]:
    described: list[tuple[str, int, int, float, bytes]] = []
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() else b""
        described.append((path.name, status.st_mode, status.st_uid, status.st_mtime, content))
    return described


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root: links of another user are made")
@pytest.mark.parametrize("state", THROUGH_A_LINK)
def test_root_does_not_write_through_links_of_others(shell: Shell, tmp_path: Path, state: str) -> None:
    """The state fails, names the link and its owner, and leaves what the link points to as it was."""
    kept = tmp_path / "kept"
    (kept / "folder").mkdir(parents=True)
    (kept / "file").write_text("kept\n")
    (kept / "folder" / "inside").write_text("kept\n")
    (tmp_path / "source").write_text("forged\n")
    sticky = tmp_path / "sticky"
    sticky.mkdir()
    sticky.chmod(0o1777)
    for name in ("file", "folder"):
        (sticky / name).symlink_to(kept / name)
        os.chown(sticky / name, OTHER_UID, OTHER_UID, follow_symlinks=False)
    written = THROUGH_A_LINK[state].replace("STICKY", str(sticky)).replace("SOURCE", str(tmp_path / "source"))
    shell.write("states/t.sls", f"t:\n  {written.replace('OTHER', str(OTHER_UID))}\n")
    shell.write("states/tree/new", "forged\n")
    before = _described(kept)
    ended = shell.run("apply", "t", "--out", "json")
    [returned] = ended.document["web-01"].values()
    assert ended.code == 2, returned
    assert "is a symlink of `nobody` in" in returned["comment"]
    assert _described(kept) == before
