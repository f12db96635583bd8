"""The values of `stateconf.set`, for the templates of the SLS to which they belong.

An SLS sets values with a state `.params: {stateconf.set: […]}`; another SLS that includes it replaces some of
them under `extend`. The including SLS is rendered first, so its values exist when the other is rendered. They
are valid for one loading of SLS.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import copied, is_list, is_mapping
from ensue.language.stateconf.names import ID_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Mapping

FUNCTION: Final = "stateconf.set"
_MODULE: Final = "stateconf"
_ADDED_UP: Final = ("require", "watch", "listen", "onchanges", "onfail")


class ValueSet(dict[str, Any]):
    """The values of one ID, which Mako's `${params.port}` reads as attributes."""

    def __getattr__(self, name: str) -> Any:
        """Return a value.

        Raises:
            AttributeError: there is no value of that name.
        """
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class StateconfValues:
    """The values set by the SLS of one loading.

    Attributes:
        rendered: the SLS that `stateconf` has rendered.
    """

    def __init__(self) -> None:
        self._set: dict[str, ValueSet] = {}
        self._extended: dict[str, ValueSet] = {}
        self._extending: dict[str, set[str]] = {}
        self._read: set[tuple[str, str]] = set()
        self.rendered: set[str] = set()

    def collect(self, data: Mapping[Any, Any], sls: str) -> None:
        """Record the values that an SLS sets, also under `extend`."""
        self.rendered.add(sls)
        for id_, body in data.items():
            if id_ == "extend" and is_mapping(body):
                for extended, inner in body.items():
                    if _note(self._extended, extended, inner):
                        self._extending.setdefault(extended, set()).add(sls)
            elif _note(self._set, id_, body) and id_ in self._extended:
                self._apply_extended(id_)

    def variables(self, sls: str) -> dict[str, Any]:
        """Return all values by ID; the values of this SLS by the ID without the SLS's name."""
        prefix = f"{sls}{ID_SEPARATOR}"
        return {id_.removeprefix(prefix): values for id_, values in self._set.items()}

    def has_read(self, id_: str, extending: str) -> bool:
        """Return whether an SLS was rendered with the values that another one sets under `extend`.

        Args:
            id_: the whole ID of the state that is extended.
            extending: the SLS with `extend`.
        """
        return (id_, extending) in self._read

    def _apply_extended(self, id_: str) -> None:
        own, extended = self._set[id_], self._extended[id_]
        for word in _ADDED_UP:
            if is_list(extended.get(word)) and is_list(own.get(word, [])):
                extended[word] = [*extended[word], *own.get(word, [])]
        own.update(extended)
        self._read.update((id_, sls) for sls in self._extending[id_])


def _note(values: dict[str, ValueSet], id_: Any, body: Any) -> bool:
    """Record the values of a state; return whether it has any."""
    if not isinstance(id_, str) or not is_mapping(body):
        return False
    listed = body.get(_MODULE, body.get(FUNCTION))
    if listed is None and FUNCTION not in body and _MODULE not in body:
        return False
    noted = values.setdefault(id_, ValueSet())
    for item in listed if is_list(listed) else ():
        if is_mapping(item):
            noted.update((str(name), copied(value)) for name, value in item.items())
    return True
