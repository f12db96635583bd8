"""Finds files of the target by a pattern."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.library.modules._programs import must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_FILES: Final = 'IFS=; for each in $1; do [ -f "$each" ] && printf "%s\\0" "$each"; done; true'
"""With an empty IFS the shell does not split the pattern into words."""


async def matching(ctx: FunctionContext, pattern: str) -> list[str]:
    """Return the files of the target whose paths match a shell pattern, sorted.

    Args:
        pattern: an absolute path with `*`, `?` and `[…]`.
    """
    answer = await must(ctx, "sh", "-c", _FILES, "sh", pattern, what=f"look for {pattern}")
    return sorted(path for path in answer.stdout.split("\0") if path)
