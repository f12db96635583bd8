"""Check the `params_schema` of a definition when the definition is loaded.

What it refuses beyond JSON Schema would be misread without a word: keywords that JSON Schema ignores because
it does not know them, references to other documents, defaults that do not satisfy their own schema.

Source: JSON Schema, draft 2020-12.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping, texts, with_text_keys
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.regex import compiled
from ensue.deploy.provisioning.identity import WORKLOAD
from ensue.deploy.provisioning.params_schemas.reasons import misfit_of, shown_path
from ensue.deploy.provisioning.params_schemas.schema import (
    ParamsSchema,
    explicit_schema,
    parts_of,
    referred,
    types_of,
)
from ensue.deploy.provisioning.params_schemas.validator import checker, keywords, schema_violations
from ensue.deploy.provisioning.shapes import kind_of
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.deploy.provisioning.sensitive import Path
    from ensue.deploy.provisioning.written import TextPlace
    from ensue.language.collector import Collector

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_NOTES: Final = frozenset(
    {
        *("$schema", "$id", "$comment", "$defs", "definitions", "then", "else", "minContains", "maxContains"),
        *("title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"),
        *("contentEncoding", "contentMediaType", "contentSchema"),
    }
)
"""Keywords without a function of their own in the validator."""
_REFUSED: Final = frozenset({"$dynamicRef"})


def read_params_schema(
    given: Any, definition: str, type_: str, place: TextPlace, collector: Collector
) -> ParamsSchema | None:
    """Return the schema of a definition; None if it has none, or a malformed one.

    Args:
        given: the value of `params_schema`.
        definition: the id of the definition.
        type_: the type of its resources.
        place: where the schema is.
        collector: receives the errors.
    """
    if given is None:
        return None
    reader = _SchemaReader(place, collector)
    if not is_mapping(given):
        reader.refuse((), f"is {kind_of(given)}, not a mapping")
        return None
    if type_ == WORKLOAD:
        reader.refuse((), "is for a workload, which has no params", "remove it")
        return None
    data: dict[str, Any] = {key: value for key, value in with_text_keys(given).items() if key != "$id"}
    before = len(collector.errors)
    try:
        reader.check(data)
    except RecursionError:
        reader.refuse((), "is nested too deeply")
    if len(collector.errors) > before:
        return None
    return ParamsSchema(data=data, check=checker(explicit_schema(data)), definition=definition, place=place)


class _SchemaReader:
    """Checks one schema.

    Args:
        place: its place.
        collector: receives the errors.
    """

    def __init__(self, place: TextPlace, collector: Collector) -> None:
        self._place = place
        self._collector = collector
        self._is_wrong = False

    def refuse(self, path: Path, reason: str, help_: str = "") -> None:
        """Report an error of the schema."""
        self._is_wrong = True
        where = f"{shown_path(path)!r} " if path else ""
        self._collector.error(
            "E0863",
            f"'params_schema' cannot be used: {where or 'it '}{reason}",
            self._place.below(*path).span(),
            help=help_,
        )

    def check(self, schema: Mapping[str, Any]) -> None:
        """Report everything that is wrong with a schema.

        Raises:
            RecursionError: it is nested too deeply.
        """
        for violation in schema_violations(schema):
            misfit = misfit_of(violation)
            self.refuse(misfit.path, misfit.reason or "is no key of it", misfit.help)
        if self._is_wrong:
            return
        if schema.get("$schema", _DIALECT).removesuffix("#") != _DIALECT:
            self.refuse(("$schema",), "is another draft", f"write a schema of draft 2020-12, {_DIALECT}")
        if "object" not in (types_of(schema) or ["object"]):
            self.refuse(("type",), "excludes a mapping, which all params are", "write `type: object`")
        for part, path in _all_parts(schema, ()):
            self._check_part(part, path, schema)
        if not self._is_wrong:
            self._check_circles(schema)
        if not self._is_wrong:
            self._check_defaults(schema)

    def _check_part(self, part: Mapping[str, Any], path: Path, root: Mapping[str, Any]) -> None:
        known = (keywords() | _NOTES) - _REFUSED
        for key in part:
            if key not in known and not key.startswith("x-"):
                reason = "is no keyword of JSON Schema that ensue knows"
                self.refuse((*path, key), reason, near_names(key, known))
        if path and "$id" in part:
            self.refuse((*path, "$id"), "makes a part a schema of its own", "refer to it as #/$defs/NAME")
        if "unevaluatedProperties" in part and any(
            "patternProperties" in schema for schema, _ in _all_parts(root, ())
        ):
            self.refuse(
                (*path, "unevaluatedProperties"), "does not go together with `patternProperties`",
                "write `additionalProperties`",
            )  # fmt: skip
        try:
            referred(part.get("$ref", "#"), root)
        except LookupError:
            self.refuse((*path, "$ref"), "names no part of this schema", "write #/$defs/NAME")
        if any("${" in text for text in texts(part.get("default"))):
            help_ = "write a value, or use the placeholder in the inputs of the driver"
            self.refuse((*path, "default"), "has a placeholder", help_)
        self._check_patterns(part, path)

    def _check_patterns(self, part: Mapping[str, Any], path: Path) -> None:
        patterns: dict[Path, str] = {("pattern",): part["pattern"]} if "pattern" in part else {}
        patterns |= {("patternProperties", pattern): pattern for pattern in part.get("patternProperties", {})}
        for below, pattern in patterns.items():
            try:
                compiled(pattern)
            except CallError as error:
                self.refuse((*path, *below), f"is no pattern of RE2: {error.what}", error.help)

    def _check_circles(self, root: Mapping[str, Any]) -> None:
        """Refuse a part that refers to itself for the same value, which would never end."""
        ended: set[int] = set()
        for part, path in _all_parts(root, ()):
            if _meets_itself(part, root, set(), ended):
                self.refuse(path, "refers to itself for the same value")
                return

    def _check_defaults(self, root: Mapping[str, Any]) -> None:
        explicit = explicit_schema(root)
        for part, path in _all_parts(root, ()):
            if "default" not in part:
                continue
            here = (*path, "default")
            for violation in checker(explicit, path)(part["default"]):
                misfit = misfit_of(violation)
                reason = misfit.reason or "is no key of it"
                self.refuse(
                    (*here, *misfit.path), f"does not satisfy its own schema: it {reason}", misfit.help
                )


def _all_parts(schema: Any, path: Path) -> Iterator[tuple[Mapping[str, Any], Path]]:
    """Yield a schema and all schemas in it, with their paths; `true` and `false` are left out."""
    if is_mapping(schema):
        yield schema, path
        for part in parts_of(schema):
            yield from _all_parts(part.data, (*path, *part.path))


def _meets_itself(
    schema: Mapping[str, Any], root: Mapping[str, Any], above: set[int], ended: set[int]
) -> bool:
    """Return whether a schema applies to the same value again and again.

    Args:
        schema: the schema.
        root: the schema that has it.
        above: the schemas that apply to the same value, and lead here.
        ended: the schemas that do not.
    """
    if id(schema) in ended:
        return False
    if id(schema) in above:
        return True
    following: list[Mapping[str, Any]] = [
        part.data for part in parts_of(schema) if part.is_same_value and is_mapping(part.data)
    ]
    if "$ref" in schema:
        following.append(referred(schema["$ref"], root))
    if any(_meets_itself(subschema, root, {*above, id(schema)}, ended) for subschema in following):
        return True
    ended.add(id(schema))
    return False
