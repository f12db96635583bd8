"""Execution functions that compare two containers: their configurations and their networks.

Source: Salt's extension `saltext-dockermod`, 0.1: what is compared, and the return values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.docker.client import items, part
from ensue.library.modules.docker.containers import inspect_container, name_of
from ensue.library.modules.docker.option_forms import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_SIDES: Final = ("Config", "HostConfig")
_OWN: Final = frozenset({"ContainerIDFile", "CreateCommand", "Annotations"})
"""Settings that differ between all containers of podman."""
_BY_PODMAN: Final = "container=podman"
_WHEN_IT_STARTS: Final = ("HOME=", "HOSTNAME=")
"""Environment variables that podman adds to a container when it starts."""
_LISTS: Final = frozenset({"Env", "Links", "Binds", "Ulimits", "SecurityOpt", "CapAdd", "CapDrop"})
"""Lists whose order has no meaning."""
_STATIC: Final = ("Aliases", "Links")
_AUTOMATIC: Final = ("IPAddress", "Gateway", "GlobalIPv6Address", "IPv6Gateway")
_SHORT: Final = 12


async def compare_containers(ctx: FunctionContext, first: str, second: str, ignore: Any = None) -> DataMap:
    """Return the differences between the configurations of two containers.

    Args:
        first: name or id of the first container.
        second: name or id of the second container.
        ignore: keys to leave out.

    Returns:
        In `Config` and `HostConfig`, by key, `old` (of the first) and `new`; empty if nothing differs.

    Example:
        ensue call '*' docker.compare_containers web-old web-new

    Raises:
        StateFailedError: there is no such container.
    """
    old, new = await inspect_container(ctx, first), await inspect_container(ctx, second)
    ignored = {*map(str, words(ignore or [])), *_OWN}
    differences: DataMap = {}
    for side in _SIDES:
        changes = _side_changes(_side(old, side), _side(new, side), ignored)
        if changes:
            differences[side] = changes
    return differences


async def compare_container_networks(ctx: FunctionContext, first: str, second: str) -> DataMap:
    """Return the differences between the networks of two containers.

    Args:
        first: name or id of the first container.
        second: name or id of the second container.

    Returns:
        By network and key, `old` (of the first) and `new`; empty if nothing differs.

    Example:
        ensue call '*' docker.compare_container_networks web-old web-new

    Raises:
        StateFailedError: there is no such container.
    """
    old, new = (
        _endpoints(await inspect_container(ctx, first)),
        _endpoints(await inspect_container(ctx, second)),
    )
    differences = {name: _endpoint_changes(old.get(name), new.get(name)) for name in sorted({*old, *new})}
    return {name: changes for name, changes in differences.items() if changes}


def _side(about: Mapping[str, Any], side: str) -> dict[str, Any]:
    """Return one side of a configuration, normalized so that equal settings compare equal."""
    values = dict(part(about, side))
    if "Image" in values:
        values["Image"] = about.get("Image")
    if values.get("NetworkMode") == "default":
        values["NetworkMode"] = "bridge"
    if values.get("Links"):
        values["Links"] = [link.replace(f"/{name_of(about)}/", "/", 1) for link in values["Links"]]
    if _BY_PODMAN in items(values, "Env"):
        values["Env"] = [text for text in values["Env"] if not text.startswith(_WHEN_IT_STARTS)]
    for key in _LISTS & values.keys():
        if values[key]:
            values[key] = sorted(values[key], key=str)
    return values


def _side_changes(old: Mapping[str, Any], new: Mapping[str, Any], ignored: set[str]) -> DataMap:
    return {
        key: {"old": old.get(key), "new": new.get(key)}
        for key in sorted((old.keys() | new.keys()) - ignored)
        if not _is_same(key, old.get(key), new.get(key))
    }


def _is_same(key: str, old: Any, new: Any) -> bool:
    if old is None or new is None or key == "OomKillDisable":
        return bool(old) == bool(new)
    return bool(old == new)


def _endpoints(about: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return a container's connections, without the names that it gets automatically."""
    own = {part(about, "Config").get("Hostname"), str(about.get("Id", ""))[:_SHORT], name_of(about)}
    endpoints: dict[str, dict[str, Any]] = {}
    for name, endpoint in part(part(about, "NetworkSettings"), "Networks").items():
        links = [link.replace(f"/{name_of(about)}/", "/", 1) for link in items(endpoint, "Links")]
        aliases = [alias for alias in items(endpoint, "Aliases") if alias not in own]
        endpoints[name] = {**endpoint, "Aliases": sorted(aliases), "Links": sorted(links)}
    return endpoints


def _endpoint_changes(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> DataMap:
    differences: DataMap = {}
    for key in _STATIC:
        before, after = _value(old, key), _value(new, key)
        if before != after:
            differences[key] = {"old": before, "new": after}
    return differences | _address_changes(old, new)


def _address_changes(old: Mapping[str, Any] | None, new: Mapping[str, Any] | None) -> DataMap:
    before, after = _addressing(old), _addressing(new)
    if before == after:
        static_before, static_after = _value(old, "IPAMConfig"), _value(new, "IPAMConfig")
        is_changed = before == "static" and static_before != static_after
        return {"IPAMConfig": {"old": static_before, "new": static_after}} if is_changed else {}
    differences: DataMap = {}
    for key in _AUTOMATIC:
        value_before = _value(old, key) if before == "automatic" else None
        value_after = _value(new, key) if after == "automatic" else None
        if value_before or value_after:
            differences[key] = {"old": value_before, "new": value_after}
    if "automatic" in {before, after} and not differences:
        differences["IPConfiguration"] = {"old": before, "new": after}
    if "static" in {before, after}:
        differences["IPAMConfig"] = {"old": _value(old, "IPAMConfig"), "new": _value(new, "IPAMConfig")}
    return differences


def _value(endpoint: Mapping[str, Any] | None, key: str) -> Any:
    """Return a setting of a connection, None if it has none."""
    return (endpoint.get(key) if endpoint else None) or None


def _addressing(endpoint: Mapping[str, Any] | None) -> str:
    if endpoint is None:
        return "not connected"
    return "static" if endpoint.get("IPAMConfig") else "automatic"


FUNCTIONS: Final = by_name(compare_container_networks, compare_containers)
