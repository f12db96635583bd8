"""Replace placeholders with their values.

A text that consists of one placeholder becomes the value, with its type. In a longer text, text values are
inserted unchanged and other values as compact JSON. A value that is not known yet becomes an `Unknown` with
the text as written. A text with a secret part is secret. A text with outputs of resources has marks at their
places.

Source: resource graph document, "Placeholders".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from ensue.core.contracts.driver import ForeignPart
from ensue.core.model.data import mapped
from ensue.core.model.unknown import Unknown, has_unknowns
from ensue.deploy.provisioning.sensitive import (
    NOTHING_FOREIGN,
    Foreign,
    ForeignParts,
    Sensitive,
    note_marks,
    parted,
)
from ensue.deploy.provisioning.written import templates_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ensue.deploy.provisioning.placeholders import Placeholder, PlaceholderText
    from ensue.deploy.provisioning.sensitive import Path
    from ensue.deploy.provisioning.written import TemplatedData


def evaluate(data: Any, value_of: Callable[[Placeholder], Any]) -> Any:
    """Return data with every template replaced by its value, with marks; the same object if there is none.

    Args:
        data: data of a `TemplatedData`.
        value_of: returns the value of a placeholder: an `Unknown` if it is not known yet, a `Sensitive` if it
            is secret, a `Foreign` if it comes from outputs.
    """
    return _replaced(data, [(path, _text(template, value_of)) for path, template in templates_in(data)])


class Evaluated(NamedTuple):
    """Evaluated data without marks.

    Args:
        data: the data; the same object as written if it has no templates.
        secret_paths: the paths of its secrets.
        foreign: its foreign parts.
        is_known: whether all of it is known.
    """

    data: Any
    secret_paths: tuple[Path, ...] = ()
    foreign: ForeignParts = NOTHING_FOREIGN
    is_known: bool = True


_NOTHING: Final = Evaluated(None)


def evaluate_parts(written: TemplatedData | None, value_of: Callable[[Placeholder], Any]) -> Evaluated:
    """Return data with every template replaced by its value, and the paths of the marks in it.

    Args:
        written: the data; None: there is none.
        value_of: see `evaluate`.
    """
    if written is None:
        return _NOTHING
    if not written.templates:
        return Evaluated(written.data)
    paths: list[Path] = []
    foreign: dict[Path, tuple[ForeignPart, ...]] = {}
    values: list[tuple[Path, Any]] = []
    is_known = True
    for path, template in written.templates:
        value = note_marks(_text(template, value_of), path, paths, foreign)
        is_known = is_known and not has_unknowns(value)
        values.append((path, value))
    return Evaluated(_replaced(written.data, values), tuple(paths), foreign, is_known)


def _replaced(data: Any, values: Sequence[tuple[Path, Any]]) -> Any:
    """Return data with other values at some paths; what has none of them in it is the same object.

    Args:
        data: data of a `TemplatedData`.
        values: the paths, none below another, each with its value.
    """
    if not values:
        return data
    if not values[0][0]:
        return values[0][1]
    whole = data.copy()
    copies: dict[Path, Any] = {}
    for path, value in values:
        inside = whole
        for end in range(1, len(path)):
            outer, place = path[:end], path[end - 1]
            if outer not in copies:
                copies[outer] = inside[place] = inside[place].copy()
            inside = copies[outer]
        inside[path[-1]] = value
    return whole


def as_written(data: Any) -> Any:
    """Return data with unknown values as written (`${resources.dns.outputs.host}`)."""
    return mapped(data, lambda value: value.reference if isinstance(value, Unknown) else value)


def json_text(value: Any) -> str:
    """Return a value as it is inserted in a longer text: compact JSON."""
    return msgspec.json.encode(value).decode()


def _text(template: PlaceholderText, value_of: Callable[[Placeholder], Any]) -> Any:
    if whole := template.whole:
        value = value_of(whole)
        return Unknown(whole.text) if isinstance(value, Unknown) else value
    parts: list[str] = []
    foreign: list[ForeignPart] = []
    size = 0
    is_known, is_secret = True, False
    for part in template.parts:
        if isinstance(part, str):
            text = part
        else:
            value, secret_paths, parts_by_place = parted(value_of(part))
            is_secret = is_secret or bool(secret_paths)
            is_known = is_known and not has_unknowns(value)
            is_text = isinstance(value, str)
            text = part.text if has_unknowns(value) else value if is_text else json_text(value)
            inserted = ForeignPart(
                placeholder=part.text,
                resource="",
                start=size,
                end=size + len(text),
                is_text=is_text,
                is_secret=bool(secret_paths),
            )
            foreign += _of_resources(inserted, parts_by_place.values())
        size += len(text)
        parts.append(text)
    text = "".join(parts)
    if not is_known:
        return Unknown(template.source if is_secret else text)
    value = Foreign(text, tuple(foreign)) if foreign else text
    return Sensitive(value) if is_secret else value


def _of_resources(
    inserted: ForeignPart, parts_by_place: Iterable[tuple[ForeignPart, ...]]
) -> list[ForeignPart]:
    """Return a placeholder's value as a marked part of a text if it has foreign parts."""
    resources = dict.fromkeys(part.resource for parts in parts_by_place for part in parts)
    return [msgspec.structs.replace(inserted, resource=", ".join(resources))] if resources else []
