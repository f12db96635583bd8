"""The differences between two deployment sets, as a deployment delta.

Source: Humanitec, "Deployment Delta": modules that are added, removed and updated, with operations of JSON
Patch (RFC 6902) for what is updated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ensue.core.model.data import is_mapping
from ensue.deploy.provisioning.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

KNOWN_LATER: Final = "(known after deploy)"
"""How a plan writes a value that only the deployment determines."""

_MISSING = object()


class SetContents(NamedTuple):
    """What a deployment set deploys.

    Args:
        workloads: by name, the module of a deployment set, or a whole Score file; images are filled in.
        shared: the shared resources of deployment sets by name.
        values: values of the environment.
    """

    workloads: dict[str, Any]
    shared: dict[str, Any]
    values: dict[str, Any]


class ValueDifference(NamedTuple):
    """A value that differs.

    Args:
        path: where it is, as a JSON pointer (`/spec/containers`).
        op: `add`, `remove` or `replace`.
        before: the value before; None if it is added.
        after: the value after; None if it is removed or known later.
        known_after: the placeholder that determines the value after, which is not known yet; empty: it is
            known.
    """

    path: str
    op: str
    before: Any
    after: Any
    known_after: str = ""

    @property
    def operation(self) -> dict[str, Any]:
        """The operation that makes the change."""
        value = {} if self.op == "remove" else {"value": self.after}
        return {"op": self.op, "path": self.path, **value}

    @property
    def as_change(self) -> dict[str, Any]:
        """The change, with the values before and after it as far as there are any."""
        before = {} if self.op == "add" else {"old": self.before}
        new = {"known_after": self.known_after} if self.known_after else {"new": self.after}
        after = {} if self.op == "remove" else new
        return {"op": self.op, "path": self.path, **before, **after}


class Delta(NamedTuple):
    """What differs between the named parts of two sets.

    Args:
        added: the parts that only the second set has.
        removed: the names of the parts that only the first set has.
        updated: of each part that differs, what differs.
    """

    added: dict[str, Any]
    removed: list[str]
    updated: dict[str, list[ValueDifference]]

    def __bool__(self) -> bool:
        """Whether anything differs."""
        return bool(self.added or self.removed or self.updated)


def delta(before: Mapping[str, Any], after: Mapping[str, Any]) -> Delta:
    """Return what differs between the workloads, or the shared resources, of two sets.

    Args:
        before: the parts of the first set by name.
        after: the parts of the second set by name.
    """
    both = sorted(before.keys() & after.keys())
    updated = {name: list(differences(before[name], after[name])) for name in both}
    return Delta(
        added={name: after[name] for name in sorted(after.keys() - before.keys())},
        removed=sorted(before.keys() - after.keys()),
        updated={name: value_differences for name, value_differences in updated.items() if value_differences},
    )


def differences(before: Any, after: Any, path: str = "") -> Iterator[ValueDifference]:
    """Yield what differs between two values: single values of mappings, and whole lists.

    Args:
        before: the first one.
        after: the second one.
        path: where they are.
    """
    if is_mapping(before) and is_mapping(after):
        for key in sorted(before.keys() | after.keys(), key=str):
            inside = path + pointer(str(key))
            yield from _differences_of(before.get(key, _MISSING), after.get(key, _MISSING), inside)
    else:
        yield from _differences_of(before, after, path)


def pointer(name: str) -> str:
    """Return the JSON pointer of the value with a name in a mapping."""
    return "/" + name.replace("~", "~0").replace("/", "~1")


def names_of(path: str) -> tuple[str, ...]:
    """Return the names in a JSON pointer."""
    return tuple(name.replace("~1", "/").replace("~0", "~") for name in path.split("/")[1:])


def _differences_of(before: Any, after: Any, path: str) -> Iterator[ValueDifference]:
    if before is _MISSING:
        yield ValueDifference(path, "add", None, after)
    elif after is _MISSING:
        yield ValueDifference(path, "remove", before, None)
    elif is_mapping(before) and is_mapping(after):
        yield from differences(before, after, path)
    elif canonical(before) != canonical(after):
        yield ValueDifference(path, "replace", before, after)
