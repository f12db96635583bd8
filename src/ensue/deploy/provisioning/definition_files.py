"""Read resource definitions from the data of their files, with all errors.

Source: resource graph document; older files write `object` for `entity`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from ensue.core.model.chunk import Retry
from ensue.core.model.data import is_mapping
from ensue.deploy.provisioning.canonical import digest
from ensue.deploy.provisioning.definitions import (
    BESIDE_OTHERS,
    CRITERION_FIELDS,
    Criterion,
    Definition,
    DriverInputs,
    Provision,
)
from ensue.deploy.provisioning.for_each_entries import read_for_each
from ensue.deploy.provisioning.identity import DEFAULT_CLASS, parse_descriptor
from ensue.deploy.provisioning.params_schemas import read_params_schema
from ensue.deploy.provisioning.placeholder_values import DEFINITION, ENTRY
from ensue.deploy.provisioning.readiness import read_ready
from ensue.deploy.provisioning.shapes import Shape
from ensue.deploy.provisioning.written import TextPlace, read_written
from ensue.language.hcl_words import is_hcl

if TYPE_CHECKING:
    from ensue.core.model.chunk import StateOptions
    from ensue.deploy.provisioning.placeholder_values import Dialect
    from ensue.deploy.provisioning.written import TemplatedData
    from ensue.language.collector import Collector
    from ensue.language.yaml import YamlDocument

KIND: Final = "Definition"
_TOP: Final = ("apiVersion", "kind", "metadata", "entity", "object")
METADATA_KEYS: Final = ("id", "name", "labels", "annotations")
ENTITY_KEYS: Final = (
    "name", "type", "driver_type", "driver_account", "driver_inputs", "provision", "criteria",
    "params_schema", "ready", "destroy_first", "protect", "retain", "timeout", "retry",
)  # fmt: skip
_INSTEAD_OF_HCL: Final = (
    f"it is YAML, with `kind: {KIND}`; with `driver_type: terraform`, its `driver_inputs` name a module of "
    "Terraform"
)
_INPUTS: Final = ("values", "secrets", "secret_refs")
_PROVISION: Final = ("is_dependent", "match_dependents", "params", "for_each")
_RETRY: Final = ("attempts", "interval")
_INTERVAL_S: Final = 5.0
CRITERION_KEYS: Final = ("class", *CRITERION_FIELDS)


def read_definition(data: Any, document: YamlDocument, collector: Collector) -> Definition | None:
    """Return the definition in a document; None if it is not a definition, or is malformed.

    Args:
        data: the document's data.
        document: the document, for places.
        collector: receives the errors; a document of another kind is a warning.
    """
    place = TextPlace(document)
    if data is None or _is_other_kind(data, place, collector):
        return None
    definition = _DefinitionReader(collector).read(data, place)
    if definition is None:
        collector.refused.add(_type_of(data))
    return definition


def _type_of(data: Any) -> str:
    """Return the type of a refused definition, `*` if it is not known."""
    entity = (data.get("entity") or data.get("object")) if is_mapping(data) else None
    type_ = entity.get("type") if is_mapping(entity) else None
    return type_ if isinstance(type_, str) else "*"


def _is_other_kind(data: Any, place: TextPlace, collector: Collector) -> bool:
    if not is_mapping(data):
        return False
    kind = data.get("kind")
    if kind == KIND or (kind is None and ("entity" in data or "object" in data)):
        return False
    what = "has no kind" if kind is None else f"is of kind {kind!r}"
    collector.warning(
        "E0813",
        f"a document among the definitions {what} and is ignored",
        place.below("kind").span(),
        help=f"keep it elsewhere, or write `kind: {KIND}`",
    )
    return True


class _DefinitionReader:
    """Reads one definition."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._shape = Shape("E0810", collector)

    def read(self, data: Any, place: TextPlace) -> Definition | None:
        shape = self._shape
        before = len(self._collector.errors)
        if is_hcl(data):
            shape.wrong("a definition is not HCL", place, _INSTEAD_OF_HCL)
            return None
        top = shape.mapping(data, "a definition", place, _TOP)
        if is_mapping(data) and data.get("kind") is None:
            shape.wrong("a definition has no 'kind'", place, f"add `kind: {KIND}`")
        metadata = shape.mapping(top.get("metadata"), "'metadata'", place.below("metadata"), METADATA_KEYS)
        id_ = shape.required(metadata, "id", "the definition's metadata", place.below("metadata"))
        word = "object" if "object" in top and "entity" not in top else "entity"
        inside = place.below(word)
        if is_mapping(data) and top.get(word) is None:
            shape.wrong("a definition has no 'entity'", place, "add `entity:` with type, driver_type, …")
            return None
        entity = shape.mapping(top.get(word), f"{word!r}", inside, ENTITY_KEYS)
        made = self._entity(id_, entity, inside) if entity else None
        return made if len(self._collector.errors) == before else None

    def _entity(self, id_: str, entity: dict[str, Any], place: TextPlace) -> Definition:
        shape = self._shape
        type_ = shape.required(entity, "type", "the definition's entity", place)
        driver = shape.required(entity, "driver_type", "the definition's entity", place)
        name = shape.text(entity.get("name"), "'name'", place.below("name"))
        account = shape.text(entity.get("driver_account"), "'driver_account'", place.below("driver_account"))
        written = account and self._written(account, place.below("driver_account"))
        return Definition(
            id=id_,
            type=type_,
            name=name or id_,
            driver=driver,
            account=written or None,
            inputs=self._inputs(entity.get("driver_inputs"), place.below("driver_inputs")),
            provisions=self._provisions(entity.get("provision"), place.below("provision")),
            criteria=self._criteria(entity.get("criteria"), place.below("criteria")),
            place=place.below("type"),
            digest=digest([id_, driver, account, entity.get("driver_inputs") or {}]),
            destroy_first=self._flag(entity, "destroy_first", place),
            protect=self._flag(entity, "protect", place),
            retain=self._flag(entity, "retain", place),
            options=self._options(entity, place),
            ready=read_ready(entity.get("ready"), place.below("ready"), self._shape),
            params_schema=read_params_schema(
                entity.get("params_schema"), id_, type_, place.below("params_schema"), self._collector
            ),
        )

    def _options(self, entity: dict[str, Any], place: TextPlace) -> StateOptions:
        """Return how the states of its resources are run."""
        shape = self._shape
        timeout_s = shape.seconds(entity.get("timeout"), "'timeout'", place.below("timeout"))
        given, inside = entity.get("retry"), place.below("retry")
        if given is None and timeout_s is None:
            return BESIDE_OTHERS
        retry = None
        if given is not None:
            mapping = shape.mapping(given, "'retry'", inside, _RETRY)
            attempts = shape.count(mapping.get("attempts"), "'attempts'", inside.below("attempts"))
            interval_s = shape.seconds(mapping.get("interval"), "'interval'", inside.below("interval"))
            retry = Retry(attempts=attempts or Retry().attempts, interval_s=interval_s or _INTERVAL_S)
        return replace(BESIDE_OTHERS, retry=retry, timeout_s=timeout_s)

    def _flag(self, entity: dict[str, Any], word: str, place: TextPlace) -> bool:
        return self._shape.flag(entity.get(word), f"{word!r}", place.below(word))

    def _written(self, data: Any, place: TextPlace, *, is_secret: bool = False) -> TemplatedData:
        return read_written(data, DEFINITION, place, self._collector, is_secret=is_secret)

    def _inputs(self, given: Any, place: TextPlace) -> DriverInputs:
        shape = self._shape
        mapping = shape.mapping(given, "'driver_inputs'", place, _INPUTS)
        read: dict[str, TemplatedData] = {}
        for key in _INPUTS:
            inside = place.below(key)
            checked = shape.mapping(mapping.get(key), repr(key), inside)
            read[key] = self._written(checked, inside, is_secret=key != "values")
        return DriverInputs(values=read["values"], secrets=read["secrets"], secret_refs=read["secret_refs"])

    def _provisions(self, given: Any, place: TextPlace) -> tuple[Provision, ...]:
        mapping = self._shape.mapping(given, "'provision'", place)
        made = (self._provision(key, value, place.below(key)) for key, value in sorted(mapping.items()))
        return tuple(provision for provision in made if provision is not None)

    def _provision(self, key: str, given: Any, place: TextPlace) -> Provision | None:
        shape = self._shape
        flags = shape.mapping(given, f"{key!r} of 'provision'", place, _PROVISION)
        for_each = None
        has_list = flags.get("for_each") is not None
        if not has_list:
            target = parse_descriptor(key)
            if target is None:
                shape.wrong(f"{key!r} is not a resource to provision", place, "write TYPE[.CLASS][#ID]")
        else:
            target, for_each = read_for_each(key, flags["for_each"], place, shape)
        is_dependent, match_dependents = (
            shape.flag(flags.get(word), f"{word!r} of {key!r}", place.below(word)) for word in _PROVISION[:2]
        )
        read = self._params(flags.get("params"), ENTRY if has_list else DEFINITION, place.below("params"))
        if target is None:
            return None
        return Provision(
            target=target,
            is_dependent=is_dependent,
            match_dependents=match_dependents,
            params=read,
            place=place,
            for_each=for_each,
        )

    def _params(self, given: Any, dialect: Dialect, place: TextPlace) -> TemplatedData | None:
        if given is None:
            return None
        return read_written(self._shape.mapping(given, "'params'", place), dialect, place, self._collector)

    def _criteria(self, given: Any, place: TextPlace) -> tuple[Criterion, ...]:
        if is_mapping(given):
            self._shape.wrong(
                "'criteria' is a mapping, not a list", place, "write `criteria: [{}]` for all resources"
            )
            return ()
        items = self._shape.items(given, "'criteria'", place)
        return tuple(self._criterion(item, place.below(index)) for index, item in enumerate(items))

    def _criterion(self, given: Any, place: TextPlace) -> Criterion:
        shape = self._shape
        if given is None:
            shape.wrong("a criterion is null", place, "write `- {}` for all resources")
        mapping = shape.mapping(given, "a criterion", place, CRITERION_KEYS)
        texts = {
            key: text
            for key in CRITERION_KEYS
            if (text := shape.text(mapping.get(key), f"{key!r} of a criterion", place.below(key)))
        }
        return Criterion(class_=texts.pop("class", DEFAULT_CLASS), fields=texts, place=place)
