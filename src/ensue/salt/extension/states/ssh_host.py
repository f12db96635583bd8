"""State module `ssh_host`: SLS on a resource, and files from and to it.

The functions are those of ensue, in a run of their own.
"""

from __future__ import annotations

from typing import Any

from ensue.salt.extension.state_calls import state_applied as _state_applied


def state_applied(name: str, **arguments: Any) -> dict[str, Any]:
    """Apply SLS to a resource; ensue compiles and runs them.

    Args:
        name: the resource, by id or as `TYPE:ID`.
        **arguments: `mods`, the names of the SLS.

    Example:
        .. code-block:: yaml

            jumphost-env-01:
              ssh_host.state_applied:
                - mods: openvpn.init
    """
    return _state_applied(globals(), "ssh_host.state_applied", name, arguments)


def fetch_file(name: str, **arguments: Any) -> dict[str, Any]:
    """Copy a file from a resource to the minion if it differs.

    Args:
        name: the resource, by id or as `TYPE:ID`.
        **arguments: `remote_path`, `local_path`, `mode`, `makedirs`.

    Example:
        .. code-block:: yaml

            jumphost-env-01:
              ssh_host.fetch_file:
                - remote_path: /etc/openvpn/client.ovpn
                - local_path: /root/env-01-vpn.ovpn
    """
    return _state_applied(globals(), "ssh_host.fetch_file", name, arguments)


def send_file(name: str, **arguments: Any) -> dict[str, Any]:
    """Copy a file from the minion to a resource if it differs.

    Args:
        name: the resource, by id or as `TYPE:ID`.
        **arguments: `local_path`, `remote_path`, `mode`, `user`, `group`, `makedirs`.

    Example:
        .. code-block:: yaml

            web-01:
              ssh_host.send_file:
                - local_path: /srv/releases/2.1.tar
                - remote_path: /opt/shop/2.1.tar
    """
    return _state_applied(globals(), "ssh_host.send_file", name, arguments)
