"""Holding the lock of an environment while it is deployed."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ensue.core.errors import LockHeldError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator
    from pathlib import Path

    from ensue.deploy.provisioning.identity import Context
    from ensue.store.registry.active_store import ActiveResourceStore


@asynccontextmanager
async def environment_locked(
    active: ActiveResourceStore, cachedir: Path, context: Context, action: str, wait_s: float | None
) -> AsyncGenerator[None]:
    """Hold the lock of an environment (async context manager).

    Args:
        active: the active resources of all environments.
        cachedir: the project's cachedir.
        context: the environment.
        action: what is done, as others read it (`deploy`).
        wait_s: how long to wait for another deployment of the environment; None: without limit. One of this
            process is never waited for: a state that it has begun would wait for its end.

    Raises:
        LockHeldError: another deployment of the environment is running.
        StoreError: the store cannot be used.
    """
    command = f"ensue {action} {context.environment}"
    lock = await asyncio.to_thread(active.lock, context, cachedir)
    try:
        await lock.take(command=command)
    except LockHeldError as error:
        if wait_s == 0 or error.holder_pid == os.getpid():
            raise
        await lock.take(command=command, wait_s=wait_s)
    try:
        with active.requiring(context, lock):
            yield
    finally:
        await asyncio.shield(asyncio.to_thread(lock.release))
