"""The answer of a program of the driver `command`: one JSON document, which is checked before it is used.

Errors do not quote the document, which may hold secrets.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError
from ensue.core.model.bounded_json import load_json
from ensue.core.model.secret_values import secret_values

if TYPE_CHECKING:
    from ensue.core.contracts.driver import DriverRequest


_Answer = TypeVar("_Answer", bound=msgspec.Struct)


class ProvisionAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to `create` and `update`: the fields of `Provisioned`.

    With `would_destroy` the program has changed nothing, because that would be destroyed; `destroyed` is what
    an update has destroyed once it was allowed.
    """

    values: dict[str, Any] = {}
    secrets: dict[str, Any] = {}
    cookie: dict[str, Any] | None = None
    manifests: dict[str, Any] = {}
    registers: dict[str, dict[str, Any]] = {}
    changed: bool | None = None
    comment: str = ""
    would_destroy: list[str] = []
    destroyed: list[str] = []


class PlanAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The answer to `plan`; `values` and `secrets` only if they are already known."""

    comment: str = ""
    would_change: bool = True
    would_destroy: list[str] = []
    values: dict[str, Any] | None = None
    secrets: dict[str, Any] | None = None


def read_answer(written: bytes, request: DriverRequest) -> ProvisionAnswer:
    """Return what a program answered to `create` or `update`.

    Args:
        written: the program's output, without its `keep` lines.
        request: the resource; its masker learns the secrets.

    Raises:
        DriverError: the output is not a valid answer.
    """
    answer = _read(written, ProvisionAnswer, request)
    request.services.masker.add(
        *secret_values({"secrets": [answer.secrets], "cookie": answer.cookie, "registers": answer.registers})
    )
    return answer


def read_plan(written: bytes, request: DriverRequest) -> Planned:
    """Return what a program answered to `plan`.

    Raises:
        DriverError: the output is not a valid answer.
    """
    answer = _read(written, PlanAnswer, request)
    outputs = None
    if answer.values is not None or answer.secrets is not None:
        request.services.masker.add(*secret_values({"secrets": [answer.secrets or {}]}))
        outputs = Provisioned(values=answer.values or {}, secrets=answer.secrets or {})
    return Planned(
        comment=answer.comment,
        would_change=answer.would_change,
        destroys=tuple(answer.would_destroy),
        outputs=outputs,
    )


def _read(written: bytes, shape: type[_Answer], request: DriverRequest) -> _Answer:
    if not written.strip():
        message = f"{request.key}: its command wrote nothing (one JSON document is required, `{{}}` at least)"
        raise DriverError(message)
    try:
        return msgspec.convert(load_json(written, parse_constant=_refuse_constant), shape)
    except msgspec.ValidationError as error:
        known = ", ".join(shape.__struct_fields__)
        what = f"what its command wrote is not an answer: {error} (an answer may have {known})"
    except ValueError as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else error
        what = f"what its command wrote is not one JSON document: {reason}"
    raise DriverError(f"{request.key}: {request.services.masker.text(what)}")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
