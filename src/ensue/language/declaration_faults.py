"""What is reported of declarations that are written in a wrong form, and what was probably meant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.model.data import is_list

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument


def instead_of(id_: str) -> str:
    """Return what to write instead of an ID that is a word of another tool."""
    from ensue.language.function_words import instead_of_module
    from ensue.language.hcl_words import COMMENT

    return COMMENT if id_.startswith("//") else instead_of_module(id_) or instead_of_other_keyword(id_)


def instead_of_other_keyword(word: str) -> str:
    """Return what to write instead of a keyword of another tool."""
    from ensue.language.ansible_words import instead_of_keyword
    from ensue.language.hcl_words import instead_of_argument

    return instead_of_keyword(word) or instead_of_argument(word)


def refuse_glued(
    name: str, value: str, document: YamlDocument, place: Sequence[str | int], collector: Collector
) -> None:
    """Report an item like `name:/etc/motd`, in which the blank after the colon is missing."""
    collector.error(
        "E0307",
        f"`{name}:{value}` of {place[-3]!r} is a text, not an argument",
        document.locate(place),
        detail="YAML needs a blank after a colon",
        help=f"write `- {name}: {value}`",
    )


def refuse_second(
    word: str, document: YamlDocument, place: Sequence[str | int], collector: Collector
) -> None:
    """Report an option that a state has twice."""
    collector.error(
        "E0312",
        f"{place[-3]!r} has `{word}` twice",
        document.locate(place),
        detail="the entries of the first would be lost",
        help=f"put all of them into one list under {word}:",
    )


def warn_of_second(
    word: str, value: Any, document: YamlDocument, place: Sequence[str | int], collector: Collector
) -> None:
    """Report an argument, an option or a requisite that a state has twice, with different values."""
    collector.warning(
        "E0740",
        f"{place[-3]!r} has `{word}` twice: the first one has no effect, as in Salt",
        document.locate(place),
        help=f"put all of them into one list under {word}:" if is_list(value) else "delete one of them",
    )


def refuse_id(raw_id: Any, document: YamlDocument, collector: Collector) -> None:
    """Report an ID that is not text."""
    from ensue.core.model.property_values import kind_in_words

    word = document.written_key(raw_id) or str(raw_id)
    collector.error(
        "E0303",
        f"the ID {word} is not text",
        document.locate((word,)),
        detail=f"YAML reads it as {kind_in_words(raw_id)}",
        help=f"put it in quotes: '{word}'",
    )


def refuse_half_pair(what: str, span: Span, collector: Collector) -> None:
    """Report a name with half of a surrogate pair, which Python and JSON allow and UTF-8 does not."""
    collector.error(
        "E0303",
        f"{what} holds half of a surrogate pair",
        span,
        detail="it is not a character, and can be neither written nor compared",
        help="write the whole pair, or another character",
    )


def refuse_body(id_: str, data: Mapping[Any, Any], document: YamlDocument, collector: Collector) -> None:
    """Report an ID with neither functions nor a function."""
    body = data[id_]
    shown = "nothing" if body is None else repr(body)
    collector.error(
        "E0303",
        f"{id_!r} is not a state declaration",
        document.locate((id_,)),
        detail=f"it holds {shown}",
        help=_lost_indentation(id_, data)
        or instead_of(id_)
        or "an ID holds `module.function:` with a list of arguments, or just `module.function`",
    )


def _lost_indentation(id_: str, data: Mapping[Any, Any]) -> str:
    """Return what to indent if an ID without a body precedes a function with a list; empty if none does."""
    keys = list(data)
    place = keys.index(id_) + (data[id_] is None)
    if not 0 < place < len(keys) or data[keys[place - 1]] is not None:
        return ""
    function = keys[place]
    if not isinstance(function, str) or "." not in function or not is_list(data[function]):
        return ""
    return f"indent `{function}:` and its list, so that they are below `{keys[place - 1]}:`"
