"""Derived resources for everybody: plug-ins, orchestration scripts, other programs.

Five functions over a project's registry. Inside a run they use the run's own registry, in-run entries
included; outside they open the store that `opts` name for the length of one call. Whoever has many calls
to make opens one registry and uses it for all of them:

    with using_registry(open_registry(opts)) as registry: ...

Source: derived-resources document, "Registry scopes", "Integration points".
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ensue.core.contracts.registry import parsed_srn
from ensue.core.errors import NotAvailableError
from ensue.core.model.secret_values import SECRET_CONFIG_KEYS, mask_config, secret_values
from ensue.core.model.srn import TYPE_ALIASES, Srn

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from ensue.core.contracts.registry import DerivedRegistry, RegistryScope
    from ensue.core.masking import Masker
    from ensue.core.model.data import Data, DataMap, ReadOnlyDataMap
    from ensue.core.model.resource import Registration
    from ensue.store.registry.registry import ResourceRegistry

__all__ = [
    "SECRET_CONFIG_KEYS", "current_registry", "get", "invalidate", "list_for_type", "mask_config",
    "open_registry", "provenance", "register", "secret_values", "using_registry",
]  # fmt: skip

_Registry = TypeVar("_Registry", bound="DerivedRegistry")

current_registry: ContextVar[Callable[[], DerivedRegistry] | None] = ContextVar(
    "current_registry", default=None
)
"""Returns the registry of the run that is going on; None outside of runs."""


def register(  # noqa: PLR0917  # the order of these arguments is the document's
    opts: ReadOnlyDataMap,
    resource_type: str,
    resource_id: str,
    config: Mapping[str, Data],
    source_srn: Srn | str | None = None,
    watch: Sequence[str] = ("status",),
    ttl_s: float | None = None,
    scope: RegistryScope = "cache",
) -> Registration:
    """Register a derived resource, or confirm it.

    Args:
        opts: options of the project: `cachedir`, `root`, `id`, `store_url`, `key_source`.
        resource_type: its type (`ssh_host`).
        resource_id: its id, unique over all types.
        config: how to connect to it; encrypted at rest.
        source_srn: what it was derived from.
        watch: grain keys of the source whose change invalidates it.
        ttl_s: seconds after which it is invalid; None: never.
        scope: `run` ends with the run, `cache` outlives it.

    Raises:
        ResourceConflictError: the id is registered under another type.
        ResourceError: a name is malformed, its type refuses the configuration, or that cannot be stored.
        StoreError: the store cannot be read or written.
    """
    with _registry(opts) as registry:
        return registry.register(
            resource_type, resource_id, config, source=source_srn, watch=watch, ttl_s=ttl_s, scope=scope
        )


def get(opts: ReadOnlyDataMap, resource_type: str, resource_id: str) -> DataMap | None:
    """Return the configuration of an active derived resource, None when there is none (audited).

    Raises:
        ResourceError: the name is malformed.
        StoreError: the store cannot be read, or its key is not at hand.
    """
    srn = _srn(resource_type, resource_id)
    with _registry(opts) as registry:
        return registry.get(srn)


def list_for_type(opts: ReadOnlyDataMap, resource_type: str) -> list[str]:
    """Return the ids of all active derived resources of a type, sorted.

    Raises:
        StoreError: the store cannot be read.
    """
    with _registry(opts) as registry:
        return registry.list_for_type(TYPE_ALIASES.get(resource_type, resource_type))


def invalidate(opts: ReadOnlyDataMap, source_srn: Srn | str) -> list[Srn]:
    """Invalidate everything derived from a source, transitively; return what was hit, sorted.

    Raises:
        ResourceError: the name is malformed.
        StoreError: the store cannot be written.
    """
    source = parsed_srn(source_srn)
    with _registry(opts) as registry:
        return registry.invalidate(source)


def provenance(opts: ReadOnlyDataMap, srn: Srn | str) -> tuple[Srn, ...]:
    """Return the chain of sources of a resource, nearest first.

    Raises:
        ResourceError: the name is malformed.
        StoreError: the store cannot be read.
    """
    resource = parsed_srn(srn)
    with _registry(opts) as registry:
        return registry.provenance(resource)


def open_registry(
    opts: ReadOnlyDataMap, *, run_id: str = "", masker: Masker | None = None
) -> ResourceRegistry:
    """Return the registry of a project; nothing is opened before it is used. Close it when done.

    Args:
        opts: options of the project: `cachedir` (default `.ensue`, below `root` when it is relative), `id`,
            `store_url`, `key_source`, `audit_max_size`, `audit_keep_files`.
        run_id: for the audit log; empty outside of runs.
        masker: receives every secret that is registered or read.

    Raises:
        StoreError: one of the options makes no sense.
    """
    from ensue.store.registry.audit_files import limits_of
    from ensue.store.registry.registry import ResourceRegistry
    from ensue.store.registry.vault import ProjectVault

    cachedir = Path(str(opts.get("root") or ".")) / str(opts.get("cachedir") or ".ensue")
    store_url = opts.get("store_url")
    return ResourceRegistry(
        cachedir,
        minion_id=str(opts.get("id") or _host_name()),
        run_id=run_id,
        store_url=None if not store_url else str(store_url),
        vault=ProjectVault.of_project(cachedir, kind=str(opts.get("key_source") or "file")),
        masker=masker,
        configuration_faults=_configuration_faults,
        audit_limits=limits_of(opts),
    )


def _configuration_faults(srn: Srn, config: Mapping[str, Data], /) -> list[str]:
    """Say what a type refuses; a type that is not installed here may be known to the program that uses it."""
    from ensue.reach.resources.plugins import Plugins

    try:
        return Plugins().configuration_faults(srn, dict(config))
    except NotAvailableError:
        return []


@contextmanager
def using_registry(registry: _Registry) -> Generator[_Registry]:
    """Make a registry the one that this module's functions use, in this task and those it starts.

    Args:
        registry: stays open; its creator closes it.
    """
    token = current_registry.set(lambda: registry)
    try:
        yield registry
    finally:
        current_registry.reset(token)


@contextmanager
def _registry(opts: ReadOnlyDataMap) -> Generator[DerivedRegistry]:
    running = current_registry.get()
    if running is not None:
        yield running()
        return
    opened = open_registry(opts)
    try:
        yield opened
    finally:
        opened.close()


def _srn(resource_type: str, resource_id: str) -> Srn:
    return parsed_srn(f"{resource_type}:{resource_id}")


def _host_name() -> str:
    import socket

    return socket.gethostname()
