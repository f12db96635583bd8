"""The history of an environment: what each of its deployments was, and how it ended.

Source: Humanitec, "Deployments": each environment holds a history of all deployments into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ensue.deploy.provisioning.environment_sets import DeploymentSet
    from ensue.deploy.provisioning.identity import Context

KEPT_DEPLOYMENTS: Final = 50
"""How many deployments of an environment are kept, the newest ones."""

Result: TypeAlias = Literal["unfinished", "succeeded", "failed", "interrupted"]
"""How a deployment ended. One that is `unfinished` is running, or its process was killed."""


class DeploymentRecord(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A deployment of an environment.

    Args:
        number: counts the deployments of the environment, from 1.
        env_type: the type of the environment.
        started_at_s: when it began, in seconds since 1970.
        by: who started it, `USER@HOST`.
        command: what was done: `deploy`, `merge`, or `destroy`.
        files: the files that it was given, as messages show them.
        source: the earlier deployment whose set was deployed, `ENV NUMBER`; empty: there is none.
        dropped: what it took out of the environment: `workload api`, `shared dns`.
        definitions: the hash of each definition that was used, by its id.
        graph: the hash of the graph.
        ttl_s: how long the environment lives after it, in seconds; 0: without end.
        expires_at_s: when the environment expires, in seconds since 1970; 0: never.
        result: how it ended.
        ended_at_s: when it ended, in seconds since 1970; 0: it has not, or was killed.
        statuses: how many resources had each status at the end.
    """

    number: int
    env_type: str
    started_at_s: float
    by: str
    command: Literal["deploy", "merge", "destroy"]
    files: tuple[str, ...] = ()
    source: str = ""
    dropped: tuple[str, ...] = ()
    definitions: dict[str, str] = {}
    graph: str = ""
    ttl_s: float = 0
    expires_at_s: float = 0
    result: Result = "unfinished"
    ended_at_s: float = 0
    statuses: dict[str, int] = {}

    @property
    def is_removal(self) -> bool:
        """Whether nothing of the environment is left after it."""
        return self.command == "destroy" and self.result == "succeeded"

    def has_expired(self, now_s: float) -> bool:
        """Return whether the environment, if this is its last deployment, is to be removed.

        Args:
            now_s: the moment, in seconds since 1970.
        """
        return bool(self.expires_at_s) and self.expires_at_s <= now_s and not self.is_removal


def living(records: Iterable[tuple[Context, DeploymentRecord]]) -> list[Context]:
    """Return the environments of which something is left.

    Args:
        records: deployments with their environments, the newest of each environment first.
    """
    newest: dict[str, tuple[Context, DeploymentRecord]] = {}
    for context, record in records:
        newest.setdefault(context.environment, (context, record))
    return [context for context, record in newest.values() if not record.is_removal]


class KeptDeployment(NamedTuple):
    """A deployment with what was deployed.

    Args:
        record: the deployment.
        set: what the environment was deployed from.
    """

    record: DeploymentRecord
    set: DeploymentSet


class DeploymentHistory(Protocol):
    """The deployments of all environments."""

    def newest(self, context: Context) -> KeptDeployment | None:
        """Return the last deployment of an environment, None: there was none; this blocks.

        Raises:
            StoreError: it cannot be read or decrypted.
        """
        ...

    def find(self, context: Context, number: int) -> KeptDeployment | None:
        """Return a deployment of an environment, None: it is not kept; this blocks.

        Raises:
            StoreError: it cannot be read or decrypted.
        """
        ...

    def records(
        self, app: str | None = None, env: str | None = None, org: str | None = None
    ) -> list[tuple[Context, DeploymentRecord]]:
        """Return the records of deployments, of one environment or of all; this blocks.

        Raises:
            StoreError: they cannot be read or decrypted.
        """
        ...

    def begin(self, context: Context, deployment: KeptDeployment) -> None:
        """Keep a deployment that begins: from now on its set is that of the environment. This blocks.

        Raises:
            StoreError: it cannot be written, or the environment was deployed since its number was chosen.
        """
        ...

    def end(self, context: Context, record: DeploymentRecord) -> None:
        """Keep how a deployment ended; this blocks.

        Raises:
            StoreError: it cannot be written.
        """
        ...
