"""From SLS names to a `Plan`: the whole compilation of one scope for one target.

Loading, `extend`, `exclude`, `use`, names, options, requisites and order, in that order. All faults
are collected and raised together; nothing is run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ensue.contracts.growth import Plan
from ensue.language.chunks import Drafter
from ensue.language.collector import Collector
from ensue.language.extend import apply_exclusions, apply_extensions, apply_use
from ensue.language.requisites import Resolver, put_in_order, requisites_of
from ensue.language.tree import TreeLoader
from ensue.model.chunk import Chunk

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ensue.contracts.functions import FunctionCatalog
    from ensue.language.chunks import Draft
    from ensue.language.rendering import SlsRenderer
    from ensue.language.roots import Roots
    from ensue.language.tree import Tree
    from ensue.model.srn import Srn


LISTEN_ERROR: Final = "Listen_Error"
"""Module and function of the chunk that stands for a `listen` on nothing, as Salt tags it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlsRequest:
    """One SLS that is asked for.

    Args:
        name: an SLS name or glob; empty when `path` is given.
        saltenv: the environment it is looked for in.
        path: a file, for an SLS given by path.
    """

    name: str = ""
    saltenv: str = "base"
    path: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """What a compilation gives.

    Args:
        plan: what the engine runs.
        tree: declarations and renderings, for `show high` and for what is rendered later.
    """

    plan: Plan
    tree: Tree = field(repr=False)


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
        ordered = put_in_order(drafts, wanted, found)
        found.stop_on_errors()
        chunks = _chunks(drafts, wanted, ordered) + _unheard_chunks(resolver, len(ordered))
        plan = Plan(
            chunks=chunks, scope=scope, target=self._target, parent=tree, warnings=tuple(found.warnings)
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


def _unheard_chunks(resolver: Resolver, count: int) -> tuple[Chunk, ...]:
    """Return a chunk that fails for everything that `listen` names and is not there; they come last."""
    return tuple(
        Chunk(
            id=f"listen_{value}",
            name=f"listen_{key}",
            module=LISTEN_ERROR,
            function=LISTEN_ERROR,
            arguments={"missing": f"{key}: {value}", "listener": draft.declaration.id},
            sls=draft.declaration.sls,
            order=count + place,
            document=draft.declaration.document,
            keys=draft.declaration.keys,
        )
        for place, ((key, value), draft) in enumerate(resolver.unheard.items())
    )


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
