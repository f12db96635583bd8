"""Built-in definitions: a workload needs no definition of its own.

Source: resource graph document, whose first example has no definition for its workload; published examples
rely on the definition that their platform provides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.deploy.provisioning.canonical import digest
from ensue.deploy.provisioning.definitions import Criterion, Definition, DriverInputs
from ensue.deploy.provisioning.identity import DEFAULT_CLASS, WORKLOAD
from ensue.deploy.provisioning.written import NO_MENTIONS, TemplatedData, TextPlace
from ensue.language.yaml import YamlDocument

if TYPE_CHECKING:
    from collections.abc import Sequence

_ID: Final = "ensue/workload"
_DRIVER: Final = "echo"


def with_built_in(definitions: Sequence[Definition]) -> list[Definition]:
    """Return definitions; the built-in one for workloads is added if none of them is for workloads.

    Args:
        definitions: the definitions of a project.
    """
    if any(definition.type == WORKLOAD and definition.criteria for definition in definitions):
        return list(definitions)
    return [*definitions, _workload()]


def _workload() -> Definition:
    place = TextPlace(YamlDocument("(built in)", ""))
    nothing = TemplatedData({}, {}, NO_MENTIONS, place)
    return Definition(
        id=_ID,
        type=WORKLOAD,
        name=_ID,
        driver=_DRIVER,
        account=None,
        inputs=DriverInputs(values=nothing, secrets=nothing, secret_refs=nothing),
        provisions=(),
        criteria=(Criterion(class_=DEFAULT_CLASS, fields={}, place=place),),
        place=place,
        digest=digest([_ID, _DRIVER]),
    )
