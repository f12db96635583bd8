"""Turns outputs of resources in the text of a template into expressions that print them.

An author may write `${resources.dns.outputs.host}` anywhere in a template, and the output's value must never
be parsed as part of that template. In printed text, a string constant takes its place. Within an action, only
harmless values are allowed.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from ensue.core.errors import DriverError
from ensue.core.model.harmless import HARMLESS_WORDS, is_harmless, is_number
from ensue.core.model.secret_marks import SecretText, bracketed
from ensue.deploy.drivers.templates.guards import Origin

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.driver import ForeignPart
    from ensue.deploy.drivers.templates.guards import Guards
    from ensue.deploy.drivers.templates.language import TemplateLanguage

_WORD: Final = f"ensue{os.urandom(10).hex()}n"
_HAND_OVER: Final = "pass it in `values` of the definition, and"


def with_insertions(
    text: str, parts: Sequence[ForeignPart], name: str, language: TemplateLanguage, guards: Guards
) -> str:
    """Return a template in which expressions print the outputs; the secret ones have brackets around them.

    Args:
        text: the template with the outputs in it; marked if one of them is secret.
        parts: where they are, in order.
        name: the template's name in errors.
        language: its language.
        guards: marks what is printed.

    Raises:
        DriverError: the template does not parse, or an output would be code.
    """
    literals, values = _divided(str(text), parts)
    words = [f"{_WORD}{number}x" for number in range(len(parts))]
    with_words = "".join(piece for pair in zip(literals, [*words, ""], strict=True) for piece in pair)
    kinds = language.kinds_of(with_words, words, name)
    print_it = f"{_HAND_OVER} print `{{{{ {language.value} | {language.as_json} }}}}`"
    use_it = f"{_HAND_OVER} use `{language.value}` here"
    pieces: list[str] = []
    line = 1
    for number, part in enumerate(parts):
        literal, value, kind = literals[number], values[number], kinds[number]
        line += literal.count("\n")
        is_secret = isinstance(text, SecretText) and (part.is_secret or part.end is None)
        if kind in {"text", "raw"}:
            shown = SecretText(value) if is_secret else value
            printed = guards.guarded(shown, Origin(part.placeholder, line, print_it, not part.is_text))
            pieces += _printing(literal, bracketed(printed), is_raw=kind == "raw")
            continue
        pieces.append(literal)
        if kind != "comment":
            pieces.append(bracketed(SecretText(value)) if is_secret else value)
            _refuse_code(value, part, f"{name}:{line}", use_it, is_quoted=kind == "string")
            if is_secret and kind != "string":
                what = f"{part.placeholder} is secret, and may only be in a string within an action"
                raise DriverError(f"{name}:{line}: {what} ({use_it})")
    return "".join([*pieces, literals[-1]])


def _divided(text: str, parts: Sequence[ForeignPart]) -> tuple[list[str], list[str]]:
    """Return the pieces of the author's own text, one more than there are outputs, and the outputs."""
    literals: list[str] = []
    values: list[str] = []
    position = 0
    for part in parts:
        end = len(text) if part.end is None else part.end
        literals.append(text[position : part.start])
        values.append(text[part.start : end])
        position = end
    return [*literals, text[position:]], values


def _printing(literal: str, value: str, *, is_raw: bool) -> list[str]:
    """Return an author's text, followed by an expression that prints a value."""
    if is_raw:
        return [literal, "{% endraw %}", _constant(value), "{% raw %}"]
    if literal.endswith("{"):
        # Otherwise it would begin an action together with the expression.
        return [literal[:-1], _constant("{"), _constant(value)]
    return [literal, _constant(value)]


def _refuse_code(value: str, part: ForeignPart, place: str, help_: str, *, is_quoted: bool) -> None:
    if is_harmless(value) if is_quoted else is_number(value):
        return
    may_be = f"consist of {HARMLESS_WORDS}" if is_quoted else "be a number"
    raise DriverError(
        f"{place}: {part.placeholder} is what {part.resource} says, and may only {may_be} within an action "
        f"({help_})"
    )


def _constant(text: str) -> str:
    """Return an expression that prints any text unchanged, in Go or Jinja."""
    escaped = "".join(sign if sign.isascii() and sign.isalnum() else _escape(sign) for sign in text)
    return f'{{{{ "{escaped}" }}}}'


def _escape(character: str) -> str:
    # Half of a surrogate pair is not text in Go and cannot be printed.
    code = 0xFFFD if "\ud800" <= character <= "\udfff" else ord(character)
    return f"\\U{code:08x}"
