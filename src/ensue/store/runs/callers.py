"""Which state caused a scope: events name only its tag, which each of the enclosing scopes may have.

The path of a scope is that of its caller's scope, the ID of its caller, and its own name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class HasId(Protocol):
    """What `caller_of` needs to know about a state."""

    id: str


_State = TypeVar("_State", bound=HasId)


def caller_of(scope: str, name: str, state_in: Callable[[str], _State | None]) -> _State | None:
    """Return the state that caused a scope; None if it is not known.

    Args:
        scope: the path of the scope.
        name: the scope's name.
        state_in: returns the state that has the caller's tag in the scope of a path; None if there is none.
    """
    for above in _paths_around(scope):
        state = state_in(above)
        if state is not None and f"/{scope}".startswith(f"{f'/{above}' if above else ''}/{state.id}/{name}"):
            return state
    return None


def _paths_around(scope: str) -> Iterator[str]:
    """Yield all paths that may enclose the scope, the longest first: an ID may contain slashes, too."""
    while scope:
        scope = scope.rpartition("/")[0]
        yield scope
