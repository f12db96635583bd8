"""The file roots of a minion: its own without a master, else a copy of what the master serves."""

from __future__ import annotations

import hashlib
import importlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.salt.extension.salt_minion import SaltMinion

_KEPT: Final = 3
"""How many copies of an environment a minion keeps."""
_CONTEXT: Final = "ensue.file_roots"


def file_roots(salt: SaltMinion, base: Path) -> dict[str, list[str]]:
    """Return the folders of each environment; the master is asked once per job of Salt.

    Args:
        salt: the minion.
        base: the folder that copies are made below.
    """
    if salt.opts.get("file_client") == "local":
        own: dict[str, list[str]] = salt.opts["file_roots"]
        return {env: [str(folder) for folder in folders] for env, folders in own.items()}
    if _CONTEXT not in salt.context:
        # On a resource, Salt offers no function that would do this.
        with importlib.import_module("salt.fileclient").get_file_client(dict(salt.opts)) as client:
            salt.context[_CONTEXT] = {
                env: [str(_copy(salt, base, env, client.cache_master(env)))] for env in client.envs()
            }
    roots: dict[str, list[str]] = salt.context[_CONTEXT]
    return roots


def _copy(salt: SaltMinion, base: Path, env: str, cached: Sequence[str]) -> Path:
    """Return a folder with the files of an environment as they are now, and no others.

    Salt's own cache keeps files that the master no longer has. The copies are hard links; Salt replaces its
    files, and never writes into them.
    """
    cache = Path(salt.opts["cachedir"]) / "files" / env
    files = sorted({Path(path).relative_to(cache) for path in cached if path})
    digest = hashlib.sha256()
    for file in files:
        known = (cache / file).stat()
        digest.update(f"{file}\0{known.st_ino}\0{known.st_size}\0{known.st_mtime_ns}\0".encode())
    parent = base / "roots" / env
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = parent / digest.hexdigest()[:16]
    if folder.is_dir():
        os.utime(folder)
        return folder
    made = Path(tempfile.mkdtemp(dir=parent, prefix="."))
    for file in files:
        (made / file).parent.mkdir(parents=True, exist_ok=True)
        os.link(cache / file, made / file)
    try:
        made.rename(folder)
    except OSError:
        # Another job has made the same copy meanwhile.
        shutil.rmtree(made)
    _forget_old(parent)
    return folder


def _forget_old(parent: Path) -> None:
    copies = [path for path in parent.iterdir() if not path.name.startswith(".")]
    for path in sorted(copies, key=lambda path: path.stat().st_mtime)[:-_KEPT]:
        shutil.rmtree(path, ignore_errors=True)
