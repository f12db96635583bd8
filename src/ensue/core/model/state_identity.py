"""The identity of a state, and so of its value: the same in every run, whatever else runs.

Two states of one ID and name are different states if their scopes differ: a block that two states call, or
that one state calls twice, has a scope for each of these calls. The path of a scope that users see numbers
such calls in the order in which they happen, which another run may change; `ScopeStep` does not.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple, TypeAlias

import msgspec

ScopeShape: TypeAlias = "tuple[str, ...]"
"""What two scopes have in common that differ in their callers only."""

_PARTS: Final = re.compile(r'(?:"(?:\\.|[^"\\])*"|[^/"])+', re.DOTALL)
_CALLER: Final = re.compile(r'("(?:\\.|[^"\\])*"|[^@]*)(.*)', re.DOTALL)
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
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


class CallerWords(NamedTuple):
    """How an identity names one of the states that lead to a scope.

    Args:
        tag: the tag of the state.
        rest: `@TARGET`, if it has another target than the scope, and the `/KIND:NAME` that it caused.
        above: the identity of the scope that it is in.
    """

    tag: str
    rest: str
    above: str


def callers_of(identity: str) -> list[CallerWords]:
    """Return the states that lead to a scope, the outermost first."""
    parts = _PARTS.findall(identity)
    callers: list[CallerWords] = []
    for number in range(0, len(parts) - 1, 2):
        matched = _CALLER.fullmatch(parts[number])
        tag, elsewhere = matched.groups() if matched else (parts[number], "")
        if tag.startswith('"'):
            tag = _ESCAPED.sub(r"\1", tag[1:-1])
        callers.append(CallerWords(tag, f"{elsewhere}/{parts[number + 1]}", "/".join(parts[:number])))
    return callers


def shape_of(identity: str) -> ScopeShape:
    """Return what an identity says of a scope beside its callers."""
    return tuple(caller.rest for caller in callers_of(identity))


def _quoted(part: str) -> str:
    if _SPECIAL.isdisjoint(part):
        return part
    escaped = part.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
