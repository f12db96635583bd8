"""One JSON or YAML document from data that is presentable already.

Characters that a terminal would act on are written as escapes, which programs decode to the same characters.

msgspec encodes a hundred thousand returns in a fraction of a second; the standard library would
take several. PyYAML is loaded only where YAML is asked for.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import mapped
from ensue.core.model.plain_data import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MISLEADING: Final = "\u2028\u2029\u202a-\u202e\u2066-\u2069"
"""Characters that end a line or change the direction of text, for use in a character class."""

_INDENT = 4
"""As `salt-call --out json` indents."""

_PAD = " " * _INDENT
_ACTED_ON: Final = f"[\x7f-\x9f{MISLEADING}]"
"""What the encoders do not escape although a terminal acts on it; it occurs only in quoted text."""

_BATCH = 500
_BATCH_START = f'{{\n{_PAD}"": {{'
_BATCH_END = f"\n{_PAD}}}\n}}"


def json_text(data: Any) -> str:
    r"""Return one JSON document, indented, with a line end.

    Args:
        data: what `presentable` returned. Text that is not Unicode (a file name in another
            encoding) is written with `\udcNN` in it, numbers that JSON does not have as null.
    """
    return _formatted(data) + "\n"


def json_pieces(key: str, items: Iterable[tuple[str, Any]]) -> Iterator[str]:
    """Yield the document `{key: {name: value, …}}` piece by piece, as `json_text` would write it.

    Args:
        key: the only key of the outer mapping.
        items: names and presentable values of the inner one; made one at a time, so that the
            results of a hundred thousand states need not be in memory twice.
    """
    yield f"{{\n{_PAD}{_formatted(key)}: {{"
    separator = ""
    unwritten = iter(items)
    while batch := dict(islice(unwritten, _BATCH)):
        # One document with many states, without its outer brackets.
        yield separator + _formatted({"": batch}).removeprefix(_BATCH_START).removesuffix(_BATCH_END)
        separator = ","
    yield f"\n{_PAD}}}\n}}\n" if separator else "}\n}\n"


def _formatted(data: Any) -> str:
    """Return indented JSON; line ends in texts are escapes."""
    try:
        encoded = msgspec.json.encode(data)
    except UnicodeEncodeError:
        encoded = msgspec.json.encode(without_surrogates(data))
    formatted = msgspec.json.format(encoded, indent=_INDENT).decode()
    if not formatted.isascii() or "\x7f" in formatted:
        formatted = re.sub(_ACTED_ON, _escaped, formatted)
    return formatted


def yaml_text(data: Any) -> str:
    """Return one YAML document, keys in the order they have."""
    import yaml

    dumper_class: Any = type("Dumper", (getattr(yaml, "CSafeDumper", yaml.SafeDumper),), {})

    def text(dumper: Any, value: str) -> Any:
        # Only in double quotes YAML reads escapes.
        style = '"' if re.search(_ACTED_ON, value) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)

    dumper_class.add_representer(str, text)
    dumper_class.ignore_aliases = _written_out
    dumped: str = yaml.dump(
        without_surrogates(plain(data)),
        Dumper=dumper_class,
        sort_keys=False,
        default_flow_style=False,
        allow_unicode=True,
        width=2**31 - 1,
    )
    return re.sub(_ACTED_ON, _escaped, dumped.removesuffix("...\n"))


def _written_out(_dumper: Any, _data: Any) -> bool:
    """Return that data is written again where a document has it twice, instead of an alias."""
    return True


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def without_surrogates(data: Any) -> Any:
    """Return data whose texts can be written as UTF-8."""
    return mapped(data, _encodable, _encodable)


def _encodable(value: Any) -> Any:
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value
