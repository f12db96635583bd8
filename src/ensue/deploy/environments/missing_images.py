"""Workloads that are deployed although nobody has named their image: `image: .` leaves it to the build.

Source: the Score specification, where `.` stands for the image that a build makes of the folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_mapping
from ensue.deploy.provisioning.images import lacks_image

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.deploy.environments.deployment_files import LoadedDocument
    from ensue.deploy.environments.refusals import Refusals
    from ensue.deploy.provisioning.environment_sets import SetDocument
    from ensue.language.collector import Collector


def notice_missing_images(
    given: Iterable[LoadedDocument],
    before: Iterable[SetDocument],
    collector: Collector,
    refusals: Refusals,
) -> None:
    """Warn of workloads without an image, and refuse to take away the one that the last deployment had.

    Args:
        given: what is deployed.
        before: what the environment was deployed from last.
        collector: receives the warnings and errors.
        refusals: what the deployment is refused for.
    """
    had = {name: image for document in before for name, image in document.workloads.items() if image}
    refuse = refusals.into(collector)
    for document in given:
        for name, image in document.kept.workloads.items():
            if image or not lacks_image(_workload(document.data, name)):
                continue
            last = had.get(name)
            lost = f": it had {last}" if last else ""
            report = refuse if last else collector.warning
            report(
                "E0808",
                f"the workload {name} has no image{lost}",
                document.document.source_span(1),
                detail="`image: .` leaves it to whoever deploys",
                help=f"name it: --image {name}={last or 'IMAGE'} (`images` of graph.deployed)",
            )


def _workload(data: Any, name: str) -> Any:
    """Return a workload of a document: its module in a deployment set, or the whole Score file."""
    modules = data.get("modules") if is_mapping(data) else None
    return modules.get(name) if is_mapping(modules) else data
