"""Clusters, the servers of a machine, in Debian's layout (`pg_createcluster` and related programs).

Args:
    version: the server's version.
    name: the cluster's name.

Source: Salt's execution module `deb_postgres`, 3006; pg_createcluster(1), pg_lsclusters(1),
pg_dropcluster(1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_FIELDS: Final = 7


async def cluster_list(ctx: FunctionContext, verbose: bool = False) -> list[str] | dict[str, DataMap]:
    """Return the clusters of the target.

    Args:
        verbose: return details of each.

    Returns:
        Names as `version/name`; with `verbose` a mapping of names to `port`, `status`, `user`, `datadir` and
        `log`.
    """
    answer = await must(ctx, "pg_lsclusters", "--no-header", what="list the PostgreSQL clusters")
    clusters: dict[str, DataMap] = {}
    for line in answer.stdout.splitlines():
        fields = line.split(maxsplit=_FIELDS - 1)
        if len(fields) == _FIELDS:
            version, name, port, status, user, datadir, log = fields
            clusters[f"{version}/{name}"] = {
                "port": int(port), "status": status, "user": user, "datadir": datadir, "log": log.strip(),
            }  # fmt: skip
    return clusters if verbose else [*clusters]


async def cluster_exists(ctx: FunctionContext, version: str, name: str = "main") -> bool:
    """Return whether a cluster of this version and name exists.

    Example:
        ensue call '*' postgres.cluster_exists 17
    """
    return f"{version}/{name}" in await cluster_list(ctx)


async def cluster_create(
    ctx: FunctionContext,
    version: str,
    name: str = "main",
    *,
    port: int | None = None,
    locale: str | None = None,
    encoding: str | None = None,
    datadir: str | None = None,
    allow_group_access: bool | None = None,
    data_checksums: bool | None = None,
    wal_segsize: int | None = None,
) -> bool:
    """Create a cluster without starting it.

    Args:
        port: its port; None for the next free one.
        locale: the default locale of its databases.
        encoding: the default encoding of its databases.
        datadir: its data directory.
        allow_group_access: let members of the owner's group read its files.
        data_checksums: use checksums on data pages.
        wal_segsize: size of a segment of the write-ahead log, in megabytes.

    Example:
        ensue call '*' postgres.cluster_create 17
    """
    options = {"port": port, "locale": locale, "encoding": encoding, "datadir": datadir}
    words = [word for key, value in options.items() if value for word in (f"--{key}", str(value))]
    words += [str(version), name]
    further = ["--allow-group-access"] if allow_group_access is True else []
    further += ["--data-checksums"] if data_checksums is True else []
    further += ["--wal-segsize", str(wal_segsize)] if wal_segsize else []
    what = f"create the cluster {version}/{name}"
    await must(ctx, "pg_createcluster", *words, *(["--", *further] if further else []), what=what)
    return True


async def cluster_remove(ctx: FunctionContext, version: str, name: str = "main", stop: bool = False) -> bool:
    """Remove a cluster with all its data.

    Args:
        stop: stop it first.

    Example:
        ensue call '*' postgres.cluster_remove 17
    """
    words = [*(["--stop"] if stop else []), str(version), name]
    await must(ctx, "pg_dropcluster", *words, what=f"remove the cluster {version}/{name}")
    return True


FUNCTIONS: Final = by_name(cluster_create, cluster_exists, cluster_list, cluster_remove)
