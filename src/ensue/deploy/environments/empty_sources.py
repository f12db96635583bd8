"""Earlier deployments that `--from` cannot bring back: a removal, after which an environment has nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.deploy.provisioning.deployment_records import DeploymentRecord, KeptDeployment
    from ensue.language.collector import Collector


def refuse_empty_source(
    source: KeptDeployment, environment: str, others: Iterable[DeploymentRecord], collector: Collector
) -> None:
    """Report that an earlier deployment has nothing that could be deployed.

    Args:
        source: the earlier deployment.
        environment: its environment, for the message.
        others: the records of the environment, the newest first.
        collector: receives the error.
    """
    if source.set.documents:
        return
    before = [
        each.number
        for each in others
        if each.number < source.record.number and each.command != "destroy" and each.result == "succeeded"
    ]
    is_removal = source.record.command == "destroy"
    collector.error(
        "E0854",
        f"deployment {source.record.number} of {environment} has no resources",
        None,
        detail="it removed the environment" if is_removal else "",
        help=f"give the number of an earlier one: --from {before[0]}"
        if before
        else "`ensue deployments list` shows all",
    )
