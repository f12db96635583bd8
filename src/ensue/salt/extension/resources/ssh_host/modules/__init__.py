"""Execution modules of resources of the type `ssh_host`; Salt calls no others on them."""
