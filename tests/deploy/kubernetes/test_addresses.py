"""The addresses of Services and Ingresses."""

from __future__ import annotations

from typing import Any

from ensue.deploy.kubernetes.addresses import addresses_of


def thing(kind: str, api_version: str = "v1", **fields: Any) -> dict[str, Any]:
    return {
        "kind": kind,
        "apiVersion": api_version,
        "metadata": {"name": "web", "namespace": "shop"},
        **fields,
    }


def test_a_service_has_its_addresses() -> None:
    """The name in the cluster, the address, the ports and what its load balancer has, name before address."""
    status = {
        "loadBalancer": {"ingress": [{"hostname": "a.example", "ip": "192.0.2.1"}, {"ip": "192.0.2.2"}, {}]}
    }
    service = thing(
        "Service", spec={"clusterIP": "10.0.0.1", "ports": [{"port": 80}, {"port": 443}]}, status=status
    )
    assert addresses_of([service]) == {
        "services": {
            "web": {
                "host": "web.shop.svc", "cluster_ip": "10.0.0.1", "ports": [80, 443],
                "load_balancer": ["a.example", "192.0.2.2", ""],
            }
        },
        "ingresses": {},
    }  # fmt: skip


def test_a_service_without_an_address_has_an_empty_one() -> None:
    """A headless one, and one that the controllers have not seen yet."""
    for fields in ({"spec": {"clusterIP": "None"}}, {"spec": {}}, {}, {"status": {"loadBalancer": {}}}):
        (address,) = addresses_of([thing("Service", **fields)])["services"].values()
        assert address == {"host": "web.shop.svc", "cluster_ip": "", "ports": [], "load_balancer": []}


def test_an_ingress_has_its_hosts() -> None:
    """Each once, in order, without the rules for every host."""
    rules = [{"host": "b.example"}, {"host": "a.example"}, {"host": "b.example"}, {"host": ""}, {}]
    ingress = thing("Ingress", "networking.k8s.io/v1", spec={"rules": rules})
    assert addresses_of([ingress])["ingresses"] == {
        "web": {"hosts": ["b.example", "a.example"], "load_balancer": []}
    }
    assert addresses_of([thing("Ingress", "networking.k8s.io/v1")])["ingresses"]["web"]["hosts"] == []


def test_other_kinds_have_none() -> None:
    """A Service of another group above all."""
    others = [thing("ConfigMap"), thing("Service", "serving.knative.dev/v1")]
    assert addresses_of(others) == addresses_of([]) == {"services": {}, "ingresses": {}}
