"""Filters between data and text: YAML, JSON, Python literals, and quoted YAML scalars.

Their output is marked as safe text (`Markup`), as in Salt: text that is joined to it is escaped for HTML.

Source: Salt's Jinja documentation ("Format filters") and `yamlencoding`, 3008; results measured there, code
our own.
"""

from __future__ import annotations

import io
import json
import sys
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final

from jinja2 import TemplateRuntimeError, Undefined
from jinja2.environment import TemplateModule
from markupsafe import Markup

from ensue.language.authored_text import authored, is_authored
from ensue.language.jinja.filters.dumping import dump
from ensue.language.jinja.filters.kinds import is_mapping, keeps_undefined
from ensue.language.jinja.serializers import parse_text
from ensue.language.printed_values import serialized_data, take_out_guards

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


@keeps_undefined
def to_yaml(value: Any, flow_style: Any = True) -> Markup:
    """Return data as YAML, on one line if it is short, or as a block."""
    text = dump(value, flow_style=flow_style)
    return serialized_data(text.strip().removesuffix("\n..."), value)


def plain(value: Any) -> Any:
    """Return nested data as dicts, lists and scalars only."""
    if isinstance(value, Undefined):
        return str(value)
    if is_mapping(value):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(item) for item in _items(value)]
    return value


def _finite(value: Any) -> Any:
    """Return nested data as dicts, lists and scalars only; the data must be finite.

    Raises:
        TemplateRuntimeError: it contains itself, or is nested too deeply.
    """
    try:
        return plain(value)
    except RecursionError:
        raise TemplateRuntimeError("the data contains itself, or is nested too deeply") from None


@keeps_undefined
def to_json(value: Any, sort_keys: Any = True, indent: Any = None) -> Markup:
    """Return data as JSON."""
    text = json.dumps(_finite(value), sort_keys=bool(sort_keys), indent=indent, ensure_ascii=False)
    return serialized_data(text, value)


@keeps_undefined
def to_html_json(value: Any, indent: Any = None, **options: Any) -> str:
    """Return data as JSON that is safe in HTML; further options are those of `json.dumps`."""
    text = json.dumps(_finite(value), indent=indent, **options)
    for character in "<>&'":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@keeps_undefined
def to_python(value: Any) -> Markup:
    """Return data as Python writes it, on several lines when it is long."""
    import pprint

    if is_mapping(value) and not isinstance(value, OrderedDict):
        value = dict(value)  # sorted like a dict, whatever its class
    text = pprint.pformat(value).strip()
    # YAML reads a Python string literal as Python does, except an escaped quote.
    is_safe = not isinstance(value, str) and "\\'" not in text
    return serialized_data(text, value) if is_safe else Markup(text)  # noqa: S704 (Salt marks it as safe)


@keeps_undefined
def dict_to_sls_yaml_params(value: Mapping[Any, Any], flow_style: Any = False) -> Any:
    """Return a mapping as the arguments of a state: a YAML list with one `- key: value` per key."""
    return to_yaml([{key: item} for key, item in value.items()], flow_style)


def yaml_dquote(text: Any) -> str:
    """Return a text as YAML in double quotes."""
    from yaml.emitter import Emitter

    with io.StringIO() as stream:
        Emitter(stream, width=sys.maxsize).write_double_quoted(str(text))
        return stream.getvalue()


def yaml_squote(text: Any) -> str:
    """Return a text as YAML in single quotes."""
    from yaml.emitter import Emitter

    with io.StringIO() as stream:
        Emitter(stream, width=sys.maxsize).write_single_quoted(str(text))
        return stream.getvalue()


def yaml_encode(value: Any) -> str:
    """Return a scalar as YAML, text in double quotes.

    Raises:
        TemplateRuntimeError: it is a list or a mapping.
    """
    if isinstance(value, str):
        return yaml_dquote(value)
    import yaml
    from yaml.representer import SafeRepresenter

    representer: Any = SafeRepresenter()
    node = representer.represent_data(value)
    if not isinstance(node, yaml.ScalarNode):
        raise TemplateRuntimeError("yaml_encode takes a scalar; use yaml or json for lists and mappings")
    return str(node.value)


def _loader(form: str) -> Callable[[Any], Any]:
    def load(value: Any) -> Any:
        if isinstance(value, (str, TemplateModule)):
            data = parse_text(take_out_guards(str(value))[0], form, f"the text before load_{form}")
            return authored(data) if is_authored(value) else data
        raise TemplateRuntimeError(f"load_{form} takes text, and was given a {type(value).__name__}")

    return keeps_undefined(load)


def _load_text(value: Any) -> Any:
    return str(value) if isinstance(value, TemplateModule) else value


def _items(value: Any) -> Any:
    """Return a value with its type widened for type checkers."""
    return value


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "dict_to_sls_yaml_params": dict_to_sls_yaml_params,
    "json": to_json,
    "load_json": _loader("json"),
    "load_text": keeps_undefined(_load_text),
    "load_yaml": _loader("yaml"),
    "python": to_python,
    "tojson": to_html_json,
    "yaml": to_yaml,
    "yaml_dquote": yaml_dquote,
    "yaml_encode": yaml_encode,
    "yaml_squote": yaml_squote,
}
"""Filters by the name that templates use."""
