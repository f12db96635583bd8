"""Text of a template with a reference, `"${cmd:a:stdout}"`: it may be printed, and nothing decided by it.

A template is rendered before any state runs, so it has the text of a reference in place of its value. The
mark is the class of the text, so that it passes on through variables, lists, macros and concatenations.
Operations that keep the references whole are allowed, such as printing, joining and indenting. Those that
would read the value, such as a comparison, a loop or `length`, raise an error, and so do those that change a
reference, such as `upper`. A comparison that the text around the reference decides is allowed, and so is the
question whether there is a text.

This module leaves out how constants of templates get their class (`jinja.authorship`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NoReturn

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import Written
from ensue.core.model.reference import Reference
from ensue.language.authored_text import Authored
from ensue.language.marks import AUTHORED, LEAD, without_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_READING: Final = (
    *("__getitem__", "__ge__", "__gt__", "__le__", "__len__", "__lt__", "count", "encode", "find", "index"),
    *("isalnum", "isalpha", "isascii", "isdecimal", "isdigit", "isidentifier", "islower", "isnumeric"),
    *("isprintable", "isspace", "istitle", "isupper", "partition", "rfind", "rindex", "rpartition", "rsplit"),
    *("split", "splitlines"),
)
"""Methods of text that read the value."""

_CHANGING: Final = (
    *("capitalize", "casefold", "center", "expandtabs", "ljust", "lower", "lstrip", "removeprefix"),
    *("removesuffix", "replace", "rjust", "rstrip", "strip", "swapcase", "title", "translate", "upper"),
    "zfill",
)
"""Methods of text that return text, in which the references may be whole."""


class ReferenceReadError(ValueError):
    """A template reads the value of a reference, which it does not have.

    Args:
        reference: the reference.
        is_changed: whether the template changes the text of the reference, instead of reading it.
    """

    def __init__(self, reference: str, *, is_changed: bool = False) -> None:
        super().__init__(reference)
        self.reference = reference
        self.is_changed = is_changed


class ReferenceText(str):
    """Text with a reference; a base of the two classes that templates have."""

    __slots__ = ()

    def __bool__(self) -> bool:
        """Return true: there is a text."""
        return True

    def __hash__(self) -> int:
        """Return the hash of the text."""
        return str.__hash__(self)

    def __eq__(self, other: object) -> bool:
        """Return whether a text is the same, if that is known before the reference has a value."""
        if not isinstance(other, str):
            return False
        if str.__eq__(without_marks(str(self)), without_marks(str(other))):
            return True
        if not other or self._differs_at_start(str(other)) or self._differs_at_end(str(other)):
            return False
        return self.read()

    def __ne__(self, other: object) -> bool:
        """Return whether a text is another one, if that is known."""
        return not self == other

    def __iter__(self) -> Iterator[str]:
        """Return an iterator that refuses to yield: whether text is iterable may be asked."""
        yield self.read()

    def __contains__(self, part: object) -> bool:
        """Return whether a text is part of this one, if the text around the reference has it.

        A mark is no part of the value: the machinery may look for one.
        """
        if isinstance(part, str) and LEAD in str(part):
            return str.__contains__(self, part)
        literal = [piece for piece in _pieces(self) if isinstance(piece, str)]
        return any(isinstance(part, str) and str(part) in piece for piece in literal) or self.read()

    def startswith(self, prefix: Any, *bounds: Any) -> bool:
        """Return whether the text begins with another, if the text before the reference decides that."""
        prefixes = (prefix,) if isinstance(prefix, str) else tuple(prefix)
        start = _literal(_pieces(self)[0])
        if not bounds and any(start.startswith(each) for each in prefixes):
            return True
        return not (not bounds and all(self._differs_at_start(each) for each in prefixes)) and self.read()

    def endswith(self, suffix: Any, *bounds: Any) -> bool:
        """Return whether the text ends with another, if the text after the reference decides that."""
        suffixes = (suffix,) if isinstance(suffix, str) else tuple(suffix)
        end = _literal(_pieces(self)[-1])
        if not bounds and any(end.endswith(each) for each in suffixes):
            return True
        return not (not bounds and all(self._differs_at_end(each) for each in suffixes)) and self.read()

    def read(self, *_args: Any, **_options: Any) -> NoReturn:
        """Refuse an operation that reads the value."""
        raise ReferenceReadError(_references(self)[0])

    def is_whole(self) -> bool:
        """Return whether the text is one reference and nothing else but blanks."""
        return [isinstance(piece, Reference) for piece in _pieces(str(self).strip())] == [True]

    def whole_in(self, changed: str) -> str:
        """Return a text made of this one if the references in it are whole.

        Raises:
            ReferenceReadError: a reference was cut or changed.
        """
        remaining = _references(changed)
        for reference in _references(self):
            if reference not in remaining or str.count(changed, AUTHORED) < str.count(self, AUTHORED):
                raise ReferenceReadError(reference, is_changed=True)
        return changed

    def filtered(self, call: Callable[[str], Any]) -> Any:
        """Return the result of a filter of this text, which keeps its references.

        Args:
            call: calls the filter with the text, whose value it may read.

        Raises:
            ReferenceReadError: the result is not text, or a reference in it was cut or changed.
        """
        returned = call(without_reading(self))
        if not isinstance(returned, str):
            self.read()
        changed = self.whole_in(returned)
        if changed.__class__ is Authored:
            return AuthoredReferenceText(changed)
        return WrittenReferenceText(changed) if changed.__class__ is Written else changed

    def _differs_at_start(self, other: str) -> bool:
        start = _literal(_pieces(self)[0])
        return not (start.startswith(other) or other.startswith(start))

    def _differs_at_end(self, other: str) -> bool:
        end = _literal(_pieces(self)[-1])
        return not (end.endswith(other) or other.endswith(end))


class AuthoredReferenceText(ReferenceText, Authored):
    """Text with a reference, of which an author wrote everything."""

    __slots__ = ()


class WrittenReferenceText(ReferenceText, Written):
    """Text with a reference, and with values that have their guards."""

    __slots__ = ()


def _changing(name: str) -> Callable[..., Any]:
    def changing(self: ReferenceText, *args: Any, **options: Any) -> Any:
        return self.filtered(lambda text: getattr(text, name)(*args, **options))

    changing.__name__, changing.__doc__ = name, getattr(str, name).__doc__
    return changing


for _name in _READING:
    setattr(ReferenceText, _name, ReferenceText.read)
for _name in _CHANGING:
    setattr(ReferenceText, _name, _changing(_name))
for _class in (AuthoredReferenceText, WrittenReferenceText):
    # Messages of Jinja name the class of a value; to an author, this is a text like any other.
    _class.__name__ = _class.__qualname__ = "str"
    _class.__module__ = "builtins"


def reference_text(text: str) -> str:
    """Return a constant of a template: text with a reference if it holds one."""
    return AuthoredReferenceText(text) if _references(text) else Authored(text)


def written_text(text: str) -> Written:
    """Return the text of a captured block: text with a reference if it is one and nothing else."""
    is_reference = AUTHORED in text and WrittenReferenceText(text).is_whole()
    return WrittenReferenceText(text) if is_reference else Written(text)


def without_reading(data: Any) -> Any:
    """Return data whose texts with references may be read, for a serializer; it is not changed in place."""
    if isinstance(data, ReferenceText):
        return Authored(data) if isinstance(data, Authored) else Written(data)
    if is_list(data):
        return [without_reading(item) for item in data] if _has_references(data) else data
    if is_mapping(data) and _has_references(data):
        return {without_reading(key): without_reading(item) for key, item in data.items()}
    return data


def _has_references(data: Any) -> bool:
    # Each list and mapping is looked into once: data may contain itself.
    seen: set[int] = set()
    pending = [data]
    while pending:
        item = pending.pop()
        if isinstance(item, ReferenceText):
            return True
        if (is_mapping(item) or is_list(item)) and id(item) not in seen:
            seen.add(id(item))
            pending.extend((*item, *item.values()) if is_mapping(item) else item)
    return False


def _pieces(text: str) -> list[Any]:
    from ensue.language.references.grammar import read_text

    return read_text(without_marks(str(text)))


def _references(text: str) -> list[str]:
    return [piece.text for piece in _pieces(text) if isinstance(piece, Reference)]


def _literal(piece: Any) -> str:
    return piece if isinstance(piece, str) else ""
