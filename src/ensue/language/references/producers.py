"""Decides which state a reference means.

Among the states whose module path is the reference's path or begins with it, an ID takes precedence over a
name, and the exact module path over a longer one. Exactly one state must remain: two states are never
distinguished by their place.

Source: Idem's argument binding, without its silent "the last one wins".
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeVar

import msgspec

from ensue.core.model.minion_state import ANY_PATH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.minion_state import MinionState
    from ensue.core.model.reference import Reference
    from ensue.language.chunks import Draft

T = TypeVar("T")


class ProducerIdentity(msgspec.Struct, frozen=True, gc=False):
    """What a reference can name a state by.

    Args:
        module: its module path.
        id: its ID.
        name: its name.
        resource_name: its `resource_name`; empty if it has none.
        is_fanned: whether it becomes one chunk per resource; a selector may pick one after it has run.
    """

    module: str
    id: str
    name: str
    resource_name: str = ""
    is_fanned: bool = False


class Producers:
    """The states of one scope, by ID and by name.

    Args:
        drafts: all of them.
    """

    def __init__(self, drafts: Sequence[Draft]) -> None:
        self._drafts = drafts
        self._by_key: defaultdict[str, list[int]] = defaultdict(list)
        for number, draft in enumerate(drafts):
            self._by_key[draft.declaration.id].append(number)
            if draft.name != draft.declaration.id:
                self._by_key[draft.name].append(number)

    def meant(self, reference: Reference) -> list[int]:
        """Return the numbers of the states that a reference may mean; one if the reference is correct."""
        return meant(reference, self._by_key.get(reference.id, ()), self._identity)

    def without_selector(self, reference: Reference) -> list[int]:
        """Return the numbers of the states that a reference may mean if its instance is ignored."""
        return self.meant(msgspec.structs.replace(reference, selector=None))

    def modules_of(self, id_: str) -> list[str]:
        """Return the modules of the states of an ID or name."""
        return sorted({self._drafts[number].declaration.module for number in self._by_key.get(id_, ())})

    def module_of(self, id_: str, path: str = "") -> str:
        """Return the module of a state of an ID or name, below the path; empty if there is none."""
        modules = self.modules_of(id_) if id_ in self._by_key else []
        return next((module for module in modules if not path or is_below(module, path)), "")

    def ids_below(self, path: str) -> set[str]:
        """Return the IDs of the states below a path."""
        below = (draft.declaration for draft in self._drafts)
        return {declaration.id for declaration in below if is_below(declaration.module, path)}

    def _identity(self, number: int) -> ProducerIdentity:
        draft = self._drafts[number]
        resource_name = draft.arguments.get("resource_name", "")
        return ProducerIdentity(
            draft.declaration.module,
            draft.declaration.id,
            draft.name,
            str(resource_name),
            is_fanned=draft.options.fan_out is not None,
        )


def identity_of(state: EnforcedState) -> ProducerIdentity:
    """Return what a reference can name an enforced state by."""
    return ProducerIdentity(state.module, state.id, state.name)


def meant(
    reference: Reference | MinionState, candidates: Iterable[T], identity: Callable[[T], ProducerIdentity]
) -> list[T]:
    """Return the candidates that a reference may mean; one if the reference is correct.

    Args:
        reference: the reference, or the state of another minion that one reads.
        candidates: at least everything that has its ID or name.
        identity: returns what a reference can name a candidate by.
    """
    known = [(identity(candidate), candidate) for candidate in candidates]
    path = reference.path
    fitting = [(who, producer) for who, producer in known if path == ANY_PATH or is_below(who.module, path)]
    left = [pair for pair in fitting if pair[0].id == reference.id]
    left = left or [pair for pair in fitting if pair[0].name == reference.id]
    if reference.selector is not None:
        left = _picked(left, reference.selector)
    exact = [pair for pair in left if pair[0].module == reference.path]
    return [producer for _, producer in exact or left]


def _picked(left: list[tuple[ProducerIdentity, T]], selector: str) -> list[tuple[ProducerIdentity, T]]:
    """Return the instances of that name; a fan-out may have more, named after their resources."""
    named = [pair for pair in left if selector in (pair[0].name, pair[0].resource_name)]
    fanned = [pair for pair in left if pair[0].is_fanned] if not named else []
    return named or [pair for pair in fanned if selector.endswith(f" {pair[0].name}")] or fanned


def is_below(module: str, path: str) -> bool:
    """Return whether a path is a module path or a dotted prefix of it."""
    return module == path or module.startswith(f"{path}.")
