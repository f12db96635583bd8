"""Reads the resources declared in pillar, in any allowed shape, into a mapping of SRN to configuration.

Source: Salt Resources, "Configuration"; the short shape and type-level defaults are ensue's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.srn import MINION_TYPE, TYPE_ALIASES, Srn, is_resource_id
from ensue.language.merging import merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector

    Locate = Callable[[Sequence[str]], Span | None]


def read_static(
    declared: Any, *, key: str, minion_id: str, locate: Locate, collector: Collector
) -> dict[Srn, dict[str, Any]]:
    """Return the resources that pillar declares.

    Args:
        declared: the value of the pillar key.
        key: the pillar key, for messages.
        minion_id: the id of this machine, which no resource may claim.
        locate: finds places in pillar files.
        collector: collects the errors.
    """
    if declared is None:
        return {}
    if not is_mapping(declared):
        collector.error(
            "E0703",
            f"pillar {key!r} is not a mapping",
            locate([key]),
            help="it maps resource types to their resources",
        )
        return {}
    resources: dict[Srn, dict[str, Any]] = {}
    owners: dict[str, Srn] = {minion_id: Srn(MINION_TYPE, minion_id)}
    for type_name, body in declared.items():
        type_ = TYPE_ALIASES.get(str(type_name), str(type_name))
        for id_, config, path in _hosts(key, str(type_name), body, locate, collector):
            if not isinstance(id_, str) or not is_resource_id(id_):
                collector.error(
                    "E0703",
                    f"a resource of the type {type_name!r} has the id {id_!r}",
                    # A key such as `~` cannot be found by its text, but its parent can.
                    locate(path) or locate(path[:-1]),
                    help="an id is a text of at least one character, on one line, without blanks at its ends"
                    if isinstance(id_, str)
                    else "an id is a text (put it in quotes)",
                )
                continue
            srn = Srn(type_, id_)
            if id_ in owners:
                collector.error(
                    "E0702",
                    f"the id {id_!r} is claimed by {owners[id_]} and by {srn}"
                    if owners[id_] != srn
                    else f"{srn} is declared twice",
                    locate(path),
                    detail="ids of resources are unique over all types, minions included",
                    help="give one of them another id",
                )
                continue
            owners[id_] = srn
            resources[srn] = config
    return resources


def type_defaults(body: Any) -> Mapping[str, Any]:
    """Return pillar's defaults for all resources of a type; `body` is the value under the type's name."""
    if not is_mapping(body):
        return {}
    if "hosts" in body:
        return {name: value for name, value in body.items() if name != "hosts"}
    if is_list(body.get("resource_ids")):
        return {name: value for name, value in body.items() if name != "resource_ids"}
    return {}


def _hosts(
    key: str, type_name: str, body: Any, locate: Locate, collector: Collector
) -> Iterator[tuple[object, dict[str, Any], list[str]]]:
    path = [key, type_name]
    if body is None:
        return
    if not is_mapping(body):
        collector.error(
            "E0703",
            f"the resource type {type_name!r} in pillar holds {body!r}",
            locate(path),
            help="write `hosts:` under it with one mapping per id, or the ids themselves",
        )
        return
    defaults = type_defaults(body)
    hosts: Any = body
    is_short = "hosts" not in body
    if not is_short:
        path = [*path, "hosts"]
        hosts = body["hosts"]
    elif is_list(body.get("resource_ids")):
        for id_ in body["resource_ids"]:
            yield id_, dict(defaults), [*path, "resource_ids"]
        return
    if hosts is None:
        return
    if not is_mapping(hosts):
        collector.error(
            "E0703", f"`hosts` of {type_name!r} is not a mapping", locate(path), help="write one id per line"
        )
        return
    for id_, config in hosts.items():
        place = [*path, str(id_)]
        if config is not None and not is_mapping(config):
            collector.error(
                "E0703",
                f"the configuration of {type_name}:{id_} is {config!r}",
                locate(place),
                help="it is a mapping, for example `host: 192.0.2.1`"
                + (
                    f"; without `hosts`, every key of {type_name} is an id, so write `hosts: {{}}` beside "
                    "defaults for resources that states register"
                    if is_short
                    else ""
                ),
            )
            continue
        yield id_, merge(defaults, config or {}), place
