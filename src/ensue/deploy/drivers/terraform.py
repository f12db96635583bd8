"""Driver `terraform`: a resource is what a Terraform or OpenTofu configuration creates.

The configuration is copied below the driver's directory, and its state is kept there encrypted, unless it
has its own backend. Files that may hold secrets exist there only while terraform runs. The cookie has what a
delete needs (environment, variables, files): of the last successful apply, and beside it of an attempt since,
whose configuration has a folder of its own until it succeeds.

The outputs of the configuration are the outputs of the resource. docs/driver-terraform.md has more.

Args:
    values.source: where the configuration is: `path` in the project, or `url`, `rev` and `path` of a Git
        repository
    values.script: a configuration as text
    values.files: more files: text by relative path
    values.variables: values of the variables of the configuration
    values.credentials_config: how the credentials of providers are passed
    values.timeout_s: seconds that a whole create, update, plan or delete may take (7200)
    values.append_logs_to_error: `true`: an error ends with the last lines of terraform's output
    values.binary: the name or path of the binary; default: `terraform`, otherwise `tofu`
    secrets.source: `password` or `ssh_key` for the Git repository
    secrets.files: more files, with secrets
    secrets.variables: values of more variables
    secrets.credentials: the credentials of the account by name

Example:
    kind: Definition
    metadata: {id: bucket}
    entity:
      type: bucket
      driver_type: terraform
      driver_inputs:
        values:
          source: {path: modules/bucket}
          variables: {name: 'shop-${context.env.id}'}
      criteria: [{}]

Source: Humanitec, "Terraform driver"; Terraform CLI, `plan`, `apply`.
"""

from __future__ import annotations

import asyncio
import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.deadlines import GIT_QUERY_S
from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError, StateFailedError
from ensue.core.model.unknown import unknowns_in
from ensue.deploy.drivers._terraform_cookie import TerraformCookie, destroys, managed
from ensue.deploy.drivers._terraform_remarks import remarks
from ensue.reach.terraform import Workspace
from ensue.reach.terraform.inputs import read_inputs
from ensue.reach.terraform.source import below, carry_lock_file, laid_out

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
    from pathlib import Path

    from ensue.core.contracts.driver import CodeKind, DriverRequest
    from ensue.core.model.data import DataMap
    from ensue.reach.terraform import Output
    from ensue.reach.terraform.inputs import TerraformInputs

__all__ = ["CODE", "check", "create", "delete", "destroys", "fingerprint", "managed", "plan", "update"]

KEEPS_FIRST: Final = True
CODE: Final[Mapping[str, CodeKind]] = {"script": "hcl", "files": "hcl"}
"""Which inputs are code; see `ensue.core.contracts.driver`."""

_TREE: Final = "configuration"
_ATTEMPTED: Final = "configuration.attempted"
_NEXT: Final = "configuration.next"
_PLANNED: Final = "configuration.planned"
_STATE: Final = "state"
_ADDRESSES_NAMED: Final = 5
"""How many addresses a comment names for each action."""
_SHOWN_CHARS: Final = 12
"""How much of a commit or a digest a plan shows."""
_GIT: Final = {"GIT_ALLOW_PROTOCOL": "file:git:http:https:ssh", "GIT_TERMINAL_PROMPT": "0"}
"""For modules that terraform itself clones: no URL may name a command."""


def check(request: DriverRequest) -> list[str]:
    """Say what is wrong with the inputs."""
    return read_inputs(request.values, request.secrets, request.account, request.root)[1]


async def fingerprint(request: DriverRequest) -> str:
    """Return the commit of the source, or a digest of its folder; empty without a source.

    Raises:
        DriverError: the source cannot be read.
    """
    async with _limited(request, GIT_QUERY_S):
        return await _inputs(request).source.fingerprint()


async def create(request: DriverRequest) -> Provisioned:
    """Apply the configuration; the state has what an earlier, interrupted call created.

    Raises:
        DriverError: it cannot be applied; what was created before the error is in the state.
        StoreError: the state cannot be decrypted.
    """
    return await provision(request)


async def update(request: DriverRequest) -> Provisioned:
    """Apply the configuration as it is now, unless its plan destroys something and that is not allowed.

    Raises:
        DestructionRefusedError: it would destroy something; nothing was changed.
        DriverError: it cannot be applied; what was created before the error is in the state.
        StoreError: the state cannot be decrypted.
    """
    return await provision(request, asks=True)


async def plan(request: DriverRequest) -> Planned:
    """Let terraform plan; if inputs are not known yet, name them instead.

    Raises:
        DriverError: it cannot be planned.
        StoreError: the state cannot be decrypted.
    """
    return await planned(request)


async def delete(request: DriverRequest) -> None:
    """Destroy what the configuration created, and remove the driver's directory.

    What an attempt has made with providers that the last successful configuration does not have is destroyed
    with the configuration of the attempt, everything else with the successful one.

    Raises:
        DriverError: it cannot be destroyed; what is left is in the state.
        StoreError: the state cannot be decrypted.
    """
    former = _former(request)
    if former is not None and (request.directory / _TREE).is_dir():
        async with _limited(request, former.timeout_s):
            await asyncio.to_thread(_settle, request, former)
            if former.attempted is not None and (request.directory / _ATTEMPTED).is_dir():
                with laid_out(below(request.directory / _TREE, former.path), former.files):
                    there = await _workspace(request, _TREE, former).resources()
                own = [
                    address for address, provider in there.items() if provider not in (former.providers or ())
                ]
                if own:
                    await _destroy(request, _ATTEMPTED, former.attempted, own)
            await _destroy(request, _TREE, former)
    await asyncio.to_thread(shutil.rmtree, request.directory, ignore_errors=True)


async def _destroy(
    request: DriverRequest, tree: str, cookie: TerraformCookie, targets: Iterable[str] = ()
) -> None:
    workspace = _workspace(request, tree, cookie)
    with laid_out(below(request.directory / tree, cookie.path), cookie.files):
        if not await workspace.resources():
            return
        done = await workspace.apply(destroy=True, targets=targets)
    if done.errors:
        raise DriverError(done.errors)


async def provision(request: DriverRequest, binary: str = "", *, asks: bool = False) -> Provisioned:
    """Apply the configuration.

    Args:
        request: the resource.
        binary: the name of the binary if the inputs name none; empty: `terraform`, else `tofu`.
        asks: whether it is refused if it destroys something and that is not allowed.

    Raises:
        DestructionRefusedError: it would destroy something; nothing was changed.
        DriverError: it cannot be applied.
        StoreError: the state cannot be decrypted.
    """
    inputs = _inputs(request)
    _check_state(request)
    former = _former(request)
    async with _limited(request, inputs.timeout_s):
        if former is not None:
            await asyncio.to_thread(_settle, request, former)
        commit = await _copied(request, inputs, _NEXT)
        source = commit or await inputs.source.fingerprint()
        tree = _TREE
        cookie = msgspec.structs.replace(_cookie(request, inputs, binary), commit=commit, source=source)
        kept = cookie
        if former is not None and former.providers is not None:
            tree, kept = _ATTEMPTED, msgspec.structs.replace(former, attempted=cookie)
        await request.services.keep(msgspec.to_builtins(kept))
        await asyncio.to_thread(_moved, request.directory, _NEXT, tree)
        with laid_out(below(request.directory / tree, cookie.path), cookie.files):
            approve = request.refuse_destruction if asks else None
            done = await _workspace(request, tree, cookie).apply(approve=approve)
    if done.errors:
        log = f"\n\nWhat terraform printed last:\n{done.log}" if inputs.appends_log else ""
        raise DriverError(f"{done.errors}{log}")
    providers = sorted(set(done.resources.values()))
    cookie = msgspec.structs.replace(
        cookie,
        has_state=done.has_own_state,
        providers=providers,
        addresses=sorted(done.resources),
        lineage=done.lineage,
    )
    if tree != _TREE:
        await request.services.keep(msgspec.to_builtins(cookie))
        await asyncio.to_thread(_settle, request, cookie)
    return msgspec.structs.replace(
        _provisioned(done.outputs),
        cookie=msgspec.to_builtins(cookie),
        changed=bool(done.changes),
        comment=_counted(done.changes, "applied"),
        warnings=remarks(done, request),
    )


async def planned(request: DriverRequest, binary: str = "") -> Planned:
    """Let terraform plan.

    Args:
        request: the resource.
        binary: the name of the binary if the inputs name none; empty: `terraform`, else `tofu`.

    Raises:
        DriverError: it cannot be planned.
        StoreError: the state cannot be decrypted.
    """
    if unknowns := unknowns_in([request.values, request.secrets, request.account]):
        waits = ", ".join(dict.fromkeys(unknown.reference for unknown in unknowns))
        comment = f"would apply the configuration; its changes are known after {waits}"
        return Planned(comment=comment, changes=await _source_change(request))
    inputs = _inputs(request)
    _check_state(request)
    was_there = request.directory.exists()
    try:
        async with _limited(request, inputs.timeout_s):
            await _copied(request, inputs, _PLANNED)
            cookie = _cookie(request, inputs, binary)
            with laid_out(below(request.directory / _PLANNED, cookie.path), cookie.files):
                plan_result = await _workspace(request, _PLANNED, cookie).plan()
    finally:
        left = request.directory / _PLANNED if was_there else request.directory
        await asyncio.shield(asyncio.to_thread(shutil.rmtree, left, ignore_errors=True))
    if not plan_result.changes and plan_result.outputs is not None:
        return Planned(
            comment="nothing would change",
            would_change=False,
            outputs=_provisioned(plan_result.outputs),
            warnings=remarks(plan_result, request),
        )
    return Planned(
        comment=_counted(plan_result.changes, "would apply"),
        destroys=plan_result.destroyed,
        changes=await _source_change(request),
        warnings=remarks(plan_result, request),
    )


async def _source_change(request: DriverRequest) -> DataMap:
    """Return how the source differs from the one that was copied last, as a plan reports changes."""
    former = _former(request)
    source = read_inputs(request.values, request.secrets, request.account, request.root)[0].source
    if former is None or not former.source:
        return {}
    async with _limited(request, GIT_QUERY_S):
        now = await source.fingerprint()
    pair: DataMap = {"old": former.source[:_SHOWN_CHARS], "new": now[:_SHOWN_CHARS]}
    return {"source": pair} if now and now != former.source else {}


def _inputs(request: DriverRequest) -> TerraformInputs:
    inputs, problems = read_inputs(request.values, request.secrets, request.account, request.root)
    if problems:
        raise DriverError("; ".join(problems))
    return inputs


def _check_state(request: DriverRequest) -> None:
    """Refuse to create everything a second time if the state is lost."""
    former = _former(request)
    if former is None or not former.has_state:
        return
    state = request.directory / _STATE
    if not state.is_dir():
        raise DriverError(
            f"terraform's state of {request.key} is gone: there is no folder {state} (restore it from a "
            "backup; without it terraform would create everything a second time)"
        )


async def _copied(request: DriverRequest, inputs: TerraformInputs, name: str) -> str:
    """Copy the configuration into a folder of that name; return the commit."""
    folder = request.directory / name
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    commit = await inputs.source.copy_to(folder)
    former = request.directory / _TREE / inputs.source.path
    carry_lock_file(former, below(folder, inputs.source.path))
    return commit


def _former(request: DriverRequest) -> TerraformCookie | None:
    return None if request.cookie is None else msgspec.convert(request.cookie, TerraformCookie)


def _settle(request: DriverRequest, former: TerraformCookie) -> None:
    """Let the copy of an attempt that has succeeded replace the former one, as its cookie has done."""
    if former.attempted is None and (request.directory / _ATTEMPTED).is_dir():
        _moved(request.directory, _ATTEMPTED, _TREE)


def _moved(directory: Path, name: str, to: str) -> None:
    """Replace a copy of the configuration with another one."""
    shutil.rmtree(directory / to, ignore_errors=True)
    (directory / name).rename(directory / to)


def _cookie(request: DriverRequest, inputs: TerraformInputs, binary: str) -> TerraformCookie:
    former = _former(request)
    return TerraformCookie(
        path=inputs.source.path,
        files=inputs.files,
        variables=inputs.variables,
        environment=inputs.environment,
        binary=inputs.binary or binary,
        timeout_s=inputs.timeout_s,
        has_state=former is not None and former.has_state,
    )


def _workspace(request: DriverRequest, tree: str, cookie: TerraformCookie) -> Workspace:
    folder = below(request.directory / tree, cookie.path)
    own = {"GIT_CONFIG_GLOBAL": str(folder / ".gitconfig")} if ".gitconfig" in cookie.files else {}
    return Workspace(
        name=request.key,
        directory=request.directory / _STATE,
        vault=request.services.vault,
        masker=request.services.masker,
        source=str(folder),
        variables=cookie.variables,
        environment={**_GIT, **own, **cookie.environment},
        binary=cookie.binary,
    )


def _provisioned(outputs: Mapping[str, Output]) -> Provisioned:
    return Provisioned(
        values={name: output.value for name, output in outputs.items() if not output.sensitive},
        secrets={name: output.value for name, output in outputs.items() if output.sensitive},
    )


def _counted(changes: Mapping[str, str], verb: str) -> str:
    """Return how many resources each action changes, and the addresses of the first ones."""
    by_action: dict[str, list[str]] = {}
    for address, action in changes.items():
        if not address.startswith("output."):
            by_action.setdefault(action, []).append(address)
    counts = [f"{len(all_)} to {action} ({_first(all_)})" for action, all_ in by_action.items()]
    return f"{verb} the configuration: {', '.join(counts) or 'no changes of resources'}"


def _first(addresses: Sequence[str]) -> str:
    more = len(addresses) - _ADDRESSES_NAMED
    return ", ".join([*addresses[:_ADDRESSES_NAMED], *([f"{more} more"] if more > 0 else [])])


@asynccontextmanager
async def _limited(request: DriverRequest, limit_s: float) -> AsyncGenerator[None]:
    """End what takes too long, and turn the errors of running terraform into a `DriverError`."""
    limit = asyncio.timeout(limit_s)
    try:
        async with limit:
            yield
    except StateFailedError as error:
        raise DriverError(str(error)) from None
    except TimeoutError:
        if not limit.expired():
            raise
        msg = f"{request.key}: terraform, or its source, took longer than {limit_s:g} s, and was ended"
        raise DriverError(msg) from None
