"""`selinux.boolean`: booleans of the policy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.selinux.queries import asked

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap

_WORDS = {
    **dict.fromkeys(("1", "on", "yes", "true"), "on"),
    **dict.fromkeys(("0", "off", "no", "false"), "off"),
}


async def boolean(
    ctx: StateContext,
    name: str,
    value: Any = None,
    booleans: dict[str, Any] | list[Any] | None = None,
    persist: bool = False,
) -> StateReturn:
    """Turn booleans of the policy on or off.

    Args:
        name: the boolean, or any name if `booleans` is given.
        value: on or off.
        booleans: several booleans: a mapping of names to values, or a list of names that get `value`.
        persist: also after a reboot.

    Example:
        httpd_can_network_connect:
          selinux.boolean:
            - value: true
            - persist: true

    Returns:
        `changes` has `old` and `new` by boolean; with `persist`, each is a pair of the present and the
        permanent value. `new_state` has `booleans persist`.

    Raises:
        StateFailedError: a value is invalid, a boolean does not exist, or the target has no SELinux.
    """
    requested = {key: _word(key, given) for key, given in _given(name, value, booleans).items()}
    known: dict[str, dict[str, str]] | StateReturn = await asked(ctx, name, "selinux.list_sebool")
    if isinstance(known, StateReturn):
        return known
    unknown = [key for key in requested if key not in known]
    if unknown:
        # In a plan, an earlier state may be about to install the module of the boolean.
        comment = f"Boolean {unknown[0]} is not available"
        return StateReturn(name=name, result=None if ctx.test else False, comment=comment)
    changes: DataMap = {}
    for key, word in requested.items():
        now, later = known[key]["State"], known[key]["Default"]
        if now != word or (persist and later != word):
            changes[key] = {"old": _shown(now, later, persist), "new": _shown(word, word, persist)}
    settled = sorted(key for key in requested if key not in changes)
    comments = [f"The following booleans were in the correct state: {', '.join(settled)}"] if settled else []
    new_state: DataMap = {"booleans": {**requested}, "persist": persist}
    if not changes:
        return StateReturn.unchanged(name, "\n".join(comments), new_state)
    verb = "would be" if ctx.test else "have been"
    comments.append(f"The following booleans {verb} changed: {', '.join(sorted(changes))}")
    if ctx.test:
        return StateReturn.planned(name, "\n".join(comments), changes)
    if not await ctx.call("selinux.setsebools", {key: requested[key] for key in changes}, persist):
        return StateReturn.failed(name, f"Failed to set the following booleans: {', '.join(sorted(changes))}")
    return StateReturn.changed(name, "\n".join(comments), changes, new_state)


def _given(name: str, value: Any, booleans: dict[str, Any] | list[Any] | None) -> dict[str, Any]:
    if not booleans:
        return {name: value}
    if isinstance(booleans, dict):
        return booleans
    values: dict[str, Any] = {}
    for each in booleans:
        values |= each if isinstance(each, dict) else {str(each): value}
    return values


def _word(name: str, value: Any) -> str:
    word = _WORDS.get(str(value).lower())
    if word is None:
        raise StateFailedError(f"{value} is not a valid value for the boolean {name}: it is on or off")
    return word


def _shown(now: str, later: str, persist: bool) -> Data:
    return [now, later] if persist else now
