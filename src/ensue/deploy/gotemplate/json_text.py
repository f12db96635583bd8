"""JSON as Go's `encoding/json` writes it: keys sorted; `<`, `>` and `&` escaped unless asked otherwise."""

from __future__ import annotations

import json
import math
import re
from typing import Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.secret_marks import Secret, SecretText, bracketed, plain, unbracketed
from ensue.deploy.gotemplate.failures import CallError, check_chars
from ensue.deploy.gotemplate.printing import check_bounded, general
from ensue.deploy.gotemplate.values import is_number, to_bytes, type_of

_FOR_HTML: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
_SEPARATORS: Final = str.maketrans({"\u2028": "\\u2028", "\u2029": "\\u2029"})
_SMALL_EXPONENT: Final = re.compile(r"e-0(\d)\Z")
_SMALLEST: Final = 1e-6
_LARGEST: Final = 1e21


def json_text(value: Any, *, is_raw: bool = False, is_pretty: bool = False) -> str:
    """Return a value as JSON.

    Args:
        value: plain data.
        is_raw: whether `<`, `>` and `&` stay as they are.
        is_pretty: whether each member is on its own line, indented by two spaces.

    Raises:
        CallError: it is not plain data, or exceeds a limit.
    """
    check_bounded(value)
    text = _text(value, "\n" if is_pretty else "")
    check_chars(len(text))
    text = text.translate(_SEPARATORS)
    return unbracketed(text if is_raw else text.translate(_FOR_HTML))


def _text(value: Any, line: str) -> str:  # noqa: PLR0911 -- a return per kind of value
    if value.__class__ is str:
        return json.dumps(_valid(value), ensure_ascii=False)
    if isinstance(value, Secret):
        return bracketed(SecretText(_text(plain(value), line)))  # type: ignore[no-any-return] # a text
    if isinstance(value, str):
        return json.dumps(_valid(value), ensure_ascii=False)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_number(value):
        return _number(value)
    inner = line + "  " if line else ""
    if is_list(value):
        parts = [_text(item, inner) for item in value]
        return _enclosed("[]", parts, line, inner)
    if is_mapping(value):
        colon = ": " if line else ":"
        parts = [_text(_key(key), "") + colon + _text(value[key], inner) for key in sorted(value, key=str)]
        return _enclosed("{}", parts, line, inner)
    text = getattr(value, "json_value", None)
    if text is not None:
        return _text(text, line)
    raise CallError(f"{type_of(value)} cannot be written as JSON", help="Convert it with `toString`")


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(key)


def _enclosed(brackets: str, parts: list[str], line: str, inner: str) -> str:
    if not parts:
        return brackets
    return brackets[0] + inner + ("," + inner).join(parts) + line + brackets[1]


def _number(value: float) -> str:
    if isinstance(value, int):
        return str(int(value))
    if not math.isfinite(value):
        raise CallError("an infinite number or NaN cannot be written as JSON")
    is_small = 0 < abs(value) < _SMALLEST
    is_large = abs(value) >= _LARGEST
    text = general(value) if is_small or is_large else general(value, first_exponent=21, least_exponent=-6)
    return _SMALL_EXPONENT.sub(r"e-\1", text)


def _valid(text: str) -> str:
    return text if text.isascii() else to_bytes(text).decode("utf-8", "replace")
