"""Finds what a state's return has from secrets that were bound to its arguments.

Texts and numbers are found by the masker, wherever they are in the return. No masker can find true and false
by their text, so each of the two counts as a secret in the return of a state that is bound to a secret one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.model.data import leaf_places
from ensue.core.model.fan_out import FannedReturn
from ensue.core.model.sensitive_paths import changed_paths, secrets_read, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.masking import Masker
    from ensue.core.model.property_path import Step
    from ensue.core.model.reference import Binding
    from ensue.core.model.returns import StateReturn
    from ensue.engine.node import Node


def with_inherited_secrets(node: Node, function_return: StateReturn, masker: Masker) -> StateReturn:
    """Return a state's return with the paths of secrets that were bound to its arguments among its own.

    Args:
        node: the state; its chunk has bindings.
        function_return: the return of its function.
        masker: the secrets of the process.
    """
    inherited: dict[str, None] = {}
    if function_return.new_state is not None and masker.knows_secrets:
        inherited |= dict.fromkeys(
            changed_paths(function_return.new_state, masker.data(function_return.new_state))
        )
    if secret := _secret_booleans(node):
        for data in (function_return.new_state, function_return.changes, function_return.old_state):
            inherited |= dict.fromkeys(_places_of(data, secret))
    more = [path for path in inherited if path not in function_return.sensitive]
    return msgspec.structs.replace(function_return, sensitive=(*function_return.sensitive, *more))


def _places_of(data: Any, secret: set[bool]) -> Iterator[str]:
    for place, value in leaf_places(data):
        if isinstance(value, bool) and value in secret:
            yield written(place)


def _secret_booleans(node: Node) -> set[bool]:
    secret_booleans: set[bool] = set()
    for bound in (node.chunk.bindings or {}).values():
        for piece in bound.pieces:
            if isinstance(piece, str):
                continue
            for data, sensitive in _sources(node, piece):
                secret_booleans |= set(_booleans(data, sensitive, piece.reference.steps))
    return secret_booleans


def _sources(node: Node, binding: Binding) -> Iterator[tuple[Any, Sequence[str]]]:
    """Yield every `new_state` that a binding may read, with the paths of its secrets."""
    if binding.enforced is not None:
        yield binding.enforced.new_state, binding.enforced.sensitive
    elif binding.producer is not None and (returned := node.scope.result_of(binding.producer)):
        for state_return in returned.parts.values() if isinstance(returned, FannedReturn) else (returned,):
            yield state_return.new_state, state_return.sensitive


def _booleans(data: Any, sensitive: Sequence[str], steps: Sequence[Step]) -> Iterator[bool]:
    if sensitive:
        for secret in secrets_read(data, sensitive, steps):
            yield from (leaf for _, leaf in leaf_places(secret) if isinstance(leaf, bool))
