"""Check the shape of a file's data: its mappings, their keys, the kinds of its values.

Every error is recorded with its place; an unusable value is returned as empty or None, so reading continues
and finds the remaining errors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.durations import duration_s
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.deploy.provisioning.written import TextPlace
    from ensue.language.collector import Collector


_LISTS: Final = (
    "declare each resource by its own name; a definition makes one for each item of a list, with `for_each` "
    "of an entry of `provision`"
)
_ADVICE: Final = {
    "count": _LISTS,
    "for_each": _LISTS,
    "depends_on": "a placeholder makes the dependency: `${resources.NAME.OUTPUT}`",
    "lifecycle": "`protect` and `retain` of the definition decide what is destroyed",
    "provider": "the definition decides it, with `driver_type`",
    "source": "the definition decides it, with `driver_type`",
}
"""What to write instead of words of Terraform that a resource does not have."""

_PROTECT: Final = "write `protect: true`: nothing then destroys the resource"
_ADVICE_FOR_DEFINITIONS: Final = {
    "prevent_destroy": _PROTECT,
    "lifecycle": _PROTECT,
    "count": _LISTS,
    "for_each": _LISTS,
    "depends_on": "a placeholder among the inputs makes the dependency: `${resources.TYPE.outputs.NAME}`, or "
    "`${resources.TYPE.guresid}` if no output is needed",
}
"""The same for a definition."""

_OF_RESOURCE: Final = frozenset({"type", "class", "params"})


class Shape:
    """Checks values of one kind of file.

    Args:
        code: the diagnostic code of its errors.
        collector: receives the errors.
    """

    def __init__(self, code: str, collector: Collector) -> None:
        self.collector = collector
        self._code = code

    def wrong(self, summary: str, place: TextPlace, help_: str = "") -> None:
        """Record an error."""
        self.collector.error(self._code, summary, place.span(), help=help_)

    def mapping(
        self, value: Any, what: str, place: TextPlace, keys: Sequence[str] | None = None
    ) -> dict[str, Any]:
        """Return a mapping with text keys, empty if the value is not one.

        Args:
            value: the value; None is an empty mapping.
            what: its description, for messages.
            place: its place.
            keys: the allowed keys; None: any.
        """
        if value is None:
            return {}
        if not is_mapping(value):
            self.wrong(f"{what} is {kind_of(value)}, not a mapping", place)
            return {}
        if keys is not None:
            self._check_keys(value, what, place, keys)
        return {str(key): item for key, item in value.items()}

    def required(self, mapping: dict[str, Any], key: str, what: str, place: TextPlace) -> str:
        """Return the text of a required key, empty if there is none."""
        if mapping.get(key) is None:
            self.wrong(f"{what} has no {key!r}", place, f"add `{key}: …`")
            return ""
        return self.text(mapping[key], f"{key!r} of {what}", place.below(key)) or ""

    def text(self, value: Any, what: str, place: TextPlace) -> str | None:
        """Return a text that is not empty, None if the value is not one; null is no error."""
        if value is None:
            return None
        if isinstance(value, str) and value.strip():
            return value
        # An id such as 2024 is a number to YAML.
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        self.wrong(f"{what} is {kind_of(value)}, not a text", place)
        return None

    def flag(self, value: Any, what: str, place: TextPlace) -> bool:
        """Return a boolean, False if the value is null or not a boolean."""
        if value is None or isinstance(value, bool):
            return bool(value)
        self.wrong(f"{what} is {kind_of(value)}, neither true nor false", place)
        return False

    def seconds(self, value: Any, what: str, place: TextPlace) -> float | None:
        """Return a duration (`90`, `90s`, `1.5h`) in seconds, None if the value is null or not one."""
        if value is None:
            return None
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        seconds = float(value) if is_number else duration_s(value) if isinstance(value, str) else None
        if seconds is None or not seconds > 0:
            self.wrong(
                f"{what} is not a duration", place, "write seconds, or a number with a unit: `90s`, `15m`"
            )
            return None
        return seconds

    def count(self, value: Any, what: str, place: TextPlace) -> int | None:
        """Return a whole number above 0, None if the value is null or not one."""
        if value is None:
            return None
        if isinstance(value, int) and not isinstance(value, bool) and value > 0:
            return value
        self.wrong(f"{what} is not a whole number above 0", place)
        return None

    def items(self, value: Any, what: str, place: TextPlace) -> list[Any]:
        """Return a list, empty if the value is not one."""
        if value is None:
            return []
        if is_list(value):
            return value
        self.wrong(f"{what} is {kind_of(value)}, not a list", place)
        return []

    def _check_keys(self, value: Iterable[Any], what: str, place: TextPlace, keys: Sequence[str]) -> None:
        for key in value:
            if key not in keys:
                advice = _ADVICE.get(str(key), "") if set(keys) >= _OF_RESOURCE else ""
                if "protect" in keys:
                    advice = _ADVICE_FOR_DEFINITIONS.get(str(key), "")
                if str(key) in _OF_DEFINITION and _OF_SCORE in keys:
                    advice = ELSEWHERE
                help_ = advice or near_names(str(key), keys) or f"it has {', '.join(keys)}"
                self.wrong(f"{what} has no key {str(key)!r}", place.below(str(key)), help_)


_OF_SCORE: Final = "containers"
_OF_DEFINITION: Final = frozenset({"entity", "kind", "criteria", "driver_type", "driver_inputs"})
ELSEWHERE: Final = (
    "that is of a definition, which is a file of its own below definitions/ (`kind: Definition`); every "
    "deployment reads it there"
)
"""Where what is written in a file to deploy belongs."""


def kind_of(value: Any) -> str:
    """Return the kind of a value in words; never the value, which may be a secret in the wrong place."""
    if value is None:
        return "null"
    kinds = ((bool, "a truth value"), (str, "a text"), (int | float, "a number"))
    if is_mapping(value) or is_list(value):
        return "a mapping" if is_mapping(value) else "a list"
    return next((words for kind, words in kinds if isinstance(value, kind)), "something else")
