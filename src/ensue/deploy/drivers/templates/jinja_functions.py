"""The filters and functions that a driver's Jinja template has besides Jinja's own."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import secrets
import string
from typing import TYPE_CHECKING, Any, Final

from jinja2 import Undefined
from jinja2.exceptions import FilterArgumentError
from jinja2.filters import do_indent, do_trim

from ensue.core.model.data import copied
from ensue.core.model.printed_text import Serialized, laid_out
from ensue.core.model.secret_marks import bracketed_json, plain, unbracketed
from ensue.core.model.secret_yaml import marked_yaml
from ensue.deploy.drivers.templates.guards import without_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.deploy.drivers.templates.language import Chance

_MOST_CHARS: Final = 4096
_LETTERS_AND_DIGITS: Final = string.ascii_letters + string.digits


def functions(chance: Chance) -> dict[str, Callable[[int], str]]:
    """Return the random functions of one rendering.

    Args:
        chance: records each call of one of them.
    """

    def random_text(length: int) -> str:
        return _random(_LETTERS_AND_DIGITS, length, chance)

    def random_digits(length: int) -> str:
        return _random(string.digits, length, chance)

    return {"random_text": random_text, "random_digits": random_digits}


def _random(alphabet: str, length: int, chance: Chance) -> str:
    if not 0 < length <= _MOST_CHARS:
        raise FilterArgumentError(f"a random text has 1 to {_MOST_CHARS} characters, not {length}")
    chance.ask()
    return "".join([secrets.choice(alphabet) for _ in range(length)])


def _to_json(value: Any) -> str:
    return Serialized(without_marks(json.dumps(value, ensure_ascii=False, default=_no_json)))


def _to_json_with_secrets(value: Any) -> str:
    return unbracketed(Serialized(without_marks(bracketed_json(value, default=_no_json))))


def _no_json(value: Any) -> str:
    # An undefined value raises here, and its error names it.
    return str(value)


def _to_yaml(value: Any) -> str:
    import yaml

    dumper: Any = type("Dumper", (yaml.CSafeDumper,), {})
    dumper.add_multi_representer(str, _yaml_string)
    # PyYAML writes an anchor for a list or mapping that occurs twice; in a copy, none occurs twice.
    text: str = yaml.dump(copied(_defined(value)), Dumper=dumper, allow_unicode=True, sort_keys=False)
    return Serialized(without_marks(text.removesuffix("\n").removesuffix("\n...")))


def _yaml_string(dumper: Any, text: str) -> Any:
    # The emitter accepts no subclass of str.
    return dumper.represent_str(str(text))


def _to_yaml_with_secrets(value: Any) -> str:
    return marked_yaml(_to_yaml(plain(_defined(value))), value)


def _defined(value: Any) -> Any:
    """Return a value; an undefined one raises an error that names it."""
    if isinstance(value, Undefined):
        str(value)
    return value


def _encoded(text: str) -> str:
    return base64.b64encode(without_marks(text).encode()).decode()


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, ValueError):
        raise FilterArgumentError("what is to be decoded is not the base64 of a text") from None


def _sha256(text: str) -> str:
    return hashlib.sha256(without_marks(text).encode()).hexdigest()


def _trim(text: Any, chars: str | None = None) -> str:
    trimmed = do_trim(text, chars)
    return trimmed if chars else laid_out(trimmed, text)


def _indent(text: str, width: int | str = 4, first: bool = False, blank: bool = False) -> str:
    indented = do_indent(text, width, first, blank)
    return laid_out(indented, text) if isinstance(width, int) or not width.strip() else indented


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "tojson": _to_json,
    "toyaml": _to_yaml,
    "b64encode": _encoded,
    "b64decode": _decoded,
    "sha256": _sha256,
    "indent": _indent,
    "trim": _trim,
}
"""The filters by name; `tojson` is Jinja's own without the escapes that HTML needs.

What `tojson` and `toyaml` return is structure that the author requested."""

WITH_SECRETS: Final[Mapping[str, Callable[..., Any]]] = {
    **FILTERS,
    "tojson": _to_json_with_secrets,
    "toyaml": _to_yaml_with_secrets,
}
"""The same for data with secrets, which are secrets in JSON and YAML, too."""
