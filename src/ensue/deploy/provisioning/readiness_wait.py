"""Wait until a resource is ready.

There is no event for a server that becomes ready, so its conditions are tried again and again, with a pause
between two attempts, until a deadline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import DriverError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.clock import Clock
    from ensue.deploy.provisioning.graph_values import GraphValues
    from ensue.deploy.provisioning.nodes import GraphNode
    from ensue.deploy.provisioning.readiness import ReadinessCondition
    from ensue.deploy.provisioning.surroundings import Probe, ProvisioningOutcome


async def not_ready(node: GraphNode, values: GraphValues, probe: Probe, clock: Clock) -> str:
    """Wait until a resource that is made is ready, and return why it is not; empty if it is.

    Args:
        node: the resource.
        values: has its outputs.
        probe: tries a condition once.
        clock: time.

    Raises:
        DriverError: its conditions are malformed, or have an output that it lacks, or an unknown value.
    """
    ready = node.ready
    if ready is None:
        return ""
    conditions = ready.read(lambda data: values.part_of(node, data))
    if unknown := [condition.subject for condition in conditions if condition.check is None]:
        raise DriverError(f"`ready`: {' and '.join(unknown)} has a value that is not known")
    end = clock.monotonic() + ready.timeout_s
    last = ""
    while True:
        reason = await _first_reason(conditions, probe, clock, end)
        if not reason:
            return ""
        # An attempt that the deadline has cut short says less than the one before.
        last = last if last and clock.monotonic() >= end else reason
        if clock.monotonic() + ready.interval_s >= end:
            return f"it is made, and was not ready within {ready.timeout_s:g} s: {last}"
        await clock.sleep(ready.interval_s)


def planned_wait(outcome: ProvisioningOutcome, node: GraphNode, values: GraphValues) -> ProvisioningOutcome:
    """Return the planned outcome of a resource with what would be waited for.

    Args:
        outcome: what would be done with the resource.
        node: the resource.
        values: has its outputs, as far as they are known.

    Raises:
        DriverError: its conditions have an output that it lacks, or are malformed.
    """
    ready, old = node.ready, outcome.old
    is_awaited = outcome.status == "unchanged" and old is not None and old.awaits_ready
    if ready is None or not (outcome.status == "planned" or is_awaited):
        return outcome
    conditions = ready.read(lambda data: values.part_of(node, data))
    words = " and ".join(f"{condition.subject} {condition.expected}" for condition in conditions)
    comment = "it is made, and is not ready yet" if is_awaited else outcome.comment
    text = f"{comment}; waits until {words} (at most {ready.timeout_s:g} s)"
    action = "wait" if is_awaited else outcome.action
    return outcome._replace(status="planned", comment=text, waits=words, action=action)


async def _first_reason(
    conditions: Sequence[ReadinessCondition], probe: Probe, clock: Clock, end: float
) -> str:
    """Try all conditions once, and return why one does not hold; empty if all of them do."""
    for condition in conditions:
        left_s = max(end - clock.monotonic(), 0.0)
        if condition.check is not None and (reason := await probe(condition.check, left_s)):
            return f"{condition.subject} {reason}"
    return ""
