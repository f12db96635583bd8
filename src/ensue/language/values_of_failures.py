"""Warns of a state that runs if another one fails, and reads what that one returns.

A reference is a `require`: it has a value only if the state that it names succeeds. So the state never runs
because of that failure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.references.lower import Bindings
    from ensue.language.requested import Requested

_ON_FAILURE: Final = ("onfail", "onfail_any", "onfail_all")


def warn_of_values_of_failures(
    drafts: Sequence[Draft], requested: Requested, bindings: Bindings, collector: Collector
) -> None:
    """Warn once per state that reads the value of a state whose failure it reacts to.

    Args:
        drafts: the states of a scope.
        requested: for each of them, its requisite words and the states they name.
        bindings: the references of the scope.
        collector: collects the warnings.
    """
    for number, words in enumerate(requested):
        word = next((word for word in _ON_FAILURE if word in words), "")
        bound = set(words.get("arg_bind", ()))
        both = [producer for producer in words.get(word, ()) if producer in bound]
        if not both:
            continue
        reference, span = bindings.step(number, both[0])
        failing, reader = drafts[both[0]].declaration.id, drafts[number].declaration.id
        collector.warning(
            "E0415",
            f"{reader!r} runs if {failing!r} fails, and {reference} has a value only if it succeeds",
            span,
            detail=f"so {reader!r} never runs because {failing!r} fails",
            help=f"have {failing!r} write what is to be read into a file; or let a command succeed with "
            "`success_retcodes`, and read `prev_ret.new_state` in a delayed block",
        )
