"""Find the values of a call's references in the returns of their producers.

Source: Idem's argument binding: a reference reads `new_state`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from ensue.core.contracts.enforced import enforced_of_skipped, why_without_value
from ensue.core.errors import StateFailedError
from ensue.core.masking import MASK, SHORTEST_PART_CHARS
from ensue.core.model.data import copied, is_encodable, is_list, is_mapping, leaves
from ensue.core.model.data_bounds import MOST_ADDED_VALUES, DataBoundError, check_data, weight
from ensue.core.model.fan_out import FannedReturn
from ensue.core.model.property_values import PathError, as_text, follow
from ensue.core.model.sensitive_paths import secrets_read, values_at
from ensue.core.model.unknown import Unknown
from ensue.engine.binding.fanned_instances import instance

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Mapping

    from ensue.core.contracts.arguments import Results
    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.masking import Masker
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.data import Data
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.reference import Binding, BoundText
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn

_INERT: Final = (bool, int, float, type(None))
"""Types of values that contain nothing to render."""


class BoundCall(msgspec.Struct, frozen=True):
    """A call whose arguments are bound.

    Args:
        chunk: the chunk that is called.
        results: returns of the same plan.
        target: the target that it runs against.
        test: whether it is part of a plan.
    """

    chunk: Chunk
    results: Results
    target: Srn
    test: bool


class _ReferenceSource(msgspec.Struct, frozen=True):
    """What a reference reads from."""

    data: Data
    sensitive: tuple[str, ...]


class BoundValues:
    """Finds the values of bound texts.

    Args:
        enforced: what earlier applies enforced; None where the project keeps none.
        masker: also masks texts that contain a short secret.
    """

    def __init__(self, enforced: EnforcedStates | None, masker: Masker) -> None:
        self._enforced = enforced
        self._masker = masker

    def of(self, bindings: Mapping[str, BoundText], call: BoundCall) -> dict[str, Any]:
        """Return the value of every bound text, by the text; in a plan a value may contain `Unknown`.

        Raises:
            StateFailedError: a value is not available; names the reference, its place and what was found.
        """
        values: dict[str, Any] = {}
        for text, bound in bindings.items():
            pieces = bound.pieces
            first = pieces[0]
            if len(pieces) != 1 or first.__class__ is str:
                values[text] = self._text_value(bound, call)
                continue
            whole = cast("Binding", first)
            source = self._source(bound, whole, call)
            values[text] = source if isinstance(source, Unknown) else _read(bound, whole, source, call)
        _refuse_too_many(values)
        return values

    def for_template(
        self,
        bindings: Mapping[str, BoundText],
        values: Mapping[str, Any],
        call: BoundCall,
        held: Callable[[Any], Any],
    ) -> dict[str, Any]:
        """Return the values of bound texts that are templates, with placeholders for the bound values only.

        Args:
            bindings: the bound texts.
            values: what `of` returned for them.
            call: the call they are arguments of.
            held: returns the form of a value that the renderer sees.

        Raises:
            StateFailedError: a value is not available; names the reference and its place.
        """
        return {
            text: held(values[text])
            if len(bound.pieces) == 1 and not isinstance(bound.pieces[0], str)
            else self._text_value(bound, call, held)
            for text, bound in bindings.items()
        }

    def _text_value(self, bound: BoundText, call: BoundCall, held: Callable[[Any], Any] | None = None) -> Any:
        """Return a text with the values of its references; `held` converts each that is not a number."""
        unknown: list[Unknown] = []
        texts: list[str] = []
        short_secret = False
        for piece in bound.pieces:
            if isinstance(piece, str):
                texts.append(piece)
                continue
            source = self._source(bound, piece, call)
            if isinstance(source, Unknown):
                unknown.append(source)
                continue
            value = _read(bound, piece, source, call)
            text = as_text(value)
            texts.append(held(text) if held and not isinstance(value, _INERT) else text)
            short_secret = short_secret or _reads_short_secret(source, piece)
        if unknown:
            return unknown
        text = "".join(texts)
        if short_secret:
            # The masker cannot find such a short secret within a text, so the whole text is a secret.
            self._masker.add(text)
        return text

    def _source(self, bound: BoundText, binding: Binding, call: BoundCall) -> _ReferenceSource | Unknown:
        if binding.enforced is not None:
            return _enforced(bound, binding, binding.enforced, call)
        returned = None if binding.producer is None else call.results(binding.producer)
        if returned is None:
            raise _failed(bound, binding, call, f"{binding.reference.id!r} was not run")
        if isinstance(returned, FannedReturn):
            returned = _instance(bound, binding, returned, call)
        if call.test and returned.result is None:
            return Unknown(binding.reference.text)
        if returned.new_state is not None:
            return _ReferenceSource(returned.new_state, returned.sensitive)
        earlier = None if self._enforced is None else enforced_of_skipped(returned, self._enforced.of_state)
        if earlier is not None:
            return _enforced(bound, binding, earlier, call)
        failed = _failed(bound, binding, call, self._without_new_state(returned))
        failed.causes = returned.causes
        raise failed

    def _without_new_state(self, returned: Return) -> str:
        if not returned.skipped:
            return f"{returned.id!r} returned no new_state"
        former = None if self._enforced is None else self._enforced.former(returned.identity)
        return why_without_value(returned, former)


_AS_JSON: Final = "stdout_json"


def _enforced(
    bound: BoundText, binding: Binding, enforced: EnforcedState, call: BoundCall
) -> _ReferenceSource:
    """Return what an earlier apply enforced; fail if the reference reads a value that was truncated."""
    cut = enforced.cut_at(binding.reference.steps)
    if cut:
        problem = (
            f"{binding.reference.id!r} was not run, and {cut!r} of what the last apply enforced was cut"
            " (set `keep_output_bytes` higher, and have the state run again)"
        )
        raise _failed(bound, binding, call, problem)
    return _ReferenceSource(enforced.new_state, enforced.sensitive)


def _read(bound: BoundText, binding: Binding, source: _ReferenceSource, call: BoundCall) -> Any:
    try:
        value = follow(source.data, binding.reference.steps)
    except PathError as error:
        problem = _not_json(binding, source.data) or str(error)
        raise _failed(bound, binding, call, problem) from None
    if source.sensitive and MASK in values_at(value, ("",)):
        problem = "the value is a secret, which no journal keeps; apply again"
        raise _failed(bound, binding, call, problem)
    return value


def _not_json(binding: Binding, data: Any) -> str:
    """Return a message if a command's output is read as JSON but is not JSON; otherwise nothing."""
    if is_mapping(data) and _AS_JSON in binding.reference.steps[:1] and _AS_JSON not in data:
        return f"stdout of `{binding.reference.id}` is not JSON" if "stdout" in data else ""
    return ""


def _refuse_too_many(values: Mapping[str, Any]) -> None:
    """Refuse data that would exceed memory when states in a row each bind the one before several times.

    Raises:
        StateFailedError: there are more values than a text may add.
    """
    try:
        count = sum(
            weight(value) if value.__class__ is str else check_data(value) for value in values.values()
        )
    except DataBoundError as error:
        raise StateFailedError(f"the values bound to the arguments cannot be used: {error}") from None
    if count > MOST_ADDED_VALUES:
        message = f"more than {MOST_ADDED_VALUES:,} values are bound to the arguments of one state"
        raise StateFailedError(message)


def _instance(bound: BoundText, binding: Binding, returned: FannedReturn, call: BoundCall) -> Return:
    try:
        return instance(binding.reference, returned, call.target)
    except StateFailedError as error:
        raise _failed(bound, binding, call, str(error)) from None


def _failed(bound: BoundText, binding: Binding, call: BoundCall, problem: str) -> StateFailedError:
    reference = binding.reference
    return StateFailedError(f"{reference.text} ({bound.span(reference, call.chunk)}): {problem}")


def _reads_short_secret(source: _ReferenceSource, binding: Binding) -> bool:
    """Return whether a reference reads a secret that no masker finds within a text."""
    if not source.sensitive:
        return False
    secrets = secrets_read(source.data, source.sensitive, binding.reference.steps)
    return any(
        isinstance(leaf, bool) or len(as_text(leaf)) < SHORTEST_PART_CHARS
        for secret in secrets
        for leaf in leaves(secret)
        if leaf is not None
    )


def filled(value: Any, values: Mapping[str, Any]) -> Any:
    """Return arguments with their bound texts replaced by copies of the values.

    Args:
        value: arguments, or a part of them.
        values: the value of every bound text, by the text.

    Raises:
        StateFailedError: a key's value is not text, or equals another key.
    """
    kind = value.__class__
    if kind is not dict:
        if kind is str:
            return copied(values[value]) if value in values else value
        return [filled(item, values) for item in value] if kind is list else value
    result: dict[Any, Any] = {}
    has_bound_keys = False
    for key, item in value.items():
        if has_bound_keys or key in values:
            has_bound_keys = True
            result[free_key(key, values, result)] = filled(item, values)
        elif item.__class__ is str:
            result[key] = copied(values[item]) if item in values else item
        else:
            result[key] = filled(item, values)
    return result


def free_key(key: str, values: Mapping[str, Any], taken: Container[Any]) -> Any:
    """Return a key with its references resolved.

    Raises:
        StateFailedError: it is not text, or equals another key.
    """
    name: Any = word(values[key], f"the key {key}") if key in values else key
    if name in taken:
        raise StateFailedError(f"the key {name!r} occurs twice once references are bound")
    return name


def word(value: Any, what: str) -> Any:
    """Return a bound value as the text of a key or name; an unknown value is returned unchanged.

    Raises:
        StateFailedError: it is null, a list or a mapping.
    """
    if isinstance(value, Unknown) or (
        is_list(value) and value and all(isinstance(item, Unknown) for item in value)
    ):
        return value if isinstance(value, Unknown) else value[0]
    if value is None or is_list(value) or is_mapping(value):
        kind = "null" if value is None else "a list" if is_list(value) else "a mapping"
        raise StateFailedError(f"{what} must be text, but is bound to {kind}")
    text = as_text(value)
    if not is_encodable(text):
        raise StateFailedError(f"{what} is bound to {text!r}, which holds half of a surrogate pair")
    return text
