"""Putting values in the place of placeholders.

A text that is one placeholder keeps the type of its value. Within a longer text a value is text as it is, and
anything else is compact JSON. What is not yet known stays as it is written, as an `Unknown`.

Source: resource graph document, "Placeholders".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.model.data import is_list, is_mapping
from ensue.model.unknown import Unknown
from ensue.provisioning.placeholders import Template

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.provisioning.meanings import Meaning
    from ensue.provisioning.placeholders import Placeholder


def evaluate(data: Any, value_of: Callable[[Meaning], Any]) -> Any:
    """Return data with every template replaced by what it comes to; the same object where there is none.

    Args:
        data: data of a `Written`.
        value_of: returns the value that a placeholder stands for, an `Unknown` while nobody can know it.
    """
    if isinstance(data, Template):
        return _text(data, value_of)
    if is_mapping(data):
        read = {key: evaluate(value, value_of) for key, value in data.items()}
        return read if any(read[key] is not data[key] for key in data) else data
    if is_list(data):
        items = [evaluate(value, value_of) for value in data]
        return items if any(a is not b for a, b in zip(items, data, strict=True)) else data
    return data


def as_written(data: Any) -> Any:
    """Return data in which what is unknown is shown as it is written (`${resources.dns.outputs.host}`)."""
    if isinstance(data, Unknown):
        return data.reference
    if is_mapping(data):
        return {key: as_written(value) for key, value in data.items()}
    return [as_written(value) for value in data] if is_list(data) else data


def _text(template: Template, value_of: Callable[[Meaning], Any]) -> Any:
    if whole := template.whole:
        value = value_of(whole.meaning)
        return Unknown(whole.text) if isinstance(value, Unknown) else value
    parts = [part if isinstance(part, str) else _part(part, value_of) for part in template.parts]
    text = "".join(part.reference if isinstance(part, Unknown) else part for part in parts)
    return Unknown(text) if any(isinstance(part, Unknown) for part in parts) else text


def _part(placeholder: Placeholder, value_of: Callable[[Meaning], Any]) -> str | Unknown:
    value = value_of(placeholder.meaning)
    if isinstance(value, Unknown):
        return Unknown(placeholder.text)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()
