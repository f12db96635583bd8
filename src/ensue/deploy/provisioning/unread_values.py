"""Warnings about values of the environment that no Score file reads, most of them misspelt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import leaves
from ensue.deploy.provisioning.placeholder_values import FromOutside
from ensue.deploy.provisioning.placeholders import PlaceholderText
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.language.collector import Collector


def warn_of_unread_values(nodes: Iterable[GraphNode], given: Iterable[str], collector: Collector) -> None:
    """Warn of values on the command line that no resource of types `environment` and `service` reads.

    Args:
        nodes: all resources of the deployment.
        given: the names of the values, `NAME` or `RESOURCE.NAME`.
        collector: receives the warnings.
    """
    names = sorted(given)
    if not names:
        return
    read = {word for node in nodes if node.params for word in _words_in(node.params.data)}
    for name in names:
        if name not in read:
            collector.warning(
                "E0893",
                f"the value {name!r} is given, and no workload reads it",
                None,
                help=near_names(name, read)
                or "leave it out, or read it: ${resources.NAME.VALUE} of a resource with type environment",
            )


def _words_in(data: Any) -> Iterator[str]:
    """Yield the names by which a value of each placeholder may be given."""
    for leaf in leaves(data):
        if not isinstance(leaf, PlaceholderText):
            continue
        for part in leaf.parts:
            if not isinstance(part, str) and isinstance(part.meaning, FromOutside):
                yield ".".join(part.meaning.path)
                if part.meaning.kind != "service":
                    yield ".".join(part.meaning.path[1:])
