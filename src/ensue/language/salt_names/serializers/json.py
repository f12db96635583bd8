"""`salt.serializers.json`: JSON."""

from __future__ import annotations

import json
from typing import Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.serializers import DeserializationError, SerializationError


def serialize(obj: Any, **options: Any) -> str:
    """Return data as JSON text."""
    try:
        return json.dumps(obj, **options)
    except (TypeError, ValueError) as error:
        raise SerializationError(error) from error


def deserialize(stream_or_string: Any, **options: Any) -> Any:
    """Parse JSON text or an open file."""
    text = stream_or_string if isinstance(stream_or_string, (str, bytes)) else stream_or_string.read()
    try:
        return json.loads(text, **options)
    except ValueError as error:
        raise DeserializationError(error) from error


__getattr__ = not_there(__name__)
