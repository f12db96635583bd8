"""The identity of a state, and so of its value: the same in every run, whatever else runs.

Two states of one ID and name are different states if their scopes differ: a block that two states call, or
that one state calls twice, has a scope for each of these calls. The path of a scope that users see numbers
such calls in the order in which they happen, which another run may change; `ScopeStep` does not.
"""

from __future__ import annotations

from typing import Final

import msgspec

_SPECIAL: Final = frozenset('/"\\@#')
"""Characters that have a meaning between the parts of an identity."""


class StateIdentity(msgspec.Struct, frozen=True, gc=False):
    """What distinguishes a state from every other one of a project.

    Args:
        target: the SRN it runs against, as text.
        scope: the identity of its scope; empty at the top.
        tag: its tag.
    """

    target: str
    scope: str
    tag: str


class ScopeStep(msgspec.Struct, frozen=True, kw_only=True):
    """How a scope was opened from the scope around it.

    Args:
        caller: the tag of the state that caused it.
        caller_target: the SRN of that state, as text.
        target: the SRN of the scope, as text.
        kind: the kind of growth.
        name: the block or SLS.
        number: 1 for the first scope of that kind, name and target in one call of the state.
    """

    caller: str
    caller_target: str
    target: str
    kind: str
    name: str
    number: int


def scope_identity(above: str, step: ScopeStep) -> str:
    """Return the identity of a scope; together with the scope's target, it has only one reading.

    Args:
        above: the identity of the scope around it; empty at the top.
        step: how it was opened.

    Returns:
        `TAG/KIND:NAME` after that of the scope around it; with `@TARGET` after the tag if the caller has
        another target than the scope, and `#2` and so on for a repetition. Parts that contain one of these
        signs are in quotes.
    """
    elsewhere = "" if step.caller_target == step.target else f"@{_quoted(step.caller_target)}"
    number = "" if step.number == 1 else f"#{step.number}"
    own = f"{_quoted(step.caller)}{elsewhere}{growth_of(step.kind, step.name)}{number}"
    return f"{above}/{own}" if above else own


def growth_of(kind: str, name: str) -> str:
    """Return how a block or SLS is named in the identities of its scopes: `/KIND:NAME`.

    Args:
        kind: the kind of growth.
        name: the block or SLS.
    """
    return f"/{kind}:{_quoted(name)}"


def _quoted(part: str) -> str:
    if _SPECIAL.isdisjoint(part):
        return part
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
