r"""Parses regular expressions in Go's syntax.

What Go's `regexp` does not have is refused, such as references to groups and looking ahead. So are Unicode
scripts (`\p{Greek}`), which it has.
Source: the documentation of Go's `regexp/syntax`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.regex.char_sets import (
    CATEGORIES,
    LAST,
    PERL_CLASSES,
    POSIX_CLASSES,
    CharClassPart,
    CharSet,
    one_char,
)
from ensue.deploy.gotemplate.regex.syntax import Alternation, At, CaptureGroup, Chars, Concatenation, Repeat

if TYPE_CHECKING:
    from ensue.deploy.gotemplate.regex.syntax import Place, Regex

MOST_LEVELS: Final = 100
"""The deepest nesting of groups."""

MOST_REPEATS: Final = 1000
"""The most often that an expression can be repeated by counts, as in Go; nested counts multiply."""

_COUNT: Final = re.compile(r"\{(0|[1-9][0-9]*)(?P<comma>,(0|[1-9][0-9]*)?)?\}")
_NAMED: Final = re.compile(r"\(\?P?<(?P<name>[A-Za-z0-9_]+)>")
_FLAGS: Final = re.compile(r"\(\?(?P<on>[imsU]*)(?P<off>-[imsU]+)?(?P<end>[:)])")
_POSIX: Final = re.compile(r"\[:(?P<negated>\^?)(?P<name>\w+):\]")
_PROPERTY: Final = re.compile(r"\\(?P<letter>[pP])(?:\{(?P<negated>\^?)(?P<long>\w+)\}|(?P<short>\w))")
_CODE: Final = re.compile(
    r"\\(?:x\{(?P<wide>[0-9A-Fa-f]{1,8})\}|x(?P<narrow>[0-9A-Fa-f]{2})|(?P<octal>0[0-7]{0,2}|[1-7][0-7]{1,2}))"
)
_CONTROLS: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_PLACES: Final[dict[str, Place]] = {"A": "text_begin", "z": "text_end", "b": "word_edge", "B": "no_word_edge"}
_REPETITIONS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_NEWLINE: Final = 0x0A


class _Flags(msgspec.Struct, frozen=True):
    ignores_case: bool = False
    is_multiline: bool = False
    dot_is_any: bool = False
    is_lazy: bool = False


_FIELDS: Final = {"i": "ignores_case", "m": "is_multiline", "s": "dot_is_any", "U": "is_lazy"}


class _OpenGroup:
    """An open group, or the whole expression: its finished alternatives, and the items of the current one."""

    def __init__(self, number: int, flags: _Flags) -> None:
        self.number = number
        """The group's number; 0 for one that is not remembered."""
        self.flags = flags
        """The flags that apply behind the group."""
        self.alternatives: list[Regex] = []
        self.items: list[Regex] = []

    def closed(self) -> Regex:
        last = _row(self.items)
        inner = Alternation([*self.alternatives, last]) if self.alternatives else last
        return CaptureGroup(inner, self.number) if self.number else inner


class Parser:
    """Parses one expression.

    Args:
        pattern: the expression.

    Attributes:
        names: the numbers of the named groups.
        groups: how many groups there are.
    """

    def __init__(self, pattern: str) -> None:
        self.names: dict[str, int] = {}
        self.groups = 0
        self._pattern = pattern
        self._position = 0
        self._flags = _Flags()
        self._levels = [_OpenGroup(0, self._flags)]
        self._is_behind_repetition = False

    def tree(self) -> Regex:
        """Return the syntax tree.

        Raises:
            CallError: the expression does not parse.
        """
        while self._position < len(self._pattern):
            was_repetition, self._is_behind_repetition = self._is_behind_repetition, False
            self._token(was_repetition=was_repetition)
        if len(self._levels) > 1:
            raise self._failure("a ) is missing")
        return self._levels[0].closed()

    def _token(self, *, was_repetition: bool) -> None:
        char = self._pattern[self._position]
        match char:
            case "(":
                self._open()
            case ")":
                self._close()
            case "|":
                level = self._levels[-1]
                level.alternatives.append(_row(level.items))
                level.items = []
                self._position += 1
            case "*" | "+" | "?" | "{":
                self._repetition(char, was_repetition=was_repetition)
            case "[":
                self._add(Chars(self._class()))
            case "\\":
                self._backslash()
            case "^":
                self._add(At("line_begin" if self._flags.is_multiline else "text_begin"), 1)
            case "$":
                self._add(At("line_end" if self._flags.is_multiline else "text_end"), 1)
            case ".":
                newline = () if self._flags.dot_is_any else ((_NEWLINE, _NEWLINE),)
                self._add(Chars(CharSet([CharClassPart(newline)], is_negated=True)), 1)
            case _:
                self._char(ord(char))
                self._position += 1

    def _failure(self, what: str) -> CallError:
        return CallError(f"the regular expression {self._pattern!r} does not parse: {what}")

    def _add(self, item: Regex, length: int = 0) -> None:
        self._levels[-1].items.append(item)
        self._position += length

    def _char(self, code: int) -> None:
        self._add(Chars(one_char(code, ignores_case=self._flags.ignores_case)))

    # Groups

    def _open(self) -> None:
        if named := _NAMED.match(self._pattern, self._position):
            if named["name"] in self.names:
                raise self._failure(f"two groups are named {named['name']}")
            self._push(self._number())
            self.names[named["name"]] = self.groups
            self._position = named.end()
        elif flags := _FLAGS.match(self._pattern, self._position):
            new = self._changed_flags(flags["on"], flags["off"] or "")
            if flags["end"] == ":":
                self._push(0)
            self._flags = new
            self._position = flags.end()
        elif self._pattern.startswith("(?", self._position):
            raise self._failure(f"{self._pattern[self._position : self._position + 4]!r} is not supported")
        else:
            self._push(self._number())
            self._position += 1

    def _number(self) -> int:
        self.groups += 1
        return self.groups

    def _push(self, number: int) -> None:
        if len(self._levels) > MOST_LEVELS:
            raise self._failure(f"groups are nested in more than {MOST_LEVELS} levels")
        self._levels.append(_OpenGroup(number, self._flags))

    def _changed_flags(self, on: str, off: str) -> _Flags:
        changes = {_FIELDS[letter]: True for letter in on}
        changes |= {_FIELDS[letter]: False for letter in off[1:]}
        return msgspec.structs.replace(self._flags, **changes)

    def _close(self) -> None:
        if len(self._levels) == 1:
            raise self._failure("unexpected )")
        level = self._levels.pop()
        self._flags = level.flags
        self._add(level.closed(), 1)

    # Repetitions

    def _repetition(self, char: str, *, was_repetition: bool) -> None:
        begin = self._position
        if char == "{":
            count = _COUNT.match(self._pattern, self._position)
            if count is None:
                self._char(ord(char))
                self._position += 1
                return
            least, most = self._counts(count)
            self._position = count.end()
        else:
            least, most = _REPETITIONS[char]
            self._position += 1
        is_lazy = self._pattern.startswith("?", self._position)
        self._position += is_lazy
        items = self._levels[-1].items
        if not items:
            raise self._failure(f"nothing is before {self._pattern[begin : self._position]}")
        if was_repetition:
            raise self._failure(f"{self._pattern[begin : self._position]} repeats a repetition")
        repeated = Repeat(items.pop(), least, most, is_lazy == self._flags.is_lazy)
        if char == "{" and not _is_bounded(repeated, MOST_REPEATS):
            raise self._failure(f"its counts repeat more than {MOST_REPEATS:,} times")
        items.append(repeated)
        self._is_behind_repetition = True

    def _counts(self, match: re.Match[str]) -> tuple[int, int | None]:
        # Counts are compared as texts first: Python refuses to convert long ones.
        if any(len(text or "") > len(str(MOST_REPEATS)) for text in match.group(1, 3)):
            raise self._failure(f"its counts repeat more than {MOST_REPEATS:,} times")
        least = int(match[1])
        most = int(match[3]) if match[3] else None if match["comma"] else least
        if most is not None and most < least:
            raise self._failure(f"{match[0]} ends before it begins")
        return least, most

    # Backslashes and classes

    def _backslash(self) -> None:
        pattern = self._pattern
        letter = pattern[self._position + 1 : self._position + 2]
        if letter in _PLACES:
            self._add(At(_PLACES[letter]), 2)
        elif letter == "Q":
            end = pattern.find("\\E", self._position + 2)
            for char in pattern[self._position + 2 : end if end >= 0 else None]:
                self._char(ord(char))
            self._position = end + 2 if end >= 0 else len(pattern)
        elif part := self._part():
            self._add(Chars(CharSet([part], ignores_case=self._flags.ignores_case)))
        else:
            self._char(self._code())

    def _part(self) -> CharClassPart | None:
        r"""Read `\d`, `\pL` and the like, if that is what follows."""
        letter = self._pattern[self._position + 1 : self._position + 2]
        if letter and letter.lower() in PERL_CLASSES:
            self._position += 2
            return CharClassPart(PERL_CLASSES[letter.lower()], is_negated=letter.isupper())
        if letter in {"p", "P"}:
            match = _PROPERTY.match(self._pattern, self._position)
            name = (match["long"] or match["short"]) if match else ""
            if match is None or name not in CATEGORIES:
                text = self._pattern[self._position : match.end() if match else self._position + 2]
                raise self._failure(f"{text} is not supported")
            self._position = match.end()
            return CharClassPart(category=name, is_negated=(match["letter"] == "P") != bool(match["negated"]))
        return None

    def _code(self) -> int:
        """Read a backslash with what it escapes, one character."""
        letter = self._pattern[self._position + 1 : self._position + 2]
        if match := _CODE.match(self._pattern, self._position):
            octal = match["octal"]
            code = int(octal, 8) if octal else int(match["wide"] or match["narrow"], 16)
            length = match.end() - self._position
        elif letter in _CONTROLS:
            code, length = _CONTROLS[letter], 2
        elif letter and letter.isascii() and not letter.isalnum():
            code, length = ord(letter), 2
        else:
            raise self._failure(f"\\{letter} is not supported")
        if code > LAST:
            raise self._failure(f"there is no character {self._pattern[self._position :][:length]}")
        self._position += length
        return code

    def _class(self) -> CharSet:
        is_negated = self._pattern.startswith("^", self._position + 1)
        self._position += 1 + is_negated
        parts: list[CharClassPart] = []
        while not parts or not self._pattern.startswith("]", self._position):
            parts.append(self._class_part())
        self._position += 1
        return CharSet(parts, is_negated=is_negated, ignores_case=self._flags.ignores_case)

    def _class_part(self) -> CharClassPart:
        if posix := _POSIX.match(self._pattern, self._position):
            if posix["name"] not in POSIX_CLASSES:
                raise self._failure(f"{posix[0]} is not supported")
            self._position = posix.end()
            return CharClassPart(POSIX_CLASSES[posix["name"]], is_negated=bool(posix["negated"]))
        if self._pattern.startswith("\\", self._position) and (part := self._part()):
            return part
        begin = self._position
        first = last = self._class_char()
        pattern, position = self._pattern, self._position
        if pattern.startswith("-", position) and not pattern.startswith("]", position + 1):
            self._position += 1
            last = self._class_char()
            if last < first:
                raise self._failure(f"{pattern[begin : self._position]} ends before it begins")
        return CharClassPart([(first, last)])

    def _class_char(self) -> int:
        char = self._pattern[self._position : self._position + 1]
        if not char:
            raise self._failure("a ] is missing")
        if char == "\\":
            return self._code()
        self._position += 1
        return ord(char)


def _row(items: list[Regex]) -> Regex:
    return items[0] if len(items) == 1 else Concatenation(items)


def _is_bounded(tree: Regex, most: int) -> bool:
    """Return whether counts within one another multiply to a number that is small enough."""
    match tree:
        case Repeat():
            count = tree.least if tree.most is None else tree.most
            if count > most:
                return False
            return _is_bounded(tree.item, most // count if count else most)
        case Concatenation() | Alternation():
            return all(_is_bounded(item, most) for item in tree.items)
        case CaptureGroup():
            return _is_bounded(tree.item, most)
        case Chars() | At():
            return True
