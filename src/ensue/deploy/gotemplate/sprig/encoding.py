"""Encodings, checksums, JSON and YAML.

Source: Sprig's documentation, "Encoding Functions", "Default Functions" (JSON) and "Cryptographic and
Security Functions" (checksums); Helm's documentation for YAML.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib
from datetime import date
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.bounded_json import load_json
from ensue.core.model.data import is_list, is_mapping, mapped
from ensue.core.model.printed_text import Serialized
from ensue.core.model.secret_marks import plain, serialized
from ensue.core.model.secret_yaml import marked_yaml
from ensue.deploy.gotemplate.failures import CallError, check_chars
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.json_text import json_text
from ensue.deploy.gotemplate.printing import check_bounded
from ensue.deploy.gotemplate.values import from_bytes, to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.gotemplate.surroundings import RenderingServices


def _b64dec(text: str) -> str:
    try:
        return from_bytes(base64.b64decode(_without_line_ends(text), validate=True))
    except (binascii.Error, ValueError) as error:
        raise CallError(f"this is not base64: {error}", help="Encode it with `b64enc`") from None


def _b32dec(text: str) -> str:
    try:
        return from_bytes(base64.b32decode(_without_line_ends(text)))
    except (binascii.Error, ValueError) as error:
        raise CallError(f"this is not base32: {error}", help="Encode it with `b32enc`") from None


def _without_line_ends(text: str) -> str:
    return text.replace("\n", "").replace("\r", "")


def _to_json(value: Any) -> str:
    return serialized(json_text(value))


def _to_pretty_json(value: Any) -> str:
    return serialized(json_text(value, is_pretty=True))


def _to_raw_json(value: Any) -> str:
    return serialized(json_text(value, is_raw=True))


def _from_json(text: str) -> Any:
    try:
        return load_json(text)
    except ValueError as error:
        raise CallError(f"this is not JSON: {error}") from None


def _from_json_or_nil(text: str) -> Any:
    try:
        return load_json(text)
    except ValueError:
        return None


def _to_yaml(run: RenderingServices, value: Any) -> str:
    import yaml

    check_bounded(value)
    clear = plain(value) if run.tracks_secrets else value
    dumper: Any = type("Dumper", (yaml.CSafeDumper,), {"ignore_aliases": _no_alias})
    dumper.add_representer(str, _yaml_string)
    dumper.add_multi_representer(str, _yaml_string)
    dumper.add_multi_representer(int, yaml.CSafeDumper.represent_int)
    try:
        text: str = yaml.dump(
            clear, Dumper=dumper, default_flow_style=False, allow_unicode=True, sort_keys=True, width=1 << 30
        )
    except yaml.YAMLError as error:
        raise CallError(f"this cannot be written as YAML: {error}") from None
    check_chars(len(text))
    shown = Serialized(text.removesuffix("\n").removesuffix("\n..."))
    return marked_yaml(shown, value) if run.tracks_secrets else shown


def _no_alias(_dumper: Any, _data: Any) -> bool:
    return True


def _yaml_string(dumper: Any, text: str) -> Any:
    # The emitter accepts no subclass of str.
    return dumper.represent_scalar("tag:yaml.org,2002:str", str(text), style="|" if "\n" in text else None)


def _from_yaml(text: str) -> dict[str, Any]:
    value = _yaml_value(text)
    if value is None:
        return {}
    if not is_mapping(value):
        raise CallError("this YAML is not a mapping", help="`fromYamlArray` reads a list")
    return value


def _from_yaml_array(text: str) -> list[Any]:
    value = _yaml_value(text)
    if value is None:
        return []
    if not is_list(value):
        raise CallError("this YAML is not a list", help="`fromYaml` reads a mapping")
    return value


def _yaml_value(text: str) -> Any:
    from ensue.core.model.bounded_yaml import load_plain_yaml

    try:
        return mapped(load_plain_yaml(text), _without_date, _key)
    except ValueError as error:
        raise CallError(f"this is not YAML: {error}") from None


def _without_date(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json_text(key)


ENCODING_FUNCTIONS: Final[Mapping[str, Function]] = {
    "adler32sum": function(lambda text: str(zlib.adler32(to_bytes(text))), "s"),
    "b32dec": function(_b32dec, "s"),
    "b32enc": function(lambda text: base64.b32encode(to_bytes(text)).decode(), "s"),
    "b64dec": function(_b64dec, "s"),
    "b64enc": function(lambda text: base64.b64encode(to_bytes(text)).decode(), "s"),
    "fromJson": function(_from_json_or_nil, "s"),
    "fromYaml": function(_from_yaml, "s"),
    "fromYamlArray": function(_from_yaml_array, "s"),
    "mustFromJson": function(_from_json, "s"),
    "mustToJson": function(_to_json, "a"),
    "mustToPrettyJson": function(_to_pretty_json, "a"),
    "mustToRawJson": function(_to_raw_json, "a"),
    "sha1sum": function(lambda text: hashlib.sha1(to_bytes(text), usedforsecurity=False).hexdigest(), "s"),
    "sha256sum": function(lambda text: hashlib.sha256(to_bytes(text)).hexdigest(), "s"),
    "sha512sum": function(lambda text: hashlib.sha512(to_bytes(text)).hexdigest(), "s"),
    "toJson": function(_to_json, "a"),
    "toPrettyJson": function(_to_pretty_json, "a"),
    "toRawJson": function(_to_raw_json, "a"),
    "toYaml": function(_to_yaml, "@a"),
}
"""The functions by name."""
