"""Checks what drivers return, and converts it to the form in which it is stored.

Outputs, cookies, manifests and registrations are written to the store, and the next deployment reads them. A
value that would not be read back unchanged is refused before anything is stored. Messages name the place of a
value, never the value, which may be secret.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.driver import Provisioned
from ensue.core.errors import DriverError
from ensue.core.model.data import is_encodable, is_list, is_mapping, with_text_keys
from ensue.core.model.data_bounds import DataBoundError, check_data
from ensue.core.model.sensitive_paths import at
from ensue.core.model.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.driver import InputPath
    from ensue.core.model.data import DataMap

_LOWEST: Final = -(2**63)
_BEYOND: Final = 2**64


def checked_result(made: object, where: str, *, in_plan: bool = False) -> Provisioned:
    """Return a driver's result in the form in which it is stored.

    Args:
        made: the result.
        where: the driver and its function, for messages.
        in_plan: whether values may be not known yet.

    Raises:
        DriverError: it is not a `Provisioned`, or holds a value that is not data.
    """
    if not isinstance(made, Provisioned):
        raise DriverError(f"{where} returned {type(made).__name__}, not Provisioned")
    fields: dict[str, Any] = {
        name: checked_mapping(getattr(made, name), f"{where}: {name}", in_plan=in_plan)
        for name in ("values", "secrets", "manifests")
    }
    if made.cookie is not None:
        fields["cookie"] = checked_mapping(made.cookie, f"{where}: cookie")
    fields["registers"] = checked_mapping(made.registers, f"{where}: registers")
    for name, configuration in fields["registers"].items():
        if not is_mapping(configuration):
            raise DriverError(f"{where}: registers: the configuration of {name} is not a mapping")
    fields["sensitive"] = tuple(_checked_path(path, fields, where) for path in made.sensitive)
    return msgspec.structs.replace(made, comment=str(made.comment), **fields)


def _checked_path(path: Any, fields: Mapping[str, DataMap], where: str) -> InputPath:
    """Return the path of a secret, which leads to a value: otherwise the secret is somewhere else."""
    try:
        if path[0] in ("manifests", "values"):
            at(fields, path)
            checked_path: InputPath = tuple(path)
            return checked_path
    except (LookupError, TypeError):
        pass  # It is no path, or leads nowhere.
    raise DriverError(
        f"{where}: sensitive: {path!r} leads to no value "
        "(a path is a tuple that begins with 'manifests' or 'values')"
    )


def checked_mapping(data: Any, where: str, *, in_plan: bool = False) -> DataMap:
    """Return a mapping in the form in which it is stored: its keys are text.

    Args:
        data: the driver's value.
        where: what it is, for messages.
        in_plan: whether values may be not known yet.

    Raises:
        DriverError: it is not a mapping, or holds a value that is not data.
    """
    if not is_mapping(data):
        raise DriverError(f"{where} is not a mapping")
    try:
        check_data(data)
    except DataBoundError as error:
        raise DriverError(f"{where}: {error}") from None
    keyed = with_text_keys(data)
    if problem := _problem_in(keyed, in_plan=in_plan):
        raise DriverError(where + problem)
    kept: DataMap = keyed
    return kept


def _problem_in(data: Any, *, in_plan: bool) -> str:
    """Return the path of the first value that cannot be stored, and why; empty if there is none."""
    if is_mapping(data):
        for key, value in data.items():
            if not is_encodable(key):
                return f": the key {key!r} holds half of a character"
            if problem := _problem_in(value, in_plan=in_plan):
                return f".{key}{problem}"
    elif is_list(data):
        for place, value in enumerate(data):
            if problem := _problem_in(value, in_plan=in_plan):
                return f".{place}{problem}"
    elif strange := _strange(data, in_plan=in_plan):
        return f" {strange}"
    return ""


def _strange(value: object, *, in_plan: bool) -> str:
    """Return why a value cannot be stored; empty if it can."""
    if isinstance(value, str):
        return "" if is_encodable(value) else "holds half of a character: it cannot be written as UTF-8"
    if isinstance(value, int):
        is_small = _LOWEST <= value < _BEYOND
        return "" if is_small else "is a number of more than 64 bits: write it as text"
    if value is None or isinstance(value, float | bytes) or (in_plan and isinstance(value, Unknown)):
        return ""
    return f"is of the type {type(value).__name__}, which is not data"
