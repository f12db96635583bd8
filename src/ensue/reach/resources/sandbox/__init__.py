"""Environment provider `sandbox`: a real SSH server process on this machine with its own file root.

It needs no privileges. Nothing here connects to the environment: the resource type `ssh_host` does.
docs/environments.md has a complete example.

Args:
    isolation: `namespace`: commands and files see one root of their own; `none`: only files are confined;
        `auto`: `namespace` if the kernel permits it (`auto`)

Example:
    vm:
      starting_state.deployed:
        - name: lab
        - provider: sandbox
        - register_resources: true

Source: derived-resources document, "A short-lived sandbox environment".
"""

# Only the provider's four functions are public. `provider` manages the life of an environment; `server` is
# the program that it starts; the other modules contain one part each.

from __future__ import annotations

from ensue.reach.resources.sandbox.provider import connection_info, deploy, destroy, observe

__all__ = ["connection_info", "deploy", "destroy", "observe"]
