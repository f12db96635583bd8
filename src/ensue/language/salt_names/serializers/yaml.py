"""`salt.serializers.yaml`: YAML."""

from __future__ import annotations

from typing import Any

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.serializers import DeserializationError, SerializationError
from ensue.language.salt_names.utils.yaml import YAMLError, dump, load


def serialize(obj: Any, **options: Any) -> str:
    """Return data as YAML text."""
    try:
        written: str = dump(obj, **{"allow_unicode": False, **options})
    except YAMLError as error:
        raise SerializationError(error) from error
    return written.removesuffix("\n").removesuffix("\n...")


def deserialize(stream_or_string: Any, **options: Any) -> Any:
    """Parse YAML text or an open file."""
    del options
    try:
        return load(stream_or_string)
    except YAMLError as error:
        raise DeserializationError(error) from error


__getattr__ = not_there(__name__)
