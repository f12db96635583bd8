"""Active resources in the cross-run store, encrypted; written many at a time.

Implements `ensue.deploy.provisioning.active.ActiveResources`.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.driver import NEW_STORE
from ensue.core.errors import LockHeldError, TamperedError
from ensue.deploy.provisioning.active import ActiveResource
from ensue.deploy.provisioning.identity import Context, ResourceKey

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Iterator
    from pathlib import Path

    from ensue.core.contracts.vault import Vault
    from ensue.store.registry.active_tables import ActiveRow, RowName
    from ensue.store.registry.lock import Lock
    from ensue.store.registry.store import CrossRunStore

MOST_PENDING: Final = 2000
"""The most records that wait to be written. A killed process may lose those of drivers that make nothing."""

_OWNER_FACT: Final = "store_id"
_OWNER_BYTES: Final = 8
_ENCODER: Final = msgspec.msgpack.Encoder(enc_hook=str)


class ActiveResourceStore:
    """The active resources of all environments of a store.

    Args:
        store: the cross-run store.
        vault: encrypts them.
        clock: returns seconds since 1970.
    """

    def __init__(self, store: CrossRunStore, *, vault: Vault, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self._vault = vault
        self._clock = clock
        self._pending: dict[tuple[Context, ResourceKey], ActiveResource | None] = {}
        self._noted = 0
        self._durable = 0
        self._writing = asyncio.Lock()
        self._locks: dict[Context, Lock] = {}

    def lock(self, context: Context, cachedir: Path) -> Lock:
        """Return the lock of an environment, which is not held yet; this blocks.

        Args:
            context: the environment.
            cachedir: the project's cachedir.

        Raises:
            StoreError: the store cannot be used.
        """
        from ensue.store.registry.environment_lock import environment_lock

        return environment_lock(self._store, partial(self.owner, is_kept=True), context, cachedir)

    @asynccontextmanager
    async def locked(
        self, context: Context, cachedir: Path, action: str, wait_s: float | None
    ) -> AsyncGenerator[None]:
        """Hold the lock of an environment while it is deployed (async context manager).

        Args:
            context: the environment.
            cachedir: the project's cachedir.
            action: what is done, as others read it (`deploy`).
            wait_s: how long to wait for another deployment of the environment; None: without limit. One of
                this process is never waited for: a state that it has begun would wait for its end.

        Raises:
            LockHeldError: another deployment of the environment is running.
            StoreError: the store cannot be used.
        """
        command = f"ensue {action} {context.environment}"
        lock = await asyncio.to_thread(self.lock, context, cachedir)
        try:
            await lock.take(command=command)
        except LockHeldError as error:
            if wait_s == 0 or error.holder_pid == os.getpid():
                raise
            await lock.take(command=command, wait_s=wait_s)
        try:
            with self.requiring(context, lock):
                yield
        finally:
            await asyncio.shield(asyncio.to_thread(lock.release))

    @contextmanager
    def requiring(self, context: Context, lock: Lock) -> Generator[None]:
        """Write records of an environment only while its lock is not lost (context manager)."""
        self._locks[context] = lock
        try:
            yield
        finally:
            del self._locks[context]

    def load(self, context: Context) -> dict[ResourceKey, ActiveResource]:
        """Return the active resources of one environment; this blocks.

        Raises:
            StoreError: they cannot be read or decrypted.
        """
        if not self._store.exists():
            return {}
        with self._store.reading() as entries:
            rows = entries.active.of_environment(context.org, context.app, context.env)
            records = (self._opened(name, content) for name, content in rows)
            return {record.key: record for record in records}

    def owner(self, *, is_kept: bool) -> str:
        """Return the id of the store, which is random; drivers mark with it what they make. This blocks.

        Args:
            is_kept: whether a store that has no id gets one. Without it, which is for plans, the id of such a
                store is `NEW_STORE`, which nothing is marked with.

        Raises:
            StoreError: the store cannot be read or written.
        """
        if self._store.exists():
            with self._store.reading() as entries:
                if owner := entries.fact(_OWNER_FACT):
                    return owner
        if not is_kept:
            return NEW_STORE
        made = secrets.token_hex(_OWNER_BYTES)
        with self._store.transaction() as entries:
            # Of several processes that ask at once, the first one makes it.
            if owner := entries.fact(_OWNER_FACT):
                return owner
            entries.set_fact(_OWNER_FACT, made)
        return made

    def organizations(self, app: str, env: str) -> list[str]:
        """Return the organizations that have resources in an environment of this name; this blocks.

        Args:
            app: the application.
            env: the environment.

        Raises:
            StoreError: they cannot be read.
        """
        if not self._store.exists():
            return []
        with self._store.reading() as entries:
            return entries.active.organizations(app, env)

    def all(self) -> Iterator[tuple[Context, ActiveResource]]:
        """Yield the active resources of all environments; this blocks.

        Raises:
            StoreError: they cannot be read or decrypted.
        """
        if not self._store.exists():
            return
        with self._store.reading() as entries:
            for name, content in entries.active.all():
                record = self._opened(name, content)
                context = Context(app=name.app, env=name.env, env_type=record.env_type, org=name.org)
                yield context, record

    def put(self, context: Context, resource: ActiveResource) -> None:
        """Store a resource as it is now; durable after the next `flush`."""
        self._note(context, resource.key, resource)

    def remove(self, context: Context, key: ResourceKey) -> None:
        """Remove a resource; durable after the next `flush`."""
        self._note(context, key, None)

    def _note(self, context: Context, key: ResourceKey, resource: ActiveResource | None) -> None:
        self._pending[context, key] = resource
        self._noted += 1

    async def flush_when_full(self) -> None:
        """Flush if enough records wait to be written.

        Raises:
            StoreError: it cannot be written.
        """
        if len(self._pending) >= MOST_PENDING:
            await self.flush()

    async def flush(self) -> None:
        """Return when everything that was put or removed before is durable.

        While one caller writes, others wait. The next one writes everything that has accumulated,
        and the callers whose changes that includes return without writing.

        Raises:
            StoreError: the records cannot be written; they wait for the next `flush`.
        """
        noted_before = self._noted
        async with self._writing:
            if self._durable >= noted_before or not self._pending:
                return
            noted = self._noted
            pending, self._pending = self._pending, {}
            try:
                await asyncio.shield(asyncio.to_thread(self._write, pending))
            except Exception:
                self._pending = pending | self._pending
                raise
            self._durable = noted

    def _write(self, pending: dict[tuple[Context, ResourceKey], ActiveResource | None]) -> None:
        names = {place: _name(*place) for place in pending}
        for context in self._locks.keys() & {context for context, _ in pending}:
            self._locks[context].confirm()
        rows = [self._sealed(names[place], record) for place, record in pending.items() if record is not None]
        gone = [names[place] for place, record in pending.items() if record is None]
        with self._store.transaction() as entries:
            entries.active.write(rows)
            entries.active.remove(gone)

    def close(self) -> None:
        """Close the store."""
        self._store.close()

    def reseal(self) -> int:
        """Encrypt every record with the current key; return their number.

        Raises:
            StoreError: one cannot be decrypted; nothing was changed.
        """
        if not self._store.exists():
            return 0
        with self._store.transaction() as entries:
            rows = [self._sealed(name, self._opened(name, content)) for name, content in entries.active.all()]
            entries.active.write(rows)
        return len(rows)

    def _sealed(self, name: RowName, resource: ActiveResource) -> ActiveRow:
        from ensue.store.registry.active_tables import ActiveRow

        return ActiveRow(
            name=name,
            definition=resource.definition,
            phase=resource.phase,
            content=self._vault.seal(_ENCODER.encode(resource), context=_what(name)),
            changed_at_s=self._clock(),
        )

    def _opened(self, name: RowName, content: bytes) -> ActiveResource:
        plain = self._vault.open(content, context=_what(name))
        try:
            record: ActiveResource = _DECODER.decode(plain)
        except msgspec.MsgspecError as error:
            msg = f"{_what(name)}: its row in the store was changed (restore the store from a copy)"
            raise TamperedError(msg) from error
        return record


_DECODER: Final[msgspec.msgpack.Decoder[Any]] = msgspec.msgpack.Decoder(ActiveResource)


def _what(name: RowName) -> str:
    return f"the active resource {name.resource} of {name.app}/{name.env}"


def _name(context: Context, key: ResourceKey) -> RowName:
    from ensue.store.registry.active_tables import RowName

    return RowName(context.org, context.app, context.env, str(key))
