"""The SLS of a target and their compilation: the requested ones, or those of the top file."""

from __future__ import annotations

import os
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.errors import CompileError, EnsueError
from ensue.core.model.foreseen import ForeseenSls
from ensue.language.collector import Collector
from ensue.language.compiler import SlsRequest
from ensue.language.plans.unassigned import assigned_targets, nothing_assigned
from ensue.language.settings.environments import saltenv_of, top_options
from ensue.language.targeting.unasked_grains import without_waiting
from ensue.language.targets.nodegroups import warn_of_misspelt_targets
from ensue.language.targets.target_compiler import compiler_of
from ensue.language.targets.target_context import TargetContext, renderer_of
from ensue.language.top import TargetNotes, top_matches
from ensue.language.top_files import DERIVED_HIGHSTATE, has_top_file, read_top_files
from ensue.language.unnamed_pillar import unnamed_pillar

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.model.srn import Srn
    from ensue.language.compiler import Compiled, Compiler
    from ensue.language.targeting import TargetSubject
    from ensue.language.targets.targets import Targets
    from ensue.language.top import TopMatch
    from ensue.language.top_files import Sections
    from ensue.language.yaml.document import YamlPlace

NO_TOP_FILE = "E0604"
_TARGET: Final = re.compile(r"[TMGPELIJSRN]@.")


class AssignedSls:
    """The SLS of a project's targets, for one run.

    Args:
        services: the project; `prepare` has compiled the pillar of each target.
        test: whether the run is a plan.
    """

    def __init__(self, services: Targets, *, test: bool) -> None:
        self._services = services
        self._stores = services.stores
        self._test = test
        self._switches: set[str] = set()
        self._judged: set[str] = set()
        self._unmentioned: tuple[Diagnostic, ...] | None = None

    @property
    def gives_derived(self) -> bool:
        """Whether `ensue.yaml` or the top file requests the highstate of derived resources."""
        is_switched = self._stores.settings.option(DERIVED_HIGHSTATE, default=False)
        return bool(is_switched) or DERIVED_HIGHSTATE in self._switches

    def compiled(self, srn: Srn, mods: Sequence[str]) -> tuple[Compiled, tuple[Diagnostic, ...]]:
        """Compile SLS for a target, or its highstate, in a thread beside the event loop.

        Args:
            srn: the target.
            mods: SLS names; none: what the top file assigns to the target.

        Returns:
            The plan, and the warnings of pillar and of the top file.

        Raises:
            CompileError: the input has errors; the exception has all of them, and the warnings.
        """
        compiler = compiler_of(self._services, srn, test=self._test)
        warnings: tuple[Diagnostic, ...] = ()
        try:
            if mods:
                compiled = compiler.compile([self._request(name) for name in mods])
            else:
                compiled, warnings = self._highstate(srn, compiler)
        except CompileError as error:
            # A file of pillar that nobody gets may be why a value is missing.
            of_pillar = (*self._stores.pillars.warnings, *self._unnamed_pillar)
            raise CompileError(dict.fromkeys((*error.diagnostics, *of_pillar))) from None
        self._stores.exposed.see_plan(compiled.plan)
        if self._stores.pillars.override and self._unmentioned is None:
            self._unmentioned = tuple(self._unmentioned_pillar(compiled))
        unnamed = self._unnamed_pillar if self._test else ()
        of_pillar = (*self._stores.pillars.warnings, *unnamed, *(self._unmentioned or ()))
        return compiled, (*warnings, *self._services.compilation.code.unused, *of_pillar)

    @cached_property
    def _unnamed_pillar(self) -> tuple[Diagnostic, ...]:
        """The warnings about pillar files that no target gets."""
        stores = self._stores
        return tuple(unnamed_pillar(stores.pillar_roots, stores.settings.pillar_roots))

    def _unmentioned_pillar(self, compiled: Compiled) -> Iterator[Diagnostic]:
        """Yield the warnings about pillar keys of the command line that no file mentions."""
        from ensue.language.unmentioned_pillar import unmentioned_pillar

        settings = self._stores.settings
        folders = [
            folder
            for roots in (self._stores.pillar_roots, self._stores.roots)
            for saltenv in roots.environments
            for folder in roots.folders(saltenv)
        ]
        files = [file.path for file in compiled.tree.files.values()]
        own = [str(settings.option("resource_pillar_key"))]
        files.append(settings.root / "ensue.yaml")
        yield from unmentioned_pillar(self._stores.pillars.override, own, files, folders)

    def top(self, srn: Srn, collector: Collector) -> Sequence[TopMatch]:
        """Return what the top file assigns to a target.

        Raises:
            CompileError: there is no top file.
        """
        self.must_have_top_file()
        return self._matched(srn, collector) or []

    def foreseen(self, srn: Srn) -> ForeseenSls:
        """Return what the top file assigns to a resource as far as what is known of it decides that.

        Its grains and pillar are unknown if they require a resource that does not exist yet. That matters
        only if the top file reads them. Called in a thread.

        Args:
            srn: the resource, which may not exist yet.
        """
        collector, undecided = Collector(), list[str]()
        unknown = ForeseenSls(target=srn, names=(), complete=False)
        try:
            matched = without_waiting(
                srn,
                lambda: self._matched(srn, collector, self._services.known_subject(srn), undecided),
                has_pillar=self._services.compiled_pillar(srn) is not None,
            )
        except EnsueError:
            # An apply that gets so far reports it.
            return unknown
        if matched is None or collector.errors:
            return unknown
        names = dict.fromkeys(match.name for match in matched)
        return ForeseenSls(target=srn, names=tuple(names), complete=not undecided)

    def must_have_top_file(self) -> None:
        """Raise an error if there is no top file.

        Raises:
            CompileError: there is none.
        """
        settings = self._stores.settings
        if not settings.option("master_tops") and not has_top_file(self._stores.roots, top_options(settings)):
            raise CompileError([self._no_top_file(Severity.ERROR)])

    def _highstate(self, srn: Srn, compiler: Compiler) -> tuple[Compiled, tuple[Diagnostic, ...]]:
        collector = Collector()
        matched = self._matched(srn, collector)
        collector.stop_on_errors()
        requests = [
            SlsRequest(name=match.name, saltenv=match.saltenv, place=match.span) for match in matched or ()
        ]
        warnings = tuple(collector.warnings)
        if matched is None:
            warnings = (*warnings, self._no_top_file(Severity.WARNING))
        elif not requests:
            warnings = (*warnings, nothing_assigned(srn.id, self._assigned_targets(srn)))
        try:
            return compiler.compile(requests), warnings
        except CompileError as error:
            raise CompileError([*error.diagnostics, *warnings]) from None

    def _assigned_targets(self, srn: Srn) -> list[str]:
        """Return the targets that the top files have, as they are rendered for a target."""
        return assigned_targets(self._sections(srn), self._services.vocabulary.nodegroups)

    def _sections(self, srn: Srn) -> Sections:
        render, stores = renderer_of(self._services, srn, test=self._test).render_file, self._stores
        return read_top_files(stores.roots, render, Collector(), top_options(stores.settings)) or {}

    def elsewhere(self, mods: Sequence[str]) -> tuple[Diagnostic, ...]:
        """Return the warnings about SLS for this machine that the top file assigns to others only.

        A project whose pillar declares no resources has none: its top file may serve other machines.

        Args:
            mods: the SLS that are applied to this machine by name.
        """
        services = self._services
        if not services.directory.index.static:
            return ()
        from ensue.language.plans.assigned_elsewhere import assigned_elsewhere

        try:
            return tuple(assigned_elsewhere(services, mods, self._sections(services.minion)))
        except Exception:  # noqa: BLE001 -- renderers are plug-ins; a run of an SLS by name needs no top file
            return ()

    def _matched(
        self,
        srn: Srn,
        collector: Collector,
        subject: TargetSubject | None = None,
        undecided: list[str] | None = None,
    ) -> list[TopMatch] | None:
        services = self._services
        render = renderer_of(services, srn, test=self._test).render_file
        context = TargetContext(services, srn, test=self._test)
        matchers = services.compilation.code.matchers(context)
        options = msgspec.structs.replace(top_options(self._stores.settings), matchers=matchers)
        notes = TargetNotes(undecided=undecided)
        matched = top_matches(
            self._stores.roots,
            render,
            subject or TargetContext(services, srn, test=False).subject(),
            collector,
            options,
            switches=self._switches,
            notes=notes,
        )
        self._warn_of_misspelt_targets(notes.unmatched, collector)
        tops = services.compilation.code.master_tops(context)
        if tops is None:
            return matched
        if undecided is not None:
            # They may look at anything of a target, which may not exist yet.
            undecided.append("master_tops")
            return matched
        return tops.joined(matched or [], collector)

    def _warn_of_misspelt_targets(self, unmatched: Mapping[str, YamlPlace], collector: Collector) -> None:
        """Warn of the targets of the top file that misspell an id, each once in a run."""
        judged = {text: place for text, place in unmatched.items() if text not in self._judged}
        self._judged.update(judged)
        ids = [srn.id for srn in self._services.directory.index.static]
        warn_of_misspelt_targets(self._services.names, judged, ids, collector)

    def _no_top_file(self, severity: Severity) -> Diagnostic:
        roots = self._stores.roots
        given = top_options(self._stores.settings).saltenv
        if given and not roots.folders(given):
            known = ", ".join(roots.environments)
            return Diagnostic(
                code=NO_TOP_FILE,
                summary=f"there is no top file: there is no environment {given!r}",
                detail=f"file_roots names {known}",
                help="check --saltenv, or add it to file_roots in ensue.yaml",
                severity=severity,
            )
        folders = ", ".join(
            roots.shown(folder) for name in roots.environments for folder in roots.folders(name)
        )
        return Diagnostic(
            code=NO_TOP_FILE,
            summary="there is no top file",
            detail=f"no top.sls below {folders or 'any file root'}",
            help=_HELP_OF_DEPLOYMENTS if self._is_of_deployments() else _HELP_OF_STATES,
            severity=severity,
        )

    def _is_of_deployments(self) -> bool:
        """Return whether the project has definitions of resources, and no folder of states."""
        roots, settings = self._stores.roots, self._stores.settings
        folders = (folder for name in roots.environments for folder in roots.folders(name))
        return (settings.root / "definitions").is_dir() and not any(folder.is_dir() for folder in folders)

    def _request(self, name: str) -> SlsRequest:
        settings = self._stores.settings
        saltenv = saltenv_of(settings)
        if name.endswith(".sls"):
            # By its own name: the target of a link is not what was requested.
            path = Path(os.path.abspath(settings.root / Path(name).expanduser()))  # noqa: PTH100
            return SlsRequest(path=path, saltenv=saltenv)
        return SlsRequest(name=name, saltenv=saltenv, instead=self._instead_of_target(name))

    def _instead_of_target(self, name: str) -> str:
        """Return what to write instead of a target in the place of an SLS; empty if a name is none."""
        services = self._services
        if self._stores.roots.find(name, saltenv_of(self._stores.settings)) is not None:
            return ""
        if _TARGET.match(name):
            what, target = "a target", name
        elif services.directory.index.find([name]):
            what, target = "a machine", name
        elif name in services.vocabulary.nodegroups:
            what, target = "a nodegroup", f"N@{name}"
        else:
            return ""
        return f"{name} is {what}: write `--tgt {target}`; without --tgt, SLS are applied to this machine"


_HELP_OF_STATES: Final = (
    "name an SLS (`ensue apply web`), write a top.sls (`ensue init`), or, "
    "if the tree is in another folder, name that folder in file_roots of ensue.yaml"
)
_HELP_OF_DEPLOYMENTS: Final = (
    "the project has definitions and no states: `ensue deploy score.yaml --app APP --env ENV --env-type TYPE "
    "--plan` plans a deployment; states need a top.sls (`ensue init`)"
)
