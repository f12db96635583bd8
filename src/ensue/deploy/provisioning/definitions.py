"""Resource definitions: the driver of a resource, its inputs, and the resources that it co-provisions.

These are the values; `definition_files` reads them, `matching` chooses among them.

Source: resource graph document, the definitions of its examples.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.chunk import StateOptions
from ensue.deploy.provisioning.identity import DEFAULT_CLASS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.provisioning.for_each import ForEach
    from ensue.deploy.provisioning.identity import Context, Descriptor, ResourceKey
    from ensue.deploy.provisioning.params_schemas import ParamsSchema
    from ensue.deploy.provisioning.readiness import Readiness
    from ensue.deploy.provisioning.written import TemplatedData, TextPlace

CRITERION_FIELDS: Final = ("res_id", "env_id", "app_id", "env_type")
"""The fields that make a criterion more specific, the most significant first."""
BESIDE_OTHERS: Final = StateOptions(parallel=True)
"""How the state of a resource is run unless its definition says more."""


class Criterion(msgspec.Struct, frozen=True, kw_only=True):
    """The resources that a definition is for: all given fields have to match.

    Args:
        class_: the resource class.
        fields: field of `CRITERION_FIELDS` to the required value.
        place: its place in the file.
    """

    class_: str
    fields: Mapping[str, str]
    place: TextPlace

    @property
    def specificity(self) -> int:
        """How specific it is: one bit per given field, `res_id` the highest."""
        bits = ("1" if field in self.fields else "0" for field in CRITERION_FIELDS)
        return int("".join(bits), 2)

    def may_match(self, class_: str, values: Mapping[str, str]) -> bool:
        """Return whether it may match a resource of which not all fields are known.

        Args:
            class_: the resource's class.
            values: field to value, as far as they are known.
        """
        known = self.fields.keys() & values.keys()
        return class_ == self.class_ and all(self.fields[field] == values[field] for field in known)

    def failures(self, class_: str, values: Mapping[str, str | None]) -> list[str]:
        """Return why it does not match a resource, one sentence per field; empty if it matches.

        Args:
            class_: the resource's class.
            values: field to the value of the resource; None or missing: not known.
        """
        failed = [
            f"{field} is {_quoted(values.get(field))}, not {value!r}"
            for field, value in self.fields.items()
            if values.get(field) != value
        ]
        if class_ != self.class_:
            failed.insert(0, f"class is {class_!r}, not {self.class_!r}")
        return failed

    def __str__(self) -> str:
        """Write its fields as `field=value`, the class only if it is not `default`."""
        class_ = [] if self.class_ == DEFAULT_CLASS else [f"class={self.class_}"]
        return " ".join([*class_, *(f"{name}={value}" for name, value in self.fields.items())])


class Provision(msgspec.Struct, frozen=True, kw_only=True):
    """A resource that a definition co-provisions.

    Args:
        target: the resource.
        is_dependent: whether it depends on the resource of the definition.
        match_dependents: whether dependents of the definition's resource also depend on it.
        params: its parameters; None: none are set.
        place: its place in the file.
        for_each: the list or mapping with an item for each resource, all of the target's type and class;
            None: there is one resource.
    """

    target: Descriptor
    is_dependent: bool
    match_dependents: bool
    params: TemplatedData | None
    place: TextPlace
    for_each: ForEach | None = None


class DriverInputs(msgspec.Struct, frozen=True, kw_only=True):
    """The inputs of a driver, with placeholders not yet replaced.

    Args:
        values: plain inputs.
        secrets: secret inputs.
        secret_refs: references to further secrets: `{store, ref, version}` or `{value}` at any depth.
    """

    values: TemplatedData
    secrets: TemplatedData
    secret_refs: TemplatedData


class Definition(msgspec.Struct, frozen=True, kw_only=True):
    """A resource definition.

    Args:
        id: its id.
        type: the type of its resources.
        name: its name for people.
        driver: the driver, as written (`humanitec/template`).
        account: the account that the driver uses; None: none.
        inputs: the inputs of the driver.
        provisions: the resources it co-provisions.
        criteria: the resources it applies to; empty: it is never chosen.
        place: its place in the file.
        digest: a hash of everything that determines its resources.
        destroy_first: whether a resource that replaces another one is made only when that is destroyed.
        protect: whether its resources may not be destroyed; see `ActiveResource`.
        retain: whether its resources are left as they are when they are removed.
        options: how the states of its resources are run: how long a call of the driver may take, and whether
            it is tried again.
        params_schema: what the params of its resources must satisfy; None: anything does.
        ready: what must hold before dependents of its resources start; None: nothing.
    """

    id: str
    type: str
    name: str
    driver: str
    account: TemplatedData | None
    inputs: DriverInputs
    provisions: tuple[Provision, ...]
    criteria: tuple[Criterion, ...]
    place: TextPlace
    digest: str
    destroy_first: bool = False
    protect: bool = False
    retain: bool = False
    options: StateOptions = BESIDE_OTHERS
    params_schema: ParamsSchema | None = None
    ready: Readiness | None = None

    @property
    def written(self) -> tuple[TemplatedData, ...]:
        """The parts of it that may contain placeholders of the resource itself."""
        inputs = self.inputs
        account = () if self.account is None else (self.account,)
        ready = () if self.ready is None else self.ready.written
        return (inputs.values, inputs.secrets, inputs.secret_refs, *account, *ready)


def field_values(key: ResourceKey, context: Context) -> dict[str, str | None]:
    """Return the values that criteria compare, for one resource."""
    return {"res_id": key.id, "env_id": context.env, "app_id": context.app, "env_type": context.env_type}


def as_data(definition: Definition) -> dict[str, Any]:
    """Return a definition as data for a program; inputs are left out, since they may contain secrets."""
    return {
        "id": definition.id,
        "type": definition.type,
        "driver": definition.driver,
        "criteria": [criterion_data(criterion) for criterion in definition.criteria],
        "provision": [_provision_name(provision) for provision in definition.provisions],
        "place": str(definition.place.span()),
    }


def criterion_data(criterion: Criterion) -> dict[str, str]:
    """Return a criterion as data for a program, its class included."""
    return {"class": criterion.class_, **criterion.fields}


def _provision_name(provision: Provision) -> str:
    if provision.for_each is not None:
        return provision.for_each.entry
    target = provision.target
    class_ = "" if target.class_ is None else f".{target.class_}"
    return f"{target.type}{class_}" + ("" if target.id is None else f"#{target.id}")


def _quoted(value: str | None) -> str:
    return "not given" if value is None else repr(value)
