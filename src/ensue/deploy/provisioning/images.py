"""Images from the command line, for containers whose image is `.`.

Source: the Score specification, where `.` stands for the image that a build makes of the folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_mapping
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.provisioning.workloads import Deployment, Workload
    from ensue.deploy.provisioning.written import TemplatedData
    from ensue.language.collector import Collector

ANY_WORKLOAD: Final = "*"
"""The key of the image for all workloads that are given and not named."""

_TO_BE_NAMED: Final = "."


def with_images(deployment: Deployment, images: Mapping[str, str], collector: Collector) -> Deployment:
    """Return a deployment with images from the command line for the containers whose image is `.`.

    Args:
        deployment: the deployment.
        images: workload to image.
        collector: receives the errors: workloads that do not exist.
    """
    if not images:
        return deployment
    names = {workload.name for workload in deployment.workloads}
    for unknown in sorted(set(images) - names):
        close = near_names(unknown, names)
        collector.error(
            "E0829",
            f"an image is given for the workload {unknown!r}, which is not deployed",
            None,
            help=close or f"the workloads are {', '.join(sorted(names)) or 'none'}",
        )
    workloads = tuple(_with_image(workload, images) for workload in deployment.workloads)
    return msgspec.structs.replace(deployment, workloads=workloads)


def _with_image(workload: Workload, images: Mapping[str, str]) -> Workload:
    image = images.get(workload.name)
    return (
        workload
        if image is None
        else msgspec.structs.replace(workload, module=_named(workload.module, image))
    )


def _named(module: TemplatedData, image: str) -> TemplatedData:
    return msgspec.structs.replace(
        module, data=image_filled(module.data, image), source=image_filled(module.source, image)
    )


def lacks_image(workload: Any) -> bool:
    """Return whether a container of a workload has the image `.`, which is still to be named.

    Args:
        workload: the module of a deployment set, or a whole Score file.
    """
    return bool(image_filled(workload, "named") != workload)


def image_filled(workload: Any, image: str) -> Any:
    """Return a workload in which no container has the image `.`.

    Args:
        workload: the module of a deployment set, or a whole Score file.
        image: the image for such containers; empty: they stay as they are.
    """
    if not image or not is_mapping(workload):
        return workload
    if is_mapping(spec := workload.get("spec")):
        return {**workload, "spec": image_filled(spec, image)}
    if not is_mapping(containers := workload.get("containers")):
        return workload
    filled = {
        name: {**container, "image": image}
        if is_mapping(container) and container.get("image") == _TO_BE_NAMED
        else container
        for name, container in containers.items()
    }
    return {**workload, "containers": filled}
