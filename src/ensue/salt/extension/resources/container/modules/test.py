"""Execution module `test` of resources of the type `container`: the functions of ensue."""

from ensue.salt.extension.resource_functions import give as _give

_give("test", globals())
