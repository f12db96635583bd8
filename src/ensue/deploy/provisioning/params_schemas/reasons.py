"""Say in words why a value does not satisfy a schema; the value itself is in none of them.

A value may be a secret, also where nothing marks it as one, so a message has its place and its kind, and
what the schema permits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.provisioning.evaluation import json_text
from ensue.deploy.provisioning.sensitive import overlap
from ensue.deploy.provisioning.shapes import kind_of
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from ensue.deploy.provisioning.params_schemas.validator import Violation
    from ensue.deploy.provisioning.sensitive import Path

_KINDS: Final[Mapping[str, str]] = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "a truth value",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}
_MOST_SHOWN: Final = 12


class SchemaMisfit(NamedTuple):
    """A part of a value that does not satisfy its schema.

    Args:
        path: the part's path; keys are text.
        reason: the end of a sentence that begins with the part (`is a text, not a number`).
        help: how to mend it; may be empty.
        schema_path: the path of the keyword in the schema, as far as it is known.
    """

    path: Path
    reason: str
    help: str
    schema_path: Path


def misfit_of(violation: Violation, secret_paths: Collection[Path] = ()) -> SchemaMisfit:
    """Return what a value violates in words.

    Args:
        violation: the keyword that the value does not satisfy.
        secret_paths: the paths of secrets in the value; keys in a secret are not named.
    """
    misfit = _misfit_of(violation, secret_paths)
    size = min(
        (len(secret_path) for secret_path in secret_paths if secret_path == misfit.path[: len(secret_path)]),
        default=len(misfit.path),
    )
    if size == len(misfit.path):
        return misfit
    reason = misfit.reason or "is no key of it"
    return misfit._replace(path=misfit.path[:size], reason=f"has a part that {reason}", help="")


def _misfit_of(violation: Violation, secret_paths: Collection[Path]) -> SchemaMisfit:
    path, schema_path = violation.path, violation.schema_path
    if violation.keyword == "additionalProperties":
        names = _mapping(_mapping(violation.schema).get("properties"))
        help_ = near_names(str(path[-1]), names) or (f"it has {', '.join(names)}" if names else "")
        return SchemaMisfit(path, "", help_, schema_path)
    if alternative := _only_alternative(violation):
        return _misfit_of(alternative, secret_paths)._replace(schema_path=schema_path)
    is_secret = any(overlap(secret_path, path) for secret_path in secret_paths)
    reason = _reason(violation, secret_paths)
    return SchemaMisfit(path, reason, _help(violation, is_secret=is_secret), schema_path)


def shown_path(path: Iterable[str | int]) -> str:
    """Return a path as authors write it: `disks[0].size`."""
    shown = ""
    for part in path:
        dot = "." if shown else ""
        shown += f"[{part}]" if isinstance(part, int) else f"{dot}{part}"
    return shown


def kinds(given: Any) -> str:
    """Return the types that a schema names, in words; empty if it names none."""
    names: Sequence[Any] = given if is_list(given) else [given] if given else []
    return " or ".join(_KINDS.get(str(name), str(name)) for name in names)


def listed(values: Sequence[Any]) -> str:
    """Return values that a schema permits, separated by commas."""
    shown = ", ".join(map(json_text, values[:_MOST_SHOWN]))
    more = len(values) - _MOST_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _only_alternative(violation: Violation) -> Violation | None:
    """Return what is violated of the only alternative for values of this kind, if that is one keyword."""
    close = [
        alternative
        for alternative in violation.alternatives
        if not any(
            violation_.keyword == "type" and violation_.path == violation.path for violation_ in alternative
        )
    ]
    return close[0][0] if len(close) == 1 and len(close[0]) == 1 else None


def _reason(violation: Violation, secret_paths: Collection[Path]) -> str:
    keyword, given = violation.keyword, violation.given
    if violation.is_too_long:
        return f"is too long for the pattern {json_text(given)}"
    if words := _WORDS.get(keyword):
        return words(given, violation.instance)
    if keyword in {"anyOf", "oneOf"}:
        if not violation.alternatives:
            return f"fits more than one of its alternatives (`{keyword}`)"
        each = (violation_ for alternative in violation.alternatives for violation_ in alternative)
        reasons = dict.fromkeys(
            _with_path(misfit_of(violation_, secret_paths), violation) for violation_ in each
        )
        return f"fits none of its alternatives (`{keyword}`): {'; '.join([*reasons][:_MOST_SHOWN])}"
    if keyword == "required":
        return f"has no {violation.key!r}"
    return f"does not satisfy `{keyword}`"


def _with_path(misfit: SchemaMisfit, violation: Violation) -> str:
    """Return the reason of an alternative, with the path below the value if it has one."""
    below = shown_path(misfit.path[len(violation.path) :])
    reason = misfit.reason or "is no key of it"
    return f"{below!r} {reason}" if below else reason


def _help(violation: Violation, *, is_secret: bool) -> str:
    if violation.keyword == "required":
        return f"add `{violation.key}: …`"
    if violation.keyword == "enum" and isinstance(violation.instance, str) and not is_secret:
        close = near_names(violation.instance, [item for item in violation.given if isinstance(item, str)])
        if close:
            return close
    description = _mapping(violation.schema).get("description")
    return description.strip().rstrip(".") if isinstance(description, str) else ""


def _mapping(data: Any) -> Mapping[str, Any]:
    return data if is_mapping(data) else {}


def _dependent(given: Mapping[str, Any], instance: Any) -> str:
    missing = [
        f"no {name!r}, which {key!r} requires"
        for key, names in given.items()
        if key in instance
        for name in names
        if name not in instance
    ]
    return f"has {' and '.join(missing)}"


def _count(given: int, noun: str) -> str:
    return f"{given} {noun}" if given != 1 else f"1 {noun.removesuffix('s')}"


_WORDS: Final[Mapping[str, Callable[[Any, Any], str]]] = {
    "type": lambda given, instance: f"is {kind_of(instance)}, not {kinds(given)}",
    "enum": lambda given, _: f"is not one of {listed(given)}",
    "const": lambda given, _: f"is not {json_text(given)}",
    "pattern": lambda given, _: f"does not match the pattern {json_text(given)}",
    "minimum": lambda given, _: f"is less than {given}",
    "maximum": lambda given, _: f"is greater than {given}",
    "exclusiveMinimum": lambda given, _: f"is not greater than {given}",
    "exclusiveMaximum": lambda given, _: f"is not less than {given}",
    "multipleOf": lambda given, _: f"is not a multiple of {given}",
    "minLength": lambda given, _: f"has fewer than {_count(given, 'characters')}",
    "maxLength": lambda given, _: f"has more than {_count(given, 'characters')}",
    "minItems": lambda given, _: f"has fewer than {_count(given, 'items')}",
    "maxItems": lambda given, _: f"has more than {_count(given, 'items')}",
    "minProperties": lambda given, _: f"has fewer than {_count(given, 'keys')}",
    "maxProperties": lambda given, _: f"has more than {_count(given, 'keys')}",
    "uniqueItems": lambda _, __: "has the same item twice",
    "not": lambda given, _: "is what its schema excludes (`not`)" if given else "is not allowed",
    "dependentRequired": _dependent,
    "unevaluatedProperties": lambda _, __: "has keys that no part of its schema describes",
    "unevaluatedItems": lambda _, __: "has items that no part of its schema describes",
}
