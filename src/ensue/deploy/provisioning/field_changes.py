"""Which inputs and outputs of a resource a deployment changes: old and new, field by field."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_mapping, mapped
from ensue.core.model.secret_values import hide_named, is_secret_key
from ensue.core.model.sensitive_paths import hide_places
from ensue.core.model.unknown import Unknown
from ensue.deploy.provisioning.recorded_inputs import inputs_of, recorded_inputs
from ensue.deploy.provisioning.set_differences import (
    KNOWN_LATER,
    ValueDifference,
    differences,
    names_of,
    pointer,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ensue.core.model.data import Data
    from ensue.deploy.provisioning.outcomes import NodeOutcome
    from ensue.deploy.provisioning.recorded_inputs import RecordedInputs
    from ensue.deploy.provisioning.sensitive import Path

_CHANGING: Final = frozenset({"planned", "updated", "replaced"})


def changed_fields(resource: NodeOutcome) -> Iterator[ValueDifference]:
    """Yield what differs from the last successful call of a driver; secrets are hidden.

    Args:
        resource: the outcome of a resource. Of one that a plan would create, it yields the inputs. It yields
            nothing for one that is created or not changed, or that was deployed before records had inputs.
            In a plan, it also yields what the driver would change in what is there.
    """
    old, outcome = resource.outcome.old, resource.outcome
    if resource.evaluated is None or outcome.status not in _CHANGING:
        return
    if old is None and outcome.action == "create":
        after = inputs_of(resource.evaluated)
        for difference in differences({}, {key: value for key, value in _shown(after).items() if value}):
            yield _hidden(difference, [*after.secret, ("secrets",)])
    before = None if old is None else recorded_inputs(old)
    if old is None or before is None:
        return
    after = inputs_of(resource.evaluated)
    secret = [*before.secret, *after.secret, ("secrets",)]
    if outcome.outputs is not None and old.phase != "creating":
        before = msgspec.structs.replace(before, outputs=old.outputs)
        after = msgspec.structs.replace(after, outputs=outcome.outputs.data)
        secret += [("outputs", *path) for path in (*old.secret_paths, *outcome.outputs.secret_paths)]
    for difference in differences(_shown(before), _shown(after)):
        yield _hidden(difference, secret)
    if outcome.action == "update":
        yield from _reported(outcome.changes)


def may_stay(resource: NodeOutcome) -> bool:
    """Return whether a plan knows no change of a resource, only inputs that are known later.

    Args:
        resource: the outcome of a resource.
    """
    if resource.outcome.action != "update" or resource.evaluated is None or resource.evaluated.is_known:
        return False
    changes = list(changed_fields(resource))
    return bool(changes) and all(change.known_after for change in changes)


def _shown(fields: RecordedInputs) -> dict[str, Any]:
    data = {name: getattr(fields, name) for name in fields.__struct_fields__[:-1]}
    return {name: value for name, value in data.items() if value is not None}


def _reported(changes: Mapping[str, Data], path: str = "") -> Iterator[ValueDifference]:
    """Yield what states would change, which they report as pairs of old and new values or as texts.

    Values under the key of a secret are hidden: no masker knows those of a program that the driver has asked.
    """
    for name, value in changes.items():
        inside = path + pointer(name)
        if not is_mapping(value):
            yield _hidden(ValueDifference(inside, "add", None, value), ())
        elif value and value.keys() <= {"old", "new"}:
            yield _hidden(ValueDifference(inside, "replace", value.get("old"), value.get("new")), ())
        else:
            yield from _reported(value, inside)


def _hidden(value_difference: ValueDifference, secret: Collection[Path]) -> ValueDifference:
    """Return a difference with its secrets hidden."""
    place = names_of(value_difference.path)
    inside = [
        path[len(place) :]
        for path in secret
        if all(str(key) == other for key, other in zip(path, place, strict=False))
    ]
    is_secret = any(map(is_secret_key, place))
    before, after = (
        # A value that is not known yet has nothing to hide.
        value if isinstance(value, Unknown) else hide_named(hide_places(value, inside), is_secret=is_secret)
        for value in (value_difference.before, value_difference.after)
    )
    if isinstance(after, Unknown):
        return value_difference._replace(before=before, after=None, known_after=after.reference)
    return value_difference._replace(before=before, after=mapped(after, _known_later))


def _known_later(value: Any) -> Any:
    return KNOWN_LATER if isinstance(value, Unknown) else value
