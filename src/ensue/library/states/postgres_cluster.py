"""State module `postgres_cluster`: the PostgreSQL clusters of a Debian machine.

Notes:
    Clusters are those of Debian (`pg_createcluster`), and an existing cluster is never changed.

Source: Salt's state module `postgres_cluster`, 3008. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.placed_things import placed
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(
    ctx: StateContext,
    name: str,
    version: str | float,
    *,
    port: int | None = None,
    encoding: str | None = None,
    locale: str | None = None,
    datadir: str | None = None,
    allow_group_access: bool | None = None,
    data_checksums: bool | None = None,
    wal_segsize: int | None = None,
) -> StateReturn:
    """Create a cluster. An existing cluster is never changed.

    Args:
        name: the cluster.
        version: version of the server.
        port: its port.
        encoding: its character encoding.
        locale: locale of its databases.
        datadir: its data folder.
        allow_group_access: members of the owner's group may read its files.
        data_checksums: use checksums on data pages.
        wal_segsize: size of a WAL segment, in megabytes.

    Example:
        main:
          postgres_cluster.present:
            - version: '17'
            - encoding: UTF8
            - data_checksums: true

    Returns:
        `changes` has the cluster, with `Present`; `new_state` has `name version port datadir`.

    Raises:
        StateFailedError: the cluster cannot be created.
    """
    full_name = f"{version}/{name}"
    cluster = await _found(ctx, full_name)
    if cluster is not None:
        new_state = _state(name, str(version), cluster)
        if (port and int(port) != cluster["port"]) or (datadir and datadir != cluster["datadir"]):
            comment = f"Cluster {full_name} has wrong parameters which couldn't be changed on fly."
            return StateReturn.failed(name, comment)
        return StateReturn.unchanged(name, f"Cluster {full_name} is already present", new_state)
    changes: DataMap = {full_name: "Present"}
    before: DataMap = {"name": name, "version": str(version), "exists": False}
    if ctx.test:
        comment = f"Cluster {full_name} is set to be created"
        return StateReturn.planned(name, comment, changes, old_state=before)
    await ctx.call(
        "postgres.cluster_create", str(version), name, port=port, encoding=encoding, locale=locale,
        datadir=datadir, allow_group_access=allow_group_access, data_checksums=data_checksums,
        wal_segsize=wal_segsize,
    )  # fmt: skip
    now = await _found(ctx, full_name) or {}
    return StateReturn.changed(
        name,
        f"The cluster {full_name} has been created",
        changes,
        _state(name, str(version), now),
        old_state=before,
    )


async def absent(ctx: StateContext, name: str, version: str | float) -> StateReturn:
    """Remove a cluster with its data.

    Args:
        name: the cluster.
        version: version of the server.

    Example:
        main:
          postgres_cluster.absent:
            - version: '17'

    Returns:
        `changes` has the cluster, with `Absent`; `new_state` has `name version exists`.

    Raises:
        StateFailedError: the cluster cannot be removed.
    """
    full_name = f"{version}/{name}"
    gone: DataMap = {"name": name, "version": str(version), "exists": False}
    cluster = await _found(ctx, full_name)
    if cluster is None:
        comment = f"Cluster {full_name} is not present, so it cannot be removed"
        return StateReturn.unchanged(name, comment, gone)
    changes: DataMap = {name: "Absent"}
    if ctx.test:
        return StateReturn.planned(name, f"Cluster {full_name} is set to be removed", changes)
    await ctx.call("postgres.cluster_remove", str(version), name, stop=True)
    return StateReturn.changed(
        name,
        f"Cluster {full_name} has been removed",
        changes,
        gone,
        old_state=_state(name, str(version), cluster),
    )


async def _found(ctx: StateContext, full_name: str) -> DataMap | None:
    clusters: dict[str, DataMap] = await ctx.call("postgres.cluster_list", verbose=True)
    return clusters.get(full_name)


def _state(name: str, version: str, cluster: DataMap) -> DataMap:
    return {"name": name, "version": version, "port": cluster.get("port"), "datadir": cluster.get("datadir")}


FUNCTIONS: Final = placed(by_name(absent, present), "version")
