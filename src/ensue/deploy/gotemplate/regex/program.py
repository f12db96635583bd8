"""Compiles a syntax tree to the instructions of the matcher.

Source: "Regular Expression Matching: the Virtual Machine Approach" (Russ Cox).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, assert_never

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.regex.machine import (
    Accept,
    Check,
    Fork,
    Match,
    MatchFound,
    Remember,
    Search,
    StepBudget,
)
from ensue.deploy.gotemplate.regex.parser import Parser
from ensue.deploy.gotemplate.regex.syntax import Alternation, At, CaptureGroup, Chars, Concatenation, Repeat

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.deploy.gotemplate.regex.machine import Instruction
    from ensue.deploy.gotemplate.regex.syntax import Regex

MOST_INSTRUCTIONS: Final = 20_000
"""The largest program; a repetition `x{n}` has `x` n times."""


class RegexProgram:
    """A compiled expression.

    Args:
        instructions: what the matcher follows, from the first one.
        numbers: the numbers of the named groups.
        groups: how many groups there are.
    """

    def __init__(
        self, instructions: tuple[Instruction, ...], numbers: Mapping[str, int], groups: int
    ) -> None:
        self._instructions = instructions
        self._numbers = numbers
        self._slots = 2 * (groups + 1)
        self._first, self._is_anchored = _beginning(instructions)

    def search(self, text: str, work: StepBudget, begin: int = 0) -> Match | None:
        """Return the leftmost match, None if there is none.

        Args:
            text: the text to search.
            work: counts the steps.
            begin: where the search begins.

        Raises:
            CallError: there are too many steps.
        """
        return self._next(self._search_in(text, work), text, begin)

    def matches(self, text: str, work: StepBudget, most: int = -1) -> Iterator[Match]:
        """Yield the matches one after another, without an empty one right behind another.

        Args:
            text: the text to search.
            work: counts the steps.
            most: the most matches; negative for all.

        Raises:
            CallError: there are too many steps.
        """
        search = self._search_in(text, work)
        position = count = 0
        end_before = -1
        while position <= len(text) and count != most:
            match = self._next(search, text, position)
            if match is None:
                return
            if match.end > match.begin or match.begin != end_before:
                yield match
                count += 1
            end_before = match.end
            position = match.end + (match.end == match.begin)

    def _search_in(self, text: str, work: StepBudget) -> Search:
        return Search(self._instructions, self._slots, text, work)

    def _next(self, search: Search, text: str, begin: int) -> Match | None:
        slots = search.run(begin, first=self._first, is_anchored=self._is_anchored)
        return None if slots is None else Match(text, slots, self._numbers)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> RegexProgram:
    """Compile a regular expression in Go's syntax.

    Args:
        pattern: the expression.

    Raises:
        CallError: it does not parse, or is too large.
    """
    parser = Parser(pattern)
    try:
        tree = parser.tree()
        compiler = _Compiler(pattern)
        compiler.emit(tree)
    except RecursionError:
        raise CallError(f"the regular expression {pattern!r} does not parse: it is nested too deep") from None
    return RegexProgram((*compiler.instructions, MatchFound()), parser.names, parser.groups)


class _Compiler:
    """Appends instructions; the code of an expression ends where the code behind it begins."""

    def __init__(self, pattern: str) -> None:
        self.instructions: list[Instruction] = []
        self._pattern = pattern

    def emit(self, tree: Regex) -> None:
        match tree:
            case Chars():
                self._append(Accept(tree.accepted, self._here + 1))
            case At():
                self._append(Check(tree.place, self._here + 1))
            case Concatenation():
                for item in tree.items:
                    self.emit(item)
            case Alternation():
                self._choice(tree)
            case CaptureGroup():
                self._append(Remember(2 * tree.number, self._here + 1))
                self.emit(tree.item)
                self._append(Remember(2 * tree.number + 1, self._here + 1))
            case Repeat():
                self._repeat(tree)
            case _:
                assert_never(tree)

    @property
    def _here(self) -> int:
        return len(self.instructions)

    def _append(self, instruction: Instruction) -> int:
        if self._here >= MOST_INSTRUCTIONS:
            what = f"the regular expression {self._pattern[:80]!r} is too large"
            raise CallError(what, help="Repeat less often: x{1000} counts as 1,000 times x")
        self.instructions.append(instruction)
        return self._here - 1

    def _choice(self, tree: Alternation) -> None:
        fork = self._append(Fork(()))
        begins: list[int] = []
        jumps: list[int] = []
        for item in tree.items:
            begins.append(self._here)
            self.emit(item)
            jumps.append(self._append(Fork(())))
        self.instructions[fork] = Fork(tuple(begins))
        for jump in jumps:
            self.instructions[jump] = Fork((self._here,))

    def _repeat(self, tree: Repeat) -> None:
        for _ in range(tree.least - (tree.most is None)):
            self.emit(tree.item)
        if tree.most is not None:
            skips: list[int] = []
            for _ in range(tree.most - tree.least):
                skips.append(self._append(Fork(())))
                self.emit(tree.item)
            for skip in skips:
                self.instructions[skip] = self._fork(skip + 1, self._here, tree)
        elif tree.least:
            self._one_or_more(tree)
        elif is_nullable(tree.item):
            # As in Go, `x*` is `(x+)?` here: the empty text in x is preferred to what follows.
            skip = self._append(Fork(()))
            self._one_or_more(tree)
            self.instructions[skip] = self._fork(skip + 1, self._here, tree)
        else:
            loop = self._append(Fork(()))
            self.emit(tree.item)
            self._append(Fork((loop,)))
            self.instructions[loop] = self._fork(loop + 1, self._here, tree)

    def _one_or_more(self, tree: Repeat) -> None:
        begin = self._here
        self.emit(tree.item)
        self._append(self._fork(begin, self._here + 1, tree))

    @staticmethod
    def _fork(into: int, past: int, tree: Repeat) -> Fork:
        return Fork((into, past) if tree.is_greedy else (past, into))


def is_nullable(tree: Regex) -> bool:
    """Return whether an expression can match the empty text."""
    match tree:
        case Chars():
            return False
        case At():
            return True
        case Concatenation():
            return all(map(is_nullable, tree.items))
        case Alternation():
            return any(map(is_nullable, tree.items))
        case CaptureGroup():
            return is_nullable(tree.item)
        case Repeat():
            return tree.least == 0 or is_nullable(tree.item)
        case _:
            assert_never(tree)


def _beginning(instructions: tuple[Instruction, ...]) -> tuple[str, bool]:
    """Return the only character that a match can begin with, and whether it begins where the text does."""
    for instruction in instructions:
        match instruction:
            case Remember():
                continue
            case Accept():
                return instruction.accepted.only, False
            case Check():
                return "", instruction.place == "text_begin"
            case _:
                return "", False
    return "", False
