"""Which states, in a plan, a state waits for that only an apply carries out.

While a state that it requires is yet to change something, a state may read in a plan what it will not read in
the apply, or fail to read it. The same holds for an earlier state that would make just what it reads. A state
that needs what no earlier state can make fails in the plan, as it will in the apply.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.data import is_mapping
from ensue.core.model.requisite import RequisiteKind
from ensue.engine.returns import known_later

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ensue.core.model.requisite import Requisite
    from ensue.core.model.returns import StateReturn
    from ensue.core.model.srn import Srn
    from ensue.engine.node import Node, Scope

_MOST_NAMED: Final = 3
_KINDS: Final = frozenset({
    RequisiteKind.REQUIRE, RequisiteKind.WATCH, RequisiteKind.ONCHANGES, RequisiteKind.ARG_BIND,
})  # fmt: skip
"""The requisites that name what is carried out before."""


def pending_states(node: Node) -> tuple[str, ...]:
    """Return the IDs of the states that would change something and that a node requires, also through others.

    Args:
        node: the node; everything that its requisites name is over.
    """
    scope = node.scope
    pending: dict[str, None] = {}
    seen: set[int] = set()
    waiting = list(_required(scope, node.chunk.requisites))
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        returned = scope.result_of(index)
        if returned is not None and returned.result is None:
            pending[returned.id] = None
        waiting += _required(scope, scope.nodes[index].chunk.requisites)
    return tuple(sorted(pending))


class PendingStates:
    """The states of a plan that would change something, by what they would make.

    Args:
        ordered: whether the states of a target run in the order of the plan; otherwise only requisites say
            that a state runs before another one.
    """

    def __init__(self, *, ordered: bool) -> None:
        self._ordered = ordered
        self._ids: dict[tuple[Srn, str], str] = {}
        self._folders: set[tuple[Srn, str]] = set()
        self._may_make_anything: set[Srn] = set()
        self._may_make_any_path: set[Srn] = set()
        self._changing: dict[Srn, dict[str, None]] = {}

    def add(self, node: Node, function_return: StateReturn, makes: Collection[str] | None) -> None:
        """Note what a state would make, if it belongs to a plan and would change something.

        Args:
            node: the state.
            function_return: its return.
            makes: what its function makes at most; None: anything.
        """
        if function_return.result is not None or not node.scope.test or not self._ordered:
            return
        if [*function_return.changes] == ["removed"]:
            return  # It makes nothing.
        self._changing.setdefault(node.target, {})[node.chunk.id] = None
        for name in (function_return.name, *node.chunk.options.creates):
            own, *folders = _with_folders(name)
            self._ids.setdefault((node.target, own), node.chunk.id)
            self._folders.update((node.target, folder) for folder in folders)
        if makes is None or node.chunk.options.delayed_render:
            self._may_make_anything.add(node.target)
        elif "paths" in makes:
            self._may_make_any_path.add(node.target)

    def judged(self, node: Node, function_return: StateReturn) -> StateReturn:
        """Return what a state of a plan returned; as a failure if it needs what no earlier state can make.

        Args:
            node: the state.
            function_return: its return.
        """
        problems = [need.problem for need in function_return.needs if not self._may_make(node, need.name)]
        if not problems:
            return function_return
        comment = "; ".join(problems)
        return msgspec.structs.replace(function_return, result=False, comment=comment, changes={})

    def reread(self, node: Node, function_return: StateReturn) -> StateReturn:
        """Return a failure of a plan as unknown, if its command may read what an earlier state makes.

        What a command reads is not known, so any change of its target before it may be what it lacks.

        Args:
            node: the state; only one that is `read_only` runs its command in a plan.
            function_return: its return, a failure.
        """
        changing, observed = self._changing.get(node.target, ()), function_return.new_state
        code = observed.get("retcode") if is_mapping(observed) else None
        if not changing or not code or node.chunk.arguments.get("read_only") is not True:
            return function_return
        errors = function_return.changes.get("stderr")
        reason = errors.strip().partition("\n")[0] if isinstance(errors, str) else ""
        now = f"exited {code}: {reason}" if reason else f"exited {code}"
        return known_later(function_return.name, now, [*changing][:_MOST_NAMED])

    def _may_make(self, node: Node, name: str) -> bool:
        """Return whether a state that comes before a node may make what it needs."""
        target = node.target
        if not self._ordered or target in self._may_make_anything or self.makers(node, [name]):
            return True
        is_path = name.startswith("/")
        return is_path and (target in self._may_make_any_path or (target, _normal(name)) in self._folders)

    def makers(self, node: Node, names: Iterable[str], *, with_required: bool = True) -> tuple[str, ...]:
        """Return the IDs of the states that come before a state and would make what it needs.

        Args:
            node: the state; everything that its requisites name is over.
            names: paths, or names of users; a state that makes a folder makes what is in it.
            with_required: whether the states that it requires count whatever they make.

        Returns:
            The IDs, sorted, of these and of earlier states of its target with such a name.
        """
        if not node.scope.test:
            return ()
        named = (self._ids.get((node.target, part)) for name in names for part in _with_folders(name))
        required = pending_states(node) if with_required else ()
        return tuple(sorted({*required, *filter(None, named)}))

    def makers_of(self, node: Node, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the IDs of the other states that come before a state and whose own path is one of some.

        Args:
            node: the state.
            paths: the paths.
        """
        if not node.scope.test:
            return ()
        makers = {self._ids.get((node.target, _normal(path))) for path in paths} - {node.chunk.id}
        return tuple(sorted(filter(None, makers)))


def _normal(name: str) -> str:
    return posixpath.normpath(name) if name.startswith("/") else name


def _with_folders(name: str) -> list[str]:
    """Return a name, and of a path the folders above it without the root."""
    names = [_normal(name)]
    while names[-1].startswith("/") and (folder := posixpath.dirname(names[-1])) != "/":
        names.append(folder)
    return names


def _required(scope: Scope, requisites: tuple[Requisite, ...]) -> set[int]:
    """Return the chunks that requisites name; none of alternatives of which one needs no change."""
    required: set[int] = set()
    for requisite in requisites:
        if requisite.kind not in _KINDS:
            continue
        results = [returned.result for index in requisite.chunks if (returned := scope.result_of(index))]
        if not (requisite.any and True in results):
            required.update(requisite.chunks)
    return required
