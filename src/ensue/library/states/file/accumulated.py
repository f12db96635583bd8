"""`file.accumulated`: gathers texts from several states for one file.

The template of `file.managed` finds them in `accumulator`, by the names of the accumulators;
`file.blockreplace` adds them to its block.

Source: Salt's state module `file`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.returns import StateReturn

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap


def accumulated(
    ctx: StateContext, name: str, *, filename: str, text: Data, require_in: Data = None, watch_in: Data = None
) -> StateReturn:
    """Gather texts for a file, which the state that manages the file writes.

    Args:
        name: the accumulator; several states may add texts to it.
        filename: the file, spelt as in the state that manages it.
        text: a text or a list of texts; a text that the accumulator has already is not added again.
        require_in: as in the SLS. This or `watch_in` must name the state that manages the file.
        watch_in: as in the SLS. This or `require_in` must name the state that manages the file.

    Example:
        /etc/app.conf:
          file.managed:
            - source: salt://app.conf.jinja
            - template: jinja

        includes:
          file.accumulated:
            - filename: /etc/app.conf
            - text: include /etc/app.d/db.conf
            - require_in: [{file: /etc/app.conf}]

    Returns:
        No changes: the state that manages the file reports them. `new_state` has `name filename`.
    """
    if text is None:
        return StateReturn.failed(name, "No text supplied for accumulator")
    references = [*_listed(require_in), *_listed(watch_in)]
    receivers = [receiver for reference in references if (receiver := _receiver(reference))]
    if not receivers:
        state_declaration = ctx.declaration
        comment = (
            f"Orphaned accumulator {name} in {state_declaration.sls}:{state_declaration.id} "
            "(name the state that manages the file in require_in or watch_in)"
        )
        return StateReturn.failed(name, comment)
    is_new = ctx.accumulators.add(filename, name, _listed(text), receivers)
    comment = f"Accumulator {name} for file {filename} was charged by text" if is_new else ""
    # The texts are left out because file content is in no `new_state`.
    new_state: DataMap = {"name": name, "filename": filename}
    return StateReturn.unchanged(name, comment, new_state)


def _listed(value: Data) -> list[Data]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _receiver(reference: Data) -> str:
    """Return the ID in a requisite on a `file` state, or a bare ID; empty if the requisite is neither."""
    named = reference.get("file") if isinstance(reference, dict) else reference
    return str(named or "")
