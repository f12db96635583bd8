"""How filters treat the marks of a rendering (`ensue.language.marks`, `ensue.language.printed_values`).

Serializers return written text. Filters on text keep it written. Filters that measure, encode or query get
the text without marks. All others pass values on unchanged.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from ensue.language.jinja.filters import addresses, dates, digests, encoding, query, texts, xml
from ensue.language.marks import has_marks, without_marks
from ensue.language.printed_values import SerializedText, is_written, keeps_written
from ensue.model.printed_text import Written, is_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WRITTEN: Final = "written text"
"""The filter on captured blocks and constant expressions; no template can name it."""

_SERIALIZERS: Final = ("tojson", "yaml_dquote", "yaml_squote", "yaml_encode")
_TEXT_FILTERS: Final = ("indent", "trim", "replace", "string", "upper", "lower", "regex_replace")
_TAKES_MARKS: Final = frozenset(("path_join", "quote"))
_MEASURES: Final = (
    "length count wordcount urlencode escape e forceescape filesizeformat truncate wordwrap center striptags "
    "title capitalize int float xmlattr urlize pprint"
)
_ASKING: Final = (addresses, dates, digests, encoding, query, texts, xml)
_MEASURING: Final = frozenset(
    (
        *_MEASURES.split(),
        *(name for module in _ASKING for name in module.FILTERS),
    )
) - {*_TAKES_MARKS, *_TEXT_FILTERS}


def _always(_args: tuple[Any, ...], _kwargs: dict[str, Any]) -> bool:
    return True


def _never(_args: tuple[Any, ...], _kwargs: dict[str, Any]) -> bool:
    return False


def _without_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    return len(args) == 1 and not kwargs


_LAYOUT: Final = {"indent": _always, "string": _always, "trim": _without_arguments}
"""Filters that may change only blanks, and in which calls they do."""


def with_marks(filters: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return filters by name, wrapped to treat marks correctly."""
    known = dict(filters)
    for name in _MEASURING & known.keys():
        known[name] = _unmarking(known[name])
    for name in _TEXT_FILTERS:
        known[name] = keeps_written(known[name], _LAYOUT.get(name, _never))
    for name in _SERIALIZERS:
        known[name] = _writing(known[name])
    known["join"] = _joining(known["join"])
    known[WRITTEN] = _written
    return known


def _written(value: Any) -> Any:
    return Written(value) if value.__class__ is str else value


def _writing(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        returned = function(*args, **kwargs)
        return SerializedText(returned) if returned.__class__ is str else returned

    return filtered


def _unmarking(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        # If Jinja passes its environment or context first, the text is the second argument.
        if any(isinstance(value, str) and has_marks(value) for value in args[:2]):
            args = tuple(without_marks(value) if isinstance(value, str) else value for value in args)
        return function(*args, **kwargs)

    return filtered


def _joining(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def joined(context: Any, value: Any, d: Any = "", attribute: Any = None) -> Any:
        if attribute is not None or not isinstance(value, (list, tuple)):
            return function(context, value, d, attribute)
        items: list[Any] = list(value)  # pyright: ignore[reportUnknownArgumentType] # of anything
        text = function(context, items, d)
        is_all_written = any(map(is_written, items)) and all(
            is_written(item) or (isinstance(item, str) and is_plain(item)) for item in items
        )
        return Written(text) if is_all_written else text

    return joined
