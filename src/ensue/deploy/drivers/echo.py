"""The driver `echo`: the outputs of a resource are its inputs.

`values` become plain outputs and `secrets` secret ones; mappings that are in both are merged. Nothing is
created anywhere. Older definitions call it `static`. docs/drivers.md has more.

Args:
    values: a mapping of plain outputs by name
    secrets: a mapping of secret outputs by name

Example:
    kind: Definition
    metadata: {id: dns}
    entity:
      type: dns
      driver_type: echo
      driver_inputs:
        values: {host: db.internal, port: 5432}
        secrets: {password: correct-horse}
      criteria: [{}]

Source: Humanitec, "Echo driver".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.drivers.checked import MAPPING, misfits

if TYPE_CHECKING:
    from ensue.core.contracts.driver import DriverRequest
    from ensue.core.model.data import Data, DataMap

IS_PURE: Final = True
"""The outputs depend only on the inputs."""


async def create(request: DriverRequest) -> Provisioned:
    """Return the inputs as outputs.

    Args:
        request: the resource.

    Raises:
        DriverError: the inputs are not mappings.
    """
    return _outputs(request)


update = create


async def delete(request: DriverRequest) -> None:
    """Do nothing: there is nothing to remove.

    Args:
        request: the resource.
    """


async def plan(request: DriverRequest) -> Planned:
    """Return the outputs, as far as the inputs are known.

    Args:
        request: the resource.

    Raises:
        DriverError: the inputs are not mappings.
    """
    if unknowns_in([request.values, request.secrets]):
        return Planned(comment="the outputs are known after apply")
    return Planned(comment="the outputs are the inputs", outputs=_outputs(request))


def check(request: DriverRequest) -> list[str]:
    """Return what is wrong with the inputs.

    Args:
        request: the resource.
    """
    return [*misfits(request.values, MAPPING, "values"), *misfits(request.secrets, MAPPING, "secrets")]


def _outputs(request: DriverRequest) -> Provisioned:
    if wrong := check(request):
        raise DriverError("; ".join(wrong))
    return Provisioned(values=_mapping(request.values), secrets=_mapping(request.secrets))


def _mapping(value: Data) -> DataMap:
    return value if is_mapping(value) else {}
