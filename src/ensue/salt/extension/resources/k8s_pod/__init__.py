"""Resource type `k8s_pod` of Salt Resources: running pods of a Kubernetes cluster.

Its resources are those of ensue: what pillar declares, and what states register.
"""

from ensue.salt.extension.resource_type import give as _give

_give("k8s_pod", globals())
