"""Environment provider `command`: runs a program of this machine that prints connection information as JSON.

`deploy` runs the program and stores its output, encrypted, so that a plan knows the environment without
running the program. The provider does not know what the program does, nor how to undo it.
docs/providers.md has more.

Args:
    command: required: a shell line that creates the environment and prints how to connect, as JSON

Example:
    vm:
      starting_state.deployed:
        - name: lab
        - provider: command
        - command: python3 create_vm.py
        - register_resources: true

Source: derived-resources document, "fetches connection_info()".
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.provider import Environment
from ensue.core.errors import StateFailedError
from ensue.core.files.private_files import make_private_directory, replace_whole
from ensue.core.model.bounded_json import load_json
from ensue.reach.processes.exit_messages import described_end, stderr_tail
from ensue.reach.processes.runner import Launch, run_once
from ensue.reach.resources.provider_options import check_options

if TYPE_CHECKING:
    from ensue.core.contracts.connection import Completed
    from ensue.core.contracts.provider import EnvironmentRequest
    from ensue.core.model.data import Data, DataMap

SECRET_KEYS: Final = ("password", "private_key", "passphrase")
"""Keys whose values are secrets, and suffixes of such keys (`sudo_password`)."""

_OPTIONS: Final = ("command",)
_NO_COMMAND: Final = "provider command requires `command`, a shell line that prints how to connect as JSON"
_OUTCOME_NAME: Final = "outcome.sealed"
_SUCCEEDED: Final = "succeeded"
_FAILED: Final = "failed"
_TEXTS: Final = ("status", "host", "user", "host_key", *SECRET_KEYS)
_HIGHEST_PORT: Final = 65535


async def observe(request: EnvironmentRequest) -> Environment:
    """Return the state of the environment after the last run of the program, without running it.

    Raises:
        StateFailedError: an option is invalid.
        StoreError: the stored output cannot be decrypted with the project's key.
    """
    check_options(request, "command", _OPTIONS)
    outcome = await asyncio.to_thread(_load, request)
    if outcome is None:
        obstacle = "" if _line(request) else _NO_COMMAND
        return Environment(status="absent", comment="its command was not run yet", obstacle=obstacle)
    return _environment(outcome)


async def deploy(request: EnvironmentRequest) -> Environment:
    """Run the program and store its output.

    Returns:
        The environment, with the `status` that the program prints; `failed` if the program fails or does not
        print a JSON object with connection information.

    Raises:
        StateFailedError: the option `command` is missing, or another option is invalid.
    """
    check_options(request, "command", _OPTIONS)
    line = _line(request)
    if not line:
        raise StateFailedError(_NO_COMMAND)
    ended = await _run(line)
    outcome = _json_object(ended.stdout)
    if outcome is not None:
        # Before anything else is done with any of it, its error output included.
        _mask(request, outcome)
    fault = _fault(ended.returncode, ended.stdout, outcome)
    if fault or outcome is None:
        await asyncio.to_thread(_keep, request, {"status": _FAILED})
        tail = stderr_tail(ended.stderr, request.masker)
        return Environment(status=_FAILED, comment=f"{request.masker.text(fault)}{tail}")
    await asyncio.to_thread(_keep, request, outcome)
    return _environment(outcome)


async def connection_info(request: EnvironmentRequest) -> DataMap:
    """Return the output of the program, without its status.

    Raises:
        StateFailedError: the program has not succeeded.
        StoreError: the stored output cannot be decrypted with the project's key.
    """
    outcome = await asyncio.to_thread(_load, request)
    if outcome is None or outcome["status"] != _SUCCEEDED:
        raise StateFailedError(f"the command of {request.name} has not succeeded")
    return {key: value for key, value in outcome.items() if key != "status" and value is not None}


async def destroy(request: EnvironmentRequest) -> Environment:
    """Remove the stored output of the program; the environment itself is left alone."""
    await asyncio.to_thread(shutil.rmtree, request.directory, ignore_errors=True)
    return Environment(status="absent")


def _line(request: EnvironmentRequest) -> str:
    """Return the shell line to run, empty if the state has none."""
    line = request.options.get("command")
    return line if isinstance(line, str) and line.strip() else ""


async def _run(line: str) -> Completed:
    launch = Launch(argv=[b"/bin/sh", b"-c", os.fsencode(line)], cwd=".", env=os.environb)
    return await run_once(launch)


def _json_object(text: bytes) -> DataMap | None:
    try:
        data: Data = load_json(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _fault(code: int, stdout: bytes, outcome: DataMap | None) -> str:
    """Return what is wrong with the program's output, empty if nothing is."""
    if code:
        return f"the command {described_end(code)}"
    if outcome is None:
        printed = "nothing" if not stdout.strip() else "something that is not one JSON object"
        return f"the command printed {printed} on stdout (it must print connection information as JSON)"
    return "; ".join(_wrong_values(outcome))


def _wrong_values(outcome: DataMap) -> list[str]:
    wrong = [f"`{key}` must be text" for key in _TEXTS if not isinstance(outcome.get(key), str | None)]
    port = outcome.get("port", 22)
    if isinstance(port, bool) or not isinstance(port, int) or not 0 < port <= _HIGHEST_PORT:
        wrong.append("`port` must be a number from 1 to 65535")
    if "status" not in outcome:
        wrong.append("`status` is missing (`succeeded` when the environment can be connected to)")
    if outcome.get("status") == _SUCCEEDED and not outcome.get("host"):
        wrong.append("`host` is missing")
    return [f"the command's JSON: {problem}" for problem in wrong]


def _environment(outcome: DataMap) -> Environment:
    status = str(outcome["status"])
    if status != _SUCCEEDED:
        comment = "its command failed" if status == _FAILED else "its command says so"
        return Environment(status=status, comment=comment)
    return Environment(status=status)


def _mask(request: EnvironmentRequest, outcome: DataMap) -> None:
    request.masker.add(*(str(value) for key, value in outcome.items() if key.endswith(SECRET_KEYS)))


def _load(request: EnvironmentRequest) -> DataMap | None:
    try:
        sealed = (request.directory / _OUTCOME_NAME).read_bytes()
    except FileNotFoundError:
        return None
    outcome: DataMap = json.loads(request.vault.open(sealed, context=_context(request)))
    _mask(request, outcome)
    return outcome


def _keep(request: EnvironmentRequest, outcome: DataMap) -> None:
    make_private_directory(request.directory)
    sealed = request.vault.seal(json.dumps(outcome).encode(), context=_context(request))
    replace_whole(request.directory / _OUTCOME_NAME, sealed)


def _context(request: EnvironmentRequest) -> str:
    return f"command:{request.name}"
