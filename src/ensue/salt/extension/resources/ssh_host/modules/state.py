"""Execution module `state` of resources of the type `ssh_host`: runs of ensue on the resource."""

from ensue.salt.extension.resource_states import give as _give

_give(globals())
