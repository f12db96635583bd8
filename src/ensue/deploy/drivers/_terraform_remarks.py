"""What the driver `terraform` remarks: the warnings of terraform, and inputs that the configuration lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.driver import InputRemark
from ensue.core.model.data import is_mapping
from ensue.core.model.paths import traverse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.driver import DriverRequest, InputPath
    from ensue.reach.terraform import TerraformApplyResult, TerraformPlanResult

_GIVEN: Final[tuple[InputPath, ...]] = (
    ("secrets", "variables"),
    ("values", "credentials_config", "variables"),
    ("values", "variables"),
)
"""The inputs that give values to variables; the first one that has a variable wins."""


def remarks(
    result: TerraformPlanResult | TerraformApplyResult, request: DriverRequest
) -> tuple[str | InputRemark, ...]:
    """Return the warnings of terraform, and a remark for each variable that is not declared.

    Args:
        result: what terraform did.
        request: the resource.
    """
    inputs = {"values": request.values, "secrets": request.secrets}
    return (
        *result.warnings,
        *(InputRemark(text=text, path=_path(name, inputs)) for name, text in result.undeclared.items()),
    )


def _path(name: str, inputs: Mapping[str, object]) -> InputPath:
    for path in _GIVEN:
        given = traverse(inputs, list(path))
        if is_mapping(given) and name in given:
            return (*path, name)
    return ("values",)
