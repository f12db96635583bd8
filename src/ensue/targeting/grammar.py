"""The compound grammar: words, `and`, `or`, `not`, parentheses.

```
or    = and *( "or" and )
and   = not *( "and" not )          ; two terms side by side are an error, with the column
not   = [ "not" ] term
term  = "(" or ")" | word
word  = engine "@" pattern | pattern ; blanks or parentheses end it, double quotes hold it together
```

Source: Salt's compound matcher; Salt Resources, "Targeting".
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final

from ensue.errors import EnsueError
from ensue.model.srn import TYPE_ALIASES
from ensue.targeting.expression import And, Not, Or, Target, Word
from ensue.targeting.ranges import MOST_NAMES, names_in

ENGINES: Final = "TMGPELIJSRN"
_PIECE: Final = r'\s*(?:([()])|((?:"[^"]*"|[^\s()"])+)|(.))'
_OPERATORS: Final = frozenset({"and", "or", "not"})

MOST_PARENTHESES: Final = 100
"""The deepest nesting of parentheses."""

_SHOWN_CHARS: Final = 120
_SHOWN_BEFORE_CHARS: Final = 80


class TargetSyntaxError(EnsueError, ValueError):
    """A target expression that does not parse.

    Args:
        expression: the whole expression.
        column: where the fault is, from 1.
        problem: what is wrong.
    """

    def __init__(self, expression: str, column: int, problem: str) -> None:
        self.expression = expression
        self.column = column
        self.problem = problem
        super().__init__(f"target {_around(expression, column)!r}, column {column}: {problem}")


def parse_target(expression: str) -> Target:
    """Return the parsed form of a target.

    Raises:
        TargetSyntaxError: with the column.
    """
    parser = _Parser(expression)
    target = parser.alternatives()
    parser.expect_end()
    return target


class _Parser:
    def __init__(self, expression: str) -> None:
        self._expression = expression
        self._pieces = list(self._split(expression))
        self._position = 0
        self._open = 0

    def _split(self, expression: str) -> list[tuple[str, int]]:
        pieces: list[tuple[str, int]] = []
        for found in re.finditer(_PIECE, expression.rstrip()):
            parenthesis, word, other = found.groups()
            text = parenthesis or word or other
            column = found.end() - len(text) + 1
            if other:
                raise TargetSyntaxError(expression, column, "a quote that is never closed")
            pieces.append((text, column))
        if not pieces:
            raise TargetSyntaxError(expression, 1, "the target is empty; '*' is every minion and resource")
        return pieces

    def _peek(self) -> str:
        return self._pieces[self._position][0] if self._position < len(self._pieces) else ""

    def _column(self) -> int:
        if self._position < len(self._pieces):
            return self._pieces[self._position][1]
        return len(self._expression) + 1

    def _fail(self, problem: str) -> TargetSyntaxError:
        return TargetSyntaxError(self._expression, self._column(), problem)

    def alternatives(self) -> Target:
        operands = [self.conjunction()]
        while self._peek() == "or":
            self._position += 1
            operands.append(self.conjunction())
        return operands[0] if len(operands) == 1 else Or(tuple(operands))

    def conjunction(self) -> Target:
        operands = [self.negation()]
        while self._peek() == "and":
            self._position += 1
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
            if self._open == MOST_PARENTHESES:
                raise self._fail(f"more than {MOST_PARENTHESES} parentheses within each other")
            self._open += 1
            self._position += 1
            inner = self.alternatives()
            if self._peek() != ")":
                raise self._fail("a parenthesis that is never closed")
            self._open -= 1
            self._position += 1
            return inner
        if not piece or piece == ")" or piece in _OPERATORS:
            raise self._fail(f"a word is missing here{f' before {piece!r}' if piece else ''}")
        column = self._column()
        self._position += 1
        return self._word(piece, column)

    def _word(self, piece: str, column: int) -> Word:
        bare = piece.replace('"', "")
        if piece[:1] != '"' and len(bare) > 1 and bare[1] == "@":
            if bare[0] not in ENGINES:
                raise TargetSyntaxError(
                    self._expression,
                    column,
                    f"there is no target engine {bare[0]}@ (there are {', '.join(ENGINES)})",
                )
            if len(bare) == 2:  # noqa: PLR2004 -- the letter and the @ alone
                raise TargetSyntaxError(self._expression, column, f"{bare} lacks its pattern")
            self._check(bare[0], bare[2:], column)
            return Word(bare[0], _our_type(bare[2:]) if bare[0] == "T" else bare[2:], column)
        return Word("", bare, column)

    def _check(self, engine: str, pattern: str, column: int) -> None:
        """Refuse what could never match, while the column is known."""
        problem = _fault(engine, pattern)
        if problem:
            raise TargetSyntaxError(self._expression, column + 2, problem)

    def expect_end(self) -> None:
        piece = self._peek()
        if piece == ")":
            raise self._fail("a closing parenthesis too many")
        if piece:
            raise self._fail(f"'and' or 'or' is missing before {piece!r}")


def _around(expression: str, column: int) -> str:
    """Return what a message shows of an expression: of a long one the part around a column."""
    if len(expression) <= _SHOWN_CHARS:
        return expression
    start = max(0, column - 1 - _SHOWN_BEFORE_CHARS)
    end = start + _SHOWN_CHARS
    return f"{'…' if start else ''}{expression[start:end]}{'…' if end < len(expression) else ''}"


def _fault(engine: str, pattern: str) -> str:
    """Return what is wrong with the pattern of a word, empty when nothing is."""
    try:
        if engine in "EPJ":
            re.compile(pattern if engine == "E" else pattern.rpartition(":")[2])
        elif engine == "S":
            ipaddress.ip_network(pattern, strict=False)
        elif engine == "R" and names_in(pattern) > MOST_NAMES:
            return f"a range of more than {MOST_NAMES:,} names"
    except (re.error, OverflowError, RecursionError) as error:
        return f"not a regular expression: {error}"
    except ValueError as error:
        return f"not an address or network: {error}" if engine == "S" else f"not a range: {error}"
    return ""


def _our_type(pattern: str) -> str:
    """Return a pattern of `T@` with the type by the name that it has here (`ssh:web-*`: `ssh_host:web-*`)."""
    type_, colon, rest = pattern.partition(":")
    return f"{TYPE_ALIASES.get(type_, type_)}{colon}{rest}"
