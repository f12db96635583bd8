"""What the driver `kubernetes` records of a resource in its cookie."""

from __future__ import annotations

import msgspec

from ensue.deploy.kubernetes.cluster import ClusterAccess  # noqa: TC001 -- msgspec reads the annotations
from ensue.deploy.kubernetes.manifests import ObjectKey  # noqa: TC001 -- msgspec reads the annotations


class RecordedObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object as recorded in the cookie.

    Args:
        key: its name in the cluster.
        uid: its uid; empty: it has not been applied as far as is known.
    """

    key: ObjectKey
    uid: str = ""


class KubernetesCookie(msgspec.Struct, frozen=True, kw_only=True):
    """What an update and a delete need.

    Args:
        objects: the applied objects, in order.
        access: how their cluster is reached.
        server: the URL of its API server.
    """

    objects: list[RecordedObject]
    access: ClusterAccess
    server: str
