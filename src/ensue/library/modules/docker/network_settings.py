"""The settings of a network, with Salt's names, and how an existing network differs from them.

Source: Salt's extension `saltext-dockermod`, 0.1: names and aliases of the settings, the form of changes;
docker-network-create(1).
"""

from __future__ import annotations

import ipaddress
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.library.modules.docker.client import items, part
from ensue.library.modules.docker.option_forms import pairs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import DataMap

ALIASES: Final = {
    "driver_opt": "options", "driver_opts": "options", "ipv6": "enable_ipv6", "ip_range": "iprange",
    "aux_address": "aux_addresses",
}  # fmt: skip
_OF_A_POOL: Final = {
    "subnet": "Subnet", "gateway": "Gateway", "iprange": "IPRange", "aux_addresses": "AuxiliaryAddresses",
}  # fmt: skip
"""Settings of an address pool, and their names in the API."""
_TRUTHS: Final = {
    "internal": "Internal", "attachable": "Attachable", "ingress": "Ingress", "enable_ipv6": "EnableIPv6",
}  # fmt: skip
_FLAGS: Final = {"enable_ipv6": "ipv6"}
_NOT_COMPARED: Final = frozenset({"com.docker.network.bridge.name"})
_NO_EFFECT: Final = frozenset({"check_duplicate"})
SETTINGS: Final = (
    "driver", "options", "labels", "scope", *_TRUTHS, *_OF_A_POOL, "ipam", "ipam_driver", "ipam_opts",
    "ipam_pools", *sorted(_NO_EFFECT),
)  # fmt: skip
"""The names of all settings, without aliases."""


class NetworkSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a network.

    Args:
        driver: its driver; empty for docker's default.
        scope: its scope; empty for docker's default.
        options: the driver's options.
        labels: its labels; None if none are given.
        truths: boolean settings, with the API's names.
        pools: address pools, with the API's names.
        ipam_driver: the driver that assigns addresses.
        ipam_opts: the options of that driver.
    """

    driver: str = ""
    scope: str = ""
    options: dict[str, str] = {}
    labels: dict[str, str] | None = None
    truths: dict[str, bool] = {}
    pools: list[dict[str, Any]] = []
    ipam_driver: str = ""
    ipam_opts: dict[str, str] = {}

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> NetworkSettings:
        """Read settings with Salt's names, including aliases.

        Raises:
            StateFailedError: a setting is unknown, or its value is not valid.
        """
        plain = {ALIASES.get(name, name): value for name, value in given.items() if value is not None}
        unknown = sorted(plain.keys() - set(SETTINGS))
        if unknown:
            raise StateFailedError(
                f"a network has no setting {unknown[0]!r}; it can have {', '.join(SETTINGS)}"
            )
        ipam = _ipam(plain)
        return cls(
            driver=str(plain.get("driver", "")),
            scope=str(plain.get("scope", "")),
            options=pairs(plain.get("options", {}), "=", "options"),
            labels=pairs(plain["labels"], "=", "labels", default="") if "labels" in plain else None,
            truths={api: bool(plain[name]) for name, api in _TRUTHS.items() if name in plain},
            pools=ipam["pools"],
            ipam_driver=str(ipam["driver"]),
            ipam_opts=pairs(ipam["options"], "=", "ipam_opts"),
        )

    def flags(self) -> list[str]:
        """Return the settings as options of `docker network create`."""
        options = [f"--driver={self.driver}"] if self.driver else []
        options += [f"--scope={self.scope}"] if self.scope else []
        options += [f"--opt={name}={value}" for name, value in self.options.items()]
        options += [f"--label={name}={value}" for name, value in (self.labels or {}).items()]
        names = {api: _FLAGS.get(name, name) for name, api in _TRUTHS.items()}
        options += [f"--{names[api]}" for api, is_on in self.truths.items() if is_on]
        options += [f"--ipam-driver={self.ipam_driver}"] if self.ipam_driver else []
        options += [f"--ipam-opt={name}={value}" for name, value in self.ipam_opts.items()]
        for pool in self.pools:
            options += [f"--subnet={pool['Subnet']}"] if "Subnet" in pool else []
            options += [f"--gateway={pool['Gateway']}"] if "Gateway" in pool else []
            options += [f"--ip-range={pool['IPRange']}"] if "IPRange" in pool else []
            extra: dict[str, str] = pool.get("AuxiliaryAddresses", {})
            options += [f"--aux-address={name}={value}" for name, value in extra.items()]
        return options

    def changes(self, about: dict[str, Any]) -> DataMap:
        """Return how a network differs from the given settings, `old` and `new` by key."""
        changes: DataMap = {}
        if self.driver and about.get("Driver") != self.driver:
            changes["Driver"] = {"old": about.get("Driver"), "new": self.driver}
        if self.scope and about.get("Scope") != self.scope:
            changes["Scope"] = {"old": about.get("Scope"), "new": self.scope}
        for name, is_on in self.truths.items():
            if bool(about.get(name)) != is_on:
                changes[name] = {"old": bool(about.get(name)), "new": is_on}
        labels = part(about, "Labels")
        if self.labels is not None and labels != self.labels:
            changes["Labels"] = {"old": labels, "new": {**self.labels}}
        options = _differing(self.options, part(about, "Options"))
        if options:
            changes["Options"] = options
        pools = self._pool_changes(items(part(about, "IPAM"), "Config"))
        if pools:
            changes["IPAM"] = {"Config": pools}
        return changes

    def _pool_changes(self, existing: list[dict[str, Any]]) -> DataMap:
        by_version = {_version(pool): pool for pool in existing if "Subnet" in pool}
        for pool_wanted in self.pools:
            pool = by_version.get(_version(pool_wanted), {})
            if any(pool.get(key) != value for key, value in pool_wanted.items()):
                return {"old": [*existing], "new": [*self.pools]}
        return {}


def _differing(pool: Mapping[str, str], about: Mapping[str, Any]) -> DataMap:
    return {
        name: {"old": about.get(name), "new": value}
        for name, value in pool.items()
        if name not in _NOT_COMPARED and about.get(name) != value
    }


def _ipam(plain: Mapping[str, Any]) -> dict[str, Any]:
    """Return `driver`, `options` and `pools` from the address settings."""
    own = {name: value for name, value in plain.items() if name in _OF_A_POOL}
    others = own.keys() | (plain.keys() & {"ipam_driver", "ipam_opts", "ipam_pools"})
    if "ipam" in plain:
        if others:
            raise StateFailedError("Cannot mix the 'ipam' argument with any of the IPAM config arguments")
        low = (
            {str(key).lower(): value for key, value in plain["ipam"].items()}
            if is_mapping(plain["ipam"])
            else {}
        )
        pools = [dict(pool) for pool in items(low, "config") if is_mapping(pool)]
        return {"driver": low.get("driver") or "", "options": low.get("options") or {}, "pools": pools}
    given = plain.get("ipam_pools", [])
    if not is_list(given) or not all(is_mapping(pool) for pool in given):
        raise StateFailedError("ipam_pools must be a list of dictionaries")
    pools = [_pool(pool) for pool in ([own] if own else []) + given]
    return {"driver": plain.get("ipam_driver", ""), "options": plain.get("ipam_opts", {}), "pools": pools}


def _pool(given: Mapping[str, Any]) -> dict[str, Any]:
    plain = {ALIASES.get(name, name): value for name, value in given.items()}
    unknown = sorted(plain.keys() - _OF_A_POOL.keys())
    if unknown:
        raise StateFailedError(
            f"an address pool has no setting {unknown[0]!r}; it can have {', '.join(_OF_A_POOL)}"
        )
    if "subnet" not in plain:
        raise StateFailedError("A subnet is required in each IPAM pool")
    return {
        api: pairs(plain[name], "=", name) if name == "aux_addresses" else str(plain[name])
        for name, api in _OF_A_POOL.items()
        if name in plain
    }


def _version(pool: Mapping[str, Any]) -> int:
    try:
        return ipaddress.ip_network(str(pool["Subnet"]), strict=False).version
    except (KeyError, ValueError):
        raise StateFailedError(f"{pool.get('Subnet')!r} is not a valid subnet") from None
