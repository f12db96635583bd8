"""The addresses of Services and Ingresses.

Source: Kubernetes, "Service", "Ingress", `status.loadBalancer`; "DNS for Services and Pods".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.paths import traverse

if TYPE_CHECKING:
    from collections.abc import Iterable


def addresses_of(objects: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the addresses of `services` and `ingresses`, by name.

    Args:
        objects: objects of any kind, as the API server returns them.
    """
    services: dict[str, Any] = {}
    ingresses: dict[str, Any] = {}
    for object_ in objects:
        name = object_["metadata"]["name"]
        if object_["kind"] == "Service" and object_["apiVersion"] == "v1":
            services[name] = _service(object_)
        elif object_["kind"] == "Ingress":
            ingresses[name] = _ingress(object_)
    return {"services": services, "ingresses": ingresses}


def _service(service: dict[str, Any]) -> dict[str, Any]:
    metadata = service["metadata"]
    address = traverse(service, "spec:clusterIP")
    return {
        "host": f"{metadata['name']}.{metadata['namespace']}.svc",
        "cluster_ip": "" if address in (None, "None") else address,
        "ports": [port["port"] for port in traverse(service, "spec:ports") or ()],
        "load_balancer": _load_balancer(service),
    }


def _ingress(ingress: dict[str, Any]) -> dict[str, Any]:
    hosts = [rule["host"] for rule in traverse(ingress, "spec:rules") or () if rule.get("host")]
    return {"hosts": list(dict.fromkeys(hosts)), "load_balancer": _load_balancer(ingress)}


def _load_balancer(object_: dict[str, Any]) -> list[str]:
    """Return the host names and addresses of a load balancer; none until it exists."""
    listed = traverse(object_, "status:loadBalancer:ingress") or ()
    return [entry.get("hostname") or entry.get("ip") or "" for entry in listed]
