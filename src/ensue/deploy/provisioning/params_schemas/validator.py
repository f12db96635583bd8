"""The validator of JSON Schema, draft 2020-12, for values of which parts may not be known yet.

Two things differ from that of the library. A value that is not known satisfies every keyword, and a keyword
that needs the whole value (`enum`, `not`, `oneOf`, …) is skipped while a part of it is not known: so an error
is never wrong, and what is skipped is judged later. Patterns are Go's (RE2) and matched in linear
time, because the texts are developers'.

Source: JSON Schema, draft 2020-12; the package `jsonschema`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast
from urllib.parse import quote

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.unknown import Unknown, unknowns_in
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.regex import StepBudget, compiled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.deploy.provisioning.sensitive import Path

_NEED_ALL: Final = frozenset(
    {"enum", "const", "not", "if", "contains", "uniqueItems", "unevaluatedItems", "unevaluatedProperties"}
)
_ROOT: Final = "urn:ensue:params-schema"


class Violation(NamedTuple):
    """A keyword of a schema that a value does not satisfy.

    Args:
        keyword: the keyword.
        given: the keyword's value.
        instance: the value.
        path: the path of the value.
        schema: the schema that has the keyword.
        schema_path: the path of the keyword, references left out.
        key: the key that is missing (`required`).
        is_too_long: whether the value is a text that takes too many steps to match.
        alternatives: what the value violates of each alternative (`anyOf`, `oneOf`).
    """

    keyword: str
    given: Any
    instance: Any
    path: Path
    schema: Any
    schema_path: Path
    key: str
    is_too_long: bool
    alternatives: tuple[tuple[Violation, ...], ...]


def checker(root: Mapping[str, Any], path: Path = ()) -> Callable[[Any], list[Violation]]:
    """Return a function for what a value violates of a schema.

    It raises a RecursionError if the value is nested too deeply.

    Args:
        root: the whole schema.
        path: the path of the part of the schema that is meant.
    """
    from referencing import Registry
    from referencing.jsonschema import DRAFT202012

    # The registry has the schema alone: nothing is ever fetched.
    registry = cast("Any", Registry)().with_resource(_ROOT, DRAFT202012.create_resource(root))
    pointer = "".join(f"/{quote(_pointed(part))}" for part in path)
    validator = _validator_class()({"$ref": f"{_ROOT}#{pointer}"}, registry=registry)
    return lambda data: [_violation(error) for error in validator.iter_errors(_as_json(data))]


def schema_violations(schema: Any) -> list[Violation]:
    """Return what makes a value no schema."""
    from jsonschema import Draft202012Validator

    # Without a format checker, which would compile patterns as Python's.
    validator: Any = Draft202012Validator(cast("Any", Draft202012Validator).META_SCHEMA)
    return [_violation(error) for error in validator.iter_errors(schema)]


@lru_cache(maxsize=1)
def keywords() -> frozenset[str]:
    """Return the keywords that the validator knows."""
    return frozenset(_validator_class().VALIDATORS)


@lru_cache(maxsize=1)
def _validator_class() -> type[Any]:
    from jsonschema import Draft202012Validator, validators

    own: dict[str, Callable[..., Any]] = {
        "pattern": _pattern,
        "patternProperties": _pattern_properties,
        "additionalProperties": _additional_properties,
        "required": _required,
    }
    known = {**cast("Any", Draft202012Validator).VALIDATORS, **own}
    judging = {keyword: _judging(keyword, judge, known["anyOf"]) for keyword, judge in known.items()}
    return cast("type[Any]", cast("Any", validators).extend(Draft202012Validator, judging))


def _judging(keyword: str, judge: Callable[..., Any], any_of: Callable[..., Any]) -> Callable[..., Any]:
    """Return a keyword's function for values of which parts may not be known."""

    def judged(validator: Any, given: Any, instance: Any, schema: Any) -> Any:
        if isinstance(instance, Unknown):
            return ()
        if keyword in _NEED_ALL and unknowns_in(instance):
            return ()
        if keyword == "oneOf" and unknowns_in(instance):
            return any_of(validator, given, instance, schema)
        return judge(validator, given, instance, schema)

    return judged


def _violation(error: Any) -> Violation:
    by_alternative: dict[str | int, list[Violation]] = {}
    for error_inside in error.context:
        by_alternative.setdefault(error_inside.relative_schema_path[0], []).append(_violation(error_inside))
    return Violation(
        keyword=error.validator,
        given=error.validator_value,
        instance=error.instance,
        path=tuple(error.absolute_path),
        schema=error.schema,
        schema_path=tuple(error.absolute_schema_path),
        key=error.message if error.validator == "required" else "",
        is_too_long=error.cause is not None,
        alternatives=tuple(map(tuple, by_alternative.values())),
    )


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if isinstance(instance, str):
        try:
            if not _matches(pattern, instance):
                yield ValidationError("pattern")
        except CallError as error:
            yield ValidationError("pattern", cause=error)


def _pattern_properties(
    validator: Any, by_pattern: Mapping[str, Any], instance: Any, _schema: Any
) -> Iterator[Any]:
    for key in instance if is_mapping(instance) else ():
        for pattern, schema in by_pattern.items():
            if _matches_key(pattern, key):
                yield from validator.descend(instance[key], schema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, given: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[Any]:
    from jsonschema import ValidationError

    for key in instance if is_mapping(instance) else ():
        patterns = schema.get("patternProperties", {})
        if key in schema.get("properties", {}) or any(_matches_key(pattern, key) for pattern in patterns):
            continue
        if given is False:
            yield ValidationError(key, path=(key,))
        else:
            yield from validator.descend(instance[key], given, path=key)


def _required(_validator: Any, names: Sequence[str], instance: Any, _schema: Any) -> Iterator[Any]:
    from jsonschema import ValidationError

    if is_mapping(instance):
        yield from (ValidationError(name) for name in names if name not in instance)


def _matches(pattern: str, text: str) -> bool:
    """Return whether a pattern occurs in a text.

    Raises:
        CallError: that takes too many steps.
    """
    return compiled(pattern).search(text, StepBudget()) is not None


def _matches_key(pattern: str, key: str) -> bool:
    """Return whether a pattern occurs in a key; a key that takes too many steps is matched by none."""
    try:
        return _matches(pattern, key)
    except CallError:
        return False


def _as_json(data: Any) -> Any:
    """Return data as JSON has it: keys are text."""
    if is_mapping(data):
        return {str(key): _as_json(value) for key, value in data.items()}
    return [_as_json(value) for value in data] if is_list(data) else data


def _pointed(part: str | int) -> str:
    """Return a key as a part of a JSON pointer."""
    return str(part).replace("~", "~0").replace("/", "~1")
