"""State module `ssh_host`: applies states to another target and copies files, in the middle of a run.

`state_applied` applies SLS to a target; `fetch_file` and `send_file` copy one file between the managing
minion and the target. The target is named by id or SRN. An earlier state of the run may have registered it;
in a plan it may not exist yet. The module works through the target's connection, of any type.

Source: derived-resources document, "Example SLS".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.contracts.origins import with_origins
from ensue.core.errors import RemoteError, StateFailedError, UnknownResourceError
from ensue.core.model.returns import StateReturn
from ensue.core.model.srn import Srn
from ensue.library.states._carried_file import CopyPlace, DestinationAttributes, carry
from ensue.library.states.file.modes import mode_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.argument_types import Mode
    from ensue.core.contracts.context import StateContext
    from ensue.core.errors import EnsueError
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return, ScopeReturn

_TARGETS: Final = re.compile(r"\A[A-Z]@|[*?\[]|\s(?:and|or|not)\s|,")
"""What a target of several resources has, and the id of one hardly: `T@ssh_host:vm*`, `vm*`, `a,b`."""


async def state_applied(ctx: StateContext, name: str, mods: str | Sequence[str]) -> StateReturn:
    """Apply SLS to a target, as part of this run.

    If the target may be gone, name it in `tgt`, too, with `tgt_optional: true`.

    Args:
        name: the target, by id or SRN.
        mods: SLS names, as a list or separated by commas.

    Example:
        web-01:
          ssh_host.state_applied:
            - mods: [web.nginx]

    Returns:
        `changes` has the states with changes, by tag; `new_state` has `target mods states changed`.
    """
    names = _sls_names(mods)
    try:
        scope = await ctx.apply(name, names)
    except UnknownResourceError as error:
        raise _advised(name, error) from None
    except RemoteError as error:
        return await _out_of_reach(ctx, name, error)
    return _summary(name, names, scope)


async def fetch_file(
    ctx: StateContext,
    name: str,
    remote_path: str,
    local_path: str,
    *,
    mode: Mode | None = None,
    makedirs: bool = False,
) -> StateReturn:
    """Copy a file from a target to this machine if it differs; it is written atomically.

    Args:
        name: the target, by id or SRN.
        remote_path: absolute path on the target.
        local_path: absolute path of the copy, on the managing minion.
        mode: permission bits (`'0640'`); by default those of an existing file, and 0600 for a new one.
        makedirs: create a missing folder.

    Example:
        report:
          ssh_host.fetch_file:
            - name: web-01
            - remote_path: /var/lib/report.csv
            - local_path: /srv/reports/web-01.csv

    Returns:
        `new_state` has `path sha256 size mode user group`; `changes` never has content, which may be secret.
    """
    requested = DestinationAttributes(mode=mode_bits(mode), makedirs=makedirs)
    return await _carried(ctx, name, remote_path, local_path, requested, fetch=True)


async def send_file(
    ctx: StateContext,
    name: str,
    local_path: str,
    remote_path: str,
    *,
    mode: Mode | None = None,
    user: str | int | None = None,
    group: str | int | None = None,
    makedirs: bool = False,
) -> StateReturn:
    """Copy a file from this machine to a target if it differs; it is written atomically.

    Args:
        name: the target, by id or SRN.
        local_path: absolute path on the managing minion.
        remote_path: absolute path of the copy, on the target.
        mode: permission bits (`'0640'`); by default those of an existing file, and 0600 for a new one.
        user: owner on the target, by name or number.
        group: group on the target, by name or number.
        makedirs: create a missing folder.

    Example:
        release:
          ssh_host.send_file:
            - name: web-01
            - local_path: /srv/releases/2.1.tar
            - remote_path: /opt/shop/2.1.tar
            - mode: '0644'

    Returns:
        `new_state` has `path sha256 size mode user group`; `changes` never has content, which may be secret.
    """
    requested = DestinationAttributes(
        mode=mode_bits(mode), makedirs=makedirs, user=_text(user), group=_text(group)
    )
    return await _carried(ctx, name, local_path, remote_path, requested, fetch=False)


FUNCTIONS: Final = by_name(fetch_file, send_file, state_applied)


def awaited(_function: str, name: str) -> Srn:
    """Return the SRN of the target of a state; a name without a type is an `ssh_host`."""
    return _as_srn(name) or Srn("ssh_host", name)


AWAITS = awaited


def applied(function: str, arguments: DataMap) -> list[str] | None:
    """Return the SLS that a state applies to its target; None if it applies none."""
    mods = arguments.get("mods")
    if function != "state_applied" or not isinstance(mods, str | list):
        return None
    return _names_of(mods)


APPLIES = applied
OPENS_SCOPES: Final = True

OF_ONE_CALL: Final = {"state_applied": frozenset({"states", "changed"})}


async def _carried(
    ctx: StateContext,
    name: str,
    source_path: str,
    path: str,
    requested: DestinationAttributes,
    *,
    fetch: bool,
) -> StateReturn:
    for checked in (source_path, path):
        if not checked.startswith("/"):
            raise StateFailedError(f"{checked!r} is not an absolute path")
    try:
        there, here = (await ctx.on(name)).connection, ctx.minion().connection
        source = CopyPlace(connection=there if fetch else here, path=source_path)
        destination = CopyPlace(connection=here if fetch else there, path=path)
        return await carry(name, source, destination, requested, test=ctx.test)
    except UnknownResourceError as error:
        raise _advised(name, error) from None
    except RemoteError as error:
        return await _out_of_reach(ctx, name, error)


def _text(owner: str | int | None) -> str | None:
    return None if owner is None else str(owner)


def _sls_names(mods: str | Sequence[str]) -> list[str]:
    names = _names_of(mods)
    if not names:
        raise StateFailedError("mods names no SLS (for example `- mods: openvpn.init`)")
    return names


def _names_of(mods: str | Sequence[Any]) -> list[str]:
    names = mods.split(",") if isinstance(mods, str) else [str(mod) for mod in mods]
    return [name.strip() for name in names if name.strip()]


def _advised(name: str, error: UnknownResourceError) -> EnsueError:
    """Return the error of an unknown target; no state registers what names several."""
    if not _TARGETS.search(name):
        return error
    return StateFailedError(
        f"{error}: `name` takes one resource, by id or TYPE:ID; for several, assign the SLS to them in "
        "the top file and apply with `--tgt` (`derived_highstate: true` for those that join)"
    )


async def _out_of_reach(ctx: StateContext, name: str, error: RemoteError) -> StateReturn:
    """Make the failure for an unreachable target, with the sources that it was derived from."""
    srn = _as_srn(error.target) or _as_srn(name) or Srn("ssh_host", name)
    return StateReturn.failed(name, await with_origins(error, ctx.registry, srn))


def _as_srn(text: str) -> Srn | None:
    try:
        return Srn.parse(text)
    except ValueError:
        return None


def _summary(name: str, mods: list[str], scope: ScopeReturn) -> StateReturn:
    returns = scope.returns
    changes: DataMap = {tag: state.changes for tag, state in returns.items() if state.changes}
    failed = [state for state in returns.values() if state.result is False]
    return StateReturn(
        name=name,
        result=_result(scope),
        changes=changes,
        comment=_comment(scope, mods, len(changes), failed),
        new_state={
            "target": scope.target or name,
            "mods": list(mods),
            "states": len(returns),
            "changed": len(changes),
        },
    )


def _result(scope: ScopeReturn) -> bool | None:
    results = [state.result for state in scope.returns.values()]
    if scope.status in {"failed", "not_rendered"} or False in results:
        return False
    return None if None in results or scope.status == "deferred" else True


def _comment(scope: ScopeReturn, mods: list[str], changed: int, failed: Sequence[Return]) -> str:
    what = f"{', '.join(mods)} on {scope.target}"
    if scope.status != "done":
        return f"{what}: {scope.status}" + (f": {scope.comment}" if scope.comment else "")
    lines = [f"{what}: {len(scope.returns)} states, {changed} with changes, {len(failed)} failed"]
    lines += [f"{state.id} ({state.module}.{state.function}): {state.comment}" for state in failed]
    return "\n".join(lines)
