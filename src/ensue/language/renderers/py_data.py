"""Checks the data of a `py` file if the run gave it text with `${…}` or `__slot__:`.

The origin of a text that a Python program returns is unknown. If nothing that the run gave it (`prev_ret`,
grains, results of execution functions) contains a sign of a reference or slot, every sign in its data is the
author's. Otherwise its data may contain only signs that are literally in the file and in nothing that was
given. `literal(…)` marks other data as literal.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import CompileError
from ensue.core.model.data import copied
from ensue.engine.binding.slots import PREFIX
from ensue.language.marks import unmarked
from ensue.language.references.detection import holds_sign

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.language.renderers.stage import Stream
    from ensue.language.yaml import YamlDocument

_GIVEN: Final = ("prev_ret", "grains")
_MARKED: Final = ("pillar", "params", "opts")
_FUNCTIONS: Final = "salt"


class GivenTexts:
    """The texts with signs that the run gave to one call of a `py` file's function."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def watch(self, stream: Stream) -> Stream:
        """Return a stream that records the texts of its context, including results of execution functions."""
        given = dict(stream.variables)
        for name in _GIVEN:
            self.note(given.get(name))
        for name in _MARKED:
            given[name] = unmarked(given.get(name))
        if _FUNCTIONS in given:
            given[_FUNCTIONS] = _NotingFunctions(given[_FUNCTIONS], self.note)
        return msgspec.structs.replace(stream, context=lambda: given)

    def note(self, value: Any) -> None:
        """Record the texts with signs in a value."""
        self._texts.update(_signed(value))

    def check(self, data: Any, written: YamlDocument) -> None:
        """Refuse data in which a sign may come from the run.

        Raises:
            CompileError: names the sign and the remedy.
        """
        if not self._texts:
            return
        from ensue.language.references.grammar import read_text

        for text in _signed(data):
            signs = [piece.text for piece in read_text(text) if not isinstance(piece, str)]
            if text.startswith(PREFIX):
                signs.append(text)
            for sign in signs:
                if sign not in written.text or any(sign in given for given in self._texts):
                    raise CompileError([_ambiguous(sign, written)])


def literal(value: Any) -> Any:
    """Return data in which references and slots are literal text; the global `literal` of `py` files."""
    from ensue.language.authored import as_literal

    return as_literal(copied(value))


def _ambiguous(sign: str, written: YamlDocument) -> Diagnostic:
    return Diagnostic(
        code="E0221",
        summary=f"{sign} may be data of the run",
        detail="the function was given text that contains references or slots, "
        "so it is unknown who wrote this",
        span=written.locate(()),
        help="put literal(…) around what comes from prev_ret, grains or salt[…]; write references out",
    )


def _signed(value: Any) -> Iterator[str]:
    """Yield the texts in nested data that hold a sign."""
    waiting, seen = [value], set[int]()
    while waiting:
        part: Any = waiting.pop()
        if isinstance(part, str):
            if holds_sign(part) or part.startswith(PREFIX):
                yield part
        elif isinstance(part, (Mapping, list, tuple, set)) and id(cast("Any", part)) not in seen:
            inner = cast("Any", part)
            seen.add(id(inner))
            waiting += [*inner, *inner.values()] if isinstance(inner, Mapping) else inner


class _NotingFunctions(Mapping[str, Any]):
    """`salt`, with functions whose results are recorded."""

    def __init__(self, functions: Any, note: Callable[[Any], None]) -> None:
        self._functions = functions
        self._note = note

    def __getitem__(self, name: str) -> Any:
        return self._noting(self._functions[name])

    def __contains__(self, name: object) -> bool:
        return name in self._functions

    def __getattr__(self, name: str) -> Any:
        return _NotingModule(getattr(self._functions, name), self._noting)

    def __iter__(self) -> Iterator[str]:
        return iter(self._functions)

    def __len__(self) -> int:
        return len(self._functions)

    def _noting(self, function: Any) -> Any:
        if not callable(function):
            return function

        def call(*args: Any, **kwargs: Any) -> Any:
            returned = unmarked(function(*args, **kwargs))
            self._note(returned)
            return returned

        return call


class _NotingModule:
    """A module of execution functions, such as `salt.cmd`."""

    def __init__(self, module: Any, noting: Callable[[Any], Any]) -> None:
        self._module = module
        self._noting = noting

    def __getattr__(self, name: str) -> Any:
        return self._noting(getattr(self._module, name))
