"""Kubernetes objects: manifests, and the cluster to which they are applied.

It does not depend on resources or drivers. The official client is imported on the first connection.
"""
