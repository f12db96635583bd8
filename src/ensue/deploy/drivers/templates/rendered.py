"""Parses the rendered text of a template as YAML.

A text from data may be a scalar or a part of one, but never YAML structure. Dates and times of day stay
texts, and keys are texts. The result is data, never a template or reference.
"""

# pyright: basic
# PyYAML's loaders have no types; what they build is data of any kind.
from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import DriverError
from ensue.core.model.data import is_list, is_mapping, mapped, not_data
from ensue.core.model.secret_marks import Secret, SecretText, bracketed, plain, secret, spans_of, unbracketed
from ensue.deploy.drivers.templates.guards import has_marks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.model.secret_marks import Spans
    from ensue.deploy.drivers.templates.guards import Guards, Printed

_INNER_KEY: Final = "data"
_TAG: Final = "tag:yaml.org,2002:"
_SEXAGESIMAL: Final = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?")


class InnerText(str):
    """A text within rendered YAML that is itself YAML.

    Attributes:
        marked: the same, with the marks of texts that were printed into it.
    """

    __slots__ = ("marked",)

    marked: str


def read_rendered(text: str, name: str, guards: Guards, *, inner_levels: int = 0) -> Any:
    """Parse a rendered text; a value into which a secret was printed is marked.

    Args:
        text: the rendered text, with marks.
        name: the template's name in errors.
        guards: what was printed.
        inner_levels: how many levels deep it may have a `data` whose text is YAML itself, which becomes an
            `InnerText` where something was printed into it.

    Raises:
        DriverError: it is not one YAML document, exceeds a limit, or a text from data is more than a part of
            a scalar.
    """
    marked = text
    text, printed = guards.taken_out(marked)
    if not text or text.isspace():
        return None
    _refuse_structure(str(text), printed, name)
    data = _read(text, name)
    if not inner_levels or (marked == text and not isinstance(marked, SecretText)):
        return data
    within = guards.put_back(text, _within_scalars(str(text), printed))
    return _with_inner(data, _with_marks(within, data, name), inner_levels)


def _within_scalars(text: str, printed: Sequence[Printed]) -> Iterator[Printed]:
    """Yield what was printed into scalars; marks around whole values would change them."""
    from ensue.core.model.yaml_containment import within_scalars

    extents = set(within_scalars(text, [part.extent for part in printed]))
    return (part for part in printed if part.extent in extents)


def _with_marks(marked: str, data: Any, name: str) -> Any:
    """Return the data of a rendered text with its marks, and with brackets around secrets.

    Brackets are left out where they change what the text means: around quotes, for instance.
    """
    if isinstance(marked, SecretText):
        try:
            bracketed_data = _read(bracketed(marked), name)
        except DriverError:
            bracketed_data = None
        if _are_alike(bracketed_data, data):
            return bracketed_data
    return _read(str(marked), name)


def _are_alike(first: Any, other: Any) -> bool:
    """Return whether two data have the same structure."""
    if is_mapping(first) and is_mapping(other):
        return len(first) == len(other) and all(map(_are_alike, first.values(), other.values()))
    if is_list(first) and is_list(other):
        return len(first) == len(other) and all(map(_are_alike, first, other))
    return not any(isinstance(value, (dict, list)) for value in (first, other))


def _load(text: str, spans: Spans = ()) -> Any:
    from ensue.core.model.bounded_yaml import load_plain_yaml

    return load_plain_yaml(text, partial(_marking_loader(), spans) if spans else _loader())


def _refuse_structure(text: str, printed: Sequence[Printed], name: str) -> None:
    from ensue.core.model.yaml_containment import beyond_scalars

    beyond = set(beyond_scalars(text, [part.extent for part in printed], _load))
    problems = [
        f"{name}:{part.origin.line}: what {part.origin.expression or 'an expression'} prints is more than a "
        f"part of one YAML value ({part.origin.help})"
        for part in printed
        if part.extent in beyond
    ]
    if problems:
        raise DriverError("\n".join(dict.fromkeys(problems)))


def _with_inner(data: Any, marked: Any, levels: int) -> Any:
    """Return manifests, or one, with marks in a text that is itself YAML."""
    if levels > 1:
        if is_list(data):
            return [_with_inner(*pair, levels - 1) for pair in zip(data, marked, strict=False)]
        if is_mapping(data):
            pairs = zip(data.items(), marked.values(), strict=False)
            return {key: _with_inner(value, other, levels - 1) for (key, value), other in pairs}
    if is_mapping(data) and _INNER_KEY in data:
        return {**data, _INNER_KEY: _inner_text(data[_INNER_KEY], marked.get(_INNER_KEY))}
    return data


def _inner_text(value: Any, marked: Any) -> Any:
    if not (isinstance(value, str) and isinstance(marked, str)):
        return value
    if not (has_marks(marked) or isinstance(value, SecretText)):
        return value
    text = InnerText(value)
    text.marked = unbracketed(marked)
    if isinstance(value, SecretText) and not spans_of(text.marked):
        text.marked = SecretText(text.marked)
    return text


def _read(text: str, name: str) -> Any:
    spans = spans_of(text)
    try:
        data = mapped(_load(text, spans), lambda value: value, _key)
    except ValueError as error:
        reason = "the reason may quote a secret" if spans else error
        raise DriverError(
            f"{name}: what it renders to is not YAML: {reason} (write values that may hold anything as JSON)"
        ) from None
    if strange := not_data(data):
        what = "" if spans else f": {strange}"
        raise DriverError(f"{name}: what it renders to holds what is no data{what}")
    return data


@cache
def _loader() -> Any:
    """Return a loader that reads dates and `22:22` as texts."""
    from ensue.core.model.bounded_yaml import BoundedLoader

    resolvers = {
        first: [pair for pair in pairs if pair[0] != f"{_TAG}timestamp"]
        for first, pairs in BoundedLoader.yaml_implicit_resolvers.items()
    }
    for first in "-+0123456789":
        # The first resolver that matches decides the type.
        resolvers[first] = [(f"{_TAG}str", _WHOLE), *resolvers.get(first, [])]
    return type("RenderedLoader", (BoundedLoader,), {"yaml_implicit_resolvers": resolvers})


@cache
def _marking_loader() -> Any:
    """Return a loader that marks the scalars that are in given parts of the text."""
    from yaml.nodes import ScalarNode

    plain_loader: Any = _loader()

    class MarkingLoader(plain_loader):  # type: ignore[misc] # a class that is made when it is needed
        """Marks what it reads where the text is secret.

        Args:
            spans: the secret parts of the text.
            text: the text.
        """

        def __init__(self, spans: Spans, text: str) -> None:
            super().__init__(text)
            self._spans = spans

        def construct_object(self, node: Any, deep: bool = False) -> Any:
            """Return the data of a node."""
            data = super().construct_object(node, deep)
            return secret(data) if isinstance(node, ScalarNode) and self._is_secret(node) else data

        def _is_secret(self, node: Any) -> bool:
            first, last = node.start_mark.index, node.end_mark.index
            # The last of the parts, which are in order, that begins before the end of the scalar.
            place = bisect_left(self._spans, (last,)) - 1
            return place >= 0 and self._spans[place][1] > first

    return MarkingLoader


_WHOLE: Final = re.compile(f"(?:{_SEXAGESIMAL.pattern})$")


def _key(key: Any) -> Any:
    if isinstance(key, Secret):
        return secret(_key(plain(key)))
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]
    return str(key) if isinstance(key, int | float) else key
