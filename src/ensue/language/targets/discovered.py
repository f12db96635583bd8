"""Resources that types discover by themselves, added to those that pillar declares.

What `discover` returns is data: it is checked, never rendered. Pillar's declaration of the same resource
wins, and the type-level defaults of pillar hold for discovered ones too.

Source: Salt Resources, "Resource Registry"; `discover` is ours.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from ensue.core.errors import ResourceTypeError
from ensue.core.model.data import copied, is_mapping, not_data
from ensue.core.model.srn import Srn, is_resource_id
from ensue.language.merging import merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.reach.resources.loaded_type import LoadedType


async def discovered(
    types: Iterable[LoadedType], opts: Mapping[str, Any], collector: Collector
) -> dict[str, dict[str, Any]]:
    """Call `discover` of types, all at the same time.

    Args:
        types: those that have a `discover`.
        opts: the argument of `discover`.
        collector: receives the errors.

    Returns:
        For each type by name: configurations by id.
    """
    asked = list(types)
    answers = await asyncio.gather(*(loaded.discover(opts) for loaded in asked), return_exceptions=True)
    resources: dict[str, dict[str, Any]] = {}
    for type_, answer in zip(asked, answers, strict=True):
        if isinstance(answer, ResourceTypeError):
            collector.error("E0711", str(answer), answer.span, help=answer.help)
        elif isinstance(answer, BaseException):
            raise answer
        else:
            resources[type_.name] = _checked(type_, answer, collector)
    return resources


def _checked(type_: LoadedType, answer: Mapping[Any, Any], collector: Collector) -> dict[str, Any]:
    resources: dict[str, Any] = {}
    for id_, config in answer.items():
        fault = ""
        if not isinstance(id_, str) or not is_resource_id(id_):
            fault = f"the id {id_!r}, which is not a text on one line without spaces at its ends"
        elif config is not None and not is_mapping(config):
            fault = f"{config!r} as the configuration of {id_!r}, which is not a mapping"
        elif strange := not_data(config):
            fault = f"the configuration of {id_!r} with {strange}, which is not data"
        if fault:
            collector.error(
                "E0712",
                f"`discover` of the resource type {type_.name!r} ({type_.source.place}) returned {fault}",
                type_.place_of("discover"),
                help="return {id: configuration}, made of texts, numbers, booleans, lists and mappings",
            )
        else:
            resources[id_] = copied(config or {})
    return resources


def added(
    static: Mapping[Srn, dict[str, Any]],
    by_type: Mapping[str, Mapping[str, dict[str, Any]]],
    defaults: Mapping[str, Mapping[str, Any]],
    places: Mapping[str, Span | None],
    collector: Collector,
) -> dict[Srn, dict[str, Any]]:
    """Return the discovered resources that pillar does not declare, with the defaults of their types.

    Args:
        static: the resources that exist, including this machine.
        by_type: what was discovered.
        defaults: type-level defaults of pillar.
        places: where each type's `discover` is written.
        collector: receives the errors, such as an id that another type claims.
    """
    owners = {srn.id: srn for srn in static}
    resources: dict[Srn, dict[str, Any]] = {}
    for type_name, configs in by_type.items():
        for id_, config in configs.items():
            srn = Srn(type_name, id_)
            owner = owners.setdefault(id_, srn)
            if owner != srn:
                collector.error(
                    "E0702",
                    f"the id {id_!r} is claimed by {owner} and by {srn}, which was discovered",
                    places.get(type_name),
                    detail="ids of resources are unique over all types, minions included",
                    help="give one of them another id",
                )
            elif srn not in static:
                resources[srn] = merge(defaults.get(type_name, {}), config)
    return resources
