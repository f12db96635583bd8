"""Resource type `ssh_host` of Salt Resources: hosts with an SSH server.

Its resources are those of ensue: what pillar declares, and what states register.
"""

from ensue.salt.extension.resource_type import give as _give

_give("ssh_host", globals())
