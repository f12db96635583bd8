"""How filters treat the marks of a rendering (`ensue.language.marks`, `ensue.language.printed_values`).

Serializers return their own kinds of text. Filters on text keep it written, or authored, if their options are
authored. Filters that measure, encode or query get the text without marks. All others pass values on
unchanged.
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Environment, Undefined
from jinja2.nodes import EvalContext
from jinja2.runtime import Context

from ensue.core.model.printed_text import Written
from ensue.language.authored_text import Authored, authored, authored_levels, is_authored
from ensue.language.jinja.current import current
from ensue.language.jinja.filters import addresses, dates, digests, documents, encoding, query, texts, xml
from ensue.language.jinja.filters.kinds import is_iterable
from ensue.language.marks import has_marks, without_marks
from ensue.language.printed_values import SerializedText, joined, keeps_written
from ensue.language.reference_text import ReferenceText, without_reading, written_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WRITTEN: Final = "written text"
"""The filter on captured blocks; no template can name it."""

PRINTED: Final = "printed text"
"""The filter on what `{% filter … %}` prints; no template can name it."""

_SERIALIZERS: Final = ("tojson", "yaml_dquote", "yaml_squote", "yaml_encode")
_READING_TESTS: Final = frozenset(("lower", "upper", "match"))
_PARSERS: Final = frozenset(("load_json", "load_yaml"))
_TEXT_FILTERS: Final = ("indent", "trim", "replace", "string", "upper", "lower", "regex_replace")
_TAKES_MARKS: Final = frozenset(("path_join", "quote"))
_MEASURES: Final = (
    "length count wordcount urlencode escape e forceescape filesizeformat truncate wordwrap center striptags "
    "title capitalize int float xmlattr urlize pprint"
)
_ASKING: Final = (addresses, dates, digests, encoding, query, texts, xml)
_MEASURING: Final = frozenset(
    (*_MEASURES.split(), *(name for module in _ASKING for name in module.FILTERS))
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
    known["authored"] = authored
    known[WRITTEN] = _written
    serializers = {*_SERIALIZERS, *documents.FILTERS}
    return {
        name: _serializing(name, function) if name in serializers else _keeping_references(function)
        for name, function in known.items()
    }


def tests_of_references(tests: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """Return tests by name, of which those of the characters of a text refuse a reference."""
    return {name: _reading(test) if name in _READING_TESTS else test for name, test in tests.items()}


def _reading(test: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(test)
    def tested(value: Any, *args: Any, **options: Any) -> Any:
        return value.read() if isinstance(value, ReferenceText) else test(value, *args, **options)

    return tested


def _serializing(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        if name in _PARSERS and args and isinstance(args[0], ReferenceText) and args[0].is_whole():
            args[0].read()
        return function(*map(without_reading, args), **kwargs)

    return filtered


def _keeping_references(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        # If Jinja passes its environment or context first, the text is the second argument.
        place = 1 if isinstance(args[0], (Environment, EvalContext, Context)) else 0
        text = args[place] if place < len(args) else None
        if not isinstance(text, ReferenceText):
            return function(*args, **kwargs)
        return text.filtered(lambda plain: function(*args[:place], plain, *args[place + 1 :], **kwargs))

    return filtered


def _written(value: Any) -> Any:
    if value.__class__ is not str:
        return value
    rendering = current.get(None)
    return written_text(value) if rendering is not None and rendering.is_guarded else Written(value)


def _writing(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def filtered(*args: Any, **kwargs: Any) -> Any:
        returned = function(*args, **kwargs)
        if returned.__class__ is not str:
            return returned
        if is_authored(args[0]):
            return Authored(returned)
        return SerializedText(returned, authored_levels(args[0]))

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
    def with_separator(context: Any, value: Any, d: Any = "", attribute: Any = None) -> Any:
        if attribute is not None or isinstance(value, (str, Undefined)) or not is_iterable(value):
            return function(context, value, d, attribute)
        return joined(list(value), d)

    return with_separator
