"""Salt's Jinja filters, tests and globals that formulas use.

Network filters (`ipaddr`, `dns_check`, …) are not here yet: a template that uses a missing one is
refused with the filter's name and line.

Source: Salt's Jinja documentation ("Filters"); results measured in Salt 3008.5, code our own.
"""

# pyright: basic
# Here Jinja's world begins: what a template puts in front of a filter may be anything.
from __future__ import annotations

import base64
import hashlib
import hmac as hmac_module
import json
import re
import shlex
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NoReturn

from jinja2 import TemplateRuntimeError, Undefined

from ensue.language.jinja.serializers import parse_text
from ensue.model.paths import traverse


def _yaml(value: Any, flow_style: Any = True) -> str:
    import yaml

    text = yaml.safe_dump(plain(value), default_flow_style=flow_style, sort_keys=False, width=100_000)
    return (
        text.removesuffix("\n").removesuffix("\n...").strip("\n")
        if flow_style
        else text.removesuffix("\n...\n")
    )


def plain(value: Any) -> Any:
    """Return nested data made of plain dicts, lists and scalars."""
    if isinstance(value, Undefined):
        return str(value)
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in value]
    return value


def _json(value: Any, sort_keys: Any = True, indent: Any = None) -> str:
    return json.dumps(plain(value), sort_keys=bool(sort_keys), indent=indent)


def _tojson(value: Any, indent: Any = None) -> str:
    text = json.dumps(plain(value), sort_keys=True, indent=indent)
    # Safe inside HTML, as Jinja's own filter makes it.
    return (
        text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("'", "\\u0027")
    )


def _yaml_encode(value: Any) -> str:
    if isinstance(value, (Mapping, list, tuple)):
        message = "yaml_encode takes a scalar; use the yaml or json filter for lists and mappings"
        raise TemplateRuntimeError(message)
    return _yaml(value)


def _double_quoted(value: Any) -> str:
    return json.dumps(str(value), ensure_ascii=False)


def _single_quoted(value: Any) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _regex_search(
    text: Any, pattern: str, ignorecase: bool = False, multiline: bool = False
) -> tuple[str, ...] | None:
    found = re.search(pattern, str(text), _flags(ignorecase, multiline))
    return (found.groups() or (found.group(),)) if found else None


def _regex_match(
    text: Any, pattern: str, ignorecase: bool = False, multiline: bool = False
) -> tuple[str, ...] | None:
    found = re.match(pattern, str(text), _flags(ignorecase, multiline))
    return (found.groups() or (found.group(),)) if found else None


def _regex_replace(
    text: Any, pattern: str, value: str, ignorecase: bool = False, multiline: bool = False
) -> str:
    return re.sub(pattern, value, str(text), flags=_flags(ignorecase, multiline))


def _flags(ignorecase: bool, multiline: bool) -> int:
    return (re.IGNORECASE if ignorecase else 0) | (re.MULTILINE if multiline else 0)


def _unique(values: Iterable[Any]) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def _to_bool(value: Any) -> bool:
    if isinstance(value, str):
        return value.lower() in {"yes", "1", "true"}
    if isinstance(value, (list, tuple, dict, set)):
        return bool(value)
    return bool(value) and (not isinstance(value, (int, float)) or value > 0)


def _to_num(value: Any) -> Any:
    for kind in (int, float):
        try:
            return kind(value)
        except (TypeError, ValueError):
            continue
    return value


def _sequence(value: Any) -> Any:
    return value if isinstance(value, (list, tuple, set, dict)) else [value]


def _digest(name: str) -> Callable[[Any], str]:
    def digest(value: Any) -> str:
        return hashlib.new(name, _bytes(value)).hexdigest()

    return digest


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def _hmac_compute(text: Any, shared_secret: str) -> str:
    return hmac_module.new(_bytes(shared_secret), _bytes(text), hashlib.sha256).hexdigest()


def _substring_in_list(text: str, values: Iterable[str]) -> bool:
    return any(text in value for value in values)


def _method_call(value: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return getattr(value, name)(*args, **kwargs)


def _path_join(first: str, *others: str) -> str:
    import posixpath

    return posixpath.join(first, *others)


def _flatten(values: Iterable[Any], levels: int | None = None) -> list[Any]:
    found: list[Any] = []
    for value in values:
        if isinstance(value, (list, tuple)) and levels != 0:
            found += _flatten(value, None if levels is None else levels - 1)
        elif value is not None:
            found.append(value)
    return found


def _strftime(value: Any, form: str | None = None) -> str:
    from datetime import UTC, datetime

    if value in ("", None) or isinstance(value, Undefined):
        moment = datetime.now(UTC).astimezone()
    elif isinstance(value, datetime):
        moment = value
    elif isinstance(value, (int, float)) or str(value).isdigit():
        moment = datetime.fromtimestamp(float(value), UTC).astimezone()
    else:
        moment = datetime.fromisoformat(str(value))
    return moment.strftime(form or "%Y-%m-%d")


def _merged(kind: str) -> Callable[[Iterable[Any], Iterable[Any]], list[Any]]:
    def merge(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
        one, two = _unique(left), _unique(right)
        match kind:
            case "union":
                return _unique([*one, *two])
            case "intersect":
                return [value for value in one if value in two]
            case "difference":
                return [value for value in one if value not in two]
            case _:
                return [value for value in one if value not in two] + [
                    value for value in two if value not in one
                ]

    return merge


def _set_key(data: Any, path: str, value: Any, delimiter: str = ":") -> Any:
    target = data
    *parents, last = path.split(delimiter)
    for part in parents:
        target = target.setdefault(part, {})
    target[last] = value
    return data


def _raise(message: str) -> NoReturn:
    raise TemplateRuntimeError(message)


def _ifelse(*parts: Any) -> Any:
    pairs, default = (parts[:-1], parts[-1]) if len(parts) % 2 else (parts, None)
    for condition, value in zip(pairs[::2], pairs[1::2], strict=True):
        if condition:
            return value
    return default


def _is_ip(version: int | None) -> Callable[[Any], bool]:
    def check(value: Any) -> bool:
        import ipaddress

        try:
            address = ipaddress.ip_address(str(value))
        except ValueError:
            return False
        return version is None or address.version == version

    return check


def _camel(value: str, uppercamel: bool = False) -> str:
    first, *others = value.split("_")
    return (first.capitalize() if uppercamel else first) + "".join(part.capitalize() for part in others)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "yaml": _yaml,
    "json": _json,
    "tojson": _tojson,
    "python": lambda value: repr(plain(value)),
    "load_yaml": lambda text: parse_text(str(text), "yaml", "the text before load_yaml"),
    "load_json": lambda text: parse_text(str(text), "json", "the text before load_json"),
    "load_text": str,
    "yaml_encode": _yaml_encode,
    "yaml_dquote": _double_quoted,
    "yaml_squote": _single_quoted,
    "regex_search": _regex_search,
    "regex_match": _regex_match,
    "regex_replace": _regex_replace,
    "unique": _unique,
    "to_bool": _to_bool,
    "to_num": _to_num,
    "str_to_num": _to_num,
    "to_bytes": _bytes,
    "to_snake_case": lambda value: re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", value).lower(),
    "to_camelcase": _camel,
    "to_entries": lambda data: [{"key": key, "value": value} for key, value in data.items()],
    "from_entries": lambda entries: {entry["key"]: entry["value"] for entry in entries},
    "quote": lambda value: shlex.quote(str(value)),
    "traverse": traverse,
    "sequence": _sequence,
    "is_list": lambda value: isinstance(value, list),
    "is_iter": lambda value: isinstance(value, Iterable) and not isinstance(value, (str, bytes)),
    "is_hex": lambda value: re.fullmatch(r"[0-9a-fA-F]+", str(value)) is not None,
    "is_ip": _is_ip(None),
    "is_ipv4": _is_ip(4),
    "is_ipv6": _is_ip(6),
    "contains_whitespace": lambda value: re.search(r"\s", value) is not None,
    "substring_in_list": _substring_in_list,
    "base64_encode": lambda value: base64.b64encode(_bytes(value)).decode(),
    "base64_decode": lambda value: base64.b64decode(_bytes(value)).decode(),
    "md5": _digest("md5"),
    "sha1": _digest("sha1"),
    "sha256": _digest("sha256"),
    "sha512": _digest("sha512"),
    "hmac": lambda text, shared_secret, challenge: hmac_module.compare_digest(
        base64.b64encode(hmac_module.new(_bytes(shared_secret), _bytes(text), hashlib.sha256).digest()),
        _bytes(challenge),
    ),
    "hmac_compute": _hmac_compute,
    "uuid": lambda value: str(uuid.uuid5(uuid.NAMESPACE_DNS, str(value))),
    "strftime": _strftime,
    "date_format": _strftime,
    "method_call": _method_call,
    "path_join": _path_join,
    "flatten": _flatten,
    "avg": lambda values: float(sum(values)) / len(values) if values else 0.0,
    "union": _merged("union"),
    "intersect": _merged("intersect"),
    "difference": _merged("difference"),
    "symmetric_difference": _merged("symmetric_difference"),
    "sorted_ignorecase": lambda values: sorted(values, key=lambda value: str(value).upper()),
    "set_dict_key_value": _set_key,
    "exactly_n_true": lambda values, amount: sum(map(bool, values)) == amount,
    "exactly_one_true": lambda values: sum(map(bool, values)) == 1,
    "skip": lambda _value: None,
}
"""Filters by the name that templates use."""

TESTS: Final[Mapping[str, Callable[..., bool]]] = {
    "list": lambda value: isinstance(value, list),
    "match": lambda text, pattern, ignorecase=False, multiline=False: (
        re.match(pattern, str(text), _flags(ignorecase, multiline)) is not None
    ),
    "equalto": lambda value, other: value == other,
}
"""Tests (`x is match('a.*')`) by name."""

GLOBALS: Final[Mapping[str, Any]] = {"odict": OrderedDict, "raise": _raise, "ifelse": _ifelse}
"""Functions and values that every template sees."""
