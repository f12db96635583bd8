"""The outputs of the driver `state`: what states say of what they made, by the names of a definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.errors import DriverInputError
from ensue.core.model.data import is_mapping
from ensue.core.model.near_names import near
from ensue.core.model.paths import AbsentKeyError, value_at
from ensue.core.model.sensitive_paths import secret_places

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import Return, ScopeReturn


class StateOutputs(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs of states: those that may be shown, and those that are secret."""

    values: DataMap
    secrets: DataMap


def outputs_of(scope_return: ScopeReturn, values: Mapping[str, Data]) -> StateOutputs:
    """Return the outputs of the states: the named ones, else the whole `new_state` of a single state."""
    named = values.get("outputs")
    plain: DataMap = {}
    secret: DataMap = {}
    if is_mapping(named):
        by_id = {state_return.id: state_return for state_return in scope_return.returns.values()}
        for name, path in named.items():
            returned, keys = _named_return(str(path), by_id, scope_return, str(name))
            try:
                value = value_at(returned.new_state, keys)
            except AbsentKeyError as error:
                message = error.sentence(f"outputs: new_state of {returned.id}", separator=":")
                raise DriverInputError(message, keys=("outputs", str(name))) from None
            (secret if _is_secret(returned, keys) else plain)[str(name)] = value
        return StateOutputs(values=plain, secrets=secret)
    if values.get("sls"):
        return StateOutputs(values={}, secrets={})
    for returned in scope_return.returns.values():
        state = returned.new_state
        data: DataMap = {str(k): v for k, v in state.items()} if is_mapping(state) else {"new_state": state}
        for name, value in data.items():
            (secret if _is_secret(returned, [name]) else plain)[name] = value
    return StateOutputs(values=plain, secrets=secret)


def _named_return(
    path: str, by_id: Mapping[str, Return], scope_return: ScopeReturn, output: str
) -> tuple[Return, list[str]]:
    first, *rest = path.split(":")
    if first in by_id:
        return by_id[first], rest
    if len(scope_return.returns) == 1:
        return next(iter(scope_return.returns.values())), [first, *rest]
    raise DriverInputError(
        f"outputs: no state has the ID {first!r}{near(first, by_id)}", keys=("outputs", output)
    )


def _is_secret(returned: Return, keys: list[str]) -> bool:
    """Return whether a value, or anything in it, is secret."""
    return any(
        all(str(key) == other for key, other in zip(place, keys, strict=False))
        for place in secret_places(returned.new_state, returned.sensitive)
    )
