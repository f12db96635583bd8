"""State module `terraform`: applies a Terraform or OpenTofu configuration, on this machine.

The outputs are the state's `new_state`, for bindings and for `registers`. Terraform's state is stored
encrypted below the project's cachedir, unless the configuration has its own backend.

Source: derived-resources document, "Integration points"; Terraform CLI, `plan`, `apply`.
"""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.enforced import environment_phrase
from ensue.core.contracts.functions import by_name
from ensue.core.errors import NotAvailableError, StateFailedError
from ensue.core.files.private_files import replace_whole
from ensue.core.model.enforced import environment_of_values
from ensue.core.model.folder_name import folder_name
from ensue.core.model.property_grammar import quoted
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import MINION_TYPE, Srn
from ensue.library.states.starting_state import invalidated
from ensue.reach.terraform import Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data, DataMap
    from ensue.reach.terraform import Output, TerraformApplyResult, TerraformPlanResult

_ENVIRONMENT: Final = "environment"
"""The file with the environments that a configuration was applied with."""


async def applied(
    ctx: StateContext,
    name: str,
    source: str,
    *,
    variables: Mapping[str, Data] | None = None,
    environment: Mapping[str, Data] | None = None,
    binary: str = "",
    allow_destroy: bool = False,
) -> StateReturn:
    """Apply a configuration.

    Something that exists is destroyed or made anew only with `allow_destroy: true`. Otherwise a configuration
    whose plan does that fails without a change, in a plan of ensue too.

    Args:
        name: name of the configuration, unique in the project; its state is stored under this name. With
            several pillar environments, the name has theirs: `network-{{ opts['pillarenv'] }}`.
        source: the folder of the configuration, relative to the project.
        variables: values of its variables.
        environment: environment variables for terraform, such as credentials of its providers.
        binary: name or path of the binary; by default `terraform`, or `tofu` if that is missing.
        allow_destroy: whether resources may be destroyed, or destroyed and made anew.

    Example:
        network:
          terraform.applied:
            - source: terraform/network
            - variables: {region: eu-west-1}

    Returns:
        `changes` has `create`, `update`, `replace`, `delete`, … by address. `new_state` has the outputs;
        those that the configuration declares as sensitive are secrets.

    Raises:
        StateFailedError: the configuration cannot be planned, or would destroy something and may not.
        StoreError: its stored state cannot be decrypted.
    """
    if not source.strip():
        raise StateFailedError("`source` is missing: the folder of the configuration")
    workspace = _workspace(ctx, name, binary, environment)
    workspace = _with_source(workspace, ctx, source, variables or {})
    planned = await workspace.plan()
    remark = await asyncio.to_thread(_other_environment, ctx, workspace, name)
    if not planned.changes and planned.outputs is not None and (ctx.test or planned.is_recorded):
        return _there(name, f"{name} is applied", {}, planned.outputs, _warnings(planned))
    if not allow_destroy:
        _refuse(planned.destroyed, planned.changes, remark)
    warnings = (*remark, *_warnings(planned))
    if ctx.test:
        comment = f"{name} would be applied: {_counted(planned.changes)}"
        return StateReturn.planned(name, comment, dict(planned.changes), warnings=warnings)
    # Terraform plans again: what it destroys is known for certain only then.
    refuse = partial(_refuse, changes=planned.changes, remark=remark)
    await asyncio.to_thread(_note_environment, ctx, workspace)
    done = await workspace.apply(approve=None if allow_destroy else refuse)
    if done.errors:
        return StateReturn.failed(name, done.errors, dict(done.changes))
    comment = f"{name} was applied: {_counted(done.changes)}"
    return _there(name, comment, done.changes, done.outputs, (*remark, *_warnings(done)))


async def destroyed(
    ctx: StateContext, name: str, *, environment: Mapping[str, Data] | None = None, binary: str = ""
) -> StateReturn:
    """Destroy everything that a configuration created.

    Terraform needs the configuration for this: the folder of the last apply stays until nothing is left.

    Args:
        name: name of the configuration that its state is stored under.
        environment: environment variables for terraform, such as credentials of its providers.
        binary: name or path of the binary; by default `terraform`, or `tofu` if that is missing.

    Example:
        network:
          terraform.destroyed

    Returns:
        `changes` has the changes by address, and `invalidated`: the resources derived from it. `new_state`
        has `name exists`.

    Raises:
        StateFailedError: the folder is not there, or terraform cannot plan that everything is destroyed.
        StoreError: its stored state cannot be decrypted.
    """
    workspace = _workspace(ctx, name, binary, environment)
    if not workspace.directory.exists():
        return StateReturn.unchanged(name, f"nothing is left of {name}", {"name": name, "exists": False})
    source = Srn("terraform", name)
    is_made = bool(await workspace.resources())
    nothing: DataMap = {name: "destroy"}
    if ctx.test:
        derived = await asyncio.to_thread(ctx.registry.would_invalidate, source)
        planned = (await workspace.plan(destroy=True)).changes if is_made else {}
        comment = f"{name} would be destroyed" + (f": {_counted(planned)}" if planned else "")
        return StateReturn.planned(name, comment, {**(planned or nothing), **invalidated(derived)})
    gone: Mapping[str, str] = {}
    if is_made:
        done = await workspace.apply(destroy=True)
        gone = done.changes
        if done.errors:
            return StateReturn.failed(name, done.errors, dict(gone))
    await asyncio.to_thread(workspace.forget)
    hit = await asyncio.to_thread(ctx.registry.invalidate, source, reason=f"{source} was destroyed")
    changes: DataMap = {**(gone or nothing), **invalidated(hit)}
    comment = f"{name} was destroyed: {_counted(gone)}"
    return StateReturn.changed(name, comment, changes, {"name": name, "exists": False})


FUNCTIONS: Final = by_name(applied, destroyed)
ABSENT: Final = ("destroyed",)
KEPT_BY_NAME: Final = True


def _workspace(
    ctx: StateContext, name: str, binary: str, environment: Mapping[str, Data] | None
) -> Workspace:
    if ctx.srn.type != MINION_TYPE:
        raise NotAvailableError(f"terraform is not available for {ctx.srn.type}: it runs on the minion")
    return Workspace(
        name=f"terraform:{name}",
        directory=ctx.cache_dir / "terraform" / folder_name(name),
        vault=ctx.vault,
        masker=ctx.masker,
        environment={key: str(value) for key, value in (environment or {}).items()},
        binary=binary,
    )


def _warnings(result: TerraformPlanResult | TerraformApplyResult) -> tuple[str, ...]:
    return (*result.warnings, *result.undeclared.values())


def _environment(ctx: StateContext) -> str:
    """Return what selects the environments of a run, in the words of the command line."""
    given = ((option, ctx.opts.get(option)) for option in ("saltenv", "pillarenv"))
    return environment_of_values(" ".join(f"--{option} {value!s}" for option, value in given if value))


def _note_environment(ctx: StateContext, workspace: Workspace) -> None:
    """Note with which environments a configuration is applied."""
    replace_whole(workspace.directory / _ENVIRONMENT, _environment(ctx).encode())


def _other_environment(ctx: StateContext, workspace: Workspace, name: str) -> tuple[str, ...]:
    """Return a remark if a configuration was applied last with other environments than those of this run."""
    try:
        before = (workspace.directory / _ENVIRONMENT).read_text(encoding="utf-8")
    except FileNotFoundError:
        return ()
    if before == _environment(ctx):
        return ()
    own = f"a state of its own, with `- name: {name}-{{{{ opts['pillarenv'] }}}}`"
    last = environment_phrase(before)
    return (f"{name} was applied last {last}: for another environment, give it {own}",)


def _refuse(destroyed: Sequence[str], changes: Mapping[str, str], remark: Sequence[str]) -> None:
    """Refuse to destroy what exists.

    Args:
        destroyed: the addresses of what would be destroyed.
        changes: the planned action by address.
        remark: that another environment may have made it; none: this one has.

    Raises:
        StateFailedError: something would be destroyed.
    """
    if destroyed:
        things = [
            f"{address} (and make it anew)" if changes.get(address) == "replace" else address
            for address in destroyed
        ]
        sign = "-/+" if "replace" in changes.values() else "-"
        others = {address: action for address, action in changes.items() if address not in destroyed}
        also = "".join(f", {action} {address}" for address, action in others.items())
        raise StateFailedError(
            f"{sign} would destroy {', '.join(things)}{also}; nothing was changed: "
            + "".join(f"{text}; " for text in remark)
            + "if that is meant, allow it with `- allow_destroy: true`"
        )


def _with_source(
    workspace: Workspace, ctx: StateContext, source: str, variables: Mapping[str, Data]
) -> Workspace:
    import msgspec

    root = Path(str(ctx.opts.get("root_dir", ".")))
    folder = (root / source).absolute()
    if not folder.is_dir():
        raise StateFailedError(f"source: there is no folder {folder}")
    return msgspec.structs.replace(workspace, source=str(folder), variables=dict(variables))


def _there(
    name: str,
    comment: str,
    changes: Mapping[str, str],
    outputs: Mapping[str, Output],
    warnings: tuple[str, ...],
) -> StateReturn:
    return StateReturn.changed(
        name,
        comment,
        dict(changes),
        {key: output.value for key, output in outputs.items()},
        sensitive=tuple(quoted(key) for key, output in outputs.items() if output.sensitive),
        warnings=warnings,
    )


def _counted(changes: Mapping[str, str]) -> str:
    actions = list(changes.values())
    counts = [f"{action} {actions.count(action)}" for action in dict.fromkeys(actions)]
    return ", ".join(counts) or "no changes"
