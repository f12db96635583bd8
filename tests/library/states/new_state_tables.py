"""What docs/new-state.md declares of each function's `new_state`, and checking a return against it.

The page is the one place where the keys are written down. Every state function that a test in this folder
calls is checked against it.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ensue.core.model.sensitive_paths import values_at

if TYPE_CHECKING:
    from ensue.core.model.returns import StateReturn

PAGE = Path(__file__).parents[3] / "docs" / "new-state.md"
ANY_DATA = frozenset({"test.present", "test.nested.present"})
_TYPES: dict[str, tuple[type, ...]] = {
    "text": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "list": (list,),
    "mapping": (dict,),
    "null": (type(None),),
}
_ROW = re.compile(r"^\| `(?P<key>[^`]+)` \| (?P<type>[a-z ]+) \| (?P<there>[^|]+) \| (?P<what>[^|]+) \|$")


@dataclass(frozen=True, slots=True)
class Key:
    """One row of a table."""

    name: str
    types: tuple[str, ...]
    there: str

    def is_due(self, *, gone: bool) -> bool:
        return self.there == "always" or (self.there == "exists" and not gone)

    def fits(self, value: Any) -> bool:
        if "anything" in self.types:
            return True
        if isinstance(value, bool):
            return "boolean" in self.types
        return any(isinstance(value, _TYPES[word]) for word in self.types)


@functools.cache
def declared() -> dict[str, tuple[Key, ...]]:
    """Return the keys of each function; of those that have no `new_state`, none."""
    declared_keys: dict[str, tuple[Key, ...]] = {}
    for section in re.split(r"^##+ ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        listed = re.search(r"^Functions: (.*?)\n\n", section + "\n\n", re.MULTILINE | re.DOTALL)
        names = re.findall(r"`([^`]+)`", listed[1]) if listed else []
        rows = [match for line in section.splitlines() if (match := _ROW.match(line))]
        keys = tuple(Key(row["key"], tuple(row["type"].split(" or ")), row["there"].strip()) for row in rows)
        for name in names:
            assert name not in declared_keys, f"{PAGE.name} has {name} twice"
            declared_keys[name] = keys
    return declared_keys


def check_new_state(function: str, returned: StateReturn, *, test: bool) -> None:
    """Assert that a return has the keys that the page declares; `test_new_state` asks for the page's."""
    keys = declared().get(function)
    if keys is None:
        return
    where = f"{function} (result {returned.result}): new_state {returned.new_state!r}"
    if returned.result is None:
        assert not test or returned.new_state is None, f"{where}: a plan does not guess"
    if returned.result is not True:
        return
    if not keys:
        assert returned.new_state is None, f"{where}: docs/{PAGE.name} says that it has none"
        return
    if function not in ANY_DATA:
        _check_keys(keys, returned.new_state, where)
    _check_secrets(returned, where)


def _check_keys(keys: tuple[Key, ...], state: Any, where: str) -> None:
    assert isinstance(state, dict), f"{where} is no mapping"
    gone = state.get("exists") is False
    by_name = {key.name: key for key in keys if not key.name.startswith("<")}
    wildcard = next((key for key in keys if key.name.startswith("<")), None)
    missing = [key.name for key in by_name.values() if key.is_due(gone=gone) and key.name not in state]
    assert not missing, f"{where} lacks {missing}"
    for name, value in state.items():
        key = by_name.get(name, wildcard)
        assert key is not None, f"{where}: docs/{PAGE.name} has no key {name}"
        assert key.fits(value), f"{where}: {name} is no {' or '.join(key.types)}"
        assert key.name != "exists" or value is False, f"{where}: exists is false or not there"


def _check_secrets(returned: StateReturn, where: str) -> None:
    if returned.sensitive and returned.new_state is not None:
        assert list(values_at(returned.new_state, returned.sensitive)), (
            f"{where}: nothing is at {returned.sensitive}"
        )
