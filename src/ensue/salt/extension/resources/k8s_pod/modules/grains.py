"""Execution module `grains` of resources of the type `k8s_pod`: the functions of ensue."""

from ensue.salt.extension.resource_functions import give as _give

_give("grains", globals())
