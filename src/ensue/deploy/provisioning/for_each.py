"""The items of a `for_each`: a list or mapping becomes ids and params of resources.

An output is data: an item can be a part of an id only if it is a word of letters, digits, `-` and `_`, so
that it is never a path, a type, a class, a placeholder or an option. Its value in the params keeps its marks.

Source: Terraform, "The for_each Meta-Argument"; spec of trust, "Data never becomes structure".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ensue.core.errors import ExpansionError
from ensue.core.model.data import is_list, is_mapping, mapped
from ensue.core.model.paths import AbsentKeyError, value_at
from ensue.deploy.provisioning.evaluation import json_text
from ensue.deploy.provisioning.identity import parse_descriptor
from ensue.deploy.provisioning.placeholder_values import ContextField, EachItem, EachValue
from ensue.deploy.provisioning.placeholders import Placeholder, PlaceholderText
from ensue.deploy.provisioning.sensitive import below, marked, parted
from ensue.deploy.provisioning.shapes import kind_of
from ensue.deploy.provisioning.written import TemplatedData

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST_ITEMS: Final = 1000
"""How many items one `for_each` may have."""

_MOST_CHARS: Final = 100
_ID_PART: Final = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_-]{{0,{_MOST_CHARS - 1}}}")
_WHAT_FITS: Final = f"use 1 to {_MOST_CHARS} letters, digits, - and _, the first one not -"
_MOST_SHOWN: Final = 60


class ForEach(msgspec.Struct, frozen=True, kw_only=True):
    """The `for_each` of an entry of `provision`.

    Args:
        entry: the entry's key as written.
        value: the list or mapping.
        id: the id of the resources, with placeholders of the item and of the owner's context.
    """

    entry: str
    value: TemplatedData
    id: PlaceholderText


class Item(NamedTuple):
    """One item.

    Args:
        key: the item of a list as text, or the key of a mapping.
        value: the item, or the value of a mapping; it may contain `Sensitive` values.
        resources: the resources whose outputs the items are from, for messages; empty: an author wrote them.
    """

    key: str
    value: Any
    resources: str

    def part(self, path: tuple[str, ...]) -> EachValue:
        """Return a part of it, by the path of an `EachItem`.

        Raises:
            ExpansionError: it has no such part.
        """
        if path == ("key",):
            return EachValue(self.key, self.resources)
        data, secret_paths, _ = parted(self.value)
        try:
            value = value_at({"value": data}, path)
        except AbsentKeyError as error:
            raise ExpansionError(error.sentence(f"the item {_shown(self.key)}")) from None
        return EachValue(marked(value, below(secret_paths, path[1:])), self.resources)


def items_of(value: Any) -> tuple[Item, ...]:
    """Return the items of a known list or mapping, in their order.

    Args:
        value: the evaluated value, with its marks.

    Raises:
        ExpansionError: it is neither, or an item cannot be a part of an id.
    """
    data, secret_paths, foreign = parted(value)
    resources = ", ".join(dict.fromkeys(part.resource for parts in foreign.values() for part in parts))
    if not (is_list(data) or is_mapping(data)):
        raise ExpansionError(f"its value is {kind_of(data)}, neither a list nor a mapping")
    if len(data) > MOST_ITEMS:
        raise ExpansionError(f"it has {len(data):,} items, at most {MOST_ITEMS:,} are allowed")
    if () in secret_paths or (secret_paths and is_list(data)):
        raise ExpansionError("its items are secret, and ids are shown to everybody")
    pairs: Iterable[tuple[Any, Any]]
    if is_mapping(data):
        pairs = ((key, marked(item, below(secret_paths, (key,)))) for key, item in data.items())
    else:
        pairs = ((text, text) for text in data)
    items = [
        Item(_id_part(_text(key, f"item {number + 1}")), item, resources)
        for number, (key, item) in enumerate(pairs)
    ]
    _refuse_duplicates((item.key for item in items), "the item {} occurs twice")
    return tuple(items)


def ids_of(for_each: ForEach, items: Iterable[Item], context: Mapping[str, str]) -> Iterator[str]:
    """Yield the id of the resource of each item.

    Args:
        for_each: the id's text.
        items: the items.
        context: the fields of the owner's context.

    Raises:
        ExpansionError: a part of an item cannot be a part of an id, or two items have the same id.
    """
    ids = ["".join(_id_parts(for_each, item, context)) for item in items]
    for id_ in ids:
        if (descriptor := parse_descriptor(f"type#{id_}")) is None or descriptor.id != id_:
            raise ExpansionError(f"{_shown(id_)} cannot be an id")
    _refuse_duplicates(ids, "two items have the id {}")
    return iter(ids)


def with_item(params: TemplatedData, item: Item, origin: str) -> TemplatedData:
    """Return params with the placeholders of an item replaced.

    Args:
        params: the params of the entry.
        item: the item.
        origin: names the list, in place of its secrets where params are compared.

    Raises:
        ExpansionError: the item lacks a part that the params name.
    """

    def with_part(item_: Any) -> Any:
        if not isinstance(item_, PlaceholderText):
            return item_
        parts = tuple(_with_part(part, item) for part in item_.parts)
        return PlaceholderText(item_.source, parts) if _names_item(parts) else item_

    def as_source(value: Any) -> Any:
        return _source(value, f"{item.key} of {origin}") if isinstance(value, PlaceholderText) else value

    data = mapped(params.data, with_part)
    return TemplatedData(data, mapped(data, as_source), params.mentions, params.place)


def may_be_id(for_each: ForEach, context: Mapping[str, str]) -> re.Pattern[str]:
    """Return a pattern of all ids that an entry may give to resources.

    Args:
        for_each: the id's text.
        context: the fields of the owner's context.
    """
    pattern = (
        _ID_PART.pattern if isinstance(part, Placeholder) else re.escape(part)
        for part in _with_context(for_each, context)
    )
    return re.compile("".join(pattern))


def shown_id(for_each: ForEach, context: Mapping[str, str]) -> str:
    """Return the id of an entry's resources for people, with placeholders for the items.

    Args:
        for_each: the id's text.
        context: the fields of the owner's context.
    """
    parts = _with_context(for_each, context)
    return "".join(part.text if isinstance(part, Placeholder) else part for part in parts)


def _with_context(for_each: ForEach, context: Mapping[str, str]) -> Iterator[str | Placeholder]:
    """Yield the parts of an id, those of the context replaced."""
    for part in for_each.id.parts:
        if isinstance(part, Placeholder) and isinstance(part.meaning, ContextField):
            yield context[part.meaning.name]
        else:
            yield part


def _text(value: Any, what: str) -> str:
    """Return a text or a whole number as text."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 10**_MOST_CHARS:
        return str(value)
    if not isinstance(value, str):
        raise ExpansionError(f"{what} is {kind_of(value)}, neither a text nor a whole number")
    return value


def _id_part(text: str) -> str:
    if _ID_PART.fullmatch(text) is None:
        raise ExpansionError(f"{_shown(text)} cannot be a part of an id: {_WHAT_FITS}")
    return text


def _id_parts(for_each: ForEach, item: Item, context: Mapping[str, str]) -> Iterator[str]:
    for part in _with_context(for_each, context):
        if isinstance(part, str):
            yield part
        elif isinstance(part.meaning, EachItem):
            value, secret_paths, _ = parted(item.part(part.meaning.path).value)
            if secret_paths:
                raise ExpansionError(
                    f"{part.text} of the item {_shown(item.key)} is secret, and ids are shown"
                )
            yield _id_part(_text(value, f"{part.text} of the item {_shown(item.key)}"))


def _refuse_duplicates(texts: Iterable[str], message: str) -> None:
    seen: set[str] = set()
    for text in texts:
        if text in seen:
            raise ExpansionError(message.format(_shown(text)))
        seen.add(text)


def _with_part(part: str | Placeholder, item: Item) -> str | Placeholder:
    if isinstance(part, Placeholder) and isinstance(part.meaning, EachItem):
        return part._replace(meaning=item.part(part.meaning.path))
    return part


def _names_item(parts: Iterable[str | Placeholder]) -> bool:
    return any(isinstance(part, Placeholder) and isinstance(part.meaning, EachValue) for part in parts)


def _source(template: PlaceholderText, origin: str) -> Any:
    """Return a text as if an author had written the item into it; a secret is only named."""
    if not _names_item(template.parts):
        return template.source
    written = [part if isinstance(part, str) else _part_source(part, origin) for part in template.parts]
    if template.whole:
        return written[0]
    return "".join(part if isinstance(part, str) else json_text(part) for part in written)


def _part_source(part: Placeholder, origin: str) -> Any:
    if not isinstance(part.meaning, EachValue):
        return part.text
    value, secret_paths, _ = parted(part.meaning.value)
    return f"{part.text} of {origin}" if secret_paths else value


def _shown(text: str) -> str:
    return repr(text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…")
