"""Objects of a Kubernetes cluster: manifests, and the cluster that they are applied to.

Nothing here knows of resources or drivers. The official client is imported when a cluster is connected to.
"""
