"""The cookie of the driver `state`: what was made, how to remove it, and what was made under earlier inputs.

A call writes it before its states run, so that `delete` also removes what a failed or killed call has made.
What an earlier call made and the latest one no longer declares stays; it is removed with the resource.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.masking import MASK
from ensue.core.model.fan_out import parts_of
from ensue.deploy.drivers._state_objects import (
    MadeStates,
    destroyed_objects,
    made_states,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from ensue.core.contracts.managed_objects import ManagedObject
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return, ScopeReturn


class EarlierCall(msgspec.Struct, frozen=True, kw_only=True):
    """What one call was given and has made.

    Args:
        delete: its input `delete`; None: there was none.
        made: what its inputs made; None: an earlier version did not record it.
        names_secret: whether a secret is in `delete`.
        things: what its states made, as messages name it, by target and thing; none: it has not succeeded, or
            an earlier version did not record it.
    """

    delete: dict[str, Any] | None = None
    made: MadeStates | None = None
    names_secret: bool = False
    things: dict[str, str] = {}

    def left_by(self, later: EarlierCall) -> list[str]:
        """Return what this call made and a later one no longer declares, as messages name it."""
        if self.things:
            return [name for thing, name in self.things.items() if thing not in later.things]
        if self.made is None or self.delete is None or later.made is None:
            return []
        return [] if self.made.identity == later.made.identity else [self.made.words]

    def destroys(self) -> Sequence[ManagedObject]:
        """Return what its input `delete` destroys; nothing without it."""
        if self.delete is None:
            return ()
        return destroyed_objects(self.made, made_states(self.delete, "", is_secret=self.names_secret))


class StateCookie(EarlierCall, frozen=True, kw_only=True):
    """What the latest call was given and has made.

    Args:
        former: earlier calls, the latest first, of which something may be left.
    """

    former: list[EarlierCall] = []

    @property
    def calls(self) -> tuple[EarlierCall, ...]:
        """The latest call, and the earlier ones."""
        return (self, *self.former)

    @property
    def removals(self) -> list[dict[str, Any]]:
        """The inputs `delete` of all calls, the latest first, each once."""
        removals: list[dict[str, Any]] = []
        for call in self.calls:
            if call.delete is not None and call.delete not in removals:
                removals.append(call.delete)
        return removals

    def after(self, before: StateCookie | None) -> StateCookie:
        """Return this cookie of a call that begins, with those before it of which something may be left."""
        if before is None:
            return self
        is_same = (before.delete, before.made) == (self.delete, self.made)
        things = before.things if is_same else {}
        former = before.former if is_same else [_as_call(before), *before.former]
        return msgspec.structs.replace(self, things=things, former=former)

    def succeeded(self, things: Mapping[str, str]) -> StateCookie:
        """Return this cookie after its call has made things; earlier calls that left nothing are dropped.

        Args:
            things: see `EarlierCall`.
        """
        now = msgspec.structs.replace(self, things=dict(things))
        calls = [_as_call(self), *self.former] if self.left_by(now) else self.former
        return msgspec.structs.replace(now, former=[call for call in calls if call.left_by(now)])

    def leftovers(self) -> list[str]:
        """Return a remark per earlier call that made something which nothing declares any more."""
        remarks: list[str] = []
        for call in self.former:
            fate = (
                "nothing removes it: there was no `delete`"
                if call.delete is None
                else "the `delete` of then runs when the resource is removed"
            )
            names = ", ".join(call.left_by(self))
            remarks.append(
                f"what it made before stays, and its definition no longer declares it: {names} ({fate})"
            )
        return remarks


def read_cookie(cookie: DataMap | None) -> StateCookie | None:
    """Return a cookie; None: there is none, so that nothing was made."""
    return None if cookie is None else msgspec.convert(cookie, StateCookie)


def things_made(
    scope_return: ScopeReturn, things_of: Callable[[Return], Iterable[str]], *, is_secret: bool
) -> dict[str, str] | None:
    """Return what states make, as messages name it, by target and thing; None: it is not known yet.

    Args:
        scope_return: the states.
        things_of: returns the things that a state makes.
        is_secret: whether the names have a secret in them.
    """
    things: dict[str, str] = {}
    for returned in _all(scope_return):
        if returned is None:
            return None
        name = MASK if is_secret else returned.name
        for thing in things_of(returned):
            things[f"{returned.target} {thing}"] = f"{returned.module}.{returned.function} {name}"
    return things


def _all(scope: ScopeReturn) -> Iterator[Return | None]:
    """Yield the states of a scope and of the scopes below; None for what is not known yet."""
    if scope.status != "done":
        yield None
        return
    for returned in scope.returns.values():
        for part in parts_of(returned):
            yield None if part.unknown else part
            for below in (*part.delayed, *part.applied):
                if below.counts:
                    yield from _all(below)


def _as_call(cookie: StateCookie) -> EarlierCall:
    return EarlierCall(
        delete=cookie.delete, made=cookie.made, names_secret=cookie.names_secret, things=cookie.things
    )
