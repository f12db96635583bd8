"""Reads deployment sets: several workloads and the resources they share, in one file.

Source: resource graph document, step 1 of "Building and executing".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping
from ensue.deploy.provisioning.declared_params import read_params
from ensue.deploy.provisioning.identity import DEFAULT_CLASS, ResourceKey
from ensue.deploy.provisioning.named_resources import by_name
from ensue.deploy.provisioning.placeholder_values import Dialect, FromOutside, context_meaning
from ensue.deploy.provisioning.shapes import Shape
from ensue.deploy.provisioning.workloads import Deployment, Request, Workload, private_id, shared_id
from ensue.deploy.provisioning.written import TextPlace, read_written

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument

_TOP: Final = ("modules", "shared", "id", "version")
_RESOURCE: Final = ("type", "class", "params")


def is_deployment_set(data: Any) -> bool:
    """Return whether a file's data is meant as a deployment set."""
    return is_mapping(data) and "modules" in data


def read_deployment_set(
    data: dict[str, Any],
    document: YamlDocument,
    collector: Collector,
    shared: Mapping[str, ResourceKey] | None = None,
) -> Deployment:
    """Return the deployment that a deployment set declares.

    Args:
        data: the file's data.
        document: the file, for places.
        collector: receives the errors.
        shared: the resources that other deployment sets of the deployment declare as shared, by name.
    """
    return _DeploymentSetReader(document, collector, shared or {}).read(data)


def shared_keys(data: Any) -> dict[str, ResourceKey]:
    """Return the shared resources that a deployment set declares, by name, as far as they are valid."""
    declared = data.get("shared") if is_deployment_set(data) else None
    if not is_mapping(declared):
        return {}
    return _keys({str(name): value for name, value in declared.items() if is_mapping(value)}, shared_id)


class _DeploymentSetReader:
    def __init__(
        self, document: YamlDocument, collector: Collector, shared: Mapping[str, ResourceKey]
    ) -> None:
        self._collector = collector
        self._shape = Shape("E0814", collector)
        self._top = TextPlace(document)
        self._shared = dict(shared)
        self._refused: dict[str, FromOutside] = {}

    def read(self, data: dict[str, Any]) -> Deployment:
        shape, place = self._shape, self._top
        shape.mapping(data, "a deployment set", place, _TOP)
        shared = self._declared(data.get("shared"), "'shared'", place.below("shared"))
        own = _keys(shared, shared_id)
        self._shared.update(own)
        self._refused = _refused(shared)
        modules = shape.mapping(data.get("modules"), "'modules'", place.below("modules"))
        dialect = Dialect(
            {"shared": by_name("shared", self._shared, self._refused), "context": context_meaning}
        )
        return Deployment(
            workloads=tuple(self._workload(name, module) for name, module in sorted(modules.items())),
            shared=self._requests(shared, own, dialect, place.below("shared")),
        )

    def _workload(self, name: str, given: Any) -> Workload:
        place = self._top.below("modules", name)
        module = self._shape.mapping(given, f"the module {name!r}", place)
        externals_place = place.below("externals")
        externals = self._declared(module.get("externals"), f"'externals' of {name!r}", externals_place)
        keys = _keys(externals, lambda name_: private_id(name, name_))
        dialect = Dialect(
            {
                "externals": by_name("externals", keys, _refused(externals)),
                "shared": by_name("shared", self._shared, self._refused),
                "context": context_meaning,
            }
        )
        # The params of an external belong to that resource, not to the workload.
        run = {"id": name, **{key: value for key, value in module.items() if key != "externals"}}
        self._shape.mapping(module.get("spec"), f"'spec' of the module {name!r}", place.below("spec"))
        return Workload(
            name=name,
            module=read_written(run, dialect, place, self._collector),
            requests=self._requests(externals, keys, dialect, externals_place),
            place=place,
        )

    def _declared(self, given: Any, what: str, place: TextPlace) -> dict[str, dict[str, Any]]:
        """Return the resources that a mapping declares, each with a type."""
        shape = self._shape
        checked: dict[str, dict[str, Any]] = {}
        for name, value in sorted(shape.mapping(given, what, place).items()):
            inside = place.below(name)
            checked[name] = shape.mapping(value, f"the resource {name!r}", inside, _RESOURCE)
            shape.required(checked[name], "type", f"the resource {name!r}", inside)
            if "class" in checked[name]:
                shape.text(checked[name]["class"], f"'class' of {name!r}", inside.below("class"))
        return checked

    def _requests(
        self,
        declared: dict[str, dict[str, Any]],
        keys: dict[str, ResourceKey],
        dialect: Dialect,
        place: TextPlace,
    ) -> tuple[Request, ...]:
        requests: list[Request] = []
        for name, key in keys.items():
            inside = place.below(name)
            params = read_params(declared[name], name, dialect, inside, self._shape)
            requests.append(Request(key=key, params=params, place=inside))
        return tuple(requests)


def _keys(declared: Mapping[str, Mapping[str, Any]], id_of: Callable[[str], str]) -> dict[str, ResourceKey]:
    return {
        name: ResourceKey(str(value["type"]), str(value.get("class") or DEFAULT_CLASS), id_of(name))
        for name, value in declared.items()
        if value.get("type")
    }


def _refused(declared: dict[str, dict[str, Any]]) -> dict[str, FromOutside]:
    """Return the names without a type, which are refused already, so that uses of them are not reported."""
    return {name: FromOutside("", (name,)) for name, value in declared.items() if not value.get("type")}
