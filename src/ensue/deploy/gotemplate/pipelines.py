"""Reads the pipelines of a template: declared variables, commands, and their operands.

The module `parser` reads the text and blocks around them.

Source: the documentation of Go's `text/template`.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Final

from ensue.core.model.printed_text import Written
from ensue.core.model.secret_marks import unbracketed
from ensue.deploy.gotemplate import literals
from ensue.deploy.gotemplate.failures import MOST_NESTING, TemplateSyntaxError
from ensue.deploy.gotemplate.nodes import (
    ChainNode,
    CommandNode,
    ConstantNode,
    DotNode,
    FieldNode,
    FunctionNode,
    Operand,
    PipelineNode,
    VariableNode,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ensue.deploy.gotemplate.lexer import Token

_OPERANDS: Final = frozenset({"string", "raw", "char", "number", "field", "dot", "variable", "word", "open"})
_VALUES: Final = {"true": True, "false": False, "nil": None}


class PipelineReader:
    """Reads tokens one after another, whole pipelines at a time.

    Args:
        tokens: the tokens of a template.
        functions: the names of the functions that it may call.
        refused: functions that are known but not offered, with the reason.
    """

    def __init__(
        self, tokens: Sequence[Token], functions: Collection[str], refused: Mapping[str, str]
    ) -> None:
        self._tokens = tokens
        self._position = 0
        self._known = functions
        self._refused = refused
        self._used: set[str] = set()
        self._variables: list[str] = ["$"]
        self._levels = 0

    def _peek(self) -> Token:
        return self._tokens[self._position]

    def _next(self) -> Token:
        token = self._tokens[self._position]
        self._position += 1
        return token

    def _expect(self, kind: str, what: str) -> Token:
        token = self._next()
        if token.kind != kind:
            raise TemplateSyntaxError(f"{what} is expected instead of {_shown(token)}", token.offset)
        return token

    def _deeper(self, token: Token) -> None:
        self._levels += 1
        if self._levels > MOST_NESTING:
            raise TemplateSyntaxError(
                f"blocks and parentheses are nested more than {MOST_NESTING} levels deep",
                token.offset,
                help="Move an inner part into a template of its own with `define`",
            )

    def _pipeline(self, of: str, closing: str, *, most_names: int = 1) -> PipelineNode:
        begin = self._peek().offset
        names, is_assignment = self._declaration(most_names)
        commands: list[CommandNode] = []
        while True:
            commands.append(self._command(of, closing, is_first=not commands))
            token = self._next()
            if token.kind == closing:
                break
            if token.kind != "pipe":
                raise self._unexpected(token, of, closing)
        if not is_assignment:
            self._variables.extend(names)
        return PipelineNode(names, is_assignment, tuple(commands), begin)

    def _unexpected(self, token: Token, of: str, closing: str) -> TemplateSyntaxError:
        if token.kind == "end":
            return TemplateSyntaxError(f"{of} is not closed", token.offset, help="Close it with `}}`")
        if closing == "close":
            return TemplateSyntaxError(
                f"a parenthesis is not closed before {_shown(token)}", token.offset, help="Add `)`"
            )
        return TemplateSyntaxError(f"{_shown(token)} is not expected in {of}", token.offset, help="Remove it")

    def _declaration(self, most_names: int) -> tuple[tuple[str, ...], bool]:
        start = self._position
        names: list[str] = []
        while self._peek().kind == "variable":
            names.append(self._next().text)
            sign = self._next()
            if sign.kind == "comma":
                continue
            if sign.kind in {"declare", "assign"}:
                return self._declared(names, most_names, sign)
            break
        self._position = start
        return (), False

    def _declared(self, names: list[str], most_names: int, sign: Token) -> tuple[tuple[str, ...], bool]:
        if len(names) > most_names:
            raise TemplateSyntaxError(
                f"{len(names)} variables are set at once", sign.offset, help=f"Set {most_names} at most"
            )
        is_assignment = sign.kind == "assign"
        if is_assignment:
            for name in names:
                self._check_variable(name, sign.offset)
        return tuple(names), is_assignment

    def _command(self, of: str, closing: str, *, is_first: bool) -> CommandNode:
        begin = self._peek()
        operands: list[Operand] = []
        while self._peek().kind in _OPERANDS:
            token = self._peek()
            if operands and not token.is_spaced and token.kind != "open":
                raise TemplateSyntaxError(
                    f"a space is missing before {_shown(token)}", token.offset, help="Add a space"
                )
            operands.append(self._operand())
        if not operands:
            if begin.kind in {"right", "close"}:
                raise TemplateSyntaxError(
                    f"{of} has no value", begin.offset, help="Write a value or a function"
                )
            raise self._unexpected(begin, of, closing)
        first = operands[0]
        if isinstance(first, ConstantNode) and first.value is None:
            raise TemplateSyntaxError(
                "nil is not a command", first.offset, help="Print or compare something else"
            )
        if not is_first and isinstance(first, ConstantNode | DotNode):
            raise TemplateSyntaxError(
                "only a function can take what a pipeline returns",
                first.offset,
                help="Call a function after `|`",
            )
        return CommandNode(first, tuple(operands[1:]), first.offset)

    def _operand(self) -> Operand:
        token = self._next()
        base = self._term(token)
        names: list[str] = []
        while self._peek().kind == "field" and not self._peek().is_spaced:
            names.append(self._next().text[1:])
        if not names:
            return base
        if isinstance(base, FieldNode):
            return FieldNode((*base.names, *names), base.offset)
        if isinstance(base, VariableNode):
            return VariableNode(base.name, (*base.names, *names), base.offset)
        if isinstance(base, ConstantNode | DotNode):
            raise TemplateSyntaxError(
                f"{_shown(token)} has no fields", token.offset, help="Ask a mapping for the field"
            )
        return ChainNode(base, tuple(names), base.offset)

    def _term(self, token: Token) -> Operand:
        if token.kind == "field":
            return FieldNode((token.text[1:],), token.offset)
        if token.kind == "dot":
            return DotNode(token.offset)
        if token.kind == "variable":
            self._check_variable(token.text, token.offset)
            return VariableNode(token.text, (), token.offset)
        if token.kind == "open":
            self._deeper(token)
            inner = self._pipeline("a parenthesis", "close")
            self._levels -= 1
            return inner
        return self._word(token) if token.kind == "word" else self._constant(token)

    def _word(self, token: Token) -> Operand:
        name = token.text
        if name in _VALUES:
            return ConstantNode(_VALUES[name], token.offset)
        if name in self._refused:
            raise TemplateSyntaxError(
                f"the function {name} is not supported", token.offset, help=self._refused[name]
            )
        if name not in self._known:
            near = difflib.get_close_matches(name, self._known, n=1)
            hint = f"Did you mean {near[0]}?" if near else "docs/go-templates.md lists the functions"
            raise TemplateSyntaxError(f"there is no function {name}", token.offset, help=hint)
        self._used.add(name)
        return FunctionNode(name, token.offset)

    def _constant(self, token: Token) -> ConstantNode:
        value: object = None
        if token.kind in {"string", "raw"}:
            value = self._string(token)
        elif token.kind == "char":
            value = literals.character(token.text)
        else:
            value = literals.number(token.text)
        if value is None:
            raise TemplateSyntaxError(f"{token.text[:40]} is not a {_KIND_WORDS[token.kind]}", token.offset)
        return ConstantNode(value, token.offset)

    def _string(self, token: Token) -> str | None:
        if token.kind == "raw":
            return unbracketed(Written(token.text[1:-1].replace("\r", "")))
        text = literals.unquoted(token.text)
        return None if text is None else unbracketed(Written(text))

    def _check_variable(self, name: str, offset: int) -> None:
        if name not in self._variables:
            raise TemplateSyntaxError(
                f"there is no variable {name} here", offset, help=f"Declare it before with `{name} := …`"
            )


_KIND_WORDS: Final = {
    "string": "string: it has an escape that Go does not know",
    "raw": "string",
    "char": "character: write exactly one in single quotes, and strings in double quotes",
    "number": "number",
}


def _shown(token: Token) -> str:
    return "the end of the text" if token.kind == "end" else f"`{token.text[:40]}`"
