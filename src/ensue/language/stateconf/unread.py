"""Refuses values of `stateconf.set` under `extend` that no template has read.

Only the renderer `stateconf` passes such values on, and only to an SLS that it renders later. In any other
order, or with another renderer, `extend` changes a state that does nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.language.option_words import OPTION_WORDS
from ensue.language.requisite_names import MERGED_BY_EXTEND

if TYPE_CHECKING:
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration
    from ensue.language.stateconf.values import StateconfValues
    from ensue.language.tree import ExtendEntry, SlsTree

MODULE: Final = "stateconf"
_NO_VALUES: Final = MERGED_BY_EXTEND | OPTION_WORDS | {"name", "names", "order"}


def refuse_unread_values(
    tree: SlsTree, extension: ExtendEntry, target: Declaration, collector: Collector
) -> None:
    """Report values that an extension sets in a `stateconf.set`, unless the SLS of that state has read them.

    Args:
        tree: the SLS of the run.
        extension: an ID under `extend` whose declarations have one of `stateconf`.
        target: the declaration that it extends.
        collector: collects the error.
    """
    values = [name for name in extension.declarations[MODULE].arguments if name not in _NO_VALUES]
    read = next((stream.stateconf for stream in tree.streams.values()), None)
    if not values or read is None or read.has_read(extension.id, extension.sls):
        return
    why, instead = _reason(read, extension.sls, target.sls)
    collector.error(
        "E0883",
        f"`extend` sets {', '.join(values)} of {extension.id!r}, which no template reads",
        extension.declarations[MODULE].document.locate(("extend", *extension.declarations[MODULE].keys)),
        detail=why,
        help=instead,
    )


def _reason(read: StateconfValues, extending: str, extended: str) -> tuple[str, str]:
    for sls in (extending, extended):
        if sls not in read.rendered:
            return (
                f"SLS {sls!r} is not rendered by `stateconf`, which alone passes such values on",
                f"begin {sls!r} with the line `#!stateconf yaml . jinja`",
            )
    return (
        f"SLS {extended!r} had been rendered before SLS {extending!r} was",
        f"name or include {extending!r} before anything that includes {extended!r}",
    )
