"""The fields of Kubernetes objects that are passed on to manifests unchanged.

Source: the API reference of Kubernetes 1.37: PodSpec, Container, DeploymentSpec, ServiceSpec.
"""

from __future__ import annotations

from typing import Final

_POD: Final = """
    activeDeadlineSeconds affinity automountServiceAccountToken dnsConfig dnsPolicy enableServiceLinks
    evictionResponders schedulingGroup
    hostAliases
    hostIPC hostNetwork hostPID hostUsers hostname hostnameOverride imagePullSecrets initContainers nodeName
    nodeSelector os overhead preemptionPolicy priority priorityClassName readinessGates resourceClaims
    resources
    restartPolicy runtimeClassName schedulerName schedulingGates securityContext serviceAccount
    serviceAccountName
    setHostnameAsFQDN shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations
    topologySpreadConstraints
"""
_DEPLOYMENT: Final = "minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit strategy"
_SERVICE: Final = """
    allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalTrafficPolicy healthCheckNodePort
    internalTrafficPolicy ipFamilies ipFamilyPolicy loadBalancerClass loadBalancerIP loadBalancerSourceRanges
    publishNotReadyAddresses sessionAffinity sessionAffinityConfig trafficDistribution type
"""
_CONTAINER: Final = """
    envFrom imagePullPolicy lifecycle ports resizePolicy restartPolicy restartPolicyRules securityContext
    stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices workingDir
"""

POD: Final = frozenset(_POD.split())
"""Fields of a pod, except its containers and volumes."""

DEPLOYMENT: Final = frozenset(_DEPLOYMENT.split())
"""Fields of a Deployment, except its selector and its pod."""

SERVICE: Final = frozenset(_SERVICE.split())
"""Fields of a Service, except its selector and its ports."""

CONTAINER: Final = frozenset(_CONTAINER.split())
"""Fields of a container, except those for which a module has its own names."""

PROBE_TIMING: Final = (
    "failureThreshold", "initialDelaySeconds", "periodSeconds", "successThreshold",
    "terminationGracePeriodSeconds", "timeoutSeconds",
)  # fmt: skip
"""Fields of a probe that set when and how often it runs."""

PROBE_HANDLERS: Final = ("httpGet", "exec", "tcpSocket", "grpc")
"""Fields of a probe that set what it checks."""
