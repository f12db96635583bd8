"""The compound grammar: words, `and`, `or`, `not`, parentheses.

```
or    = and *( "or" and )
and   = not *( "and" not | "not" term )  ; `a not b` is `a and not b`; other terms side by side are an error
not   = *"not" term
term  = "(" or ")" | word
word  = engine "@" pattern | pattern     ; `pieces.py` says where a word ends
```

Source: Salt's compound matcher; Salt Resources, "Targeting".
"""

from __future__ import annotations

import functools
from typing import Final

from ensue.core.model.srn import TYPE_ALIASES
from ensue.language.targeting.errors import TargetSyntaxError
from ensue.language.targeting.expression import And, Not, Or, Target, Word
from ensue.language.targeting.patterns import DATA_ENGINES, pattern_problem
from ensue.language.targeting.pieces import OPERATORS, pieces_of

ENGINES: Final = "TMGPELIJSRN"
DEEPEST: Final = 50
"""The deepest nesting of parentheses, since the matcher recurses."""


def parse_target(expression: str) -> Target:
    """Return the parsed form of a target.

    Raises:
        TargetSyntaxError: with the column.
    """
    return _parsed(expression)


def parse_word(engine: str, pattern: str, delimiter: str = ":") -> Word:
    """Return the word of an engine and a separate pattern, which may contain blanks and parentheses.

    Args:
        engine: the letter; empty for a glob.
        pattern: the whole pattern.
        delimiter: separates the keys of a `G P I J` pattern.

    Raises:
        TargetSyntaxError: with the column within the pattern.
    """
    problem = pattern_problem(engine, pattern, delimiter) if pattern else "the pattern is empty"
    if problem:
        raise TargetSyntaxError(pattern, 1, problem)
    return Word(engine, _our_type(pattern) if engine == "T" else pattern, 1, delimiter)


@functools.lru_cache(maxsize=1024)
def _parsed(expression: str) -> Target:
    parser = _TargetParser(expression)
    target = parser.alternatives()
    parser.expect_end()
    return target


class _TargetParser:
    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._pieces = list(pieces_of(expression))
        self._position = 0
        self._depth = 0
        if not self._pieces:
            raise self._error(1, "the target is empty; '*' is every minion and resource")

    def _peek(self) -> str:
        return self._pieces[self._position].text if self._position < len(self._pieces) else ""

    def _column(self) -> int:
        if self._position < len(self._pieces):
            return self._pieces[self._position].column
        return len(self._expression) + 1

    def _error(self, column: int, problem: str) -> TargetSyntaxError:
        return TargetSyntaxError(self._expression, column, problem)

    def _fail(self, problem: str) -> TargetSyntaxError:
        return self._error(self._column(), problem)

    def alternatives(self) -> Target:
        operands = [self.conjunction()]
        while self._peek() == "or":
            self._position += 1
            operands.append(self.conjunction())
        return operands[0] if len(operands) == 1 else Or(tuple(operands))

    def conjunction(self) -> Target:
        operands = [self.negation()]
        while (piece := self._peek()) in ("and", "not"):
            self._position += piece == "and"
            operands.append(self.negation())
        return operands[0] if len(operands) == 1 else And(tuple(operands))

    def negation(self) -> Target:
        negations = 0
        while self._peek() == "not":
            self._position += 1
            negations += 1
        term = self.term()
        return Not(term) if negations % 2 else term

    def term(self) -> Target:
        piece = self._peek()
        if piece == "(":
            return self.group()
        if not piece or piece == ")" or piece in OPERATORS:
            raise self._fail(f"a word is missing here{f' before {piece!r}' if piece else ''}")
        column = self._column()
        self._position += 1
        return self._word(piece, column)

    def group(self) -> Target:
        if self._depth == DEEPEST:
            raise self._fail(f"parentheses nest more than {DEEPEST} deep")
        self._depth += 1
        self._position += 1
        inner = self.alternatives()
        if self._peek() != ")":
            raise (
                self._missing_operator() if self._peek() else self._fail("a parenthesis that is never closed")
            )
        self._depth -= 1
        self._position += 1
        return inner

    def _word(self, piece: str, column: int) -> Word:
        bare = piece.replace('"', "")
        if not bare:
            raise self._error(column, "a word is empty")
        width = _engine_width(bare) if piece[0] != '"' else 0
        if not width:
            if problem := pattern_problem("", bare):
                raise self._error(column, problem)
            return Word("", bare, column)
        engine, delimiter, pattern = bare[0], bare[1:width] or ":", bare[width + 1 :]
        if engine not in ENGINES:
            there = ", ".join(ENGINES)
            raise self._error(column, f"there is no target engine {engine}@ (there are {there})")
        if not pattern:
            raise self._error(column, f"{bare} lacks its pattern")
        if problem := pattern_problem(engine, pattern, delimiter):
            raise self._error(column + width + 1, problem)
        return Word(engine, _our_type(pattern) if engine == "T" else pattern, column, delimiter)

    def _missing_operator(self) -> TargetSyntaxError:
        return self._fail(f"'and' or 'or' is missing before {self._peek()!r}")

    def expect_end(self) -> None:
        if self._peek() == ")":
            raise self._fail("a closing parenthesis too many")
        if self._peek():
            raise self._missing_operator()


def _engine_width(word: str) -> int:
    """Return the index of the `@` after an engine and delimiter (`G@`: 1, `G|@`: 2), 0 without an engine."""
    if word[1:2] == "@":
        return 1
    return 2 if word[0] in DATA_ENGINES and word[2:3] == "@" else 0


def _our_type(pattern: str) -> str:
    """Return a pattern of `T@` with ensue's name of the type (`ssh:web-*`: `ssh_host:web-*`)."""
    type_, colon, rest = pattern.partition(":")
    return f"{TYPE_ALIASES.get(type_, type_)}{colon}{rest}"
