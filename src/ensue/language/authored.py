"""Which references and slots of a rendering an author wrote, and which came with a value.

`${…}` and `__slot__:` mean something only in text that an author wrote: an SLS, a delayed block, a pillar
file, a template. In output of a host, a command or a store the same characters are data. A renderer thus
puts a mark into each sign of the literal text before it renders (`mark_signs`). Afterwards (`settle`) a sign
with its mark counts, and a sign without one is escaped: readers of references then see literal text.

This module leaves out which values may be where in YAML (`printed_values`), and the grammars of references
and slots.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.engine.binding.slots import PREFIX, is_escaped
from ensue.language.marks import AUTHORED, BEGIN, LEAD, has_marks, without_marks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_SIGN: Final = re.compile(r"\$(?=\\?\{)|__slot__(?=:)")
_BODY: Final = re.compile(r'(?:"(?:[^"\\\n]|\\.)*"|[^}"\n])*')
_OPENING: Final = re.compile(rf"\$+({AUTHORED})?\\?\{{")
_UNMARKED_SIGNS: Final = ("${", "$\\{", PREFIX)
_SLOT_WORD: Final = PREFIX.removesuffix(":")
_AUTHORED_SLOT: Final = f"{_SLOT_WORD}{AUTHORED}:"


def mark_signs(text: str) -> str:
    """Return literal text of a template with a mark in each sign of a reference or slot."""
    return _SIGN.sub(_marked, text) if "$" in text or _SLOT_WORD in text else text


def is_settled(text: str) -> bool:
    """Return whether every sign in a rendered text is certainly an author's; False may be wrong.

    A quoted scalar may write a sign or a mark as an escape, with a backslash.
    """
    return "\\" not in text and not any(sign in text for sign in _UNMARKED_SIGNS)


def settle(data: Any) -> Any:
    """Return data in which every sign counts: signs that no author wrote are escaped, and marks are removed.

    Args:
        data: the data read from a rendered text; lists and mappings are changed in place.
    """
    return _mapped(data, set(), _settled)


def as_literal(data: Any) -> Any:
    """Return data in which no sign counts, not even an author's; lists and mappings are changed in place."""
    return _mapped(data, set(), _escaped)


def mark_data(data: Any) -> Any:
    """Return data that an author wrote with a mark in each reference and slot; it is changed in place."""
    return _mapped(data, set(), lambda text: _kept(mark_signs(text)))


def marks_that_count(data: Any) -> Any:
    """Return data with marks only in references and slots, not in text that resembles them (`${HOME}`).

    Args:
        data: the data read from a rendered text; lists and mappings are changed in place.
    """
    return _mapped(data, set(), _kept)


def _marked(match: re.Match[str]) -> str:
    return f"{match[0]}{AUTHORED}"


def _mapped(data: Any, seen: set[int], change: Callable[[str], str]) -> Any:
    if isinstance(data, str):
        return change(data) if _is_concerned(data) else data
    # A YAML alias puts one object in several places; it is changed only once.
    if is_list(data) and id(data) not in seen:
        seen.add(id(data))
        data[:] = [_mapped(item, seen, change) for item in data]
    elif is_mapping(data) and id(data) not in seen:
        seen.add(id(data))
        _change_mapping(data, seen, change)
    return data


def _change_mapping(data: dict[Any, Any], seen: set[int], change: Callable[[str], str]) -> None:
    for key, item in data.items():
        data[key] = _mapped(item, seen, change)
    if any(isinstance(key, str) and _is_concerned(key) for key in data):
        items = [(change(key) if isinstance(key, str) else key, item) for key, item in data.items()]
        data.clear()
        data.update(items)


def _is_concerned(text: str) -> bool:
    return "$" in text or _SLOT_WORD in text or has_marks(text)


def _settled(text: str) -> str:
    """Escape signs that no author wrote, and remove the marks."""
    plain = without_marks(text)
    is_foreign_slot = _is_slot(plain) and not _is_authored_slot(text)
    pieces: list[str] = ["$"] if is_foreign_slot else []
    position = 0
    for start, is_marked in _openings(text):
        if not is_marked and _counts(plain, start):
            pieces += (plain[position:start], "$")
            position = start
    return "".join([*pieces, plain[position:]]) if pieces else plain


def _escaped(text: str) -> str:
    return _settled(without_marks(text))


def _kept(text: str) -> str:
    if not has_marks(text) or _is_authored_slot(text):
        return text
    plain = without_marks(text)
    return text if any(_counts(plain, start) for start, is_marked in _openings(text) if is_marked) else plain


def _openings(text: str) -> Iterator[tuple[int, bool]]:
    """Yield the positions in the unmarked text where a reference may begin, and if an author wrote it."""
    removed = position = 0
    for match in _OPENING.finditer(text):
        removed += text.count(LEAD, position, match.start())
        position = match.start()
        # A serializer may have escaped the guards of a value: within a reference, that makes it data.
        body = _BODY.match(text, match.end()) if BEGIN in text else None
        is_mixed = body is not None and BEGIN in body[0]
        yield position - removed * len(AUTHORED), match[1] is not None and not is_mixed


def _is_authored_slot(text: str) -> bool:
    return text.lstrip("$").startswith(_AUTHORED_SLOT) and BEGIN not in text


def _is_slot(text: str) -> bool:
    return text.startswith(PREFIX) or is_escaped(text)


def _counts(text: str, start: int) -> bool:
    """Return whether a reference, or an escaped one, begins at a position of a text."""
    from ensue.language.references.grammar import counts_at

    return counts_at(text, start)
