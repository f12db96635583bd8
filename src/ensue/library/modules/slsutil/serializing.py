"""Serializes and parses data: `slsutil.serialize` and `deserialize`, for YAML, JSON, INI and MessagePack."""

from __future__ import annotations

import io
import json
from configparser import ConfigParser, RawConfigParser
from configparser import Error as ConfigParserError
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.bounded_json import load_json
from ensue.library.modules.nested import is_list, is_mapping

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_FORMS: Final = ("yaml", "json", "configparser", "msgpack")


def serialize(ctx: FunctionContext, serializer: str, obj: Any, **options: Any) -> str | bytes:
    """Return data as text, or as bytes for `msgpack`.

    Args:
        serializer: `yaml`, `json`, `configparser` or `msgpack`.
        obj: the data; for `configparser` a mapping of sections.
        options: options for PyYAML's `dump` or for `json.dumps`.

    Example:
        ensue call '*' slsutil.serialize json '{port: 80}'

    Raises:
        StateFailedError: the serializer is unknown, or cannot write this data.
    """
    data = _plain(obj)
    try:
        match serializer:
            case "yaml":
                return _yaml(data, options)
            case "json":
                options.setdefault("ensure_ascii", False)
                return json.dumps(data, **options)
            case "configparser":
                return _ini(data)
            case "msgpack":
                return msgspec.msgpack.encode(data)
            case _:
                raise _no_serializer(serializer)
    except (TypeError, ValueError, AttributeError, ConfigParserError) as error:
        msg = f"slsutil.serialize: the data cannot be written as {serializer}: {error}"
        raise StateFailedError(msg) from None


async def deserialize(ctx: FunctionContext, serializer: str, stream_or_string: str | bytes) -> Any:
    """Return the data of a text in a serializer's format.

    Args:
        serializer: `yaml`, `json`, `configparser` or `msgpack`.
        stream_or_string: the text.

    Example:
        ensue call '*' slsutil.deserialize json '{"a": 1}'

    Raises:
        StateFailedError: the serializer is unknown, or the text is not well-formed.
    """
    if serializer == "yaml":
        return await ctx.render_data(_text(stream_or_string), renderer="yaml", name="slsutil.deserialize")
    try:
        match serializer:
            case "json":
                return load_json(stream_or_string)
            case "configparser":
                return _of_ini(_text(stream_or_string))
            case "msgpack":
                return msgspec.msgpack.decode(_bytes(stream_or_string))
            case _:
                raise _no_serializer(serializer)
    except (ValueError, RecursionError, ConfigParserError) as error:
        raise StateFailedError(f"slsutil.deserialize: the text is not valid {serializer}: {error}") from None


def _yaml(data: Any, options: dict[str, Any]) -> str:
    import yaml

    # PyYAML's None writes the innermost collections in flow style, as Salt does.
    options.setdefault("default_flow_style", None)
    dump: Any = yaml.safe_dump
    return str(dump(data, **options)).removesuffix("\n").removesuffix("\n...")


def _ini(data: Any) -> str:
    parser = RawConfigParser()
    for section, pairs in data.items():
        parser.add_section(str(section))
        for key, value in pairs.items():
            parser.set(str(section), str(key), str(value))
    stream = io.StringIO()
    parser.write(stream)
    return stream.getvalue()


def _of_ini(text: str) -> dict[str, dict[str, str]]:
    parser = ConfigParser()
    parser.read_string(text)
    return {section: dict(parser.items(section)) for section in parser.sections()}


def _plain(value: Any) -> Any:
    if is_mapping(value):
        return {_plain(key): _plain(item) for key, item in value.items()}
    if is_list(value) or isinstance(value, tuple):
        return [_plain(item) for item in _items(value)]
    # A Jinja filter returns its text as an instance of its own class.
    return str(value) if isinstance(value, str) else value


def _items(value: Any) -> Any:
    """Discard the type that a check has narrowed a value to."""
    return value


def _text(given: str | bytes) -> str:
    return given.decode() if isinstance(given, bytes) else given


def _bytes(given: str | bytes) -> bytes:
    return given if isinstance(given, bytes) else given.encode()


def _no_serializer(name: str) -> StateFailedError:
    return StateFailedError(f"unknown serializer {name!r}; slsutil has {', '.join(_FORMS)}")
