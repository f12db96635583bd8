"""Execution module `match`: whether this target is one that an expression means.

Source: Salt's execution module `match`, 3008: names and what they return; for expressions see `targeting`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.model.data import is_list, is_mapping
from ensue.model.srn import MINION_TYPE, Srn
from ensue.modules.nested import merged
from ensue.targeting import Subject, TargetSyntaxError, matches, parse_target

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from ensue.contracts.context import FunctionContext

    Test = Callable[..., Awaitable[bool]]

_LETTERS: Final = {
    "glob": "", "pcre": "E@", "list": "L@", "grain": "G@", "grain_pcre": "P@", "pillar": "I@",
    "pillar_pcre": "J@", "ipcidr": "S@", "nodegroup": "N@",
}  # fmt: skip


async def compound(ctx: FunctionContext, tgt: str, minion_id: str | None = None) -> bool:
    """Say whether this target matches a compound expression (`G@os:Debian and web*`).

    Args:
        ctx: the target.
        tgt: the expression.
        minion_id: an id to look at in place of the target's.
    """
    return await _means(ctx, str(tgt), minion_id)


async def filter_by(  # noqa: PLR0917 (Salt's order)
    ctx: FunctionContext,
    lookup: Mapping[str, Any],
    tgt_type: str = "compound",
    minion_id: str | None = None,
    merge: Mapping[str, Any] | None = None,
    merge_lists: bool = False,
    default: str = "default",
) -> Any:
    """Return the value of the first expression that means this target.

    Args:
        ctx: the target.
        lookup: values by expression.
        tgt_type: what the expressions are.
        minion_id: an id to look at in place of the target's.
        merge: what is merged over the value.
        merge_lists: lists are joined instead of replaced.
        default: the key whose value is returned when none does.
    """
    for key, value in lookup.items():
        if await _means(ctx, _expression(tgt_type, str(key)), minion_id):
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
    """Return the keys under which an expression means this target, None without one."""
    found = [
        key
        for key, targets in lookup.items()
        for each in targets
        if await _means(ctx, _expression(tgt_type, str(each)), minion_id)
    ]
    return found or None


def _one(kind: str) -> Test:
    async def test(
        ctx: FunctionContext,
        tgt: str | list[str],
        minion_id: str | None = None,
        delimiter: str = ":",
        **kwargs: Any,  # noqa: ARG001 (Salt takes more)
    ) -> bool:
        words = ",".join(tgt) if isinstance(tgt, list) else str(tgt).replace(delimiter, ":")
        # A delimiter is no id: Salt's `match.grain` takes it as the second argument.
        is_delimiter = minion_id is not None and not minion_id[:1].isalnum()
        if is_delimiter and minion_id:
            words = words.replace(minion_id, ":")
        return await _means(ctx, _LETTERS[kind] + words, None if is_delimiter else minion_id)

    test.__doc__ = f"Say whether this target matches an expression of the kind `{kind}`."
    return test


def _expression(kind: str, words: str) -> str:
    if kind not in {*_LETTERS, "compound"}:
        raise StateFailedError(f"{kind!r} is no kind of target: compound, {', '.join(_LETTERS)}")
    return _LETTERS.get(kind, "") + words


async def _means(ctx: FunctionContext, expression: str, minion_id: str | None) -> bool:
    grains = await ctx.grains()
    groups: Any = ctx.opts.get("nodegroups")
    try:
        named: dict[str, Any] = groups if is_mapping(groups) else {}
        nodegroups = {str(name): parse_target(_joined(each)) for name, each in named.items()}
        subject = Subject(
            srn=Srn(MINION_TYPE, minion_id) if minion_id else ctx.srn,
            grains=lambda: grains,
            pillar=lambda: ctx.pillar,
            nodegroups=nodegroups,
        )
        return matches(parse_target(expression), subject)
    except TargetSyntaxError:  # as in Salt, what is no expression means nothing
        return False


def _joined(expression: Any) -> str:
    return " ".join(str(each) for each in expression) if is_list(expression) else str(expression)


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "compound": compound,
    "filter_by": filter_by,
    "search_by": search_by,
    **{kind: _one(kind) for kind in _LETTERS if kind != "nodegroup"},
}
