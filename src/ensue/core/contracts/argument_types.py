"""The types of a state function's arguments, read from the annotations of its signature.

A function declares types, units and allowed values there, and nowhere else: `bool`, `int`, `float`, `str`,
`Seconds`, `Mode`, `Literal["a", "b"]`, lists, mappings, and unions of these. An annotation with another name
(`Any`, `Data`) is not checked. The rules are as tolerant as Salt: null and what is empty count as not given,
`'yes'` is true, `'30'` is a number, one text may replace a list.
"""

from __future__ import annotations

import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near_question

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.core.diagnostics import Span

Mode: TypeAlias = str | int
"""A file mode: octal digits, as text or as a number."""
Seconds: TypeAlias = float
"""A time in seconds."""

_OWN: Final = "ensue.library.states."
_TRUE: Final = frozenset({"true", "yes", "on", "1", "y"})
_FALSE: Final = frozenset({"false", "no", "off", "0", "n"})
_SPELLINGS: Final = ("true", "false", "yes", "no", "on", "off")
_OTHER_SPELLINGS: Final = {"enabled": "true", "enable": "true", "disabled": "false", "disable": "false"}
_OCTAL: Final = 8
_HIGHEST_MODE: Final = 0o7777
_MODE: Final = re.compile(r"(?:0o)?[0-7]+")
_SYMBOLIC_MODE: Final = re.compile(r"[-d]?((?:[r-][w-][x-]){3})")
_MODE_OF_ALL: Final = re.compile(r"[ugo]=[rwx]*(?:,[ugo]=[rwx]*)*")
_MODE_CHANGE: Final = re.compile(r"[ugoa]*[-+=][rwxXst]*(?:,[ugoa]*[-+=][rwxXst]*)*")
_TIME: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|h|d)[a-z]*", re.IGNORECASE)
_SECONDS_IN: Final = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_GROUPED_NUMBER: Final = re.compile(r"-?\d{1,3}(?:[ ,_']\d{3})+")
_LONGEST_NUMBER: Final = 400
"""How many characters of a text are read as a number; Python refuses integers of more than 4300 digits."""
_MOST_SHOWN: Final = 60
"""A longer value is described. Part of it is never shown, since it may be part of a secret."""


class ArgumentProblem(NamedTuple):
    """Why the value of an argument is refused.

    Args:
        name: the argument.
        value: its value, for a message.
        expected: what it takes, in the user's words.
        meant: what to write instead; empty if nothing is close.
    """

    name: str
    value: str
    expected: str
    meant: str

    def diagnostic(self, id_: str, function: str, span: Span) -> Diagnostic:
        """Return the error about a state.

        Args:
            id_: the ID of the state.
            function: its function, as `module.function`.
            span: the place of the argument.
        """
        return Diagnostic(
            code="E0419",
            summary=f"`{self.name}` of {id_!r} is {self.value}",
            span=span,
            detail=f"{function} takes {self.expected}",
            help=self.meant,
        )


class ArgumentType(msgspec.Struct, frozen=True, kw_only=True):
    """What one argument takes: any of several kinds and words.

    Args:
        kinds: names of kinds, all of them keys of `_KINDS`.
        choices: words that are accepted as they are.
        certain: classes of which every value is accepted, so that most values need no closer look.
        items: the words that a list holds, for people: the function itself refuses others; empty: any.
    """

    kinds: tuple[str, ...]
    choices: tuple[str, ...]
    certain: frozenset[type]
    items: tuple[str, ...] = ()

    def accepts(self, value: Any) -> bool:
        """Return whether a value is of one of the kinds."""
        if value.__class__ in self.certain or _is_not_given(value) or not _is_data(value):
            return True
        if isinstance(value, str) and value.strip().lower() in map(str.lower, self.choices):
            return True
        return any(_KINDS[kind].accepts(value) for kind in self.kinds)

    def converted(self, value: str) -> Any:
        """Return the boolean or number that a text means, if the argument takes nothing that is text."""
        if not all(kind in _CONVERTED for kind in self.kinds) or value in self.choices:
            return value
        number = _number(value) if self.kinds != ("bool",) else None
        if number is not None:
            return number
        return _flag(value) if "bool" in self.kinds else value

    @property
    def expected(self) -> str:
        """What it takes, in the user's words."""
        kinds = [_KINDS[kind].words for kind in self.kinds]
        if self.items:
            listed = _KINDS["list"].words
            kinds[kinds.index(listed)] = f"{listed} of {', '.join(f'`{item}`' for item in self.items)}"
        words = kinds + [f"`{choice}`" for choice in self.choices]
        words = list(dict.fromkeys(words))
        return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)

    def meant(self, value: Any) -> str:
        """Return what to write instead of a value that is refused; empty if nothing is close."""
        if self.items:
            return f"list those that are meant, such as `[{', '.join(self.items[:3])}]`"
        if not isinstance(value, str):
            return ""
        text = value.strip()
        for kind in self.kinds:
            if guess := _KINDS[kind].guess(text):
                return f"did you mean {guess}?"
        spellings = _SPELLINGS if "bool" in self.kinds else ()
        return near_question(text.lower()[:_MOST_SHOWN], [*self.choices, *spellings])


class ArgumentTypes(msgspec.Struct, frozen=True):
    """The types of all arguments of a function that are checked.

    Args:
        by_name: the type of each, by name.
    """

    by_name: Mapping[str, ArgumentType]

    def accept(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether there is no problem."""
        return not arguments or not self.by_name or next(self.problems(arguments), None) is None

    def problems(self, arguments: Mapping[str, Any]) -> Iterator[ArgumentProblem]:
        """Yield the problems of arguments.

        Args:
            arguments: their values by name.
        """
        known = self.by_name
        for name, value in arguments.items():
            checked = known.get(name)
            if checked is None or value.__class__ in checked.certain or checked.accepts(value):
                continue
            yield ArgumentProblem(name, _shown(value), checked.expected, checked.meant(value))

    def converted(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return arguments with booleans and numbers in place of texts that mean one.

        Args:
            arguments: accepted values by name; they are not changed.
        """
        known = self.by_name
        changed = {
            name: meaning
            for name, value in arguments.items()
            if isinstance(value, str)
            and name in known
            and str not in known[name].certain
            and (meaning := known[name].converted(value)) is not value
        }
        return {**arguments, **changed} if changed else arguments


NOT_CHECKED: Final = ArgumentTypes({})
"""The types of a function whose arguments are not checked."""


def argument_types(function: Callable[..., Any]) -> ArgumentTypes:
    """Return the types of the arguments of a function.

    Annotations of functions that do not come with ensue were never checked, and a project may rely on that.

    Args:
        function: a state function.
    """
    if not str(getattr(function, "__module__", "")).startswith(_OWN):
        return NOT_CHECKED
    annotations: Mapping[str, Any] = getattr(function, "__annotations__", {})
    types = {
        name: kind
        for name, annotation in annotations.items()
        if name not in ("ctx", "return", "kwargs")
        and isinstance(annotation, str)
        and (kind := argument_type(annotation)) is not None
    }
    return ArgumentTypes(types) if types else NOT_CHECKED


@cache
def argument_type(annotation: str) -> ArgumentType | None:
    """Return the type that an annotation declares; None if it is not checked.

    Args:
        annotation: its text, such as `str | None`.
    """
    kinds: dict[str, None] = {}
    choices: list[str] = []
    items: list[str] = []
    for part in _split(annotation, "|"):
        name, _, inner = part.rstrip("]").partition("[")
        if name == "Literal":
            choices += [choice.strip("'\"") for choice in _split(inner, ",")]
        elif name in _KIND_OF:
            kinds[_KIND_OF[name]] = None
            if name == "list" and inner.startswith("Literal["):
                items += [item.strip("'\"") for item in _split(inner.removeprefix("Literal["), ",")]
        elif name != "None":
            return None
    if not kinds and not choices:
        return None
    certain = frozenset[type]().union(*(_KINDS[kind].certain for kind in kinds))
    return ArgumentType(kinds=tuple(kinds), choices=tuple(choices), certain=certain, items=tuple(items))


def _split(text: str, sign: str) -> Iterator[str]:
    """Yield the parts of an annotation between signs that are outside of brackets."""
    depth = start = 0
    for index, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == sign and not depth:
            yield text[start:index].strip()
            start = index + 1
    yield text[start:].strip()


def _is_not_given(value: Any) -> bool:
    """Return whether a value is what Salt treats like a missing argument; false and 0 are values."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def _is_data(value: Any) -> bool:
    """Return whether a value is of a class that is judged; dates and objects of Python are not."""
    return isinstance(value, bool | int | float | str | list | dict)


def _shown(value: Any) -> str:
    if is_list(value):
        return "a list"
    if is_mapping(value):
        return "a mapping"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except ValueError:  # an integer of more digits than Python prints
        return "a huge number"
    return text if len(text) <= _MOST_SHOWN else f"a text of {len(text) - 2} characters"


def _flag(text: str) -> bool | str:
    word = text.strip().lower()
    return True if word in _TRUE else False if word in _FALSE else text


def _number(text: str) -> int | float | None:
    """Return the number that a text is; None if it is none."""
    if len(text) > _LONGEST_NUMBER:
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_flag(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip().lower() in _TRUE | _FALSE
    return isinstance(value, bool | int | float) and value in (0, 1)


def _is_number(value: Any) -> bool:
    if isinstance(value, str):
        return _number(value) is not None
    # False is Salt's way to say that there is no limit.
    return value is not True and isinstance(value, int | float)


def _is_mode(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, str | int):
        return False
    try:
        text = str(value).strip()
    except ValueError:  # an integer of more digits than Python prints
        return False
    if len(text) > _LONGEST_NUMBER or not _MODE.fullmatch(text):
        return False
    return int(text.removeprefix("0o"), _OCTAL) <= _HIGHEST_MODE


def _is_listed(value: Any) -> bool:
    """Return whether a value is a list, or the only item of one."""
    return value is not True and not is_mapping(value)


def _is_mapped(value: Any) -> bool:
    """Return whether a value is a mapping, or a list of them, as YAML often has it."""
    return value is False or is_mapping(value) or (is_list(value) and all(map(is_mapping, value)))


def _is_plain(value: Any) -> bool:
    return not isinstance(value, list | dict)


def _guess_nothing(text: str) -> str:  # noqa: ARG001 -- the signature of a guess
    return ""


def _guess_flag(text: str) -> str:
    return _OTHER_SPELLINGS.get(text.lower(), "")


def _guess_number(text: str) -> str:
    return re.sub(r"[ ,_']", "", text) if _GROUPED_NUMBER.fullmatch(text) else ""


def _guess_seconds(text: str) -> str:
    if len(text) <= _MOST_SHOWN and (time := _TIME.fullmatch(text)):
        return f"{float(time[1]) * _SECONDS_IN[time[2].lower()]:g}"
    return _guess_number(text)


def _guess_mode(text: str) -> str:
    if _MODE_OF_ALL.fullmatch(text):
        given = dict(part.split("=") for part in text.split(","))
        letters = "".join(
            letter if letter in given.get(who, "") else "-" for who in "ugo" for letter in "rwx"
        )
    elif symbolic := _SYMBOLIC_MODE.fullmatch(text):
        letters = symbolic[1]
    else:
        return "the whole mode, such as '0755'" if _MODE_CHANGE.fullmatch(text) else ""
    bits = int("".join("0" if letter == "-" else "1" for letter in letters), 2)
    return f"'{bits:04o}'"


class _ValueKind(NamedTuple):
    """A kind of values.

    Args:
        words: its name in messages.
        accepts: whether a value is of the kind.
        certain: classes of which every value is.
        guess: returns what a text was meant to be; empty if that is not known.
    """

    words: str
    accepts: Callable[[Any], bool]
    certain: frozenset[type] = frozenset()
    guess: Callable[[str], str] = _guess_nothing


_NUMBERS: Final = frozenset[type]({int, float})
_KINDS: Final[Mapping[str, _ValueKind]] = {
    "bool": _ValueKind("true or false", _is_flag, frozenset({bool}), _guess_flag),
    "number": _ValueKind("a number", _is_number, _NUMBERS, _guess_number),
    "seconds": _ValueKind("a number of seconds", _is_number, _NUMBERS, _guess_seconds),
    "mode": _ValueKind("an octal mode such as '0644'", _is_mode, guess=_guess_mode),
    "text": _ValueKind("text", _is_plain, frozenset({str, int, float, bool})),
    "list": _ValueKind("a list", _is_listed, frozenset({list, str, int, float})),
    "mapping": _ValueKind("a mapping", _is_mapped, frozenset({dict})),
}
_KIND_OF: Final[Mapping[str, str]] = {
    "bool": "bool",
    "int": "number",
    "float": "number",
    "str": "text",
    "Seconds": "seconds",
    "Mode": "mode",
    **dict.fromkeys(("list", "Sequence"), "list"),
    **dict.fromkeys(("dict", "Mapping", "DataMap"), "mapping"),
}
"""The kind that each name of an annotation means."""
_CONVERTED: Final = frozenset({"bool", "number", "seconds"})
"""Kinds whose values a text may mean."""
