"""Messages about states that other minions refer to: what a minion has, needs, and is given."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias, assert_never

import msgspec

from ensue.core.model.minion_state import MinionReturn, MinionState  # noqa: TC001 -- msgspec reads the fields' types
from ensue.salt.fleet.resource_messages import ANSWERED, ResourceAnswer

MOST_VALUE_BYTES: Final = 512 << 10
"""The most that the return of one state may have, in JSON, to be handed to another minion."""

MOST_NEEDS: Final = 1000
"""The most states of other minions that one minion may ask for."""

MOST_COMPILATIONS: Final = 20
"""How often a minion may compile in one job: once for each process that carries the job out."""

BEGIN: Final = "begin"
"""The kind of message that lets a minion begin (`Begin`)."""

RETURNED: Final = "returned"
"""The kind of message that hands a return to a minion (`Given`)."""


PAUSED: Final = "paused"
"""The kind of message that says that the coordinator was interrupted (`RunPaused`)."""

RESUMED: Final = "resumed"
"""The kind of message that says that it goes on (`RunResumed`)."""

OVER: Final = "over"
"""The kind of message that ends all waits of a minion (`RunOver`)."""


class StateName(msgspec.Struct, frozen=True, array_like=True):
    """What a reference can name a state of a minion by.

    Args:
        tag: its tag.
        module: its module path.
        id: its ID.
        name: its name.
        resource_name: its `resource_name`; empty if it has none.
        is_fanned: whether it has a `tgt`, so that it becomes one state per resource.
    """

    tag: str
    module: str
    id: str
    name: str
    resource_name: str = ""
    is_fanned: bool = False


class Need(msgspec.Struct, frozen=True):
    """A state of another minion that states of a minion name.

    Args:
        state: the state.
        by: the states that name it, each with its place.
        after: the states that cannot begin before it has returned, as indices into `MinionCompiled.states`.
    """

    state: MinionState
    by: tuple[str, ...] = ()
    after: tuple[int, ...] = ()


class MinionCompiled(msgspec.Struct, frozen=True, tag=True):
    """The states of a minion are compiled; nothing has run yet.

    Args:
        states: the states that other minions may refer to, in the order of the plan.
        needs: the states of other minions that they name. With any, the minion waits until it may begin.
    """

    states: tuple[StateName, ...]
    needs: Annotated[tuple[Need, ...], msgspec.Meta(max_length=MOST_NEEDS)] = ()


class Asked(msgspec.Struct, frozen=True, tag=True):
    """A state that was compiled during the run of the minion names states of other minions.

    Args:
        states: the states.
    """

    states: Annotated[tuple[MinionState, ...], msgspec.Meta(max_length=MOST_NEEDS)]


class Stalled(msgspec.Struct, frozen=True, tag=True):
    """Nothing goes on in the run of the minion until a state of another one has returned.

    Args:
        waiting: the states that it waits for.
    """

    waiting: Annotated[tuple[MinionState, ...], msgspec.Meta(max_length=MOST_NEEDS)]


class HeldReturn(msgspec.Struct, frozen=True, tag=True):
    """What a state has returned, if its event does not have all of it: secrets, and long texts.

    Args:
        of: the tag of the state.
        sealed: a `MinionReturn` in JSON, encrypted for the run, which is opened only if a minion asks for it.
    """

    of: str
    sealed: bytes


ValueMessage: TypeAlias = MinionCompiled | Asked | Stalled | HeldReturn
"""What a minion says about the states of others, and about its own for others."""


class Begin(msgspec.Struct, frozen=True):
    """A minion that has needs may begin, or not.

    Args:
        cycle: the states that wait for each other, one step each, so that it may not; empty: none do.
    """

    cycle: tuple[str, ...] = ()


class Given(msgspec.Struct, frozen=True):
    """What a state of another minion has returned.

    Args:
        state: the state, as it was asked for.
        returned: its return.
    """

    state: MinionState
    returned: MinionReturn


class RunPaused(msgspec.Struct, frozen=True):
    """The coordinator was interrupted; whatever it sends next ends the pause.

    Args:
        wait_s: how long a minion waits for that.
    """

    wait_s: float


class RunResumed(msgspec.Struct, frozen=True):
    """A coordinator has resumed the run."""


class RunOver(msgspec.Struct, frozen=True):
    """The coordinator has ended the run, so that no value comes any more.

    Args:
        why: why.
    """

    why: str


Handed: TypeAlias = Begin | Given | RunPaused | RunResumed | RunOver | ResourceAnswer
"""What the coordinator says to a minion."""


def kind_of(message: Handed) -> str:
    """Return the kind of a message to a minion."""
    match message:
        case Begin():
            return BEGIN
        case Given():
            return RETURNED
        case RunOver():
            return OVER
        case RunPaused():
            return PAUSED
        case RunResumed():
            return RESUMED
        case ResourceAnswer():
            return ANSWERED
        case _ as never:
            assert_never(never)


def held_name(run_id: str, minion: str, tag: str) -> str:
    """Return what a held return is sealed with."""
    return msgspec.json.encode(["held", run_id, minion, tag]).decode()


def plain(message: Handed) -> Any:
    """Return a message to a minion as the content of a message of its kind."""
    return msgspec.to_builtins(message)
