"""Keeps one copy of each text that many minions report, so that runs over thousands of them fit in memory.

The returns of a run are kept until it has ended. Minions with the same SLS report the same IDs, names and
comments; each line that is read would have a copy of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.events import NodeFinished

if TYPE_CHECKING:
    from ensue.core.model.events import RunEvent

LONGEST_CHARS: Final = 200
"""Longer texts are rarely the same."""
MOST_TEXTS: Final = 200_000
"""With more, texts are forgotten: then they are not those that minions share."""
_TEXTS: Final = ("tag", "id", "name", "sls", "module", "function", "scope", "target", "comment")
_DATA: Final = ("changes", "new_state", "old_state")


class SharedTexts:
    """The texts that were reported."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def share(self, event: RunEvent) -> None:
        """Replace the texts of a return by equal ones that are kept anyway.

        Args:
            event: an event that was just read, which nobody else has.
        """
        if not isinstance(event, NodeFinished):
            return
        returned = event.returned
        for name in _TEXTS:
            setattr(returned, name, self._text(getattr(returned, name)))
        for name in _DATA:
            setattr(returned, name, self._data(getattr(returned, name)))
        if len(self._known) > MOST_TEXTS:
            self._known.clear()

    def _text(self, text: str) -> str:
        return text if len(text) > LONGEST_CHARS else self._known.setdefault(text, text)

    def _data(self, data: Any) -> Any:
        if isinstance(data, str):
            return self._text(data)
        if is_mapping(data):
            return {self._data(key): self._data(value) for key, value in data.items()}
        return [self._data(one) for one in data] if is_list(data) else data
