"""Execution modules of resources of the type `container`; Salt calls no others on them."""
