"""Which states, in a plan, a state waits for that only an apply carries out.

While a state that it requires is yet to change something, a state may read in a plan what it will not read in
the apply, or fail to read it. The same holds for an earlier state that would make just what it reads. A state
that needs what no earlier state can make fails in the plan, as it will in the apply.
"""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING, Final, TypeGuard

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.requisite import RequisiteKind
from ensue.core.model.returns import UnknownReturn
from ensue.engine.returns import known_later

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from ensue.core.model.data import DataMap
    from ensue.core.model.requisite import Requisite
    from ensue.core.model.returns import Return, StateReturn
    from ensue.core.model.srn import Srn
    from ensue.engine.callees import Callee
    from ensue.engine.node import Node, Scope

MOST_NAMED: Final = 3
_SHELL_SIGNS: Final = re.compile(r"[\s'\"=:;|&<>()`]+")
"""What separates a path from the rest of a command line."""
_NO_ARGUMENT: Final = frozenset({"name", "paths"})
"""The words of `makes_only` that are no arguments with a path."""
_KINDS: Final = frozenset({
    RequisiteKind.REQUIRE, RequisiteKind.WATCH, RequisiteKind.ONCHANGES, RequisiteKind.ARG_BIND,
})  # fmt: skip
"""The requisites that name what is carried out before."""


def pending_states(node: Node) -> tuple[str, ...]:
    """Return the IDs of the states that would change something and that a node requires, also through others.

    Args:
        node: the node; everything that its requisites name is over.
    """
    return tuple(sorted({returned.id for returned, _ in _pending(node)}))


def _pending(node: Node) -> Iterator[tuple[Return, Node]]:
    """Yield the states that would change something and that a node requires, also through others."""
    scope = node.scope
    seen: set[int] = set()
    waiting = list(_required(scope, node.chunk.requisites))
    while waiting:
        index = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        returned = scope.result_of(index)
        if returned is not None and returned.result is None:
            yield returned, scope.nodes[index]
        waiting += _required(scope, scope.nodes[index].chunk.requisites)


class PendingStates:
    """The states of a plan that would change something, by what they would make.

    Args:
        ordered: whether the states of a target run in the order of the plan; otherwise only requisites say
            that a state runs before another one.
    """

    def __init__(self, *, ordered: bool) -> None:
        self._ordered = ordered
        self._by_sls: dict[tuple[Scope | None, Srn], _PendingThings] = {}

    def add(self, node: Node, function_return: StateReturn, callee: Callee | None) -> None:
        """Note what a state would make.

        Args:
            node: the state, which belongs to a plan and would change something.
            function_return: its return.
            callee: its function; None if it is not known.
        """
        if not self._ordered:
            return
        things, id_, makes = self._own(node), node.chunk.id, callee.makes if callee else None
        things.changing[id_] = None
        removed = _removed(node, function_return, makes or ())
        for path in removed:
            own, *folders = _with_folders(path)
            things.removers.setdefault(own, id_)
            for folder in folders:
                things.changers_below.setdefault(folder, id_)
        if not function_return.changes:
            things.removers_perhaps.setdefault(_normal(node.chunk.name), id_)
        if [*function_return.changes] == ["removed"]:
            return  # It makes nothing.
        paths = {key for key in function_return.changes if _is_path(key)} - {*removed}
        named = [*paths, function_return.name, *node.chunk.options.creates]
        for name in named:
            own, *folders = _with_folders(name)
            is_edit = callee is not None and callee.edits_part
            (things.editors if is_edit else things.makers).setdefault(own, id_)
            for folder in folders:
                things.folders.setdefault(folder, id_)
                things.changers_below.setdefault(folder, id_)
        if makes is None or node.chunk.options.delayed_render:
            things.makers_of_anything[id_] = None
        elif "paths" in makes:
            things.makers_of_paths[id_] = None

    def add_rendering(self, node: Node) -> None:
        """Note that a state of a plan has a delayed rendering that only an apply carries out."""
        if self._ordered:
            things = self._own(node)
            things.changing[node.chunk.id] = things.makers_of_anything[node.chunk.id] = None

    def _own(self, node: Node) -> _PendingThings:
        """Return what the SLS that a state belongs to would make on its target."""
        top = None if _is_of_its_host(node) else node.scope.top
        return self._by_sls.setdefault((top, node.target), _PendingThings())

    def _before(self, node: Node) -> list[_PendingThings]:
        """Return what would be made on the target of a state before it: by its own SLS, and by the target's.

        Nothing orders what the SLS of several other hosts do on one host.
        """
        tops = [None] if _is_of_its_host(node) else [node.scope.top, *([None] if node.after else [])]
        things = (self._by_sls.get((top, node.target)) for top in tops)
        return [each for each in things if each is not None]

    def judged(self, node: Node, function_return: StateReturn) -> StateReturn:
        """Return what a state of a plan returned; as a failure if it needs what no earlier state can make.

        Args:
            node: the state.
            function_return: its return.
        """
        if not self._ordered:
            return function_return
        problems = [need.problem for need in function_return.needs if not self.makers(node, need.name)]
        if not problems:
            return function_return
        comment = "; ".join(dict.fromkeys(problems))
        return msgspec.structs.replace(function_return, result=False, comment=comment, changes={})

    def reread(self, node: Node, function_return: StateReturn) -> StateReturn:
        """Return a failure of a plan as unknown, if its command may read what an earlier state makes.

        What a command reads is not known, so any change of its target before it may be what it lacks. Where
        the command names a path that such a state makes, the message names that state alone.

        Args:
            node: the state; only one that is `read_only` runs its command in a plan.
            function_return: its return, a failure.
        """
        changing = [id_ for things in self._before(node) for id_ in things.changing]
        observed = function_return.new_state
        code = observed.get("retcode") if is_mapping(observed) else None
        if not changing or not code or node.chunk.arguments.get("read_only") is not True:
            return function_return
        errors = function_return.changes.get("stderr")
        reason = errors.strip().partition("\n")[0] if isinstance(errors, str) else ""
        now = f"exited {code}: {reason}" if reason else f"exited {code}"
        words = _SHELL_SIGNS.split(function_return.name)
        named = dict.fromkeys(self._changer(node, _normal(word)) for word in words if word.startswith("/"))
        makers = [id_ for id_ in named if id_ is not None] or changing
        return known_later(function_return.name, now, makers[:MOST_NAMED])

    def makers(self, node: Node, name: str) -> tuple[str, ...]:
        """Return the IDs of the states that come before a state of a plan and may make what it needs.

        Args:
            node: the state; everything that its requisites name is over.
            name: a path, or the name of a user or group.

        Returns:
            The IDs, sorted: of earlier states of its target that name it; else of those that may make it, and
            of required ones of another target, which may be another way to the same machine.
        """
        if not node.scope.test:
            return ()
        if not self._ordered:
            return pending_states(node)
        before, parts = self._before(node), _with_folders(name)
        makers = [makers.get(part) for things in before for makers in things.by_name for part in parts]
        if named := {*makers} - {None}:
            return tuple(sorted(filter(None, named)))
        ids: set[str | None] = set()
        for things in before:
            ids.update(things.makers_of_anything)
            if name.startswith("/"):
                ids.update(things.makers_of_paths)
                ids.add(things.folders.get(_normal(name)))
        ids.update(returned.id for returned, required in _pending(node) if required.target != node.target)
        return tuple(sorted(filter(None, ids)))

    def changers(self, node: Node, paths: Iterable[str], *, with_required: bool) -> tuple[str, ...]:
        """Return the IDs of the states that come before a state and would make or remove what it looks at.

        Args:
            node: the state; everything that its requisites name is over.
            paths: the paths; a state that makes or removes a folder does so with what is in it.
            with_required: whether the states that it requires count whatever they make.
        """
        if not node.scope.test:
            return ()
        named = (self._changer(node, part) for path in paths for part in _with_folders(path))
        required = pending_states(node) if with_required else ()
        return tuple(sorted({*required, *filter(None, named)}))

    def changers_of(self, node: Node, paths: Iterable[str], *, with_required: bool) -> tuple[str, ...]:
        """Return the IDs of the other earlier states that would make or remove just these paths.

        Args:
            node: the state; everything that its requisites name is over.
            paths: the paths.
            with_required: whether the states that it requires count whatever they make.
        """
        if not node.scope.test:
            return ()
        changers = {self._changer(node, _normal(path)) for path in paths} - {node.chunk.id}
        if with_required:
            changers.update(pending_states(node))
        return tuple(sorted(filter(None, changers)))

    def removers_of(self, node: Node, paths: Iterable[str]) -> tuple[str, ...]:
        """Return the IDs of the earlier states that would remove paths, or of which only an apply knows.

        Args:
            node: the state.
            paths: the paths; a state that removes a folder does so with what is in it.
        """
        if not node.scope.test:
            return ()
        removers = {
            remover.get(part)
            for things in self._before(node)
            for remover in (things.removers, things.removers_perhaps)
            for path in paths
            for part in _with_folders(path)
        }
        return tuple(sorted(filter(None, removers)))

    def foreseen(self, node: Node, function_return: StateReturn, callee: Callee) -> StateReturn:
        """Return what a state of a plan returned; as unknown if an earlier one would change what it looks at.

        Args:
            node: the state.
            function_return: its return.
            callee: its function.
        """
        before = self._before(node)
        if not before or isinstance(function_return, UnknownReturn):
            return function_return
        paths = _read(node, callee)
        with_edits = not callee.edits_part or "name" in callee.reads.arguments
        changers = {self._changer(node, _normal(path), with_edits=with_edits) for path in paths}
        for things in before:
            changers.update(
                things.removers.get(folder) for path in paths for folder in _with_folders(path)[1:]
            )
            if callee.reads.looks_below(node.chunk.arguments):
                changers.add(things.changers_below.get(_normal(node.chunk.name)))
        ids = sorted(filter(None, changers - {node.chunk.id}))
        if not ids:
            return function_return
        unknown = known_later(function_return.name, _beginning(function_return.comment), ids)
        return msgspec.structs.replace(
            unknown, changes=function_return.changes, preview=function_return.preview
        )

    def _changer(self, node: Node, name: str, *, with_edits: bool = True) -> str | None:
        changers = (things.changer(name, with_edits=with_edits) for things in self._before(node))
        return next(filter(None, changers), None)


class _PendingThings:
    """What the pending states of one host's SLS would make on one target: IDs of states by its name."""

    def __init__(self) -> None:
        self.makers: dict[str, str] = {}
        self.editors: dict[str, str] = {}
        self.removers: dict[str, str] = {}
        self.removers_perhaps: dict[str, str] = {}
        self.folders: dict[str, str] = {}
        self.changers_below: dict[str, str] = {}
        self.makers_of_anything: dict[str, None] = {}
        self.makers_of_paths: dict[str, None] = {}
        self.changing: dict[str, None] = {}

    @property
    def by_name(self) -> tuple[dict[str, str], dict[str, str]]:
        """The states that make a thing or a part of it."""
        return self.makers, self.editors

    def changer(self, name: str, *, with_edits: bool) -> str | None:
        """Return the state that makes or removes a thing, or edits a part of it; None if none does."""
        editor = self.editors.get(name) if with_edits else None
        return self.makers.get(name) or self.removers.get(name) or editor


def _is_of_its_host(node: Node) -> bool:
    """Return whether the SLS that a state belongs to is that of the host that it runs on."""
    return node.scope.top.plan.target == node.target


def _read(node: Node, callee: Callee) -> list[str]:
    """Return the paths that a state looks at, as far as its function says so."""
    words = {*callee.reads.arguments, *({"name"} & (callee.makes or frozenset()))}
    given = (node.chunk.name if word == "name" else node.chunk.arguments.get(word) for word in sorted(words))
    return [text for text in given if _is_path(text)]


def _removed(node: Node, function_return: StateReturn, makes: Collection[str]) -> list[str]:
    """Return the paths that a state would remove: what it says, and arguments that it makes something of."""
    changes = function_return.changes
    removed = changes.get("removed")
    paths = [*(removed if is_list(removed) else [removed]), *_cleaned(changes)]
    moved = (node.chunk.arguments.get(word) for word in makes if word not in _NO_ARGUMENT)
    return [path for path in (*paths, *moved) if _is_path(path)]


def _cleaned(changes: DataMap) -> list[str]:
    return [path for path, what in changes.items() if is_mapping(what) and "removed" in what]


def _is_path(value: object) -> TypeGuard[str]:
    """Return whether a value is a path; a plug-in may have any keys in its changes."""
    return isinstance(value, str) and value.startswith("/")


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


def _beginning(comment: str) -> str:
    """Return the first line of a comment; of one that announces a list, with the first items of the list."""
    line, *items = comment.splitlines() or [""]
    if not line.endswith(":"):
        return line
    more = [f"and {len(items) - MOST_NAMED} more"] if len(items) > MOST_NAMED else []
    return " ".join([line, ", ".join(items[:MOST_NAMED]), *more])
