"""Execution module `match`: checks whether expressions match this target.

Args:
    minion_id: an id to match instead of the target's.
    tgt_type: the kind of the expressions (`compound`, `grain`, …).
    lookup: values by expression.

Source: Salt's execution module `match`, 3008: names and return values; for expressions see `targeting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.merged import merged
from ensue.library.modules._target_kinds import KINDS, engine_of, expression_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.core.contracts.context import FunctionContext

    Test = Callable[..., Awaitable[bool]]

_OF_SALT: Final = ("glob", "pcre", "list", "grain", "grain_pcre", "pillar", "pillar_pcre", "ipcidr")
_WITH_DELIMITER: Final = frozenset("GPIJ")


async def compound(ctx: FunctionContext, tgt: str | list[str], minion_id: str | None = None) -> bool:
    """Return whether this target matches a compound expression (`G@os:Debian and web*`).

    Args:
        tgt: the expression, or its words.

    Example:
        ensue call '*' match.compound 'G@os:Debian and web-*'

    Raises:
        StateFailedError: the expression does not parse; the message has the column.
    """
    return await _means(ctx, "compound", tgt, minion_id)


async def filter_by(
    ctx: FunctionContext,
    lookup: Mapping[str, Any],
    tgt_type: str = "compound",
    minion_id: str | None = None,
    merge: Mapping[str, Any] | None = None,
    merge_lists: bool = False,
    default: str = "default",
) -> Any:
    """Return the value of the first expression that matches this target.

    Args:
        merge: a mapping to merge over the value.
        merge_lists: concatenate lists instead of replacing them.
        default: the key of the value to return if no expression matches.

    Example:
        ensue call '*' match.filter_by '{"web*": [nginx], "db*": [postgresql]}'
    """
    for key, value in lookup.items():
        if await _means(ctx, tgt_type, key, minion_id):
            if merge and is_mapping(value):
                return merged(value, merge, merge_lists=merge_lists)
            return merge if merge and value is None else value
    return lookup.get(default)


async def search_by(
    ctx: FunctionContext,
    lookup: Mapping[str, Sequence[str]],
    tgt_type: str = "compound",
    minion_id: str | None = None,
) -> list[str] | None:
    """Return the keys with an expression that matches this target, None if there are none.

    Example:
        ensue call '*' match.search_by '{web: [web-*], db: [db-*]}'
    """
    matching = [
        key
        for key, targets in lookup.items()
        for each in targets
        if await _means(ctx, tgt_type, each, minion_id)
    ]
    return matching or None


async def ifelse(
    ctx: FunctionContext, *args: Any, tgt_type: str = "compound", minion_id: str | None = None
) -> Any:
    """Return the value after the first expression that matches this target, else the last argument.

    Args:
        *args: expression, value, expression, value, …, default; true and false are expressions, too.

    Raises:
        StateFailedError: there is no default, or an expression does not parse.
    """
    if len(args) % 2 == 0:
        raise StateFailedError("match.ifelse requires pairs of expression and value, followed by a default")
    for expression, value in zip(args[:-1:2], args[1::2], strict=True):
        is_meant = expression is True or (
            expression is not False and await _means(ctx, tgt_type, expression, minion_id)
        )
        if is_meant:
            return value
    return args[-1]


_DOCSTRING: Final = """Return whether this target matches an expression of the kind `{kind}`.

Args:
    tgt: the expression, or its words.
    minion_id: an id to match instead of the target's.
    delimiter: the separator of keys in the expression.
    **kwargs: accepted as by Salt, without effect.

Example:
    ensue call '*' match.{kind} {example}
"""
_EXAMPLES: Final = {
    "glob": "'web-*'",
    "grain": "os_family:Debian",
    "grain_pcre": "'os:(Debian|Ubuntu)'",
    "ipcidr": "10.0.0.0/8",
    "list": "web-01,web-02",
    "pcre": "'web-[0-9]+'",
    "pillar": "role:web",
    "pillar_pcre": "'role:(web|db)'",
}


def _one(kind: str) -> Test:
    async def test(
        ctx: FunctionContext,
        tgt: str | list[str],
        minion_id: str | None = None,
        delimiter: str = ":",
        **kwargs: Any,
    ) -> bool:
        if minion_id is not None and KINDS[kind] in _WITH_DELIMITER and not minion_id[:1].isalnum():
            # The second argument of Salt's `match.grain` is the delimiter, not an id.
            return await _means(ctx, kind, tgt, None, minion_id)
        return await _means(ctx, kind, tgt, minion_id, delimiter)

    test.__doc__ = _DOCSTRING.format(kind=kind, example=_EXAMPLES.get(kind, "'*'"))
    return test


async def _means(
    ctx: FunctionContext, kind: str, expression: Any, minion_id: str | None, delimiter: str = ":"
) -> bool:
    engine, text = engine_of(kind), expression_of(kind, expression)
    return await ctx.matches(text, engine=engine, delimiter=delimiter or ":", minion_id=str(minion_id or ""))


FUNCTIONS: Final = by_name(compound, filter_by, ifelse, search_by, {kind: _one(kind) for kind in _OF_SALT})
