"""Environment provider `terraform`: a configuration whose outputs are the connection data.

An output with the name of a key of an `ssh_host` (`host`, `user`, `private_key`, …) is used for this key. The
option `outputs` names others, and an output `connection_info` may contain all of them.
docs/providers.md has more.

Args:
    source: the folder of the configuration, relative to the project
    variables: values of its variables
    outputs: the output for each key, if the names differ: `{host: address}`
    environment: environment variables for terraform, such as the credentials of its providers
    binary: a name or path; default: `terraform`, otherwise `tofu`

Example:
    vm:
      starting_state.deployed:
        - name: lab
        - provider: terraform
        - source: vm
        - register_resources: true

Source: derived-resources document, "fetches connection_info()"; Terraform, "Output values".
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.provider import Environment
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.reach.resources.provider_options import check_options
from ensue.reach.terraform import Workspace, find_binary

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.provider import EnvironmentRequest
    from ensue.core.model.data import Data, DataMap
    from ensue.reach.terraform import Output

_OPTIONS: Final = ("source", "variables", "environment", "outputs", "binary")
_KEYS: Final = (
    "host", "port", "user", "password", "private_key", "passphrase", "host_key", "jump", "sudo",
    "sudo_password",
)  # fmt: skip
_ALL: Final = "connection_info"
_SUCCEEDED: Final = "succeeded"


async def observe(request: EnvironmentRequest) -> Environment:
    """Compare the environment with the configuration: `absent`, `changed` or `succeeded`.

    Raises:
        StateFailedError: an option is invalid, or the configuration cannot be planned.
        StoreError: the stored state cannot be decrypted.
    """
    workspace = _workspace(request)
    if await asyncio.to_thread(workspace.outputs) is None:
        comment = "its configuration has not been applied"
        return Environment(status="absent", comment=comment, obstacle=_obstacle(workspace))
    if not workspace.source:
        return Environment(status=_SUCCEEDED)
    _check_source(workspace)
    planned = await workspace.plan()
    if planned.changes:
        return Environment(status="changed", comment=_listed(planned.changes))
    return Environment(status=_SUCCEEDED, details=_details(request, planned.outputs or {}))


async def deploy(request: EnvironmentRequest) -> Environment:
    """Apply the configuration.

    Returns:
        `failed` if terraform fails; what it has created is recorded, and the next run continues from there.

    Raises:
        StateFailedError: an option is invalid.
        StoreError: the stored state cannot be decrypted.
    """
    workspace = _workspace(request)
    _check_source(workspace)
    applied = await workspace.apply()
    if applied.errors:
        return Environment(status="failed", comment=applied.errors)
    return Environment(
        status=_SUCCEEDED, details=_details(request, applied.outputs), comment=_listed(applied.changes)
    )


async def connection_info(request: EnvironmentRequest) -> DataMap:
    """Return the connection data from the outputs.

    Raises:
        StateFailedError: the output `host`, or one that `outputs` names, does not exist.
        StoreError: the stored state cannot be decrypted.
    """
    outputs = await asyncio.to_thread(_workspace(request).outputs)
    if outputs is None:
        raise StateFailedError(f"the configuration of {request.name} has not been applied")
    whole: Data = outputs[_ALL].value if _ALL in outputs else None
    if whole is None:
        whole = {}
    if not is_mapping(whole):
        raise StateFailedError(f"the output {_ALL} is not an object")
    named = _named(request)
    if missing := [name for name in named.values() if name not in outputs]:
        there = ", ".join(sorted(outputs)) or "none"
        raise StateFailedError(f"the configuration has no output {', '.join(missing)} (there are: {there})")
    own: DataMap = {key: outputs[key].value for key in _KEYS if key in outputs}
    connection: DataMap = {**own, **whole, **{key: outputs[name].value for key, name in named.items()}}
    if not connection.get("host"):
        msg = "no output says which `host` to connect to (name one in `outputs: {host: OUTPUT}`)"
        raise StateFailedError(msg)
    return {key: value for key, value in connection.items() if value is not None}


async def destroy(request: EnvironmentRequest) -> Environment:
    """Destroy what the configuration created, and remove its stored state.

    Raises:
        StateFailedError: an option is invalid.
        StoreError: the stored state cannot be decrypted.
    """
    if not request.directory.exists():
        return Environment(status="absent")
    workspace = _workspace(request)
    applied = await workspace.apply(destroy=True)
    if applied.errors:
        return Environment(status="failed", comment=applied.errors)
    await asyncio.to_thread(workspace.forget)
    return Environment(status="absent")


def _workspace(request: EnvironmentRequest) -> Workspace:
    check_options(request, "terraform", _OPTIONS)
    options = request.options
    source = options.get("source")
    variables = options.get("variables")
    if variables is not None and not is_mapping(variables):
        raise StateFailedError("`variables` is not a mapping")
    return Workspace(
        name=f"terraform:{request.name}",
        directory=request.directory,
        vault=request.vault,
        masker=request.masker,
        source=str((request.root / str(source)).absolute()) if source else "",
        variables=variables,
        environment={name: str(value) for name, value in _mapping(request, "environment").items()},
        binary=str(options.get("binary") or ""),
    )


def _obstacle(workspace: Workspace) -> str:
    """Return why a configuration cannot be applied, empty if it can."""
    try:
        _check_source(workspace)
        find_binary(workspace.binary)
    except StateFailedError as error:
        return str(error)
    return ""


def _check_source(workspace: Workspace) -> None:
    if not workspace.source:
        raise StateFailedError("provider terraform needs `source`, the folder of a configuration")
    if not Path(workspace.source).is_dir():
        raise StateFailedError(f"source: there is no folder {workspace.source}")


def _named(request: EnvironmentRequest) -> dict[str, str]:
    return {key: str(name) for key, name in _mapping(request, "outputs").items()}


def _mapping(request: EnvironmentRequest, option: str) -> Mapping[str, Data]:
    value = request.options.get(option)
    if value is not None and not is_mapping(value):
        raise StateFailedError(f"`{option}` is not a mapping")
    return value or {}


def _details(request: EnvironmentRequest, outputs: Mapping[str, Output]) -> DataMap:
    """Return the outputs that are neither connection data nor secrets."""
    used = {*_KEYS, _ALL, *_named(request).values()}
    return {
        name: output.value for name, output in outputs.items() if name not in used and not output.sensitive
    }


def _listed(changes: Mapping[str, str]) -> str:
    return ", ".join(f"{action} {address}" for address, action in changes.items())
