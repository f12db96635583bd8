"""The history of an environment, for one deployment: which set it deploys, and the record of it.

The store knows the set of an environment; a checkout needs only the files of its own workloads.
"""

from __future__ import annotations

import socket
import time
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import StoreError
from ensue.core.model.data import leaves
from ensue.core.model.this_user import this_user
from ensue.deploy.environments.deployment_checks import refuse_wrong_drops
from ensue.deploy.environments.deployment_files import load_kept, shown
from ensue.deploy.environments.empty_sources import refuse_empty_source
from ensue.deploy.environments.known_environments import kept_deployment
from ensue.deploy.environments.missing_images import notice_missing_images
from ensue.deploy.environments.new_environments import notice_new_environment, refuse_misspelt_type
from ensue.deploy.environments.set_warnings import changed_definitions_warning, leaving_warning
from ensue.deploy.provisioning.deployment_records import DeploymentRecord, KeptDeployment, living
from ensue.deploy.provisioning.environment_sets import DeploymentSet, Names, deployment_set, names_of, without
from ensue.deploy.provisioning.images import ANY_WORKLOAD

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ensue.core.contracts.deployment import DeploymentOrder
    from ensue.core.model.report import RunReport
    from ensue.deploy.environments.built_graph import BuiltGraph
    from ensue.deploy.environments.deploying_project import DeployingProject
    from ensue.deploy.environments.deployment_files import LoadedDocument
    from ensue.deploy.environments.deployment_reader import DeploymentReader
    from ensue.deploy.environments.refusals import Refusals
    from ensue.deploy.provisioning.identity import Context
    from ensue.deploy.provisioning.outcomes import NodeOutcome
    from ensue.language.collector import Collector


class RequestedSet(NamedTuple):
    """What an environment is deployed from, by one deployment.

    Args:
        documents: the documents.
        values: values of the environment, for Score's types `environment` and `service`.
        leaving: what the environment has now, and the deployment neither has nor drops.
        arriving: what the deployment has and the environment has not; only where something leaves.
        number: the number of the deployment.
    """

    documents: tuple[LoadedDocument, ...] = ()
    values: Mapping[str, Any] = {}
    leaving: Names = Names()
    arriving: Names = Names()
    number: int = 1


class EnvironmentHistory:
    """Reads the set of an environment for one deployment, and keeps the deployment.

    Args:
        services: the project.
        deployments: reads the files.
        order: what is deployed, and where.
        refusals: what the deployment is refused for.
        clock: returns seconds since 1970.
    """

    def __init__(
        self,
        services: DeployingProject,
        deployments: DeploymentReader,
        order: DeploymentOrder,
        refusals: Refusals,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._services = services
        self._deployments = deployments
        self._order = order
        self._refusals = refusals
        self._clock = clock
        self._record: DeploymentRecord | None = None
        self._source: KeptDeployment | None = None
        self._before: DeploymentRecord | None = None

    def requested(self, context: Context, collector: Collector) -> RequestedSet:
        """Return what is to be deployed; this blocks.

        Args:
            context: the environment.
            collector: receives the errors.

        Raises:
            StoreError: the set of the environment cannot be read.
        """
        order = self._order
        newest = self._services.history.newest(context)
        self._before = None if newest is None else newest.record
        if order.newest is not None and (self._before is None or self._before.number != order.newest):
            raise StoreError(f"{context.environment} was deployed meanwhile (nothing was done)")
        number = 1 if newest is None else newest.record.number + 1
        before = DeploymentSet() if newest is None else newest.set
        self._services.masker.add(*before.secrets)
        if order.destroy:
            return RequestedSet(number=number)
        given, values = self._given(context, before, collector)
        notice_missing_images(given, before.documents, collector, self._refusals)
        if not order.keeps_others:
            all_given = names_of([document.kept for document in given])
            leaving, arriving = before.names.minus(all_given), all_given.minus(before.names)
            return RequestedSet(tuple(given), values, leaving, arriving, number)
        if newest is None:
            self._refuse_unknown_set(context, collector)
        dropped = Names(frozenset(order.drop_workloads), frozenset(order.drop_shared))
        new = names_of([document.kept for document in given])
        refuse_wrong_drops(context, dropped, before.names, new, collector)
        gone = Names(new.workloads | dropped.workloads, new.shared | dropped.shared)
        named = {name: image for name, image in order.images.items() if name != ANY_WORKLOAD}
        others = load_kept(without(before.documents, gone), collector, named)
        return RequestedSet((*others, *given), {**before.values, **values}, number=number)

    def _given(
        self, context: Context, before: DeploymentSet, collector: Collector
    ) -> tuple[list[LoadedDocument], Mapping[str, Any]]:
        """Return the documents and values that are to be deployed: of files, or of an earlier deployment.

        A deployment of another environment gives no values: they are those of its own environment.
        """
        order = self._order
        if order.source is None:
            return self._deployments.loaded(order.files, collector, order.images), order.values
        there = replace(context, env=order.source.env)
        history = self._services.history
        self._source = source = kept_deployment(history, there, order.source.number)
        records = (record for _, record in history.records(there.app, there.env, there.org))
        refuse_empty_source(source, there.environment, records, collector)
        self._services.masker.add(*source.set.secrets)
        values = source.set.values if order.source.env == order.env else before.values
        label = f"deployment {source.record.number} of {there.environment}"
        documents = (replace(document, since=0) for document in source.set.documents)
        return load_kept(documents, collector, order.images, label), {**values, **order.values}

    def notices(
        self, context: Context, requested: RequestedSet, built: BuiltGraph | None
    ) -> list[Diagnostic]:
        """Return what is to be said before anything runs: what leaves, and which definitions are other ones.

        Args:
            context: the environment.
            requested: what is deployed.
            built: the graph; None: the environment is destroyed.
        """
        diagnostics: list[Diagnostic] = []
        if requested.leaving:
            is_pruned = self._order.prune
            leaving, arriving = requested.leaving, requested.arriving
            diagnostics.append(leaving_warning(context, leaving, arriving, is_pruned=is_pruned))
        if self._source is not None and built is not None:
            record, env = self._source.record, context.env
            if self._order.source is not None:
                env = self._order.source.env
            source = replace(context, env=env, env_type=record.env_type or context.env_type)
            if warning := changed_definitions_warning(record, source, built):
                diagnostics.append(warning)
        return diagnostics

    @property
    def has_nothing(self) -> bool:
        """Whether the environment was never deployed, or is removed."""
        return self._before is None or self._before.is_removal

    def notice_new(self, context: Context, built: BuiltGraph | None, collector: Collector) -> None:
        """Warn of an environment that was never deployed, or refuse one that looks misspelt; this blocks.

        Args:
            context: the environment.
            built: the graph, whose definitions name types of environments.
            collector: receives the warning.

        Raises:
            StoreError: the environments of the store cannot be read.
        """
        if self._before is None and not self._order.destroy and not self._order.new_env:
            records = self._services.history.records(org=context.org)
            ever = [known for known, _ in records]
            notice_new_environment(context, living(records), ever, collector, self._refusals)
            used = {record.env_type for _, record in records}
            refuse = self._refusals.into(collector)
            refuse_misspelt_type(context, built.env_types if built else (), used, refuse)

    def begin(self, context: Context, requested: RequestedSet, built: BuiltGraph | None) -> None:
        """Keep the deployment, which begins: its set is that of the environment from now on. This blocks.

        Args:
            context: the environment.
            requested: what is deployed.
            built: the graph; None: the environment is destroyed.

        Raises:
            StoreError: it cannot be written, or the environment has been deployed since its set was read.
        """
        order, root = self._order, self._services.settings.root
        started_at_s, before = self._clock(), self._before
        has_lived_on = before is not None and not before.is_removal
        ttl_s = order.ttl_s if order.ttl_s is not None else before.ttl_s if before and has_lived_on else 0
        expires_at_s = started_at_s + ttl_s if ttl_s else 0
        record = DeploymentRecord(
            number=requested.number,
            env_type=context.env_type or (before.env_type if before else ""),
            started_at_s=started_at_s,
            ttl_s=ttl_s,
            # A removal that fails is tried again by the next one.
            expires_at_s=before.expires_at_s if order.destroy and before else expires_at_s,
            by=f"{this_user()}@{socket.gethostname()}",
            command="destroy" if order.destroy else "merge" if order.keeps_others else "deploy",
            files=tuple(shown(path, root) for path in order.files),
            source=self._source_name(),
            dropped=(
                *(f"workload {name}" for name in order.drop_workloads),
                *(f"shared {name}" for name in order.drop_shared),
            ),
            definitions=built.digests if built else {},
            graph=built.graph.hash if built else "",
        )
        kept = (document.to_keep() for document in requested.documents)
        set_ = deployment_set(
            (replace(document, since=document.since or requested.number) for document in kept),
            requested.values,
            self._secrets(requested.values),
        )
        self._services.history.begin(context, KeptDeployment(record, set_))
        self._record = record

    def grew(self, built: BuiltGraph) -> None:
        """Note the graph that more resources have joined, to be kept at the end."""
        if self._record is not None:
            self._record = replace(self._record, definitions=built.digests, graph=built.graph.hash)

    def end(self, context: Context, nodes: Iterable[NodeOutcome], report: RunReport | None) -> None:
        """Keep how the deployment ended, if it had begun; this blocks.

        Args:
            context: the environment.
            nodes: the outcome of every resource.
            report: the run; None: it is part of another one.

        Raises:
            StoreError: it cannot be written.
        """
        if self._record is None:
            return
        statuses = Counter(resource.outcome.status for resource in nodes)
        is_bad = statuses["failed"] or statuses["skipped"] or (report is not None and report.exit_code)
        is_interrupted = report is not None and report.status == "interrupted"
        record = replace(
            self._record,
            result="interrupted" if is_interrupted else "failed" if is_bad else "succeeded",
            ended_at_s=self._clock(),
            statuses=dict(sorted(statuses.items())),
        )
        self._services.history.end(context, record)

    def _source_name(self) -> str:
        if self._order.source is None or self._source is None:
            return ""
        return f"{self._order.source.env} {self._source.record.number}"

    def _secrets(self, values: Any) -> set[str]:
        """Return the secrets in values: an SLS may have taken them from another state."""
        return {secret for leaf in leaves(values) for secret in self._services.masker.secrets_in(str(leaf))}

    def _refuse_unknown_set(self, context: Context, collector: Collector) -> None:
        """Report an environment that has resources and no set, which an ensue without sets has deployed."""
        if self._services.active.load(context):
            collector.error(
                "E0853",
                f"the store does not know what {context.environment} was deployed from",
                None,
                detail="it was deployed last by a version of ensue that did not keep that",
                help="deploy all files of the environment once, without --merge",
            )


def unwritten_records(error: StoreError) -> Diagnostic:
    """Return the warning that records of resources could not be written."""
    return Diagnostic(
        code="E0112",
        summary=f"records of resources were not written: {error}",
        detail="the next deployment calls their drivers again",
        help="make room on the disk, or the file writable, and deploy again",
    )
