"""`file.accumulated`: texts that several states gather for one file.

`file.managed` hands them to its template as `accumulator`, by the names of the accumulators;
`file.blockreplace` puts them into its block.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.model.data import Data, DataMap


def accumulated(
    ctx: StateContext,
    name: str,
    *,
    filename: str,
    text: Data,
    require_in: Data = None,
    watch_in: Data = None,
) -> StateReturn:
    """Gather texts for a file; nothing is written yet.

    Args:
        ctx: the state's context.
        name: the accumulator: several states may put texts in it.
        filename: the file, spelt as the state that manages it spells it.
        text: one text, or a list of them; what is there already is not put in again.
        require_in: as written; there or in `watch_in` the state that manages the file has to stand.
        watch_in: see `require_in`.

    Returns:
        No changes, in a plan neither: the file's own state shows what becomes of the texts. `new_state` has
        `name filename`.
    """
    if text is None:
        return StateReturn(name=name, result=False, comment="No text supplied for accumulator")
    references = [*_listed(require_in), *_listed(watch_in)]
    receivers = [receiver for reference in references if (receiver := _receiver(reference))]
    if not receivers:
        one = ctx.declaration
        comment = (
            f"Orphaned accumulator {name} in {one.sls}:{one.id} "
            "(name the state that manages the file in require_in or watch_in)"
        )
        return StateReturn(name=name, result=False, comment=comment)
    is_new = ctx.accumulators.add(filename, name, _listed(text), receivers)
    comment = f"Accumulator {name} for file {filename} was charged by text" if is_new else ""
    # The texts are content of a file, which is in no `new_state`.
    new_state: DataMap = {"name": name, "filename": filename}
    return StateReturn(name=name, result=True, comment=comment, new_state=new_state)


def _listed(value: Data) -> list[Data]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _receiver(reference: Data) -> str:
    """Return the ID of a state of this module, or a bare ID; empty when a reference is neither."""
    named = reference.get("file") if isinstance(reference, dict) else reference
    return str(named or "")
