"""From SLS names to a `Plan`: the whole compilation of one scope for one target.

The steps are loading, `extend`, `exclude`, `use`, names, options, requisites and order. All errors are
collected and raised together. Nothing is run.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.growth import Plan
from ensue.core.diagnostics import Span
from ensue.core.errors import CompileError
from ensue.core.model.chunk import Chunk
from ensue.core.model.declared_secrets import SENSITIVE
from ensue.language.blocks.calls import Lookup
from ensue.language.checks import NO_CHECKS, Checks
from ensue.language.chunks import Drafter
from ensue.language.collector import Collector
from ensue.language.edited_contents import warn_of_edited_contents
from ensue.language.extend import apply_exclusions, apply_extensions, apply_use
from ensue.language.order import put_in_order
from ensue.language.paths_as_keys import warn_of_paths_as_keys
from ensue.language.plain_content import warn_of_plain_content
from ensue.language.requisites import Requisites, Resolver
from ensue.language.tree import TreeLoader, sls_key

if TYPE_CHECKING:
    from collections.abc import Container, Sequence
    from pathlib import Path

    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.contracts.functions import FunctionCatalog
    from ensue.core.model.reference import BoundText
    from ensue.core.model.requisite import Requisite
    from ensue.core.model.srn import Srn
    from ensue.language.chunks import Draft
    from ensue.language.references.lower import Bindings
    from ensue.language.renderers.rendering import SlsRenderer
    from ensue.language.renderers.stage import Stream
    from ensue.language.requested import Requested
    from ensue.language.settings.roots import Roots, SlsFile
    from ensue.language.tree import SlsTree
    from ensue.language.yaml.document import YamlPlace


class SlsRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One requested SLS.

    Args:
        name: an SLS name or glob; empty when `path` is given.
        saltenv: the environment to look in.
        path: a file, for an SLS given by path.
        place: where a top file names it; None without a top file.
        instead: what to write if there is no such SLS, since the name is that of something else.
    """

    name: str = ""
    saltenv: str = "base"
    path: Path | None = None
    place: YamlPlace | None = None
    instead: str = ""


class Within(msgspec.Struct, frozen=True, kw_only=True):
    """Where a scope is.

    Args:
        scope: its path.
        identity: its identity (`state_identity`).
        outer_ids: IDs and names of the enclosing scopes, which references cannot name.
    """

    scope: str = ""
    identity: str = ""
    outer_ids: Container[str] = ()


AT_THE_TOP: Final = Within()


class Compiled(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a compilation.

    Args:
        plan: what the engine runs.
        tree: declarations and renderings, for `show high` and for what is rendered later.
    """

    plan: Plan
    tree: SlsTree


class Compiler:
    """Compiles SLS for one target.

    Args:
        roots: where SLS files are.
        renderer: renders files with the target's context.
        catalog: the state functions of the target.
        target: the target.
        auto_order: whether definition order counts (`state_auto_order`).
        enforced: the enforced state, for references; None if the project keeps none.
        checks: what the states are checked against.
    """

    def __init__(
        self,
        *,
        roots: Roots,
        renderer: SlsRenderer,
        catalog: FunctionCatalog,
        target: Srn,
        auto_order: bool = True,
        enforced: EnforcedStates | None = None,
        checks: Checks = NO_CHECKS,
    ) -> None:
        self._checks = checks
        self._roots = roots
        self._renderer = renderer
        self._catalog = catalog
        self._target = target
        self._auto_order = auto_order
        self._enforced = enforced

    def compile(self, requests: Sequence[SlsRequest], within: Within = AT_THE_TOP) -> Compiled:
        """Compile SLS into one scope.

        Args:
            requests: the SLS.
            within: where the scope is.

        Raises:
            CompileError: with all errors.
        """
        collector = Collector()
        try:
            return self._compiled(self.load(requests, collector), collector, within)
        except CompileError:
            self._note_refusal()
            raise

    def compile_late(self, file: SlsFile, stream: Stream, within: Within) -> Compiled:
        """Compile a delayed block or SLS that was rendered, with what it includes, into one scope.

        Args:
            file: the SLS that it belongs to.
            stream: its rendering.
            within: where the scope is.

        Raises:
            CompileError: with all errors.
        """
        collector = Collector()
        render = self._renderer.of_one_loading().render_file
        loader = TreeLoader(self._roots, render, collector, numbered=self._auto_order)
        try:
            loader.load_data(file, stream)
            return self._compiled(_finished(loader.tree, collector), collector, within)
        except CompileError:
            self._note_refusal()
            raise

    def _note_refusal(self) -> None:
        if self._checks.literals is not None:
            self._checks.literals.not_known()

    def _compiled(self, tree: SlsTree, collector: Collector, within: Within) -> Compiled:
        tree.outer_ids = outer_ids = within.outer_ids
        drafter = Drafter(
            self._catalog, collector, self._checks.vocabulary, on_unknown=self._checks.on_unknown
        )
        drafts = drafter.drafts(tree.declared)
        if self._checks.literals is not None and (
            declaring := [draft.arguments for draft in drafts if SENSITIVE in draft.arguments]
        ):
            self._checks.literals.learn(declaring)
        for draft in drafter.registering:
            from ensue.language.references.in_registers import check_registered_references

            check_registered_references(draft, collector)
            if self._checks.registers is not None:
                self._checks.registers(draft.options, draft.declaration.id, collector)
        if drafter.fanned and not self._checks.is_resource:
            # An SLS that is applied to a resource means the values of that resource, wherever its states run.
            from ensue.language.printed_grains import warn_of_printed_grains

            warn_of_printed_grains(drafter.fanned, tree, collector)
            from ensue.language.printed_pillar import note_printed_pillar

            note_printed_pillar(drafter.fanned, tree)
        self._warn_of_texts(tree, drafts, collector)
        waits = Lookup(tree, self._roots, self._renderer, collector).look_up(drafts)
        resolver = Resolver(drafts, tree, collector, outer_ids, self._checks.minion, roots=self._roots)
        requested = resolver.resolve(waits)
        if any(requested):
            from ensue.language.reacting_commands import warn_of_reacting_commands

            warn_of_reacting_commands(drafts, requested, collector)
        if drafter.has_requisites:
            from ensue.language.transparent import add_transparent

            add_transparent(drafts, drafter.requisites_of, requested)
        bindings = None
        if tree.binds:
            from ensue.language.references.lower import Bindings, LoweringScope
            from ensue.language.requisites_across_blocks import block_that_declares

            scope = LoweringScope(
                target=self._target, identity=within.identity, enforced=self._enforced,
                outer_ids=outer_ids, whole_slses=tree.whole_slses(),
                keys_of=drafter.keys_of, is_resource=self._checks.is_resource,
                block_of=lambda id_: block_that_declares(id_, tree),
                stream_of=lambda written: tree.streams.get(sls_key(written.sls, written.saltenv)),
            )  # fmt: skip
            bindings = Bindings(drafts, scope, resolver.minion_states, collector)
            bindings.lower(requested)
            from ensue.language.values_of_failures import warn_of_values_of_failures

            warn_of_values_of_failures(drafts, requested, bindings, collector)
        if any(requested):
            from ensue.language.unguarded_listeners import warn_of_unguarded_listeners

            warn_of_unguarded_listeners(drafts, requested, collector)
        ordered, checks = put_in_order(drafts, requested, collector, self._catalog.mod_watch, bindings)
        collector.stop_on_errors()
        plan = Plan(
            chunks=_chunks(drafts, requested, ordered, bindings, slots=tree.slots),
            scope=within.scope,
            target=self._target,
            tree=tree,
            warnings=tuple(collector.warnings),
            checks=_checks(ordered, checks),
        )
        return Compiled(plan=plan, tree=tree)

    def _warn_of_texts(self, tree: SlsTree, drafts: list[Draft], collector: Collector) -> None:
        """Warn of references, templates and requisites where nothing binds, renders or meets them."""
        if any(stream.space.own for stream in tree.streams.values()):
            from ensue.language.requisites_across_blocks import warn_of_requisites_of_blocks

            warn_of_requisites_of_blocks(tree, collector)
            from ensue.language.mistakes_in_blocks import warn_of_mistakes_in_blocks

            checks = self._checks
            judging = partial(
                Drafter,
                self._catalog,
                vocabulary=checks.vocabulary,
                on_unknown=checks.on_unknown.without_failures(),
            )
            warn_of_mistakes_in_blocks(tree, judging, collector)
        warn_of_paths_as_keys(tree.streams.values(), collector)
        warn_of_plain_content(drafts, collector)
        warn_of_edited_contents(drafts, collector)
        if sourced := [
            draft for draft in drafts if "source" in draft.arguments or draft.declaration.function == "script"
        ]:
            from ensue.language.unrendered_sources import warn_of_unrendered_sources

            warn_of_unrendered_sources(sourced, collector)
            if rendering := [draft for draft in sourced if draft.arguments.get("template")]:
                from ensue.language.references.in_template_files import warn_of_references_in_templates

                warn_of_references_in_templates(rendering, drafts, self._roots, collector)

    def load(self, requests: Sequence[SlsRequest], collector: Collector) -> SlsTree:
        """Load SLS with their includes, and apply their `extend`, `exclude` and `use`."""
        render = self._renderer.of_one_loading().render_file
        loader = TreeLoader(self._roots, render, collector, numbered=self._auto_order)
        for request in requests:
            if request.path is None:
                loader.load_named(request.name, request.saltenv, request.place, request.instead)
            elif file := self._roots.find_path(request.path, request.saltenv):
                loader.load(file)
            else:
                shown = self._roots.shown(request.path)
                meant = self._roots.named_by_path(shown, request.saltenv)
                collector.error(
                    "E0301",
                    f"there is no file {shown}",
                    Span(shown),
                    help=f"write `{meant}`, the name of the SLS; a path is relative to the project's root"
                    if meant
                    else "check the path; it is relative to the project's root",
                )
        return _finished(loader.tree, collector)


def _finished(tree: SlsTree, collector: Collector) -> SlsTree:
    """Apply the `extend`, `exclude` and `use` of a tree."""
    collector.is_incomplete = bool(collector.errors)
    apply_extensions(tree, collector)
    apply_exclusions(tree)
    apply_use(tree, collector)
    _apply_arg_binds(tree, collector)
    return tree


def _apply_arg_binds(tree: SlsTree, collector: Collector) -> None:
    for modules in tree.declared.values():
        for declaration in modules.values():
            if "arg_bind" in declaration.arguments:
                from ensue.language.references.explicit_bindings import apply_arg_bind

                tree.binds = True
                apply_arg_bind(declaration, collector)


def _chunks(
    drafts: list[Draft], requested: Requested, ordered: list[int], bindings: Bindings | None, *, slots: bool
) -> tuple[Chunk, ...]:
    place_of = [0] * len(drafts)
    for place, number in enumerate(ordered):
        place_of[number] = place
    requisites = Requisites(place_of)
    chunks = tuple(
        [
            _chunk(
                drafts[number],
                place_of[number],
                requisites.of(requested[number]) if requested[number] else (),
                bindings.of(number, place_of) if bindings else None,
            )
            for number in ordered
        ]
    )
    return _with_slots(chunks) if slots else chunks


def _with_slots(chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
    from ensue.engine.binding.slots import holds_slot

    return tuple(
        msgspec.structs.replace(chunk, has_slots=True)
        if holds_slot(chunk.name) or holds_slot(chunk.arguments)
        else chunk
        for chunk in chunks
    )


def _checks(ordered: list[int], checks: dict[int, int]) -> dict[int, int]:
    place_of = {number: place for place, number in enumerate(ordered)} if checks else {}
    return {place_of[number]: place for number, place in checks.items()}


def _chunk(
    draft: Draft, place: int, requisites: tuple[Requisite, ...], bindings: dict[str, BoundText] | None
) -> Chunk:
    declaration = draft.declaration
    # Positional arguments: with keywords, this call takes as long as all the rest.
    return Chunk(
        declaration.id,
        draft.name,
        declaration.module,
        declaration.function,
        draft.arguments,
        declaration.sls,
        place,
        declaration.document,
        declaration.keys,
        requisites,
        draft.options,
        None,
        declaration.saltenv,
        bindings,
        fault=draft.fault,
    )
