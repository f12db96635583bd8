"""Messages about derived resources: what a minion registers, looks up, and has called on those of others."""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias

import msgspec

from ensue.core.contracts.other_resources import Withdrawal  # noqa: TC001 -- msgspec reads the fields' types
from ensue.core.model.resource import DeclaredBy  # noqa: TC001
from ensue.core.model.resource_call import ResourceCall, ResourceReturn  # noqa: TC001

MOST_RESOURCES: Final = 10_000
"""The most resources that one minion may register at a time, and may be shown at a time."""

MOST_CALL_BYTES: Final = 512 << 10
"""The most that the call of a state on a resource of another minion, or its return, may have in JSON."""

ANSWERED: Final = "answered"
"""The kind of message that answers a question (`ResourceAnswer`)."""


class SharedResource(msgspec.Struct, frozen=True, kw_only=True):
    """A resource that a minion registers.

    Args:
        srn: its name.
        config: how its minion connects to it.
        source: what it was derived from; empty: nothing.
        ttl_s: seconds after which it is invalid; None: never.
        declared_by: the declaration that registers it.
    """

    srn: str
    config: dict[str, Any]
    source: str = ""
    ttl_s: float | None = None
    declared_by: DeclaredBy | None = None


class Share(msgspec.Struct, frozen=True, tag=True):
    """Register resources, all of them or none.

    Args:
        resources: the resources.
    """

    resources: Annotated[tuple[SharedResource, ...], msgspec.Meta(max_length=MOST_RESOURCES)]


class Withdraw(msgspec.Struct, frozen=True, tag=True):
    """Resources of the minion can no longer be targeted.

    Args:
        srns: their names.
        how: what has happened to them.
        reason: why.
    """

    srns: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_RESOURCES)]
    how: Withdrawal
    reason: str = ""


class FindResources(msgspec.Struct, frozen=True, tag=True):
    """Which resources of other minions can be targeted?"""


class CallOn(msgspec.Struct, frozen=True, tag=True):
    """Call a state on a resource of another minion.

    Args:
        minion: the minion that manages it.
        call: the call.
    """

    minion: str
    call: ResourceCall


Question: TypeAlias = Share | Withdraw | FindResources | CallOn


class ResourceAsked(msgspec.Struct, frozen=True, tag=True):
    """A minion asks the coordinator for something that concerns resources.

    Args:
        id: identifies the question in the run; the answer has it, too.
        question: the question.
    """

    id: Annotated[str, msgspec.Meta(max_length=64)]
    question: Question


class ResourceAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """The answer to a question.

    Args:
        id: that of the question.
        problem: why it was not done; empty if it was.
        is_conflict: whether the resource itself is the problem, and not the way to it.
        resources: the names of the resources of each minion, if the question was which there are.
        returned: what the called state has returned, if one was to be called.
    """

    id: str
    problem: str = ""
    is_conflict: bool = False
    resources: dict[str, tuple[str, ...]] = {}
    returned: ResourceReturn | None = None


class Worked(msgspec.Struct, frozen=True, tag=True):
    """A minion has called a state on one of its resources for another minion.

    Args:
        id: the id of the question that asked for it.
        returned: what the state has returned; None: it was not called.
        problem: why it was not called.
    """

    id: str
    returned: ResourceReturn | None = None
    problem: str = ""


class ResourceWork(msgspec.Struct, frozen=True):
    """Calls that a minion carries out on its resources, as it gets them: sealed for it.

    Args:
        calls: the calls, by the id of the question.
    """

    calls: dict[str, ResourceCall] = {}


ResourceMessage: TypeAlias = ResourceAsked | Worked
"""What a minion says about resources."""
