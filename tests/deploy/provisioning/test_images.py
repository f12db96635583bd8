"""Images from the command line, for containers whose image is `.`."""

from __future__ import annotations

from typing import Any

from tests.deploy.provisioning.building import score

from ensue.deploy.provisioning.images import with_images
from ensue.language.collector import Collector

SCORE = """
apiVersion: score.dev/v1b1
metadata: {name: web}
containers: {built: {image: .}, named: {image: nginx}}
"""


def _images(asked: Any) -> dict[str, str]:
    (workload,) = asked.workloads
    containers = workload.module.data["spec"]["containers"]
    assert workload.module.source["spec"]["containers"] == containers
    return {name: container["image"] for name, container in containers.items()}


def test_an_image_is_for_the_containers_that_name_none() -> None:
    """It is written into the data, and into what that is compared with."""
    collector = Collector()
    asked = score(SCORE, collector)
    assert _images(with_images(asked, {"web": "web:1"}, collector)) == {"built": "web:1", "named": "nginx"}
    assert _images(with_images(asked, {}, collector)) == {"built": ".", "named": "nginx"}
    assert not collector.errors


def test_an_image_for_a_workload_that_is_not_deployed_is_an_error() -> None:
    """The others are left as they are; a similar name is offered."""
    collector = Collector()
    assert _images(with_images(score(SCORE, collector), {"wbe": "x"}, collector)) == {
        "built": ".",
        "named": "nginx",
    }
    (error,) = collector.errors
    assert (error.code, error.help) == ("E0829", "did you mean web?")
