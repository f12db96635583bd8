"""What a `pyobjects` file calls (states, requisites, `include`, `extend`), and what it has declared so far.

`File.managed("/etc/x", mode=644)` declares a state, `File("/etc/x")` names one. Both can be used in a `with`:
states declared inside it require that state.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.core.model.data import is_list
from ensue.language.requisite_names import MERGED_BY_EXTEND

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self, TypeAlias

    Declared: TypeAlias = "dict[str, dict[str, list[dict[str, Any]]]]"

_CAPITAL: Final = re.compile(r"(?<=.)(?=[A-Z])")


def module_of(name: str) -> str:
    """Return the state module of a name in a file: `PostgresUser` is `postgres_user`."""
    return _CAPITAL.sub("_", name).lower()


class DeclarationRecorder:
    """The declarations of one rendering.

    Args:
        place: returns the place in the file that is running now.

    Attributes:
        is_open: whether states are recorded; false while an imported file is read.
        places: the line of each state, by ID, and by `extend` and ID.
    """

    def __init__(self, place: Callable[[], Span]) -> None:
        self.is_open = True
        self.places: dict[tuple[str, ...], Span] = {}
        self._place = place
        self._states: Declared = {}
        self._extended: Declared = {}
        self._included: list[str] = []
        self._within: list[StateRequisite] = []

    def data(self) -> dict[str, Any]:
        """Return what was declared, as the data of an SLS."""
        data: dict[str, Any] = dict(self._states)
        if self._included:
            data["include"] = self._included
        if self._extended:
            data["extend"] = self._extended
        return data

    def include(self, *names: str) -> None:
        """Include SLS."""
        if self.is_open:
            self._included += names

    def declare(self, id_: Any, module: str, function: str, arguments: dict[str, Any]) -> DeclaredState:
        """Record a state.

        Args:
            id_: its ID, or what `extend` returned.
            module: its module.
            function: its function.
            arguments: its arguments.

        Raises:
            CompileError: it is declared twice.
        """
        given = {word: _listed(word, value) for word, value in arguments.items()}
        name = id_.id if isinstance(id_, Extended) else id_
        if self.is_open:
            for requisite in self._within:
                given.setdefault(requisite.word, []).append(requisite.reference)
            key = ("extend", name) if isinstance(id_, Extended) else (name,)
            declared = self._extended if isinstance(id_, Extended) else self._states
            self._note(declared.setdefault(name, {}), key, f"{module}.{function}", given)
        return DeclaredState(self, StateRequisite(self, "require", module, name))

    def enter(self, requisite: StateRequisite) -> None:
        """Give a requisite to all states declared from now on."""
        if self.is_open:
            self._within.append(requisite)

    def leave(self) -> None:
        """End the requisite of the last `enter`."""
        if self.is_open:
            del self._within[-1]

    def _note(
        self, body: dict[str, Any], key: tuple[str, ...], function: str, arguments: dict[str, Any]
    ) -> None:
        place = self._place()
        if function in body:
            raise refused(
                f"{function} is declared twice for {key[-1]!r}", place, "give one of them another ID"
            )
        body[function] = [{word: arguments[word]} for word in sorted(arguments)]
        self.places.setdefault(key, place)


class StateRequisite:
    """A state that others name: `Service("nginx", "watch_in")`.

    Args:
        declarations: where states are recorded.
        word: the requisite.
        module: the module of the state.
        id_: its ID.
    """

    def __init__(self, declarations: DeclarationRecorder, word: str, module: str, id_: str) -> None:
        self._declarations = declarations
        self.word = word
        self.reference = {module: id_}

    def __enter__(self) -> Self:
        """Give this requisite to all states declared inside."""
        self._declarations.enter(self)
        return self

    def __exit__(self, *_error: object) -> None:
        """End that."""
        self._declarations.leave()


class DeclaredState:
    """A declared state; in a `with`, states declared inside require it.

    Args:
        declarations: where states are recorded.
        required: the requisite that names it.
    """

    def __init__(self, declarations: DeclarationRecorder, required: StateRequisite) -> None:
        self._declarations = declarations
        self.required = required

    def __enter__(self) -> Self:
        """Make all states declared inside require this state."""
        self._declarations.enter(self.required)
        return self

    def __exit__(self, *_error: object) -> None:
        """End that."""
        self._declarations.leave()


class Extended:
    """The ID of a state that another file declares: `extend("apache")`."""

    def __init__(self, id_: str) -> None:
        self.id = id_


class Module:
    """A state module: each attribute declares a state, and a call names one.

    Args:
        declarations: where states are recorded.
        name: the module.
    """

    def __init__(self, declarations: DeclarationRecorder, name: str) -> None:
        self._declarations = declarations
        self._name = name

    def __getattr__(self, function: str) -> Callable[..., DeclaredState]:
        """Return a function that declares a state with a function of this module."""
        if function.startswith("__"):
            raise AttributeError(function)

        def declare(id_: Any, **arguments: Any) -> DeclaredState:
            return self._declarations.declare(id_, self._name, function, arguments)

        return declare

    def __call__(self, id_: str, requisite: str = "require") -> StateRequisite:
        """Return a requisite that names a state of this module."""
        return StateRequisite(self._declarations, requisite, self._name, id_)


def refused(summary: str, span: Span, help_: str) -> CompileError:
    """Return the error for a file with an impossible declaration."""
    return CompileError([Diagnostic(code="E0225", summary=summary, span=span, help=help_)])


def _listed(word: str, value: Any) -> Any:
    """Return an argument; for a requisite word, the list of states it names."""
    if word not in MERGED_BY_EXTEND:
        return value
    return [_reference(item) for item in (value if is_list(value) else [value])]


def _reference(named: Any) -> Any:
    if isinstance(named, DeclaredState):
        return named.required.reference
    return named.reference if isinstance(named, StateRequisite) else named
