"""A loaded resource type, shared by all its resources: its hooks with their defaults, and its lifecycle.

`init` is called once, before all other hooks, and `shutdown` once at the end. Plain hooks run in threads. The
error of a hook names the type and the place in its code.
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.contracts.connection import Command
from ensue.core.contracts.deadlines import HOOK_S, SHUTDOWN_S
from ensue.core.errors import EnsueError, PluginError, ResourceTypeError, UnreachableError
from ensue.core.model.data import is_list, is_mapping, not_data
from ensue.core.model.srn import MINION_TYPE
from ensue.reach.processes.daemon_thread import in_daemon_thread
from ensue.reach.resources.partial_connection import PartialConnection, completed
from ensue.reach.resources.type_hooks import place_of, read_hooks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.diagnostics import Span
    from ensue.core.model.data import DataMap, ReadOnlyDataMap
    from ensue.reach.resources.type_hooks import Hook
    from ensue.reach.resources.type_sources import TypeSource, TypeSources

_logger = logging.getLogger(__name__)

_MOST_THREADS: Final = 256


class LoadedType:
    """A resource type with its hooks, and defaults for the hooks that its package lacks.

    A hook that fails raises an `EnsueError` that names the type, or the `EnsueError` that the hook raised.

    Args:
        source: its package.
        sources: locates its code.
        opts: the project's options.
    """

    def __init__(self, source: TypeSource, sources: TypeSources, opts: Mapping[str, Any]) -> None:
        self.name = source.name
        self.source = source
        self._sources = sources
        self._opts = opts
        self._hooks = read_hooks(source, sources)
        self._threads = asyncio.Semaphore(_MOST_THREADS)
        self._started: asyncio.Task[ResourceTypeError | None] | None = None
        self._is_whole: dict[type[object], bool] = {}

    @property
    def SECRET_KEYS(self) -> frozenset[str]:  # noqa: N802 -- the contract's name
        """Configuration keys whose values are secrets."""
        return self._hooks.secret_keys

    @property
    def IS_REMOTE(self) -> bool:  # noqa: N802 -- the contract's name
        """Whether work on its resources takes almost nothing on this machine."""
        return self._hooks.is_remote

    @property
    def discovers(self) -> bool:
        """Whether it finds resources by itself."""
        return self._hooks.get("discover") is not None

    def place_of(self, hook: str) -> Span | None:
        """Return the place of a hook in the code, None if the type does not have it."""
        implementation = self._hooks.get(hook)
        return place_of(implementation.function, self._sources) if implementation else None

    @property
    def needs_opening(self) -> bool:
        """Whether a connection requires awaiting a hook, or may block."""
        return not self.source.is_shipped or self._hooks.get("init") is not None

    def must_be_ready(self) -> None:
        """Fail if `init` must be awaited first.

        Raises:
            PluginError: `init` was not awaited.
        """
        if self._hooks.get("init") is not None and self._started is None:
            raise PluginError(f"the resource type {self.name!r} is used before it was initialised")

    async def ready(self, opts: Mapping[str, Any] | None = None) -> None:
        """Call `init`, unless it was called, and wait for its end.

        Raises:
            ResourceTypeError: `init` raised, or did not return in time; every caller gets the same error.
        """
        if self._started is None:
            self._started = asyncio.create_task(self._init({**self._opts, **(opts or {})}))
        if error := await asyncio.shield(self._started):
            raise error

    async def _init(self, opts: Mapping[str, Any]) -> ResourceTypeError | None:
        hook = self._hooks.get("init")
        try:
            if hook is not None:
                await self._limited(hook, HOOK_S, opts=opts)
        except Exception as error:  # noqa: BLE001 -- a plug-in call; raised anew for all who ask
            return error if isinstance(error, ResourceTypeError) else self._raised("init", error)
        return None

    def check(self, config: ReadOnlyDataMap) -> list[str]:
        """Return what is wrong with a configuration.

        Raises:
            ResourceTypeError: the hook raised, or returned something else.
        """
        return self._sentences("check", config)

    def remarks(self, config: ReadOnlyDataMap) -> list[str]:
        """Return what in a valid configuration has no effect.

        Raises:
            ResourceTypeError: the hook raised, or returned something else.
        """
        return self._sentences("remarks", config)

    def _sentences(self, name: str, config: ReadOnlyDataMap) -> list[str]:
        hook = self._hooks.get(name)
        if hook is None:
            return []
        try:
            sentences: object = hook.call(config=config)
        except Exception as error:
            raise self._raised(name, error) from error
        if not is_list(sentences) or not all(isinstance(sentence, str) for sentence in sentences):
            raise self._returned(name, sentences, "a list of texts")
        return cast("list[str]", sentences)

    def connect(self, context: ResourceContext) -> Connection:
        """Return a connection, in which missing methods raise `NotOfferedError`.

        Raises:
            EnsueError: the hook raised.
        """
        hook = self._hooks.get("connect")
        if hook is None:
            return completed(None, context.srn)
        try:
            connection: Connection | None = hook.call(context=context)
        except EnsueError:
            raise
        except Exception as error:
            raise self._raised("connect", error) from error
        if connection is None:
            raise self._returned("connect", None, "a connection")
        class_ = type(connection)
        if class_ not in self._is_whole:
            self._is_whole[class_] = completed(connection, context.srn) is connection
        whole = self._is_whole[class_]
        return connection if whole else cast("Connection", PartialConnection(connection, context.srn))

    async def opened(self, context: ResourceContext, opts: Mapping[str, Any] | None = None) -> Connection:
        """Return a connection of a type whose `connect` may block.

        Raises:
            EnsueError: a hook raised, or did not return in time.
        """
        await self.ready(opts)
        if self.source.is_shipped:
            return self.connect(context)
        limit = asyncio.timeout(HOOK_S)
        try:
            async with self._threads, limit:
                connection: Connection = await in_daemon_thread(lambda: self.connect(context))
                return connection
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._hung("connect", HOOK_S) from None

    async def ping(self, connection: Connection, context: ResourceContext) -> bool:
        """Return whether a resource answers.

        Raises:
            EnsueError: the resource does not answer, or the hook raised.
        """
        hook = self._hooks.get("ping")
        if hook is None:
            return await _answers(connection)
        return bool(await self._asked(hook, connection, context))

    async def grains(self, connection: Connection, context: ResourceContext) -> DataMap:
        """Gather a resource's grains, and add those that name it.

        Raises:
            EnsueError: the hook raised, or did not return a mapping.
        """
        hook = self._hooks.get("grains")
        gathered: object = await self._asked(hook, connection, context) if hook is not None else {}
        if not is_mapping(gathered):
            raise self._returned("grains", gathered, "a mapping")
        if not self.source.is_shipped and (strange := not_data(gathered)):
            raise ResourceTypeError(
                f"`grains` of the resource type {self.name!r} ({self.source.place}) returned {strange},"
                " which is not data",
                span=self.place_of("grains"),
                help="return texts, numbers, booleans, lists and mappings",
            )
        srn = context.srn
        if srn.type == MINION_TYPE:
            return gathered
        return {**gathered, "id": srn.id, "resource_id": srn.id, "resource_type": srn.type}

    async def discover(self, opts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the resources that the type discovers, as the hook returned them.

        Raises:
            ResourceTypeError: the hook raised, did not return in time, or did not return a mapping.
        """
        hook = self._hooks.get("discover")
        if hook is None:
            return {}
        await self.ready(opts)
        try:
            discovered = await self._limited(hook, HOOK_S, opts={**self._opts, **opts})
        except ResourceTypeError:
            raise
        except Exception as error:
            raise self._raised("discover", error) from error
        if not is_mapping(discovered):
            raise self._returned("discover", discovered, "a mapping of ids to configurations")
        return dict(discovered)

    async def shutdown(self) -> None:
        """Call `shutdown` if the type was used and `init` did not raise; errors are logged."""
        started, self._started = self._started, None
        if started is None:
            return
        if not started.done():
            started.cancel()
            await asyncio.gather(started, return_exceptions=True)
            return
        hook = self._hooks.get("shutdown")
        if started.result() is not None or hook is None:
            return
        try:
            await self._limited(hook, SHUTDOWN_S, opts=self._opts)
        except Exception as error:  # noqa: BLE001 -- a plug-in call; the run is over
            failure = error if isinstance(error, ResourceTypeError) else self._raised("shutdown", error)
            _logger.warning("%s", failure)

    async def _limited(self, hook: Hook, limit_s: float, **offered: Any) -> Any:
        limit = asyncio.timeout(limit_s)
        try:
            async with limit:
                return await self._called(hook, **offered)
        except TimeoutError:
            if not limit.expired():
                raise
            raise self._hung(hook.name, limit_s) from None

    async def _called(self, hook: Hook, **offered: Any) -> Any:
        if hook.is_async:
            return await hook.call(**offered)
        async with self._threads:
            return await in_daemon_thread(lambda: hook.call(**offered))

    async def _asked(self, hook: Hook, connection: Connection, context: ResourceContext) -> Any:
        """Call a hook for a resource; an `OSError` means that the resource does not answer."""
        try:
            return await self._called(hook, connection=connection, context=context)
        except EnsueError:
            raise
        except OSError as error:
            message = f"{context.srn} does not answer: {type(error).__name__}: {error}"
            raise UnreachableError(message, target=str(context.srn)) from error
        except Exception as error:
            raise self._raised(hook.name, error, f" for {context.srn}") from error

    def _raised(self, hook: str, error: Exception, whom: str = "") -> ResourceTypeError:
        folder = next(iter(getattr(self.source.module, "__path__", ())), "")
        return ResourceTypeError(
            f"`{hook}` of the resource type {self.name!r} ({self.source.place}) raised{whom}: "
            f"{type(error).__name__}: {error}",
            span=self._sources.span_of(error, folder) if folder else None,
            help="correct the type",
        )

    def _returned(self, hook: str, value: object, expected: str) -> ResourceTypeError:
        return ResourceTypeError(
            f"`{hook}` of the resource type {self.name!r} ({self.source.place}) returned "
            f"{type(value).__name__}, not {expected}",
            span=self.place_of(hook),
            help="correct the type",
        )

    def _hung(self, hook: str, limit_s: float) -> ResourceTypeError:
        return ResourceTypeError(
            f"`{hook}` of the resource type {self.name!r} ({self.source.place}) did not return within "
            f"{limit_s:g} s",
            span=self.place_of(hook),
            help="set a time limit on what it waits for",
        )


async def _answers(connection: Connection) -> bool:
    """Make the cheapest request that a connection offers."""
    if connection.can_run:
        return (await connection.run(Command(argv=["true"]))).returncode == 0
    if not isinstance(connection, PartialConnection) or connection.offers("stat"):
        return await connection.stat("/", follow=True) is not None
    return True
