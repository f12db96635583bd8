"""The matcher: all alternatives advance together, one character at a time.

A thread is a place in the program with the groups seen on its way. The threads of a position are ordered by
preference, and no place occurs twice, so the work per character is at most the size of the program.
Source: "Regular Expression Matching: the Virtual Machine Approach" (Russ Cox), Pike's algorithm.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final, TypeAlias, assert_never

import msgspec

from ensue.deploy.gotemplate.failures import CallError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.gotemplate.regex.char_sets import CharSet
    from ensue.deploy.gotemplate.regex.syntax import Place

MOST_WORK: Final = 2_000_000
"""The most steps of all regular expressions of one rendering."""

_WORD: Final = frozenset(string.ascii_letters + string.digits + "_")

_Thread: TypeAlias = tuple[int, tuple[int, ...]]


class Accept(msgspec.Struct, frozen=True):
    """Take one character of a set."""

    accepted: CharSet
    target: int


class Fork(msgspec.Struct, frozen=True):
    """Go on at several places, the preferred one first."""

    targets: tuple[int, ...]


class Remember(msgspec.Struct, frozen=True):
    """Note the position in a slot: `2 * group` for its beginning, one more for its end."""

    slot: int
    target: int


class Check(msgspec.Struct, frozen=True):
    """Go on only at a place in the text."""

    place: Place
    target: int


class MatchFound(msgspec.Struct, frozen=True):
    """The expression matches."""


Instruction: TypeAlias = Accept | Fork | Remember | Check | MatchFound


class StepBudget:
    """Counts the steps of a rendering's regular expressions.

    Args:
        most: how many there may be.

    Attributes:
        left: how many there may still be.
    """

    __slots__ = ("_most", "left")

    def __init__(self, most: int = MOST_WORK) -> None:
        self._most = most
        self.left = most

    def spend(self, steps: int) -> None:
        """Count steps.

        Raises:
            CallError: there were too many.
        """
        self.left -= steps
        if self.left < 0:
            what = f"the regular expressions take more than {self._most:,} steps"
            raise CallError(what, help="Match shorter texts, or simplify the expression")


class Match:
    """A match.

    Args:
        text: the text that was searched.
        slots: the beginning and end of each group; -1 for a group that took no part.
        numbers: the numbers of the named groups.
    """

    __slots__ = ("_numbers", "_text", "slots")

    def __init__(self, text: str, slots: tuple[int, ...], numbers: Mapping[str, int]) -> None:
        self._text = text
        self.slots = slots
        self._numbers = numbers

    @property
    def begin(self) -> int:
        """Where it begins."""
        return self.slots[0]

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.slots[1]

    def group(self, number: int = 0) -> str | None:
        """Return the text of a group; None if the group took no part or does not exist."""
        if 2 * number >= len(self.slots) or self.slots[2 * number] < 0:
            return None
        return self._text[self.slots[2 * number] : self.slots[2 * number + 1]]

    def named(self, name: str) -> str | None:
        """Return the text of a named group; None if the group took no part or does not exist."""
        return self.group(self._numbers[name]) if name in self._numbers else None

    def by_name(self) -> dict[str, str]:
        """Return the texts of the named groups that took part."""
        texts = {name: self.group(number) for name, number in self._numbers.items()}
        return {name: text for name, text in texts.items() if text is not None}


class Search:
    """Searches a text for matches.

    Args:
        instructions: the program; it begins at 0.
        slots: how many slots the groups have, those of the whole match included.
        text: the text.
        work: counts the steps.
    """

    __slots__ = ("_instructions", "_round", "_seen", "_slots", "_text", "_work")

    def __init__(
        self, instructions: tuple[Instruction, ...], slots: int, text: str, work: StepBudget
    ) -> None:
        self._instructions = instructions
        self._slots = slots
        self._text = text
        self._work = work
        self._seen = [-1] * len(instructions)
        self._round = 0

    def run(self, begin: int, *, first: str, is_anchored: bool) -> tuple[int, ...] | None:
        """Return the slots of the leftmost match, None if there is none.

        Args:
            begin: where the search begins.
            first: the character that each match begins with; empty if there are several.
            is_anchored: whether a match begins only where the text does.
        """
        threads: list[_Thread] = []
        best: tuple[int, ...] | None = None
        position = begin
        while True:
            if not threads:
                if best is not None or (is_anchored and position > 0):
                    return best
                if first and (position := self._text.find(first, position)) < 0:
                    return None
                self._round += 1
            if best is None:
                # Threads that began earlier are preferred, so this one is the last.
                self._add(threads, 0, position, (position, *[-1] * (self._slots - 1)))
            char = self._text[position : position + 1]
            self._round += 1
            following: list[_Thread] = []
            for place, slots in threads:
                instruction = self._instructions[place]
                if not isinstance(instruction, Accept):
                    best = (slots[0], position, *slots[2:])
                    break  # What follows is less preferred.
                if char and instruction.accepted.has(char):
                    self._add(following, instruction.target, position + 1, slots)
            if not char:
                return best
            threads = following
            position += 1

    def _add(self, threads: list[_Thread], place: int, position: int, slots: tuple[int, ...]) -> None:
        """Add the threads that a place leads to without taking a character."""
        seen, this_round, instructions = self._seen, self._round, self._instructions
        waiting: list[_Thread] = [(place, slots)]
        steps = 0
        while waiting:
            place, slots = waiting.pop()
            steps += 1
            if seen[place] == this_round:
                continue
            seen[place] = this_round
            instruction = instructions[place]
            match instruction:
                case Accept() | MatchFound():
                    threads.append((place, slots))
                case Fork():
                    waiting += [(target, slots) for target in reversed(instruction.targets)]
                case Remember():
                    slot = instruction.slot
                    waiting.append((instruction.target, (*slots[:slot], position, *slots[slot + 1 :])))
                case Check():
                    if _is_at(instruction.place, self._text, position):
                        waiting.append((instruction.target, slots))
                case _:
                    assert_never(instruction)
        self._work.spend(steps)


def _is_at(place: Place, text: str, position: int) -> bool:
    match place:
        case "text_begin":
            return position == 0
        case "text_end":
            return position == len(text)
        case "line_begin":
            return position == 0 or text[position - 1] == "\n"
        case "line_end":
            return position == len(text) or text[position] == "\n"
        case "word_edge" | "no_word_edge":
            before = position > 0 and text[position - 1] in _WORD
            behind = position < len(text) and text[position] in _WORD
            return (before != behind) == (place == "word_edge")
        case _:
            assert_never(place)
