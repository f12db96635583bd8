"""Resource type `k8s_pod`: a running pod of a Kubernetes cluster, through `kubectl exec`.

docs/resources.md has more about it.

Args:
    namespace: namespace of the pod; default: that of the context
    pod: name of the pod; default: the id of the resource
    container: which of its containers; default: the choice of kubectl
    context: context of the kubeconfig; default: the current one
    kubeconfig: file of clusters and credentials
    kubectl: name or path of the client (`kubectl`)
    user: the user who runs commands and owns files; default: the user of the image
    workdir: the folder in which commands start; default: the home of the user
    env: variables of every command
    connect_timeout_s: seconds until a command must have started (30)
    timeout_s: limit in seconds for a command without a `timeout` of its own, and for each file operation
        (files: 3600)

Example:
    resources:
      k8s_pod:
        web-01: {namespace: shop, pod: web-0}
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.reach.resources.exec_config import checked_name, exec_faults, exec_settings, text
from ensue.reach.resources.posix_machine import gathered_grains, runs_a_command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.connection import Connection
    from ensue.core.contracts.resource_type import ResourceContext
    from ensue.core.model.data import ReadOnlyDataMap

SECRET_KEYS: frozenset[str] = frozenset()
"""No key of this type's configuration is a secret: the credentials are in the kubeconfig."""

_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "namespace": (str,),
    "pod": (str,),
    "container": (str,),
    "context": (str,),
    "kubeconfig": (str,),
    "kubectl": (str,),
}


def check(config: ReadOnlyDataMap) -> list[str]:
    """Return what is wrong with a configuration, one sentence per error."""
    return exec_faults(config, _KINDS, ("namespace", "pod", "container"))


def connect(context: ResourceContext) -> Connection:
    """Return the connection; does no I/O.

    Raises:
        ResourceError: the configuration is invalid; the text lists all errors.
    """
    from ensue.reach.resources.exec_connection import ExecConnection
    from ensue.reach.resources.k8s_pod.client import PodAddress, PodClient

    config = context.config
    name = checked_name(context, check(config), "pod")
    settings = exec_settings(config)
    address = PodAddress(
        pod=name,
        namespace=text(config, "namespace"),
        container=text(config, "container"),
        context=text(config, "context"),
        kubeconfig=text(config, "kubeconfig"),
        kubectl=text(config, "kubectl") or "kubectl",
    )
    client = PodClient(context.srn, address, user=text(config, "user"), limit_s=settings.connect_timeout_s)
    return ExecConnection(context.srn, settings, client, context.reach)


ping = runs_a_command
grains = gathered_grains
