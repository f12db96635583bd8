"""How long ensue waits for something outside of it, where nobody says otherwise.

Every wait for a host or a server has a deadline. This module has all defaults, and docs/semantics.md lists
them. A state's `timeout` is a deadline for everything that the state causes, these waits included.
"""

from __future__ import annotations

from typing import Final

CONNECT_S: Final = 10.0
"""One attempt to connect to an SSH host, including the login; also each answer before a session is open."""

START_S: Final = 30.0
"""The engine of a container, or the cluster of a pod, starts a command; busy machines need seconds."""

KEEPALIVE_S: Final = 15.0
"""The silence of an SSH host after which it is asked for a sign of life; three times, then it is lost."""

GRAINS_S: Final = 60.0
"""A host gives its grains, or answers a ping, connecting included."""

NEXT_GRAINS_S: Final = 2.0
"""The next of the hosts that an apply waits for gives its grains; the others join the run later."""

TRANSFER_S: Final = 3600.0
"""One file operation on a host, such as the transfer of a file."""

STILL_EXISTS_S: Final = 10.0
"""All looks whether what is no longer declared still exists."""

HTTP_SILENCE_S: Final = 60.0
"""A server sends the next part of its response."""

HTTP_TOTAL_S: Final = 3600.0
"""A server sends its whole response to a request for a source."""

HTTP_QUERY_S: Final = 60.0
"""A server sends its whole response to `http.query`."""

READY_S: Final = 300.0
"""A resource of a deployment becomes ready (`ready` of its definition)."""

READY_ATTEMPT_S: Final = 10.0
"""One attempt to reach a server that `ready` waits for."""

TERRAFORM_S: Final = 7200.0
"""One create, update, plan or delete by terraform, with the fetching of its configuration."""

TERRAFORM_END_S: Final = 300.0
"""What was interrupted ends its operations and writes its state; then it is killed."""

GIT_QUERY_S: Final = 60.0
"""A Git server says which commit a branch or tag is."""

HOOK_S: Final = 60.0
"""The hooks `init`, `discover` and `connect` of a resource type."""

WHEELS_S: Final = 600.0
"""pip fetches the wheels of ensue for minions with another Python."""

FLEET_BUS_S: Final = 5.0
"""The event bus of Salt's master accepts a connection."""

FLEET_SILENCE_S: Final = 60.0
"""A minion of a fleet that has a job gives the next sign of life."""

FLEET_TAKEOVER_S: Final = 300.0
"""On a minion, a process whose relay was killed, and the commands that it has left running, end."""

FLEET_RUN_S: Final = 86400.0
"""A whole run over minions of a fleet, all batches included."""

FLEET_RESUME_S: Final = 3600.0
"""On a minion, states that wait for other minions go on waiting after the coordinator was interrupted."""

EVENTS_SILENCE_S: Final = 60.0
"""At the end of a command, the reader of `--events` takes the next lines."""

SHUTDOWN_S: Final = 10.0
"""The hook `shutdown` of a resource type."""
