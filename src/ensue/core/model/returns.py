"""The return of a state, and the fields that the engine adds.

Source: Salt's state returns (`name result changes comment`), Idem's `new_state`/`old_state`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self

import msgspec

from ensue.core.model.state_identity import StateIdentity

if TYPE_CHECKING:
    from ensue.core.model.data import Data, DataMap


class UnmetNeed(msgspec.Struct, frozen=True):
    """What a state needs and its target does not have.

    Args:
        name: the absolute path, or the name of the user or group.
        problem: the comment of the failed state.
    """

    name: str
    problem: str


class StateReturn(msgspec.Struct, frozen=True):
    """The return of a state function; `unchanged`, `planned`, `changed` and `failed` make the usual ones.

    Args:
        name: the state's `name`.
        result: True: the desired state holds; False: it does not; None: in test mode, it would change.
        changes: what changed (or would), in the shape of Salt's function of that name.
        comment: one sentence or several lines for a person.
        new_state: the object's state now; bindings read it. None: not known.
        old_state: its state before.
        sensitive: property paths into `new_state` whose values are secrets.
        warnings: remarks that do not change the result.
        preview: in test mode, the beginning of content that would be written, without secrets.
        needs: in test mode, what is missing: the state fails unless an earlier one makes it.
    """

    name: str
    result: bool | None
    changes: DataMap = {}
    comment: str = ""
    new_state: Data = None
    old_state: Data = None
    sensitive: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    preview: str = ""
    needs: tuple[UnmetNeed, ...] = ()

    @classmethod
    def unchanged(
        cls,
        name: str,
        comment: str,
        new_state: Data = None,
        *,
        sensitive: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> Self:
        """Return that the desired state holds already (True, without changes)."""
        return cls(name, True, {}, comment, new_state, None, sensitive, warnings)

    @classmethod
    def planned(
        cls,
        name: str,
        comment: str,
        changes: DataMap | None = None,
        *,
        old_state: Data = None,
        sensitive: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> Self:
        """Return, in test mode, that an apply would change something (None)."""
        return cls(name, None, changes or {}, comment, None, old_state, sensitive, warnings)

    @classmethod
    def changed(
        cls,
        name: str,
        comment: str,
        changes: DataMap,
        new_state: Data = None,
        *,
        old_state: Data = None,
        sensitive: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> Self:
        """Return that the desired state holds after changes (True)."""
        return cls(name, True, changes, comment, new_state, old_state, sensitive, warnings)

    @classmethod
    def failed(
        cls, name: str, comment: str, changes: DataMap | None = None, *, warnings: tuple[str, ...] = ()
    ) -> Self:
        """Return that the desired state does not hold (False); `changes` has what changed nevertheless."""
        return cls(name, False, changes or {}, comment, warnings=warnings)


class SkippedReturn(StateReturn, frozen=True):
    """The return of a state whose function was not called because one of its conditions was not met."""


RETRIED: Final = "retried"
"""The status of a scope whose state was tried again."""


class ScopeReturn(msgspec.Struct, kw_only=True):
    """The outcome of one growth: a delayed block or SLS, or growth that a function requested.

    Args:
        kind: `block` or `sls`; if a function requested it, `apply` (SLS), `deployment` or `state`.
        name: the block's or SLS's bare name.
        scope: the path of the scope (`caller/name`, `#2` and so on when repeated).
        status: `done`, `failed`, `deferred`, `not_rendered`, or `retried`: it belongs to an attempt that was
            followed by another one (`retry`), which counts instead.
        comment: the reason, unless it is `done`.
        target: the SRN the scope ran against, as text; empty for a delayed rendering on the target that the
            SLS of its caller is rendered for.
        returns: the returns of its chunks by tag, in order of start; empty unless `done`.
        waits_for: why a plan cannot render it, if that is not its caller; empty for any other scope.
    """

    kind: str
    name: str
    scope: str
    status: str
    comment: str = ""
    target: str = ""
    returns: dict[str, Return] = {}
    waits_for: str = ""

    @property
    def is_delayed(self) -> bool:
        """Whether it is a delayed rendering, rather than growth that a function requested and awaited."""
        return self.kind in {"block", "sls"}

    @property
    def counts(self) -> bool:
        """Whether its returns count for the outcome of the run."""
        return self.status != RETRIED

    @property
    def numbered_name(self) -> str:
        """The name, with `#2` and so on appended if repeated."""
        return numbered_name(self.name, self.scope)


def numbered_name(name: str, scope: str) -> str:
    """Return a scope's name with the number that its path ends with: `#2` and so on when repeated."""
    number = scope.rpartition(f"/{name}")[2]
    return f"{name}{number}" if number.startswith("#") else name


class UnknownReturn(StateReturn, frozen=True):
    """The return of a state that a plan cannot call, because a value is known only after an apply."""


class PreventedReturn(StateReturn, frozen=True):
    """The return of a state that was not called because others failed: its result is True if it only reacts.

    Args:
        causes: the IDs of the first states that failed; those that were themselves prevented do not count.
    """

    causes: tuple[str, ...] = ()


class UnreachableReturn(StateReturn, frozen=True):
    """The return of a state that failed because its target cannot be reached."""


class Return(msgspec.Struct, omit_defaults=True):
    """A state's return as it is in results, journal and JSON.

    The fields of `StateReturn`, and: `id`, `sls`, `run_num` (dense, in order of start, over the
    whole run), `scope` (`""` at the top), `target` (SRN as text), `start_time` (ISO 8601, local),
    `duration_ms`, `ran` and `skipped` (result True without a call) for the engine's own use,
    `unreachable` (its target cannot be reached),
    and the growth it caused: `delayed` (delayed renderings) and `applied` (SLS applied to another target).
    In a plan, `unknown` is True if only an apply can show what the state would do, and `drift` has the
    differences from the last apply: colon path to `{"old": …, "new": …}`. `foreseen` has, in a plan, the
    resources that the state `registers`, and under `applies` the SLS that it or the highstate of such a
    resource would apply: mappings with `target`, `sls`, and `complete` (False: there may be others); of
    blocks that are not rendered yet, `undecided` has such mappings for what they registered before;
    `checks` has the commands of the function's own `check_cmd`, which only an apply runs.
    `preview` has, in a plan, the beginning of content that would be written.
    For a run that resumes this one, `fingerprint` identifies the arguments of the call, `read` names the
    other inputs of the call (files, pillar, grains), and `read_mark` is a keyed fingerprint of those inputs.
    `handled_by` is, of a failure, the ID of the `onfail` state with `onfail_stop: false` that handled it, and
    `handles` has the tags of the failures that this state handled: they do not fail the run.
    `is_query` says, in a plan, that its `drift` is in the output of a call: nobody has changed a thing.
    `drift_by` names, in a plan, the state that left the thing as its `drift` says, and the run of that state;
    it is empty if it was no state of the project.
    `placed` has the arguments that say where the thing of its name is, such as the host of a server.
    `scope_identity` is the identity of the scope (`state_identity`), empty at the top.
    `causes` has, of a state that was not called because others failed, the IDs of the first of these.
    `owed` says of a failure that it was to react to a change: later runs owe that, until it has succeeded.
    `attempts` says of a failure how often the state was tried, if `retry` had it tried again.
    """

    tag: str
    id: str
    name: str
    sls: str
    module: str
    function: str
    scope: str
    target: str
    result: bool | None
    changes: DataMap
    comment: str
    new_state: Data = None
    old_state: Data = None
    sensitive: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    run_num: int = 0
    start_time: str = ""
    duration_ms: float = 0.0
    ran: bool = True
    skipped: bool = False
    unknown: bool = False
    place: str = ""
    drift: DataMap | None = None
    foreseen: dict[str, Any] | None = None
    fingerprint: int = 0
    read: tuple[str, ...] = ()
    read_mark: str = ""
    delayed: tuple[ScopeReturn, ...] = ()
    applied: tuple[ScopeReturn, ...] = ()
    scope_identity: str = ""
    unreachable: bool = False
    preview: str = ""
    handled_by: str = ""
    handles: tuple[str, ...] = ()
    is_query: bool = False
    drift_by: str = ""
    owed: bool = False
    causes: tuple[str, ...] = ()
    placed: tuple[str, ...] = ()
    attempts: int = 0

    @property
    def identity(self) -> StateIdentity:
        """The identity of its state."""
        return StateIdentity(self.target, self.scope_identity, self.tag)

    def as_data(self) -> dict[str, Any]:
        """Return the mapping that `prev_ret` contains, with Salt's key names and the growth it caused."""
        data = self.own_data()
        for key, scopes in (("delayed", self.delayed), ("applied", self.applied)):
            if scopes:
                data[key] = [_scope_data(scope) for scope in scopes]
        return data

    def own_data(self) -> dict[str, Any]:
        """Return the mapping of `as_data` without the growth."""
        data: dict[str, Any] = {
            "name": self.name,
            "changes": self.changes,
            "result": self.result,
            "comment": self.comment,
            "new_state": self.new_state,
            "old_state": self.old_state,
            "__id__": self.id,
            "__sls__": self.sls,
            "__run_num__": self.run_num,
            "__scope__": self.scope,
            "__target__": self.target,
            "start_time": self.start_time,
            "duration": self.duration_ms,
        }
        if self.drift:
            data["drift"] = self.drift
        if self.drift_by:
            data["drift_by"] = self.drift_by
        if self.foreseen:
            data["foreseen"] = self.foreseen
        if self.preview:
            data["preview"] = self.preview
        if self.unreachable:
            data["unreachable"] = True
        if self.handled_by:
            data["handled_by"] = self.handled_by
        if self.handles:
            data["handles"] = list(self.handles)
        if self.owed:
            data["owed"] = True
        if self.warnings:
            data["warnings"] = list(self.warnings)
        return data


def _scope_data(scope: ScopeReturn) -> dict[str, Any]:
    data: dict[str, Any] = {
        "kind": scope.kind,
        "name": scope.name,
        "scope": scope.scope,
        "status": scope.status,
        "comment": scope.comment,
        "returns": {tag: returned.as_data() for tag, returned in scope.returns.items()},
    }
    if scope.target:
        data["target"] = scope.target
    return data
