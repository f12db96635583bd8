"""`delayed_repeat_limit`: how often one block, or one SLS, is rendered in a run.

A block is identified by the place where it is written: two blocks of one name are counted separately, and the
count of an inner block continues when the outer block is rendered again.

Source: SEP 16, "Repeated renders".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError
from ensue.language.blocks import UNSET

if TYPE_CHECKING:
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.srn import Srn
    from ensue.language.blocks.calls import Called


class RepeatLimits:
    """Counts the renderings of one run.

    Args:
        default: the limit for tags that name none; None is no limit.
    """

    def __init__(self, default: int | None) -> None:
        self._default = default
        self._done: dict[tuple[str, ...], int] = {}
        self._asked: dict[tuple[str, ...], int] = {}

    def take(self, called: Called, caller: Chunk, resource: Srn | None = None) -> None:
        """Count one rendering.

        Args:
            called: what is rendered.
            caller: the state that calls for it.
            resource: in a run with a target, the resource whose SLS calls for it; each is counted separately.

        Raises:
            CompileError: it is one rendering too many.
        """
        key = (str(resource or ""), *_key(called))
        done = self._done.get(key, 0)
        asked = self._asked[key] = self._asked.get(key, 0) + 1
        limit = self._default if called.limit is UNSET else called.limit
        if limit is not None and done >= limit:
            raise CompileError([_too_many(called, caller, limit, asked)])
        self._done[key] = done + 1


def _key(called: Called) -> tuple[str, ...]:
    if called.kind == "sls":
        return ("sls", called.file.saltenv, called.file.name)
    return ("block", str(called.place), called.name)


def _too_many(called: Called, caller: Chunk, limit: int, asked: int) -> Diagnostic:
    what = f"the delayed {'SLS' if called.kind == 'sls' else 'block'} {called.name!r}"
    tag = f"#!delayed_sls delayed_repeat_limit={asked}"
    where = f"at the top of {called.place.path}"
    if called.kind == "block":
        # Only a block of the py renderer has a function.
        is_function = called.block is not None and called.block.function is not None
        block = f"#!delayed_block {called.name} delayed_repeat_limit={asked}"
        tag = f'@delayed_block("{called.name}", limit={asked})' if is_function else block
        where = f"at {called.place}"
    return Diagnostic(
        code="E0905",
        summary=f"{what} is called for the {_ordinal(asked)} time in this run; its limit is {limit}",
        span=caller.span(),
        detail=f"{caller.id!r} ({caller.full_function}) calls it again; it was not rendered",
        help=f"raise the limit {where} ({tag}; None is no limit), "
        "or for all as delayed_repeat_limit in ensue.yaml",
    )


def _ordinal(number: int) -> str:
    last_two = number % 100
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if last_two not in {11, 12, 13} else "th"
    return f"{number}{ending}"
