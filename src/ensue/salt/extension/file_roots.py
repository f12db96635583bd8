"""The file roots of a minion: its own without a master, else a copy of what the master serves."""

from __future__ import annotations

import hashlib
import importlib
import os
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.salt.fleet.kept_folders import KeptFolders

if TYPE_CHECKING:
    from collections.abc import Generator

    from ensue.salt.extension.salt_minion import SaltMinion
    from ensue.salt.fleet.kept_folders import FolderLease

_KEPT: Final = 3
"""How many copies of an environment a minion keeps, beside those that are in use."""
_CONTEXT: Final = "ensue.file_roots"


@contextmanager
def file_roots(salt: SaltMinion, base: Path) -> Generator[dict[str, list[str]]]:
    """Yield the folders of each environment, which stay until the end.

    The master is asked once per job of Salt.

    Args:
        salt: the minion.
        base: the folder that copies are made below.

    Raises:
        OSError: a copy cannot be made.
    """
    if salt.opts.get("file_client") == "local":
        own: dict[str, list[str]] = salt.opts["file_roots"]
        yield {env: [str(folder) for folder in folders] for env, folders in own.items()}
        return
    with ExitStack() as leases:
        copies = _known(salt, base, leases) or _made(salt, base, leases)
        salt.context[_CONTEXT] = {env: folder.name for env, folder in copies.items()}
        yield {env: [str(folder)] for env, folder in copies.items()}


def _known(salt: SaltMinion, base: Path, leases: ExitStack) -> dict[str, Path]:
    """Return the copies that another call of the job has made; none if one of them is gone."""
    copies: dict[str, Path] = {}
    for env, name in salt.context.get(_CONTEXT, {}).items():
        lease = _folders(base, env).lease(name)
        if lease is None:
            return {}
        copies[env] = leases.enter_context(lease).path
    return copies


def _made(salt: SaltMinion, base: Path, leases: ExitStack) -> dict[str, Path]:
    # On a resource, Salt offers no function that would do this.
    with importlib.import_module("salt.fileclient").get_file_client(dict(salt.opts)) as client:
        files = {env: [path for path in client.cache_master(env) if path] for env in client.envs()}
    return {env: leases.enter_context(_copy(salt, base, env, paths)).path for env, paths in files.items()}


def _copy(salt: SaltMinion, base: Path, env: str, cached: list[str]) -> FolderLease:
    """Return a folder with the files of an environment as they are now, and no others.

    Salt's own cache keeps files that the master no longer has. The copies are hard links; Salt replaces its
    files, and never writes into them.
    """
    cache = Path(salt.opts["cachedir"]) / "files" / env
    files = sorted({Path(path).relative_to(cache) for path in cached})
    digest = hashlib.sha256()
    for file in files:
        known = (cache / file).stat()
        digest.update(f"{file}\0{known.st_ino}\0{known.st_size}\0{known.st_mtime_ns}\0".encode())

    def fill(folder: Path) -> None:
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            os.link(cache / file, folder / file)

    return _folders(base, env).make(digest.hexdigest()[:16], fill)


def _folders(base: Path, env: str) -> KeptFolders:
    return KeptFolders(base / "roots" / env, _KEPT)
