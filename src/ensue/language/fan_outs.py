"""`tgt` and `tgt_optional`: the options that fan a state out over the resources of a target.

The target is parsed here. What it matches is found out when the state is about to run.

Source: Salt Resources, "Targeting".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.chunk import FanOut
from ensue.language.references.detection import holds_sign
from ensue.language.targeting import TargetSyntaxError, parse_target
from ensue.language.targeting.vocabulary import ANYTHING

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from ensue.core.diagnostics import Span
    from ensue.core.model.chunk import StateOptions
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration
    from ensue.language.targeting import Vocabulary

TARGET: Final = "tgt"
OPTIONAL: Final = "tgt_optional"
FAN_OUT_WORDS: Final = frozenset({TARGET, OPTIONAL})


def with_fan_out(
    options: StateOptions,
    declaration: Declaration,
    arguments: dict[str, Any],
    accepts: Callable[[str], bool],
    *,
    vocabulary: Vocabulary,
    collector: Collector,
) -> StateOptions:
    """Move the target from a declaration's arguments to its options.

    Args:
        options: the other options.
        declaration: for messages.
        arguments: the arguments; a function with its own parameter `tgt` keeps both words.
        accepts: whether the function has a parameter of that name.
        vocabulary: the names that targets may use.
        collector: collects the errors.
    """
    if accepts(TARGET):
        return options
    given = {word: arguments.pop(word) for word in arguments.keys() & FAN_OUT_WORDS}
    fan_out = _read(declaration, given, vocabulary, collector)
    return options if fan_out is None else msgspec.structs.replace(options, fan_out=fan_out)


def is_fanned(words: AbstractSet[str]) -> bool:
    """Return whether a declaration has options about its target."""
    return not FAN_OUT_WORDS.isdisjoint(words)


def _read(
    declaration: Declaration, given: dict[str, Any], vocabulary: Vocabulary, collector: Collector
) -> FanOut | None:
    expression, optional = given.get(TARGET), given.get(OPTIONAL, False)
    if not isinstance(optional, bool):
        _refuse(declaration, OPTIONAL, optional, "it takes true or false", collector)
        return None
    if TARGET not in given:
        _refuse(declaration, OPTIONAL, optional, "it requires a `tgt` in the same state", collector)
        return None
    if not isinstance(expression, str):
        expected = "it takes a target as one text, for example 'T@ssh_host:web-*' or 'web-01 or web-02'"
        _refuse(declaration, TARGET, expression, expected, collector)
        return None
    _check(declaration, expression, vocabulary, collector)
    return FanOut(expression=expression, optional=optional)


def _refuse(declaration: Declaration, word: str, value: Any, help_: str, collector: Collector) -> None:
    summary = f"`{word}` of {declaration.id!r} is {value!r}"
    collector.error("E0312", summary, declaration.span(word), help=help_)


def _check(declaration: Declaration, expression: str, vocabulary: Vocabulary, collector: Collector) -> None:
    try:
        if holds_sign(expression):
            _check_around_references(expression, vocabulary)
        else:
            vocabulary.parse(expression)
    except TargetSyntaxError as error:
        collector.error(
            error.code,
            str(error),
            _place(declaration, expression, error.column),
            detail=f"it is the target of {declaration.id!r}",
            help="write words such as T@type:id, G@grain:value or an id, with and, or, not and parentheses",
        )


def _check_around_references(expression: str, vocabulary: Vocabulary) -> None:
    """Check the types and nodegroups in the text; the values of references are checked at run time."""
    from ensue.language.references.grammar import read_text

    pieces = [piece if isinstance(piece, str) else ANYTHING for piece in read_text(expression)]
    try:
        target = parse_target("".join(pieces))
    except TargetSyntaxError:
        return
    vocabulary.check(target, expression, has_references=True)


def _place(declaration: Declaration, expression: str, column: int) -> Span:
    """Return the place of a column of a target; the place of `tgt` if the text differs in the file."""
    document, keys = declaration.written_at(TARGET)
    word = document.locate(keys)
    span = document.locate_text(keys, expression)
    if span == word or not span.column:
        return span
    return msgspec.structs.replace(span, column=span.column + column - 1)
