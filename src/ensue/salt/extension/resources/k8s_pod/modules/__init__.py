"""Execution modules of resources of the type `k8s_pod`; Salt calls no others on them."""
