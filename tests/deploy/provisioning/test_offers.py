"""What an environment offers: the kinds of resources that definitions can provision."""

from __future__ import annotations

from tests.deploy.provisioning.building import definition

from ensue.deploy.provisioning.active import ActiveResource
from ensue.deploy.provisioning.identity import WORKLOAD, ResourceKey
from ensue.deploy.provisioning.matching import Catalog
from ensue.deploy.provisioning.offers import offers
from ensue.language.collector import Collector


def test_an_offer_of_one_type_has_no_other() -> None:
    """Without a type, all but workloads are offered; a workload is offered if it is asked for."""
    collector = Collector()
    catalog = Catalog([definition(type_, collector) for type_ in ("db", WORKLOAD, "zone")], collector)
    assert [offer.type for offer in offers(catalog, (), {})] == ["db", "zone"]
    assert [offer.type for offer in offers(catalog, (), {}, "zone")] == ["zone"]
    assert [offer.type for offer in offers(catalog, (), {}, WORKLOAD)] == [WORKLOAD]


def test_the_example_of_an_offer_names_its_class_where_it_has_to() -> None:
    """A resource without a class is one of the class `default`."""
    collector = Collector()
    criteria = [{}, {"class": "large"}]
    catalog = Catalog([definition("db", collector, criteria=criteria)], collector)
    default, large = offers(catalog, (), {})
    assert (default.class_, "class:" in default.example) == ("default", False)
    assert (large.class_, "    class: large\n" in large.example) == ("large", True)


def test_outputs_of_earlier_deployments_are_offered() -> None:
    """Those of all resources of a definition, sorted, and which of them are secret."""
    collector = Collector()
    catalog = Catalog([definition("db", collector)], collector)
    records = [
        ActiveResource(
            key=ResourceKey("db", "default", f"shared.{output}"),
            env_type="development",
            definition="db",
            definition_digest="",
            driver="echo",
            phase="active",
            outputs={output: "x"},
            secret_paths=paths,
        )
        for output, paths in (("password", (("password",),)), ("host", ()))
    ]
    (offer,) = offers(catalog, records, {})
    assert (offer.outputs, offer.secrets) == (("host", "password"), {"password"})
