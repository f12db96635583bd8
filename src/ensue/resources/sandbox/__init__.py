"""Environment provider `sandbox`: a real SSH server process on this machine with a file root of its own.

The provider's four functions, and nothing else, are public. `provider` drives the life of an
environment; `server` is the program that it starts; the other modules hold one part each
(identity, record, root, namespace, keeper, the SSH service). Nothing here connects to the
environment: that is what resource type `ssh_host` is for.

Source: derived-resources document, "A short-lived sandbox environment".
"""

from __future__ import annotations

from ensue.resources.sandbox.provider import connection_info, deploy, destroy, observe

__all__ = ["connection_info", "deploy", "destroy", "observe"]
