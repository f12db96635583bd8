"""What a deployment set deploys, for people: each workload and shared resource as its author wrote it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.masking import literal_part
from ensue.core.model.secret_values import secret_values
from ensue.deploy.environments.deployment_files import load_kept
from ensue.deploy.provisioning.images import image_filled
from ensue.deploy.provisioning.score_files import is_score
from ensue.deploy.provisioning.set_differences import SetContents
from ensue.language.collector import Collector

if TYPE_CHECKING:
    from ensue.core.masking import Masker
    from ensue.deploy.provisioning.environment_sets import DeploymentSet


def contents_of(set_: DeploymentSet, masker: Masker) -> SetContents:
    """Return what a deployment set deploys.

    Args:
        set_: the set.
        masker: receives its secrets, and the values that are secrets judging by the names of their keys.

    Raises:
        CompileError: a document cannot be read, which an earlier version could read.
    """
    collector = Collector()
    documents = load_kept(set_.documents, collector, {})
    collector.stop_on_errors()
    masker.add(*set_.secrets)
    written = {"documents": [document.data for document in documents], "values": set_.values}
    # A placeholder is no secret, whatever its key.
    masker.add_guessed(
        *(secret_value for secret_value in secret_values(written) if literal_part(secret_value))
    )
    workloads: dict[str, Any] = {}
    shared: dict[str, Any] = {}
    for document in documents:
        data = document.data
        for name, image in document.kept.workloads.items():
            workloads[name] = image_filled(data if is_score(data) else data["modules"][name], image)
        shared.update((name, data["shared"][name]) for name in document.kept.shared)
    return SetContents(dict(sorted(workloads.items())), dict(sorted(shared.items())), set_.values)
