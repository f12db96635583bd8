"""Driver `state`: a state function, or SLS, provisions the resource; its `new_state` becomes the outputs.

The states run as growth under the resource, with the journal, test mode and secrets of any run. A state
determines itself whether there is anything to do, so it is called in every deployment.
docs/drivers.md has a complete example.

Args:
    values.state: the state function, such as `file.managed`
    values.name: its name; default: `TYPE.CLASS#ID` of the resource
    values.arguments: its other arguments, which are data; `{param: NAME}` in them is a param of the resource,
        with `{param: NAME, default: VALUE}` a value for resources without it
    values.sls: instead of a state: an SLS, or a list of them
    values.target: the resource that it runs on, `TYPE:ID`; default: this machine
    values.outputs: outputs by name, each `ID:PATH` into the `new_state` of a state with that ID; with
        `state` the ID may be left out, and without `outputs` they are its whole `new_state`
    values.registers: resources to register: a mapping of `TYPE:ID` to the configuration, or a list of
        `{resource, config}`
    values.delete: how to remove the resource: `state`, `name`, `arguments`, `sls` and `target`, with the
        params of the last deployment; without it, nothing is undone

Example:
    kind: Definition
    metadata: {id: volume}
    entity:
      type: volume
      driver_type: state
      driver_inputs:
        values:
          sls: uploads
          outputs: {path: 'folder:path'}
          delete: {sls: no_uploads}
      criteria: [{}]

Source: resource graph document, "Building and executing".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.driver import Planned, Provisioned
from ensue.core.errors import DriverError, DriverInputError
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.near_names import near
from ensue.core.model.sensitive_paths import hide_in_changes
from ensue.core.model.unknown import Unknown, unknowns_in
from ensue.deploy.drivers._state_cookie import StateCookie, read_cookie, things_made
from ensue.deploy.drivers._state_objects import made_states
from ensue.deploy.drivers._state_outputs import outputs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ensue.core.contracts.driver import DriverRequest
    from ensue.core.contracts.managed_objects import ManagedObject
    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.returns import Return, ScopeReturn
    from ensue.deploy.drivers._state_objects import MadeStates

ALWAYS_CALLED: Final = True
KEEPS_FIRST: Final = True

_KEYS: Final = ("state", "name", "arguments", "sls", "target", "outputs", "registers", "delete")
_LISTED: Final = "a list of {resource, config}"
_OF_DELETE: Final = ("state", "name", "arguments", "sls", "target")


def check(request: DriverRequest) -> list[str]:
    """Return what is wrong with the inputs."""
    values = request.values
    if not is_mapping(values):
        return ["values are not a mapping: give `state` or `sls`"]
    return [*_wrong(values, _KEYS, ""), *_wrong_removal(values.get("delete"))]


async def create(request: DriverRequest) -> Provisioned:
    """Run the state or the SLS.

    Raises:
        DriverError: a state failed.
    """
    values = _with_params(_values(request), request)
    cookie = _begun(request, values)
    # First of all: what a failed or killed call has made is removed by this `delete`.
    await request.services.keep(msgspec.to_builtins(cookie))
    scope_return = await _run(request, values)
    cookie = cookie.succeeded(_things(request, scope_return) or {})
    outputs = outputs_of(scope_return, values)
    return Provisioned(
        values=outputs.values,
        secrets=outputs.secrets,
        cookie=msgspec.to_builtins(cookie),
        registers=_registers(values.get("registers"), {**outputs.values, **outputs.secrets}),
        changed=any(state_return.changes for state_return in scope_return.returns.values()),
        comment=_comment(scope_return.returns.values()),
        warnings=tuple(cookie.leftovers()),
    )


update = create


async def delete(request: DriverRequest) -> None:
    """Run the input `delete`, and that of earlier calls that left something; without it, nothing is undone.

    Raises:
        DriverError: a state failed.
    """
    cookie = read_cookie(request.cookie)
    for removal in () if cookie is None else cookie.removals:
        await _run(request, removal)


def leaves(cookie: DataMap | None) -> bool:
    """Return whether there is no input `delete`, so that nothing is undone."""
    known = read_cookie(cookie)
    return known is not None and not known.removals


def manages(request: DriverRequest) -> Sequence[ManagedObject]:
    """Return what the inputs make, as far as it is known."""
    if check(request) or not is_mapping(request.values):
        return ()
    made = _made_of(request, _with_params(request.values, request))
    return () if made is None else made.objects()


def managed(cookie: DataMap | None) -> Sequence[ManagedObject]:
    """Return what was made."""
    known = read_cookie(cookie)
    return () if known is None or known.made is None else known.made.objects()


def destroys(cookie: DataMap | None) -> Sequence[ManagedObject]:
    """Return what the inputs `delete` destroy; nothing without one."""
    known = read_cookie(cookie)
    return () if known is None else [each for call in known.calls for each in call.destroys()]


def _begun(request: DriverRequest, values: Mapping[str, Data]) -> StateCookie:
    """Return the cookie of a call that begins."""
    removal = values.get("delete")
    cookie = StateCookie(
        delete=dict(removal) if is_mapping(removal) else None,
        made=_made_of(request, values),
        names_secret=_has_secret(request, "delete"),
    )
    return cookie.after(read_cookie(request.cookie))


def _things(request: DriverRequest, scope_return: ScopeReturn) -> dict[str, str] | None:
    is_secret = _has_secret(request, "name")
    return things_made(scope_return, request.services.things_of, is_secret=is_secret)


def _made_of(request: DriverRequest, values: Mapping[str, Data]) -> MadeStates | None:
    return made_states(values, request.key, is_secret=_has_secret(request, "name"))


def _has_secret(request: DriverRequest, key: str) -> bool:
    """Return whether a secret is in an input, or it is one."""
    return any(path[:2] == ("values", key) or path == ("values",) for path in request.sensitive)


async def plan(request: DriverRequest) -> Planned:
    """Run the state or the SLS in test mode."""
    if not is_mapping(request.values) or unknowns_in([request.values, request.params]):
        return Planned(comment="what it is made of is known after apply")
    values = _with_params(request.values, request)
    scope_return = await _run(request, values)
    would_change = any(state_return.result is None for state_return in scope_return.returns.values())
    things = _things(request, scope_return)
    cookie = None if things is None else _begun(request, values).succeeded(things)
    remarks = () if cookie is None else tuple(cookie.leftovers())
    if would_change:
        is_left = request.cookie is None and leaves(values)
        stays = "a removal leaves what it makes: there is no `delete`" if is_left else ""
        return Planned(
            comment="; ".join(filter(None, (_comment(scope_return.returns.values()), stays))),
            changes=_changes(scope_return.returns.values(), values),
            warnings=remarks,
        )
    outputs = outputs_of(scope_return, values)
    provisioned = Provisioned(values=outputs.values, secrets=outputs.secrets)
    return Planned(would_change=request.cookie is None, outputs=provisioned, warnings=remarks)


def _values(request: DriverRequest) -> DataMap:
    if problems := check(request):
        raise DriverError("; ".join(problems))
    return request.values if is_mapping(request.values) else {}


def _with_params(values: Mapping[str, Data], request: DriverRequest) -> DataMap:
    """Return the inputs with the params of the resource filled into the arguments."""
    params: Mapping[str, Data] = request.params if is_mapping(request.params) else {}
    removal = values.get("delete")
    filled = dict(values)
    if "arguments" in values:
        filled["arguments"] = _with_param(values["arguments"], params, ("arguments",))
    if is_mapping(removal) and "arguments" in removal:
        arguments = _with_param(removal["arguments"], params, ("delete", "arguments"))
        filled["delete"] = {**removal, "arguments": arguments}
    return filled


def _with_param(data: Any, params: Mapping[str, Data], keys: tuple[str, ...]) -> Any:
    """Return an argument in which `{param: NAME}` is the param."""
    if is_mapping(data):
        if "param" in data and data.keys() <= {"param", "default"}:
            return _param(data, params, keys)
        return {key: _with_param(value, params, (*keys, str(key))) for key, value in data.items()}
    return [_with_param(value, params, keys) for value in data] if is_list(data) else data


def _param(data: Mapping[str, Data], params: Mapping[str, Data], keys: tuple[str, ...]) -> Data:
    name = str(data["param"])
    if name in params:
        return params[name]
    if "default" in data:
        return data["default"]
    raise DriverInputError(
        f"the resource has no param {name!r}{near(name, params)}: give it, or a `default` beside `param`",
        keys=keys,
    )


def _wrong(values: Mapping[str, Data], keys: Iterable[str], where: str) -> list[str]:
    known = tuple(keys)
    listed = f" (known keys: {', '.join(known)})"
    unknown = [key for key in values if key not in known]
    wrong = [f"{where}there is no key {key!r}{near(key, known) or listed}" for key in unknown]
    if ("state" in values) == ("sls" in values):
        wrong.append(f"{where}give either `state` or `sls`")
    if "sls" in values and (odd := values.keys() & {"name", "arguments"}):
        wrong.append(f"{where}{', '.join(sorted(odd))}: only a `state` has these")
    if not _may_be_mapping(values.get("arguments", {})):
        wrong.append(f"{where}`arguments` is not a mapping")
    if not _may_be_mapping(values.get("outputs", {})):
        wrong.append(f"{where}`outputs` is not a mapping of output names to ID:path")
    return [*wrong, *_wrong_registers(values.get("registers"), where)]


def _wrong_registers(given: Data | Unknown, where: str) -> list[str]:
    shape = f"{where}`registers` is neither a mapping of resources to configurations nor {_LISTED}"
    if is_list(given):
        shown = [item for item in given if not isinstance(item, Unknown)]
        are_entries = all(is_mapping(entry) and entry.keys() == {"resource", "config"} for entry in shown)
        return [] if are_entries else [shape]
    if given is None or isinstance(given, Unknown):
        return []
    if not is_mapping(given):
        return [shape]
    return [
        f"{where}`registers`: placeholders in the key {key!r} are not replaced (write {_LISTED})"
        for key in given
        if "${" in key
    ]


def _may_be_mapping(value: Data | Unknown) -> bool:
    """Return whether a value is a mapping, or may turn out to be one."""
    return isinstance(value, Unknown) or is_mapping(value)


def _wrong_removal(removal: Data | Unknown) -> list[str]:
    if removal is None or isinstance(removal, Unknown):
        return []
    return _wrong(removal, _OF_DELETE, "delete: ") if is_mapping(removal) else ["`delete` is not a mapping"]


async def _run(request: DriverRequest, values: Mapping[str, Data]) -> ScopeReturn:
    target = str(values.get("target") or "")
    function, arguments = values.get("state"), values.get("arguments") or {}
    if function:
        name = str(values.get("name") or request.key)
        given = arguments if is_mapping(arguments) else {}
        scope_return = await request.services.run_state(str(function), name, given, target=target)
    else:
        sls = values.get("sls")
        mods = [str(sls_name) for sls_name in sls] if is_list(sls) else [str(sls)]
        scope_return = await request.services.run_sls(mods, target=target)
    if scope_return.status == "failed":
        raise DriverInputError(scope_return.comment, keys=("state",) if function else ("sls",))
    failed = [state_return for state_return in scope_return.returns.values() if state_return.result is False]
    if failed:
        raise DriverError("; ".join(f"{state_return.id}: {state_return.comment}" for state_return in failed))
    return scope_return


def _registers(given: Data, outputs: Mapping[str, Data]) -> dict[str, DataMap]:
    """Fill in the configurations to register; `{output: NAME}` in one stands for an output."""
    entries: Mapping[str, Data] = given if is_mapping(given) else {}
    if is_list(given):
        entries = {str(item["resource"]): item["config"] for item in given if is_mapping(item)}
    return {str(srn): _filled(config, outputs) for srn, config in entries.items()}


def _filled(data: Any, outputs: Mapping[str, Data]) -> Any:
    if is_mapping(data):
        if data.keys() == {"output"}:
            name = str(data["output"])
            if name not in outputs:
                raise DriverError(f"registers: there is no output {name!r}{near(name, outputs)}")
            return outputs[name]
        return {key: _filled(value, outputs) for key, value in data.items()}
    return [_filled(value, outputs) for value in data] if is_list(data) else data


def _changes(returns: Iterable[Return], values: Mapping[str, Data]) -> DataMap:
    """Return what states would change: by ID, or by function for the single state of a definition."""
    return {
        state_return.id
        if "sls" in values
        else f"{state_return.module}.{state_return.function}": hide_in_changes(
            state_return.changes, state_return.sensitive
        )
        for state_return in returns
        if state_return.changes
    }


def _comment(returns: Iterable[Return]) -> str:
    """Return what states say, the first line of each: what follows is about other states of a plan."""
    return "; ".join(
        f"{state_return.comment.splitlines()[0]}{_removed_by(state_return)}"
        for state_return in returns
        if state_return.comment.strip()
    )


def _removed_by(returned: Return) -> str:
    """Return, in a plan, who removed all that the last deployment had made, in parentheses; else nothing."""
    drift: Any = returned.drift or {}
    if not drift or returned.is_query or any(change["new"] is not None for change in drift.values()):
        return ""
    return f" (removed by {returned.drift_by or 'someone else'})"
