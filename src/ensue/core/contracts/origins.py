"""Where the resources that an error is about came from, for its message."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from ensue.core.errors import RemoteError, StoreError
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ensue.core.contracts.registry import DerivedRegistry


async def with_origins(error: Exception, registry: DerivedRegistry, *about: Srn) -> str:
    """Return the message of an error with the sources of each derived resource that it is about.

    Args:
        error: the error. If it was caused by that of another resource, such as a jump host, it is about both.
        registry: the derived resources.
        about: resources that it is about in any case.
    """
    srns = list(dict.fromkeys([*about, *_targets(error)]))
    if not srns:
        return str(error)
    try:
        origins = await asyncio.to_thread(_origins, registry, srns)
    except StoreError:
        return str(error)  # It matters more than where its resources came from.
    derivations = [f"{srn} was derived from {', '.join(origins[srn])}" for srn in srns if srn in origins]
    return f"{error} ({'; '.join(derivations)})" if derivations else str(error)


def _origins(registry: DerivedRegistry, srns: list[Srn]) -> dict[Srn, list[str]]:
    """Return the sources of each resource, nearest first, as messages name them."""
    chains = registry.provenances(srns)
    linked = {srn.id for each, chain in chains.items() for srn in (each, *chain)}
    labels = {record.source: record.source_label for record in registry.find(linked)} if chains else {}
    return {srn: [labels.get(source) or str(source) for source in chain] for srn, chain in chains.items()}


def _targets(error: BaseException | None) -> Iterator[Srn]:
    while isinstance(error, RemoteError):
        with contextlib.suppress(ValueError):  # It may be about no resource.
            yield Srn.parse(error.target)
        error = error.__cause__
