"""State module `event`: records events.

ensue has no event bus. An event is the return of the state in the output and in the run's journal; its
`new_state` has the tag and the data.

Notes:
    The state acts each time it runs. An event is the return of the state, in the output and in the journal.

Differences from Salt:
    There is no event bus. `preload` and `with_…` have no effect.

Source: Salt's state module `event`, 3008: results, changes and comments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes, by_name
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_WITHOUT_EFFECT: Final = ("preload", "with_env", "with_grains", "with_pillar")


@also_takes(*_WITHOUT_EFFECT)
def send(
    ctx: StateContext, name: str, *, data: Data = None, show_changed: bool = True, **kwargs: Data
) -> StateReturn:
    """Record an event, each time the state runs.

    Args:
        name: the event's tag.
        data: data of the event.
        show_changed: report the event as a change.
        **kwargs: further arguments of Salt's function; a warning names those that would add data to the
            event.

    Example:
        shop/deployed:
          event.fire_master:
            - data: {version: 2.1}

    Returns:
        `changes` and `new_state` have `tag` and `data`.
    """
    event: DataMap = {"tag": name, "data": data}
    changes = event if show_changed else {}
    if ctx.test:
        return StateReturn.planned(name, "Event would have been fired", changes)
    idle = [word for word in _WITHOUT_EFFECT if kwargs.get(word)]
    warnings = (f"event.send: {', '.join(idle)} has no effect; add it to `data`",) if idle else ()
    return StateReturn.changed(name, "Event fired", changes, event, warnings=warnings)


@also_takes("data", "show_changed", *_WITHOUT_EFFECT)
def wait(ctx: StateContext, name: str, **kwargs: Data) -> StateReturn:  # kept for mod_watch
    """Do nothing, unless a watched state has changes; then record the event.

    Args:
        name: the event's tag.
        **kwargs: the arguments of `send`.

    Example:
        shop:
          git.latest:
            - name: https://example.com/shop.git
            - target: /srv/shop

        shop/deployed:
          event.wait:
            - data: {version: 2.1}
            - watch: [{git: shop}]
    """
    return StateReturn(name=name, result=True)


def mod_watch(ctx: StateContext, name: str, sfun: str = "send", **kwargs: Any) -> StateReturn:
    """Record the event of a state whose watched states have changes.

    Args:
        name: the event's tag.
        sfun: name of the state function, which makes no difference.
        **kwargs: the arguments of `send`.
    """
    del sfun
    return send(ctx, name, **kwargs)


FUNCTIONS: Final = by_name(mod_watch, send, wait, fire_master=send, make_only=())

MOD_WATCH = mod_watch
