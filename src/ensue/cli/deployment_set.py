"""The options that say what a deployment deploys besides files: what stays, what leaves, an earlier one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click
import msgspec

from ensue.cli.complete import complete_deployment, complete_shared, complete_workload
from ensue.cli.deployment import DeploymentNumber

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.deployment import DeploymentOrder


class SetWords(NamedTuple):
    """The options, as given on the command line.

    Args:
        merge: `--merge`.
        drop_workloads: `--drop-workload`.
        drop_shared: `--drop-shared`.
        source: `--from`, the number of a deployment; None: it is not given.
        to_env: `--to-env`.
    """

    merge: bool
    drop_workloads: tuple[str, ...]
    drop_shared: tuple[str, ...]
    source: int | None
    to_env: str | None

    @property
    def names_a_set(self) -> bool:
        """Whether they say by themselves what is deployed: no file is needed."""
        return self.merge or bool(self.drop_workloads or self.drop_shared) or self.source is not None

    def applied_to(self, order: DeploymentOrder) -> DeploymentOrder:
        """Return a deployment as these options want it.

        Args:
            order: the deployment without them.

        Raises:
            click.UsageError: they contradict each other, or the deployment.
        """
        from ensue.core.contracts.deployment import DeploymentSource

        if order.destroy and (self.names_a_set or self.to_env):
            raise click.UsageError(
                "--destroy removes the whole environment: it takes no --merge, no --drop-… and no --from"
            )
        if self.source is not None and order.files:
            raise click.UsageError("--from deploys what an earlier deployment had: it takes no files")
        if self.to_env is not None and self.source is None:
            raise click.UsageError("--to-env goes with --from: the deployment of --env that it is to get")
        return msgspec.structs.replace(
            order,
            env=self.to_env or order.env,
            merge=self.merge,
            drop_workloads=self.drop_workloads,
            drop_shared=self.drop_shared,
            source=None if self.source is None else DeploymentSource(env=order.env, number=self.source),
        )


def set_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options; their values have the names of the fields of `SetWords`."""
    for option in (
        click.option(
            "--to-env",
            metavar="ENV",
            help="Deploy what --from names into this environment instead of --env; --env-type is its type.",
        ),
        click.option(
            "--from",
            "source",
            metavar="NUMBER",
            type=DeploymentNumber(),
            shell_complete=complete_deployment,
            help="Deploy what deployment NUMBER of the environment had, instead of files; or `last`.",
        ),
        click.option(
            "--drop-shared",
            metavar="NAME",
            multiple=True,
            shell_complete=complete_shared,
            help="Take a shared resource of a deployment set out of the environment, and keep the others. "
            "May be given several times.",
        ),
        click.option(
            "--drop-workload",
            "drop_workloads",
            metavar="NAME",
            multiple=True,
            shell_complete=complete_workload,
            help="Take a workload out of the environment, and keep the others. May be given several times.",
        ),
        click.option(
            "--merge",
            is_flag=True,
            help="Keep the other workloads and shared resources of the environment as they were deployed "
            "last. Without it, the files are the whole environment.",
        ),
    ):
        function = option(function)
    return function
