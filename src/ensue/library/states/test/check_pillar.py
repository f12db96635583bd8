"""`test.check_pillar`: fails if pillar lacks keys or values have another type.

Source: Salt's state module `test`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data

_TYPES: Final[dict[str, type]] = {
    "boolean": bool,
    "integer": int,
    "string": str,
    "listing": list,
    "dictionary": dict,
}


async def check_pillar(
    ctx: StateContext,
    name: str,
    *,
    present: str | list[str] | None = None,
    boolean: str | list[str] | None = None,
    integer: str | list[str] | None = None,
    string: str | list[str] | None = None,
    listing: str | list[str] | None = None,
    dictionary: str | list[str] | None = None,
    verbose: bool = False,
) -> StateReturn:
    """Check keys of pillar; colons separate the keys of a nested path.

    Args:
        present: keys that must exist.
        boolean: keys whose value is true or false.
        integer: keys whose value is a whole number.
        string: keys whose value is a text.
        listing: keys whose value is a list.
        dictionary: keys whose value is a mapping.
        verbose: also name the keys that passed.

    Example:
        needed:
          test.check_pillar:
            - integer: [port]
            - string: ['db:host']

    Raises:
        StateFailedError: no keys are given, or they are neither a text nor a list.
    """
    keys_by_kind = {
        "boolean": boolean, "integer": integer, "string": string,
        "listing": listing, "dictionary": dictionary,
    }  # fmt: skip
    if not (present or any(keys_by_kind.values())):
        raise StateFailedError(f"test.check_pillar needs keys (present, {', '.join(keys_by_kind)})")
    checks = [("present", key) for key in _listed("present", present)]
    checks += [(kind, key) for kind, keys in keys_by_kind.items() for key in _listed(kind, keys)]
    failed: dict[str, str] = {}
    fine: dict[str, str] = {}
    for kind, key in checks:
        fault = _fault(await ctx.call("pillar.get", key, None), kind)
        if fault:
            failed[key] = fault
        else:
            fine[key] = kind
    lines = [f'Pillar key "{key}" is {fault}.' for key, fault in failed.items()]
    if verbose and fine:
        lines += ["Those keys passed the check:", *(f"- {key} ({kind})" for key, kind in fine.items())]
    return StateReturn(name=name, result=not failed, comment="\n".join(lines))


def _fault(value: Data, kind: str) -> str:
    if value is None:
        return "missing"
    expected = _TYPES.get(kind)
    if expected is None:
        return ""
    # In Python a boolean is a number; in pillar it is not.
    fits = isinstance(value, expected) and not (expected is int and isinstance(value, bool))
    return "" if fits else f"not of type {kind}"


def _listed(word: str, keys: object) -> list[str]:
    if keys is None:
        return []
    if isinstance(keys, str):
        return [keys]
    if not isinstance(keys, list):
        raise StateFailedError(f"`{word}` is a pillar key or a list of them, not {keys!r}")
    return [*map(str, keys)]  # pyright: ignore[reportUnknownArgumentType] # a user's list
