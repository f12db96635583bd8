"""Environment provider `sandbox`: a real SSH server process on this machine with its own file root.

Only the provider's four functions are public. `provider` manages the life of an environment; `server` is the
program that it starts; the other modules contain one part each (identity, record, root, namespace, keeper,
the SSH service). Nothing here connects to the environment: the resource type `ssh_host` does.

Source: derived-resources document, "A short-lived sandbox environment".
"""

from __future__ import annotations

from ensue.reach.resources.sandbox.provider import connection_info, deploy, destroy, observe

__all__ = ["connection_info", "deploy", "destroy", "observe"]
