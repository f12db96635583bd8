"""Driver `command`: a program of the project provisions a resource.

The program reads one JSON document and writes one: docs/driver-command.md has the protocol. No shell is
involved. The cookie has what a deletion needs to call the program, and what the program itself keeps. A
program whose update would destroy something answers with that, and changes nothing, until it may.

Args:
    values.command: required: a program and its arguments, as a list, or as one text that is split into
        words; no shell reads it
    values.environment: variables for the program, in addition to those of ensue
    values.cwd: the folder in which it starts, below the project's folder; default: the project's folder
    values.timeout_s: the number of seconds after which it is ended (3600)
    values.acknowledge: `true`: answer each `keep` line on the standard input of the program
    values.plan: `true`: call it with the operation `plan`, too
    secrets.environment: variables for the program that are secret
    values: further keys are data, which the program receives
    secrets: further keys are secret data, which the program receives

Example:
    kind: Definition
    metadata: {id: ticket}
    entity:
      type: ticket
      driver_type: command
      driver_inputs:
        values:
          command: [python3, provision.py]
          queue: network
      criteria: [{}]

Source: resource graph document, "Building and executing"; Humanitec, "Drivers" (inputs, outputs, cookie).
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError
from ensue.core.model.data import is_mapping
from ensue.core.model.option_kinds import MappingOf, OneOf
from ensue.core.model.secret_values import secret_values
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.drivers._command_answer import read_answer, read_plan
from ensue.deploy.drivers._command_cookies import Cookies
from ensue.deploy.drivers._command_program import fingerprint_of, is_there, program_of, wrong_program
from ensue.deploy.drivers._command_run import run_program
from ensue.deploy.drivers._inputs import SWITCH, refuse_wrong, wrong_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.driver import CodeKind, DriverRequest
    from ensue.core.model.data import DataMap

CODE: Final[Mapping[str, CodeKind]] = {"command": "shell-words"}
"""Which inputs are code; see `ensue.core.contracts.driver`."""

_OWN_VALUES: Final = frozenset({"command", "environment", "cwd", "timeout_s", "acknowledge", "plan"})
_OWN_SECRETS: Final = frozenset({"environment"})
_ANYTHING: Final = MappingOf("a mapping", OneOf("anything", (object, bool)))


def check(request: DriverRequest) -> list[str]:
    """Return what is wrong with the inputs, one sentence per error."""
    wrong = [
        *wrong_inputs(_ANYTHING, request.values, "values"),
        *wrong_inputs(_ANYTHING, request.secrets, "secrets", is_secret=True),
    ]
    if wrong:
        return wrong
    wrong += wrong_program(request)
    if is_mapping(request.values) and "plan" in request.values:
        wrong += wrong_inputs(SWITCH, request.values["plan"], "values.plan")
    return wrong


async def fingerprint(request: DriverRequest) -> str:
    """Return a hash of the project's files that the command names."""
    return await asyncio.to_thread(fingerprint_of, request)


async def create(request: DriverRequest) -> Provisioned:
    """Have the program create the resource.

    Raises:
        DriverError: it cannot be run, fails, or writes something that is not an answer.
    """
    return await _provision(request, "create")


async def update(request: DriverRequest) -> Provisioned:
    """Have the program bring the resource to its present inputs.

    Raises:
        DriverError: it cannot be run, fails, or writes something that is not an answer.
    """
    return await _provision(request, "update")


async def delete(request: DriverRequest) -> None:
    """Have the program of the last successful call remove the resource; without a cookie, none has run.

    If no call has succeeded, it is the program that ran last.

    Raises:
        DriverError: it cannot be run, or fails.
    """
    if request.cookie is None:
        return
    cookies = Cookies.of(request)
    program = cookies.of_deletion
    if program is None:
        raise DriverError(f"{request.key}: its cookie does not say which command removes it")
    await run_program(program, request, _document(request, "delete", cookies.own), cookies)


async def plan(request: DriverRequest) -> Planned:
    """Ask the program what it would do if `plan` is set; else name the program that would run.

    A program that is not there is an error, unless the resource depends on others: one may make the program.

    Raises:
        DriverError: the program is not there, fails, or writes something that is not an answer.
    """
    unknown = unknowns_in([request.params, request.values, request.secrets])
    refuse_wrong(request, check(request))
    values: Any = request.values
    if unknown:
        return Planned(comment=f"would run its command once {unknown[0].reference} is known")
    program = program_of(request)
    if not await asyncio.to_thread(is_there, program, request.root):
        where = f"below {program.cwd}" if "/" in program.name else "in PATH"
        missing = f"there is no program {program.name} {where}"
        if not request.has_dependencies:
            raise DriverError(f"{request.key}: {missing}")
        warning = f"{missing}: the deployment fails unless a resource that this one depends on makes it"
        return Planned(comment=f"would run {program.name}", looked=False, warnings=(warning,))
    if not values.get("plan"):
        return Planned(comment=f"would run {program.name}", looked=False)
    _mask(request)
    own = Cookies.of(request).own
    written = await run_program(program, request, _document(request, "plan", own), None)
    return read_plan(written, request)


async def _provision(request: DriverRequest, operation: str) -> Provisioned:
    refuse_wrong(request, check(request))
    program = program_of(request)
    _mask(request)
    cookies = Cookies.of(request)
    cookies.begin(program)
    # If this process is killed while the program runs, a deletion still knows what to call.
    await cookies.keep_newest()
    written = await run_program(program, request, _document(request, operation, cookies.own), cookies)
    answer = read_answer(written, request)
    if answer.cookie is not None:
        cookies.take(answer.cookie)
    request.refuse_destruction(answer.would_destroy)
    if answer.would_destroy:
        message = f"{request.key}: {program.name} asks for what is already allowed (`may_replace` is true)"
        raise DriverError(message)
    request.note_destruction(answer.destroyed)
    cookies.succeed()
    return Provisioned(
        values=answer.values,
        secrets=answer.secrets,
        cookie=cookies.whole(),
        manifests=answer.manifests,
        registers=answer.registers,
        changed=answer.changed,
        comment=answer.comment,
    )


def _mask(request: DriverRequest) -> None:
    request.services.masker.add(*secret_values({"secrets": request.secrets}))


def _document(request: DriverRequest, operation: str, own: DataMap | None) -> DataMap:
    return {
        "operation": operation,
        "resource": {
            "type": request.type,
            "class": request.class_,
            "id": request.id,
            "guresid": request.guresid,
        },
        "context": dict(request.context),
        "params": request.params,
        "values": _without(request.values, _OWN_VALUES),
        "secrets": _without(request.secrets, _OWN_SECRETS),
        "account": request.account,
        "cookie": own,
        "was_interrupted": request.was_interrupted,
        "owner": request.owner,
        "may_adopt": request.may_adopt,
        "may_replace": request.may_replace,
    }


def _without(data: Any, keys: frozenset[str]) -> DataMap:
    return {key: value for key, value in data.items() if key not in keys} if is_mapping(data) else {}
