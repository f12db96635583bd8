"""Execution module `rabbitmq`: users, virtual hosts, policies, plug-ins and upstreams of a RabbitMQ broker.

It uses the target's `rabbitmqctl` and `rabbitmq-plugins`, from version 3.7 on, which introduced JSON output.
Passwords go to a program's standard input, never to its command line.

Args:
    runas: the user of the target who runs rabbitmqctl.
    vhost: the virtual host.

Source: Salt's execution module `rabbitmq`, 3008: names and return values; rabbitmqctl(8).
"""

from __future__ import annotations

from typing import Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules.rabbitmq import node, plugins, policies, upstreams, users, vhosts

FUNCTIONS: Final = by_name(
    node.FUNCTIONS, plugins.FUNCTIONS, policies.FUNCTIONS, upstreams.FUNCTIONS, users.FUNCTIONS,
    vhosts.FUNCTIONS,
)  # fmt: skip
