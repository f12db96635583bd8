"""State module `starting_state`: creates and removes environments during a run.

A provider (`sandbox`, `command`, `terraform`) provisions the environment. This module registers the jump host
that the provider's `connection_info` describes as a derived resource, and unregisters it when the environment
is removed. It does not connect to the environment, and passes options on to the provider unchanged.

Source: derived-resources document, "The pattern".
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import msgspec

from ensue.core.contracts.provider import Environment, EnvironmentRequest
from ensue.core.errors import StateFailedError, StoreError
from ensue.core.model.folder_name import folder_name
from ensue.core.model.near_names import near_question
from ensue.core.model.property_grammar import quoted
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.contracts.provider import EnvironmentProvider
    from ensue.core.model.data import Data, DataMap

SUCCEEDED: Final = "succeeded"
_GONE: Final = "absent"
SECRET_KEYS: Final = ("password", "private_key", "passphrase")
"""Keys whose values are secrets, and suffixes of such keys (`sudo_password`)."""


async def deployed(
    ctx: StateContext, name: str, register_resources: Data = False, provider: str = "sandbox", **options: Data
) -> StateReturn:
    """Create an environment, or start an existing one, and register its jump host.

    Args:
        ctx: the state's context.
        name: name of the environment, unique in the project.
        register_resources: register its jump host as `ssh_host:jumphost-<name>`, derived from
            `starting_state:<name>`, once it runs and its connection data is known.
        provider: the provider.
        options: arguments of the provider (`isolation` of `sandbox`, `command` of `command`, `source` and
            `variables` of `terraform`).

    Example:
        lab-01:
          starting_state.deployed:
            - provider: sandbox
            - register_resources: true

    Returns:
        `new_state` has `name status provider`, the connection data (`host port user password host_key`), the
        provider's details (`isolation`), and `resource` if it was registered.

    Source: derived-resources document, "Example SLS".
    """
    if not isinstance(register_resources, bool):
        raise StateFailedError(f"register_resources: {register_resources!r} is neither true nor false")
    work = _Work(ctx, name, provider, options)
    before = await work.provider.observe(work.request)
    if ctx.test:
        return await work.planned_deployment(before, register=register_resources)
    now = await work.provider.deploy(work.request)
    if now.status != SUCCEEDED:
        return await work.failed(before, now)
    connection = await work.connection_info()
    changes = _status_changes(before.status, now.status)
    if register_resources:
        changes |= await work.register(now, connection)
    there = _There(environment=now, connection=connection, is_registered=register_resources)
    return work.there(there, changes, done="was" if before.status != now.status else "is")


async def absent(ctx: StateContext, name: str, provider: str = "sandbox", **options: Data) -> StateReturn:
    """Remove an environment, and unregister everything derived from it.

    Args:
        ctx: the state's context.
        name: name of the environment.
        provider: the provider that created it.
        options: arguments of the provider.

    Example:
        lab-01:
          starting_state.absent:
            - provider: sandbox
    """
    work = _Work(ctx, name, provider, options)
    status = await work.status_to_remove()
    if ctx.test:
        return await work.planned_removal(status)
    now = await work.provider.destroy(work.request)
    if now.status != _GONE:
        comment = f"environment {name} is {now.status}, not removed" + (
            f": {now.comment}" if now.comment else ""
        )
        return StateReturn(name=name, result=False, comment=comment)
    changes = _status_changes(status, _GONE) | invalidated(await work.invalidate())
    return StateReturn(
        name=name,
        result=True,
        changes=changes,
        comment=f"environment {name} was removed" if changes else f"environment {name} does not exist",
        new_state=work.gone,
        warnings=() if changes else await work.similar(),
    )


FUNCTIONS: dict[str, Callable[..., Any]] = {"absent": absent, "deployed": deployed}


def promised(function: str, name: str, arguments: DataMap) -> list[Srn]:
    """Return the resources that a state will register."""
    registers = function == "deployed" and arguments.get("register_resources") is True
    return [_jump_host(name)] if registers else []


PROMISES = promised


class _There(msgspec.Struct, frozen=True, kw_only=True):
    """A deployed environment, and its connection data."""

    environment: Environment
    connection: DataMap
    is_registered: bool


class _Work:
    """An environment, its provider, and the resource derived from it."""

    def __init__(self, ctx: StateContext, name: str, provider: str, options: dict[str, Data]) -> None:
        if not name.strip():
            raise StateFailedError("an environment requires a name (for example `- name: env-01`)")
        self._ctx = ctx
        self._name = name
        self._provider_name = provider
        self.provider: EnvironmentProvider = ctx.provider(provider)
        self.source = Srn("starting_state", name)
        self.jump_host = _jump_host(name)
        self.request = EnvironmentRequest(
            name=name,
            directory=ctx.cache_dir / _folder_of(provider) / folder_name(name),
            options=options,
            vault=ctx.vault,
            masker=ctx.masker,
            root=Path(str(ctx.opts.get("root_dir", "."))),
        )

    @property
    def gone(self) -> DataMap:
        """The `new_state` of an environment that does not exist."""
        return {"name": self._name, "exists": False, "status": _GONE, "provider": self._provider_name}

    async def status_to_remove(self) -> str:
        try:
            return (await self.provider.observe(self.request)).status
        except StoreError:
            # An environment whose record cannot be decrypted can still be removed.
            return "unreadable"

    async def connection_info(self) -> DataMap:
        """Return the provider's connection data, and register its secrets with the masker."""
        connection = await self.provider.connection_info(self.request)
        self._ctx.masker.add(*(str(connection[key]) for key in _secret_keys(connection)))
        return connection

    async def register(self, environment: Environment, connection: DataMap) -> DataMap:
        """Register the jump host; return the changes."""
        done = await asyncio.to_thread(
            self._ctx.registry.register,
            self.jump_host,
            connection,
            source=self.source,
            source_grains={"status": environment.status},
        )
        changes: DataMap = {"registered": str(self.jump_host)} if done.changed else {}
        return changes | invalidated(done.invalidated)

    async def invalidate(self) -> list[Srn]:
        reason = f"{self.source} was removed"
        return await asyncio.to_thread(self._ctx.registry.invalidate, self.source, reason=reason)

    async def failed(self, before: Environment, now: Environment) -> StateReturn:
        """Make the failure of a deployment, and unregister what was derived from the environment."""
        hit = await asyncio.to_thread(self._ctx.registry.observe, self.source, {"status": now.status})
        why = f": {now.comment}" if now.comment else ""
        return StateReturn(
            name=self._name,
            result=False,
            changes=_status_changes(before.status, now.status) | invalidated(hit),
            comment=f"environment {self._name} is {now.status}, not {SUCCEEDED}{why}",
            new_state=self._state(now),
        )

    def there(self, there: _There, changes: DataMap, *, done: str) -> StateReturn:
        """Make the return for a deployed environment.

        Args:
            there: the environment.
            changes: the changes.
            done: `is` or `was`, for the comment.
        """
        lines = [f"environment {self._name} {done} deployed", there.environment.comment]
        if "registered" in changes:
            lines.insert(1, f"{self.jump_host} was registered, derived from {self.source}")
        state = self._state(there.environment) | there.connection
        if there.is_registered:
            state["resource"] = str(self.jump_host)
        return StateReturn(
            name=self._name,
            result=True,
            changes=changes,
            comment="\n".join(filter(None, lines)),
            new_state=state,
            sensitive=_secret_keys(there.connection),
        )

    async def planned_deployment(self, now: Environment, *, register: bool) -> StateReturn:
        if now.obstacle and now.status != SUCCEEDED:
            comment = f"environment {self._name} is {now.status} and cannot be deployed: {now.obstacle}"
            return StateReturn(name=self._name, result=False, comment=comment)
        changes = _status_changes(now.status, SUCCEEDED)
        if register and not await self._is_registered():
            changes["registered"] = str(self.jump_host)
        if not changes:
            connection = await self.connection_info()
            return self.there(
                _There(environment=now, connection=connection, is_registered=register), {}, done="is"
            )
        would = "it would be deployed" if now.status != SUCCEEDED else f"{self.jump_host} would be registered"
        lines = [f"environment {self._name} is {now.status}; {would}", now.comment]
        comment = "\n".join(filter(None, lines))
        return StateReturn(name=self._name, result=None, changes=changes, comment=comment)

    async def planned_removal(self, status: str) -> StateReturn:
        derived = await asyncio.to_thread(self._ctx.registry.would_invalidate, self.source)
        changes = _status_changes(status, _GONE) | invalidated(derived)
        if changes:
            comment = f"environment {self._name} is {status}; it would be removed"
            return StateReturn(name=self._name, result=None, changes=changes, comment=comment)
        comment = f"environment {self._name} does not exist"
        warnings = await self.similar()
        return StateReturn(
            name=self._name, result=True, comment=comment, new_state=self.gone, warnings=warnings
        )

    async def similar(self) -> tuple[str, ...]:
        """Return a warning if an environment was never there and others have a similar name."""
        return await asyncio.to_thread(self._similar)

    def _similar(self) -> tuple[str, ...]:
        records = [record for record in self._ctx.registry.records() if record.source is not None]
        if self._ctx.enforced is not None or any(record.source == self.source for record in records):
            return ()  # It was there, or an earlier apply has named the others.
        folder = self.request.directory.parent
        made = (
            {unquote(path.name) for path in folder.iterdir() if path.is_dir()}
            if folder.exists()
            else set[str]()
        )
        registered = {
            record.source.id
            for record in records
            if record.source is not None
            and record.source.type == self.source.type
            and record.status == "active"
        }
        meant = near_question(self._name, sorted(made | registered))
        return (f"there never was an environment {self._name}: {meant}",) if meant else ()

    async def _is_registered(self) -> bool:
        record = await asyncio.to_thread(self._ctx.registry.record, self.jump_host)
        return record is not None and record.status == "active" and record.source == self.source

    def _state(self, environment: Environment) -> DataMap:
        state: DataMap = {"name": self._name, "status": environment.status, "provider": self._provider_name}
        return state | environment.details


def _jump_host(name: str) -> Srn:
    return Srn("ssh_host", f"jumphost-{name}")


def _secret_keys(connection: DataMap) -> tuple[str, ...]:
    return tuple(quoted(key) for key in connection if key.endswith(SECRET_KEYS))


def _folder_of(provider: str) -> str:
    # Each provider has its own folder, so that none uses an environment of another one with the same name.
    return "sandboxes" if provider == "sandbox" else f"environments/{folder_name(provider)}"


def _status_changes(old: str, new: str) -> DataMap:
    return {"environment": {"old": old, "new": new}} if old != new else {}


def invalidated(resources: Sequence[Srn]) -> DataMap:
    """Return the resources that are invalidated as a part of `changes`."""
    return {"invalidated": [str(srn) for srn in resources]} if resources else {}
