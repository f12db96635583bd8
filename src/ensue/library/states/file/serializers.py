"""Serializes and reads data for `file.serialize`.

Source: Salt's serializers, 3008: JSON is sorted, indented by 2 and not escaped; YAML is in block style.
"""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.bounded_json import load_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from configparser import RawConfigParser

_JSON_OPTIONS: Final = frozenset({"indent", "sort_keys", "separators", "ensure_ascii", "skipkeys"})
_YAML_OPTIONS: Final = frozenset({
    "default_flow_style", "default_style", "indent", "width", "allow_unicode", "line_break", "sort_keys",
    "explicit_start", "explicit_end",
})  # fmt: skip


def serialized(data: Any, serializer: str, options: Mapping[str, Any], *, unicode: bool) -> str:
    """Return data as text that ends with a newline.

    Args:
        data: mappings, lists and scalars.
        serializer: `yaml`, `json` or `configparser`.
        options: options of the serializer.
        unicode: keep characters in YAML that are not ASCII, as Salt does when an encoding is given.

    Raises:
        StateFailedError: the serializer or option is unknown, or cannot write such data.
    """
    writer = _WRITERS.get(serializer)
    if writer is None:
        raise StateFailedError(
            f"The {serializer} serializer could not be found (there are: {', '.join(sorted(_WRITERS))})"
        )
    return writer(data, {"allow_unicode": True, **options} if unicode and serializer == "yaml" else options)


def deserialized(text: str, serializer: str) -> Any:
    """Read data from text.

    Raises:
        StateFailedError: the text cannot be read.
    """
    if serializer == "json":
        try:
            return load_json(text) if text.strip() else None
        except ValueError as error:
            raise StateFailedError(f"Failed to deserialize existing data: {error}") from None
    if serializer == "yaml":
        from ensue.core.model.bounded_yaml import load_plain_yaml

        try:
            return load_plain_yaml(text)
        except ValueError as error:
            raise StateFailedError(f"Failed to deserialize existing data: {error}") from None
    if serializer == "configparser":
        return _of_configparser(text)
    raise StateFailedError(f"merge_if_exists is not supported for the {serializer} serializer")


def comparable(data: Any, serializer: str) -> Any:
    """Return data in the types that reading a file gives: INI has text for names and values alike."""
    if serializer != "configparser" or not isinstance(data, dict):
        return data
    return {
        str(section): {str(key): str(value) for key, value in options.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType, reportUnknownArgumentType] # a user's data
        if isinstance(options, dict)
        else options
        for section, options in data.items()  # pyright: ignore[reportUnknownVariableType] # a user's data
    }


def _json(data: Any, options: Mapping[str, Any]) -> str:
    _check("json", options, _JSON_OPTIONS)
    settings: dict[str, Any] = {
        "indent": 2,
        "separators": (",", ": "),
        "sort_keys": True,
        "ensure_ascii": False,
        **options,
    }
    try:
        return json.dumps(data, **settings) + "\n"
    except (TypeError, ValueError) as error:
        raise StateFailedError(f"the data cannot be written as JSON: {error}") from None


def _yaml(data: Any, options: Mapping[str, Any]) -> str:
    import yaml

    _check("yaml", options, _YAML_OPTIONS)
    settings: dict[str, Any] = {"default_flow_style": False, **options}
    try:
        text = str(yaml.safe_dump(data, **settings))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType] # its stub is loose
    except yaml.YAMLError as error:
        raise StateFailedError(f"the data cannot be written as YAML: {error}") from None
    return text.removesuffix("...\n")


def _configparser(data: Any, options: Mapping[str, Any]) -> str:
    import configparser

    _check("configparser", options, frozenset())
    parser = _parser()
    try:
        parser.read_dict(data)
    except (AttributeError, TypeError, configparser.Error) as error:
        raise StateFailedError(
            f"the data cannot be written as INI: {error} (write section: {{key: value}})"
        ) from None
    written = io.StringIO()
    parser.write(written)
    return written.getvalue() + "\n"


def _of_configparser(text: str) -> dict[str, dict[str, str]]:
    import configparser

    parser = _parser()
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise StateFailedError(f"Failed to deserialize existing data: {error}") from None
    return {name: dict(parser.items(name)) for name in parser.sections()}


def _parser() -> RawConfigParser:
    """Return a parser that keeps the case of names, and takes `[DEFAULT]` for a section like any other.

    Salt's makes names of options lower-case, and copies the options of `[DEFAULT]` into every section.
    """
    from configparser import RawConfigParser

    # No line can have this name.
    parser = RawConfigParser(default_section="\n")
    parser.optionxform = str  # type: ignore[assignment,method-assign] # typeshed wants a bound method
    return parser


_WRITERS: Final[dict[str, Callable[[Any, Mapping[str, Any]], str]]] = {
    "configparser": _configparser,
    "json": _json,
    "yaml": _yaml,
}


def _check(serializer: str, options: Mapping[str, Any], known: frozenset[str]) -> None:
    unknown = sorted(set(options) - known)
    if unknown:
        raise StateFailedError(f"the {serializer} serializer has no option {', '.join(unknown)}")
