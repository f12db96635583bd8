"""Refuses references to what a state never returns: an unknown key of `new_state`, or a hidden output.

Only functions of ensue are judged, by the keys that docs/new-state.md lists, and only the first key of a
property. `mod_watch` may run in place of a function, so its keys count as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.language.collector import near_names
from ensue.language.result_words import instead_of_property

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from ensue.core.diagnostics import Span
    from ensue.core.model.reference import Reference
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector


_OUTPUT: Final = frozenset({"stdout", "stderr", "stdout_json"})
_HIDES: Final = "hide_output"
_BESIDE: Final = frozenset({"result", "changes", "comment", "name", "old_state", "duration", "start_time"})
"""Parts of a return beside `new_state`, which no reference reads."""


class ReturnedKeys:
    """The keys that the states of one scope return.

    Args:
        keys_of: returns the keys that the `new_state` of a state may have; none if they are not known.
        collector: collects the errors.
    """

    def __init__(self, keys_of: Callable[[Draft], Collection[str]], collector: Collector) -> None:
        self._keys_of = keys_of
        self._collector = collector

    def check(self, producer: Draft, reference: Reference, place: Callable[[], Span]) -> None:
        """Report a reference to what its producer never returns.

        Args:
            producer: the state that it names.
            reference: the reference.
            place: returns where it is written.
        """
        first = reference.steps[0] if reference.steps else ""
        key = first if isinstance(first, str) else first.key
        if not key:
            return
        keys = self._keys_of(producer)
        if not keys or any(key.startswith("<") for key in keys):
            return
        if key in _OUTPUT and key in keys and producer.arguments.get(_HIDES) is True:
            self._report_hidden(producer, reference, place())
        elif key not in keys:
            self._report(producer, reference, key, keys, place())

    def _report(
        self, producer: Draft, reference: Reference, key: str, keys: Collection[str], span: Span
    ) -> None:
        function = f"{producer.declaration.module}.{producer.declaration.function}"
        module, id_ = producer.declaration.module, producer.declaration.id
        written = reference.property
        beside = f"{key!r} is no part of it; " if key in _BESIDE else ""
        self._collector.error(
            "E0874",
            f"{reference.text} reads what {producer.declaration.id!r} never returns",
            span,
            detail=f"a reference reads the new_state; {beside}that of {function} has {', '.join(keys)}",
            help=instead_of_property(module, id_, written, keys)
            or _near(key, keys)
            or f"`ensue doc {function}` describes these",
        )

    def _report_hidden(self, producer: Draft, reference: Reference, span: Span) -> None:
        self._collector.error(
            "E0874",
            f"{reference.text} reads what {producer.declaration.id!r} never returns",
            span,
            detail=f"`{_HIDES}: true` leaves the output out of what the state returns",
            help="if the output is a secret, write `sensitive: true` of the command in place of "
            f"`{_HIDES}`; if it is none, remove `{_HIDES}`",
        )


def _near(key: str, keys: Collection[str]) -> str:
    """Return what may have been meant by a key: a path written with dots, or a similar key."""
    first, dot, rest = key.partition(".")
    if dot and first in keys:
        return f"did you mean {first}:{rest.replace('.', ':')}?"
    return near_names(key, keys)
