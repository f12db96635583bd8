"""State module `rabbitmq_upstream`: upstream brokers of a federation.

Notes:
    An upstream needs RabbitMQ 3.8.2.

Differences from Salt:
    A password in the URI goes to the input of `rabbitmqctl`; Salt puts it on the command line.

Source: Salt's state module `rabbitmq_upstream`, 3008. Unlike Salt's, a plan has `changes`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.masking import url_passwords
from ensue.core.model.data import is_mapping
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap


async def present(
    ctx: StateContext,
    name: str,
    uri: str,
    *,
    prefetch_count: int | None = None,
    reconnect_delay: int | None = None,
    ack_mode: str | None = None,
    trust_user_id: bool | None = None,
    exchange: str | None = None,
    max_hops: int | None = None,
    expires: int | None = None,
    message_ttl: int | None = None,
    ha_policy: str | None = None,
    queue: str | None = None,
    runas: str | None = None,
) -> StateReturn:
    """Create an upstream, or change it.

    Args:
        name: the upstream.
        uri: its URI, or several separated by blanks; passwords in them are masked.
        prefetch_count: maximum number of unacknowledged messages.
        reconnect_delay: seconds before a reconnect.
        ack_mode: `on-confirm`, `on-publish` or `no-ack`.
        trust_user_id: keep the `user-id` of messages.
        exchange: the exchange at the upstream.
        max_hops: maximum number of brokers that a message may pass.
        expires: milliseconds after which the upstream deletes the queue of an absent broker.
        message_ttl: milliseconds that messages are kept at the upstream.
        ha_policy: the argument `x-ha-policy` of the queue at the upstream.
        queue: the queue at the upstream.
        runas: the user of the target who runs rabbitmqctl.

    Example:
        west:
          rabbitmq_upstream.present:
            - uri: amqp://west.example.com
            - max_hops: 1

    Returns:
        `changes` has `old` and `new`, the options that differ; `new_state` has `name` and `definition`.

    Raises:
        StateFailedError: the broker reports an error.
    """
    passwords = (*url_passwords(uri),)
    ctx.masker.add(*passwords)
    sensitive = ("definition:uri",) if passwords else ()
    options: dict[str, Any] = {
        "prefetch_count": prefetch_count, "reconnect_delay": reconnect_delay, "ack_mode": ack_mode,
        "trust_user_id": trust_user_id, "exchange": exchange, "max_hops": max_hops, "expires": expires,
        "message_ttl": message_ttl, "ha_policy": ha_policy, "queue": queue,
    }  # fmt: skip
    given = {"uri": uri, **options}
    requested: DataMap = {word.replace("_", "-"): value for word, value in given.items() if value}
    upstream = await _found(ctx, name, runas)
    if upstream == requested:
        comment = f'Upstream "{name}" already present as specified.'
        return StateReturn.unchanged(
            name, comment, {"name": name, "definition": requested}, sensitive=sensitive
        )
    verb = "created" if upstream is None else "updated"
    changes: DataMap = _difference(upstream, requested)
    before: DataMap = {"name": name, **({"exists": False} if upstream is None else {"definition": upstream})}
    if ctx.test:
        comment = f'Upstream "{name}" would have been {verb}.'
        return StateReturn.planned(name, comment, changes, old_state=before, sensitive=sensitive)
    await ctx.call("rabbitmq.set_upstream", name, uri, runas=runas, **options)
    return StateReturn.changed(
        name,
        f'Upstream "{name}" {verb}.',
        changes,
        {"name": name, "definition": requested},
        old_state=before,
        sensitive=sensitive,
    )


async def absent(ctx: StateContext, name: str, *, runas: str | None = None) -> StateReturn:
    """Remove an upstream.

    Args:
        name: the upstream.
        runas: the user of the target who runs rabbitmqctl.

    Example:
        west:
          rabbitmq_upstream.absent

    Returns:
        `changes` has `old` and `new`; `new_state` has `name exists`.

    Raises:
        StateFailedError: the broker reports an error.
    """
    gone: DataMap = {"name": name, "exists": False}
    if await _found(ctx, name, runas) is None:
        return StateReturn.unchanged(name, f'The upstream "{name}" is already absent.', gone)
    changes: DataMap = {"old": name, "new": None}
    if ctx.test:
        return StateReturn.planned(name, f'Upstream "{name}" would have been deleted.', changes)
    await ctx.call("rabbitmq.delete_upstream", name, runas=runas)
    return StateReturn.changed(name, f'Upstream "{name}" has been deleted.', changes, gone)


async def _found(ctx: StateContext, name: str, runas: str | None) -> DataMap | None:
    upstreams: dict[str, str] = await ctx.call("rabbitmq.list_upstreams", runas=runas)
    if name not in upstreams:
        return None
    upstream: Any = json.loads(upstreams[name])
    return upstream if is_mapping(upstream) else {}


def _difference(upstream: DataMap | None, requested: DataMap) -> DataMap:
    if upstream is None:
        return {"old": None, "new": requested}
    words = {word for word in {*upstream, *requested} if upstream.get(word) != requested.get(word)}
    return {
        "old": {word: upstream[word] for word in sorted(words & upstream.keys())},
        "new": {word: requested[word] for word in sorted(words & requested.keys())},
    }


FUNCTIONS: Final = by_name(absent, present, make_only=())
