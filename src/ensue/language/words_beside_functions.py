"""Refuses options, requisites and arguments that are written beside a state's function, not in its list.

Tasks of Ansible have them there: `when`, `become` and `tags` are keys beside the module. In an SLS such a key
names a state module, and no module has the name of an option.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument

_FUNCTION_NAME: Final = re.compile(r"[A-Za-z_][\w.]*")
_READ_OTHERWISE: Final = re.compile(r"[\d.:]+|true|false|yes|no|on|off|null|~", re.IGNORECASE)
"""Texts that YAML reads as something else without quotes."""
_NAME: Final = "name"
_SHOWN_CHARS: Final = 40


def without_words_beside(
    id_: str, body: Mapping[Any, Any], document: YamlDocument, above: Sequence[str], collector: Collector
) -> Mapping[Any, Any]:
    """Return what a declaration has below its ID, without words that belong into the list of its function.

    Args:
        id_: the ID.
        body: what is below it.
        document: the file.
        above: the keys above the ID.
        collector: collects an error for each such word.
    """
    helps = {key: help_ for key, value in body.items() if (help_ := _belongs_inside(key, value, body))}
    if not helps or len(helps) == len(body):
        return body
    function = next(str(key) for key in body if key not in helps)
    for key, help_ in helps.items():
        collector.error(
            "E0307",
            f"`{key}` of {id_!r} is beside its function {function!r}",
            document.locate((*above, id_, key)),
            detail="arguments, options and requisites of a state are items of the list below its function",
            help=help_,
        )
    return {key: value for key, value in body.items() if key not in helps}


def _belongs_inside(key: Any, value: Any, body: Mapping[Any, Any]) -> str:
    """Return what to do with a key of a declaration that is no state module; empty if it may be one."""
    from ensue.language.ansible_words import instead_of_keyword
    from ensue.language.function_words import instead_of_module
    from ensue.language.option_words import GLOBAL_WORDS

    word = str(key)
    has_function = any("." in str(other) for other in body)
    is_number = has_function and isinstance(value, int | float)  # No module is followed by one.
    if "." in word or word.startswith("_") or (instead_of_module(word) and not is_number):
        return ""
    if word in GLOBAL_WORDS or word == _NAME:
        return f"write it there: `- {_item(word, value)}`"
    if advice := instead_of_keyword(word):
        return advice
    if is_number or (has_function and isinstance(value, str) and not _FUNCTION_NAME.fullmatch(value)):
        return f"write it there: `- {_item(word, value)}`"
    return ""


def _item(word: str, value: Any) -> str:
    """Return an argument as one writes it; a long or structured value is left out."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    if not isinstance(value, str | int) or len(text) > _SHOWN_CHARS or "\n" in text:
        return f"{word}: …"
    return (
        f"{word}: '{text}'"
        if isinstance(value, str) and _READ_OTHERWISE.fullmatch(text)
        else f"{word}: {text}"
    )
