"""The lock of an environment: one deployment at a time, whichever folder or machine it comes from.

It is where the records of the environment are: on the server if the store is a PostgreSQL database, else
beside the store's file.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.deploy.provisioning.identity import Context
    from ensue.store.registry.lock import Lock
    from ensue.store.registry.store import CrossRunStore

_KEY_BYTES: Final = 8


def environment_lock(
    store: CrossRunStore, owner: Callable[[], str], context: Context, cachedir: Path
) -> Lock:
    """Return the lock of an environment, which nobody holds yet.

    Args:
        store: where its records are.
        owner: returns the id of the store, which is made if there is none: one database may have several
            stores, in schemas of their own. A file is one store.
        context: the environment.
        cachedir: where the lock is, for this folder only, if the store is a database of another kind.
    """
    activity = f"the environment {context.environment} is being deployed"
    id_ = owner() if store.is_postgresql else ""
    named = hashlib.sha256(msgspec.json.encode([id_, context.org, context.app, context.env]))
    if store.is_postgresql:
        from ensue.store.registry.advisory_lock import AdvisoryLock

        return AdvisoryLock(store, int.from_bytes(named.digest()[:_KEY_BYTES], signed=True), activity)
    from ensue.store.registry.file_lock import FileLock

    # One file, whatever links lead to it.
    folder = cachedir / "locks" if store.path is None else _beside(store.path.resolve())
    return FileLock(folder / named.hexdigest(), activity)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.locks")
