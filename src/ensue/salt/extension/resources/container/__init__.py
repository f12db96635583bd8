"""Resource type `container` of Salt Resources: running containers of podman or docker.

Its resources are those of ensue: what pillar declares, and what states register.
"""

from ensue.salt.extension.resource_type import give as _give

_give("container", globals())
