"""From SLS names to a `Plan`: the whole compilation of one scope for one target.

Loading, `extend`, `exclude`, `use`, names, options, requisites and order, in that order. All faults
are collected and raised together; nothing is run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.contracts.growth import Complaint, Plan
from ensue.language.chunks import Drafter
from ensue.language.collector import Collector
from ensue.language.extend import apply_exclusions, apply_extensions, apply_use
from ensue.language.order import put_in_order
from ensue.language.requisites import Resolver, requisites_of
from ensue.language.tree import TreeLoader
from ensue.model.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.contracts.functions import FunctionCatalog
    from ensue.language.chunks import Draft
    from ensue.language.declarations import Declaration
    from ensue.language.rendering import SlsRenderer
    from ensue.language.roots import Roots
    from ensue.language.tree import Tree
    from ensue.model.srn import Srn


LISTEN_ERROR: Final = "Listen_Error"
"""Module and function of the chunk that stands for a `listen` on nothing, as Salt tags it."""


class SlsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One SLS that is asked for.

    Args:
        name: an SLS name or glob; empty when `path` is given.
        saltenv: the environment it is looked for in.
        path: a file, for an SLS given by path.
    """

    name: str = ""
    saltenv: str = "base"
    path: Path | None = None


class Compiled(msgspec.Struct, frozen=True, kw_only=True):
    """What a compilation gives.

    Args:
        plan: what the engine runs.
        tree: declarations and renderings, for `show high` and for what is rendered later.
    """

    plan: Plan
    tree: Tree


class Compiler:
    """Compiles SLS for one target.

    Args:
        roots: where SLS files are.
        renderer: renders files with the target's context.
        catalog: what state functions there are for the target.
        target: the target.
        auto_order: whether definition order counts (`state_auto_order`).
    """

    def __init__(
        self,
        *,
        roots: Roots,
        renderer: SlsRenderer,
        catalog: FunctionCatalog,
        target: Srn,
        auto_order: bool = True,
    ) -> None:
        self._roots = roots
        self._renderer = renderer
        self._catalog = catalog
        self._target = target
        self._auto_order = auto_order

    def compile(self, requests: Sequence[SlsRequest], *, scope: str = "") -> Compiled:
        """Compile SLS into one scope.

        Raises:
            CompileError: with everything that is wrong.
        """
        found = Collector()
        tree = self.load(requests, found)
        drafts = Drafter(self._catalog, found).drafts(tree)
        resolver = Resolver(drafts, tree.loaded, found)
        wanted = resolver.resolve()
        found.stop_on_errors()
        ordered, checks = put_in_order(drafts, wanted, found)
        found.stop_on_errors()
        plan = Plan(
            chunks=_chunks(drafts, wanted, ordered),
            scope=scope,
            target=self._target,
            parent=tree,
            warnings=tuple(found.warnings),
            complaints=_complaints(resolver, drafts, ordered),
            checks=_checks(ordered, checks),
        )
        return Compiled(plan=plan, tree=tree)

    def load(self, requests: Sequence[SlsRequest], found: Collector) -> Tree:
        """Load SLS with their includes, and apply what they say of each other's declarations."""
        loader = TreeLoader(self._roots, self._renderer.render_file, found, numbered=self._auto_order)
        for request in requests:
            if request.path is None:
                loader.load_named(request.name, request.saltenv, None)
            elif file := self._roots.find_path(request.path, request.saltenv):
                loader.load(file)
            else:
                found.error(
                    "E0301",
                    f"there is no file {self._roots.shown(request.path)}",
                    None,
                    help="check the path; it is taken from the project's root",
                )
        tree = loader.tree
        apply_extensions(tree, found)
        apply_exclusions(tree)
        apply_use(tree, found)
        return tree


def _chunks(
    drafts: list[Draft], wanted: list[dict[str, dict[int, None]]], ordered: list[int]
) -> tuple[Chunk, ...]:
    place_of = [0] * len(drafts)
    for place, number in enumerate(ordered):
        place_of[number] = place
    return tuple(
        _chunk(drafts[number], wanted[number], place_of, place) for place, number in enumerate(ordered)
    )


def _checks(ordered: list[int], checks: dict[int, int]) -> dict[int, int]:
    place_of = {number: place for place, number in enumerate(ordered)} if checks else {}
    return {place_of[number]: place for number, place in checks.items()}


def _complaints(resolver: Resolver, drafts: list[Draft], ordered: list[int]) -> tuple[Complaint, ...]:
    """Return what is to be said of everything that `listen` names and is not there.

    Who listens to nothing is told of it in any case; who is to be listened to by nothing, as in Salt,
    only when it changed something.
    """
    if not resolver.unheard and not resolver.deaf:
        return ()
    place_of = {number: place for place, number in enumerate(ordered)}
    told = [
        (key, sorted(map(place_of.__getitem__, numbers)), key not in resolver.unheard)
        for key, numbers in (resolver.deaf | resolver.unheard).items()
    ]
    told.sort(key=lambda one: (one[1][0], one[2]))
    return tuple(
        _complaint(key, drafts[ordered[places[0]]].declaration, order, tuple(places) if deaf else ())
        for order, (key, places, deaf) in enumerate(told, start=len(ordered))
    )


def _complaint(key: tuple[str, str], teller: Declaration, order: int, after: tuple[int, ...]) -> Complaint:
    module, name = key
    verb = "is to be listened to by it" if after else "listens to it"
    chunk = Chunk(
        id=f"listen_{name}",
        name=f"listen_{module}",
        module=LISTEN_ERROR,
        function=LISTEN_ERROR,
        arguments={},
        sls=teller.sls,
        order=order,
        document=teller.document,
        keys=teller.keys,
    )
    comment = f"Referenced state {module}: {name} does not exist ({teller.id} {verb})"
    return Complaint(chunk=chunk, comment=comment, after_changes_of=after)


def _chunk(draft: Draft, words: dict[str, dict[int, None]], place_of: list[int], place: int) -> Chunk:
    one = draft.declaration
    return Chunk(
        id=one.id,
        name=draft.name,
        module=one.module,
        function=one.function,
        arguments=draft.arguments,
        sls=one.sls,
        order=place,
        document=one.document,
        keys=one.keys,
        requisites=requisites_of(words, place_of) if words else (),
        options=draft.options,
    )


def high_data(tree: Tree) -> dict[str, Any]:
    """Return the high data of a tree in Salt's shape, for people and tools to look at."""
    high: dict[str, Any] = {}
    for id_, modules in tree.declared.items():
        body: dict[str, Any] = {}
        for module, one in modules.items():
            arguments: list[Any] = [{name: value} for name, value in one.arguments.items()]
            arguments.append(one.function)
            if one.order is not None:
                arguments.append({"order": one.order})
            body[module] = arguments
            body["__sls__"] = one.sls
            body["__env__"] = "base"
        high[id_] = body
    return high


def low_data(plan: Plan) -> list[dict[str, Any]]:
    """Return a plan's chunks as Salt's low data shows them, in order of execution."""
    return [
        {
            "state": chunk.module,
            "fun": chunk.function,
            "__id__": chunk.id,
            "name": chunk.name,
            "__sls__": chunk.sls,
            "__env__": "base",
            "order": chunk.order,
            **chunk.arguments,
            **_requisite_data(plan, chunk),
        }
        for chunk in plan.chunks
    ]


def _requisite_data(plan: Plan, chunk: Chunk) -> dict[str, Any]:
    return {
        requisite.kind.value: [
            {plan.chunks[place].module: plan.chunks[place].id} for place in requisite.chunks
        ]
        for requisite in chunk.requisites
    }
