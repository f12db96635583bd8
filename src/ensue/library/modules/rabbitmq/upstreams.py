"""Federation upstreams: the brokers that messages come from.

An upstream's URI may contain a password. It therefore goes to the program's standard input, as a definition
to import; `rabbitmqctl set_parameter` accepts it only on its command line. This requires RabbitMQ 3.8.2 or
later.

Args:
    name: the upstream.

Source: Salt's execution module `rabbitmq`, 3008; rabbitmqctl(8), "import_definitions".
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.masking import url_passwords
from ensue.core.model.data import is_mapping
from ensue.library.modules._programs import must
from ensue.library.modules.rabbitmq.program import control, listed

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_COMPONENT: Final = "federation-upstream"


async def list_upstreams(ctx: FunctionContext, runas: str | None = None) -> dict[str, str]:
    """Return the definition of each upstream as JSON, by name."""
    upstreams: dict[str, str] = {}
    for row in await listed(ctx, "list_parameters", runas=runas):
        if row.get("component") == _COMPONENT:
            value = row.get("value")
            text = json.dumps(value) if is_mapping(value) else str(value)
            _mask_passwords(ctx, text)
            upstreams[str(row.get("name"))] = text
    return upstreams


async def upstream_exists(ctx: FunctionContext, name: str, runas: str | None = None) -> bool:
    """Return whether an upstream exists.

    Example:
        ensue call '*' rabbitmq.upstream_exists west
    """
    return name in await list_upstreams(ctx, runas)


async def set_upstream(
    ctx: FunctionContext, name: str, uri: str, *, runas: str | None = None, **options: Any
) -> bool:
    """Create or replace an upstream.

    Args:
        uri: its URI; several are separated by spaces.
        **options: see `definition_of`.

    Example:
        ensue call '*' rabbitmq.set_upstream east amqp://east.example.com
    """
    value = definition_of(uri, options)
    _mask_passwords(ctx, uri)
    parameter = {"component": _COMPONENT, "vhost": "/", "name": name, "value": value}
    await must(
        ctx,
        "rabbitmqctl",
        "--quiet",
        "import_definitions",
        what=f"set the upstream {name}",
        stdin=json.dumps({"parameters": [parameter]}).encode(),
        runas=runas,
    )
    return True


async def delete_upstream(ctx: FunctionContext, name: str, runas: str | None = None) -> bool:
    """Delete an upstream.

    Example:
        ensue call '*' rabbitmq.delete_upstream west
    """
    await control(ctx, "clear_parameter", _COMPONENT, name, runas=runas)
    return True


def definition_of(uri: str, options: dict[str, Any]) -> DataMap:
    """Return an upstream's definition as the broker stores it.

    Args:
        uri: its URI; several are separated by spaces.
        options: `prefetch_count`, `reconnect_delay`, `ack_mode`, `trust_user_id`, `exchange`, `max_hops`,
            `expires`, `message_ttl`, `ha_policy`, `queue`; those without a value are left out.
    """
    given = {"uri": uri, **options}
    return {word.replace("_", "-"): value for word, value in given.items() if value}


def _mask_passwords(ctx: FunctionContext, text: str) -> None:
    ctx.masker.add(*url_passwords(text))


FUNCTIONS: Final = by_name(delete_upstream, list_upstreams, set_upstream, upstream_exists)
