"""The declarations that a run has compiled, and the record of which one registers a resource.

A declaration is identified by the path of its scope and its tag. Chunks that are added during a run belong to
the SLS of the top scope that they grew from, so an apply of other SLS files never judges them.
"""

from __future__ import annotations

from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.masking import MASK
from ensue.core.model.chunk import LISTENER_FUNCTION, LISTENER_PREFIX
from ensue.core.model.enforced import EnforcedBy, environment_of_values
from ensue.core.model.resource import DeclaredBy
from ensue.core.model.state_identity import callers_of
from ensue.core.model.state_tag import listener_tag, tag_of, words_of
from ensue.language.tree import sls_key
from ensue.store.registry.enforced_form import key_of
from ensue.store.runs.lost_targets import FannedOutState

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence

    from ensue.core.contracts.growth import GrowthRequest, Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.returns import Return
    from ensue.core.model.srn import Srn
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.services import CallSite
    from ensue.language.settings.roots import Roots
    from ensue.store.registry.enforced_form import EnforcedRow, EntryKey

_DEPLOYED: Final = ":"
"""Ends the name that is used instead of an SLS where an environment is deployed on its own."""


class RequestedRun(msgspec.Struct, frozen=True, kw_only=True):
    """What a run was called with, as far as it decides what is declared.

    Args:
        highstate: whether it applies the whole top file.
        mods: the SLS; empty for a highstate.
        environment: what selected the environments of SLS and pillar, in the words of the command line.
        pillar_keys: the keys of the pillar that the command line gave.
    """

    highstate: bool
    mods: tuple[str, ...] = ()
    environment: str = ""
    pillar_keys: tuple[str, ...] = ()


class RunDeclarations:
    """The declarations of one run.

    `promised` has the resources that the run will register, `fan_outs` what each state with `tgt` became.

    Args:
        promises: the resources that a chunk will register.
        roots: the project's SLS files.
        project: the project's root where several projects share one store, else empty.
        unassigned: the resources to which the top file assigns nothing, empty text for this machine. A
            highstate does not end their registrations: a mistake in the top file would end many.
        requested: what the run was called with.
        earlier: the declarations of registrations of earlier runs, by scope and tag; without any, those of
            this run are not needed.
        declared_by_pillar_of: returns the minion whose pillar declares a target, as text; empty if none does.
    """

    def __init__(
        self,
        promises: Callable[[Chunk], Sequence[Srn]],
        roots: Roots,
        *,
        project: str,
        unassigned: Container[str] = (),
        requested: RequestedRun,
        earlier: Mapping[tuple[str, str], Collection[DeclaredBy]],
        declared_by_pillar_of: Callable[[str], str],
    ) -> None:
        self.project = project
        self._declared_by_pillar_of = declared_by_pillar_of
        self._unassigned = unassigned
        self.promised: set[Srn] = set()
        self.fan_outs: list[FannedOutState] = []
        self._earlier = earlier
        self._promises = promises
        self._roots = roots
        self._requested = requested
        self._compiled: dict[tuple[str, str], EnforcedBy] = {}
        self._by: dict[tuple[str, str], EnforcedBy] = {}
        self._fanned_out: dict[tuple[str, str], str] = {}
        self._grown_from: dict[str, str] = {}
        self._paths: dict[str, str] = {}
        self._slses: dict[str, frozenset[str]] = {}
        self._left_out: set[tuple[str, str]] = set()
        self._left_out_paths: set[str] = set()

    def note(self, plan: Plan, cause: GrowthRequest | None = None) -> None:
        """Record what a plan declares.

        Args:
            plan: the plan of this machine, of a resource, or of growth. A plan that did not compile
                judges nothing.
            cause: the state that requested the plan; None: no state did.
        """
        if cause is not None:
            self._grown_from[cause.scope] = self._sls(cause.caller, cause.plan)
        elif plan.tree is not None:
            self._slses[_on(plan)] = plan.tree.whole_slses()
        self._paths[plan.identity if cause is None else cause.identity] = plan.scope
        for chunk, *_ in plan.excluded:
            self._left_out.add((plan.scope, chunk.tag))
            self._left_out_paths.add(f"{plan.scope}/{chunk.id}" if plan.scope else chunk.id)
        on = _on(plan)
        for chunk in (*plan.chunks, *(chunk for chunk, *_ in plan.excluded)):
            self._compiled[plan.scope, chunk.tag] = self._enforced_by(self._sls(chunk, plan), on)
            if self._earlier:
                self.promised.update(self._promises(chunk))

    def of(self, site: CallSite, *, by_function: bool = False) -> DeclaredBy:
        """Return the record of the state that makes a registration.

        Args:
            site: the call of the state.
            by_function: whether its function registers, rather than `registers`.
        """
        chunk, scope = site.chunk, site.plan.scope
        declared_by = DeclaredBy(
            sls=self._sls(chunk, site.plan),
            scope=scope,
            tag=chunk.tag,
            fanned_from=self._fanned_out.get((scope, chunk.tag), ""),
            by_function=by_function,
            highstate=self._requested.highstate,
            project=self.project,
            on=_on(site.plan),
            environment=self._requested.environment,
        )
        # A registration stays the highstate's if the same declaration is applied by name meanwhile.
        of_highstate = msgspec.structs.replace(declared_by, highstate=True)
        return of_highstate if of_highstate in self._earlier.get((scope, chunk.tag), ()) else declared_by

    def of_return(self, returned: Return) -> EnforcedBy | None:
        """Return the record of the state of a return; None if this run has not compiled it."""
        return self._by_of(returned.scope, returned.tag, returned.target)

    def _by_of(self, scope: str, tag: str, target: str) -> EnforcedBy | None:
        fanned_from = self._fanned_out.get((scope, tag))
        by = self._compiled.get((scope, tag if fanned_from is None else fanned_from))
        if by is None or fanned_from is None:
            return by
        return msgspec.structs.replace(by, is_fanned_out=True, pillar_of=self._declared_by_pillar_of(target))

    def _enforced_by(self, sls: str, on: str) -> EnforcedBy:
        """Return the record of states that are not fanned out; all states of an SLS share it."""
        by = self._by.get((sls, on))
        if by is None:
            pillar_of = self._declared_by_pillar_of(on) if on else ""
            by = self._by[sls, on] = EnforcedBy(
                sls,
                on=on,
                highstate=self._requested.highstate,
                requested=self._requested.mods,
                environment=self._requested.environment,
                pillar_keys=self._requested.pillar_keys,
                pillar_of=pillar_of,
                on_pillar_of=pillar_of,
            )
        return by

    def has_state(self, scope: str, tag: str) -> bool:
        """Return whether this run compiled a state, or fanned it out."""
        return (scope, tag) in self._compiled or (scope, tag) in self._fanned_out

    def judges_state(self, by: EnforcedBy) -> bool:
        """Return whether this run has compiled every SLS that could contain the declaration of a state."""
        slses = self._slses.get(by.on)
        return slses is not None and self._judges_with(by, slses)

    def judges_of_departed(self, by: EnforcedBy) -> bool:
        """Return whether this run could have had the SLS of a state, if its target was still known."""
        return set(by.pillar_keys) <= set(self._requested.pillar_keys) and self._judges_with(by, ())

    def is_of_environment(self, by: EnforcedBy) -> bool:
        """Return whether a state was enforced with the environments of this run."""
        return by.environment == self._requested.environment

    def key_of(self, identity: StateIdentity) -> EntryKey:
        """Return what the entry of a state of this run is found by."""
        return key_of(identity, environment_of_values(self._requested.environment))

    def _judges_with(self, by: EnforcedBy, slses: Container[str]) -> bool:
        if not by.sls or by.sls.endswith(_DEPLOYED) or not self.is_of_environment(by):
            return False
        if by.sls in slses:
            return True
        if self._requested.highstate:
            return by.highstate or not self._exists(by.sls)
        return bool(by.requested) and not by.highstate and set(by.requested) <= set(self._requested.mods)

    def _is_of_deleted_sls(self, by: EnforcedBy) -> bool:
        is_of_sls = bool(by.sls) and not by.sls.endswith(_DEPLOYED)
        return is_of_sls and self.is_of_environment(by) and not self._exists(by.sls)

    def may_be_elsewhere(self, by: EnforcedBy) -> bool:
        """Return whether an SLS that this run has not compiled may declare a state, in its environments."""
        is_here = self.is_of_environment(by) and self._exists(by.sls)
        return is_here and not self.judges_state(by)

    def has_left(self, row: EnforcedRow, scope: str) -> bool:
        """Return whether a state is declared no more; false while that is not known.

        Args:
            row: its entry.
            scope: the identity of a scope of this run: that of the state, or what it is now if a state that
                leads to it was renamed. Then it is that state that has to be declared no more.
        """
        by = row.entry.by
        return by is not None and not by.is_fanned_out and self._has_left(row, scope, by, self.has_state)

    def has_left_target(self, row: EnforcedRow) -> bool:
        """Return whether no state of its tag is declared for its target; false while that is not known."""
        by = row.entry.by
        return by is not None and self._has_left(row, row.scope, by, self.has_state)

    def has_left_reaction(self, row: EnforcedRow, scope: str, masked: Callable[[str], str]) -> bool:
        """Return whether a state that owes a reaction is declared no more; false while that is not known.

        Args:
            row: its entry.
            scope: as for `has_left`.
            masked: returns a tag as entries have it.
        """
        by = row.entry.owed_by
        return by is not None and self._has_left(row, scope, by, partial(self.has_reaction, masked=masked))

    def _has_left(
        self, row: EnforcedRow, scope: str, by: EnforcedBy, has: Callable[[str, str], bool]
    ) -> bool:
        if not self.judges_state(by) and not self._is_of_deleted_sls(by):
            return False
        above, tag = scope, row.tag
        if row.scope != scope:
            former, _ = next(
                pair
                for pair in zip(callers_of(row.scope), callers_of(scope), strict=True)
                if pair[0] != pair[1]
            )
            above, tag = former.above, former.tag
        path = self._paths.get(above)
        # A caller that was fanned out is declared under the ID without that of its target.
        tags = (tag, origin_of(tag, row.target, "" if above else by.on))
        return path is not None and not any(has(path, each) for each in tags)

    def has_reaction(self, path: str, tag: str, *, masked: Callable[[str], str]) -> bool:
        """Return whether this run compiled a state, or the one of a listener, or fanned it out.

        Args:
            path: the path of its scope.
            tag: the tag of the state or the listener, as entries have it.
            masked: returns a tag as entries have it.
        """
        return next(self._reacting(path, tag, masked), None) is not None

    def reaction_by(self, row: EnforcedRow, masked: Callable[[str], str]) -> EnforcedBy | None:
        """Return the record of a state that owes a reaction; None if this run has not compiled it.

        Args:
            row: its entry.
            masked: returns a tag as entries have it.
        """
        places = self._reacting(row.entry.path, row.tag, masked)
        return next((self._by_of(*place, row.target) for place in places), None)

    def _reacting(self, path: str, tag: str, masked: Callable[[str], str]) -> Iterator[tuple[str, str]]:
        """Yield the scopes and tags of the states that a tag in an entry may mean."""
        if self.has_state(path, tag):
            yield path, tag
        elif MASK in tag or words_of(tag).function == LISTENER_FUNCTION:
            for scope, known in chain(self._fanned_out, self._compiled):
                if scope == path and tag in {masked(known), masked(listener_tag(known))}:
                    yield scope, known

    def has(self, declared_by: DeclaredBy) -> bool:
        """Return whether this run compiled a declaration."""
        place = (declared_by.scope, declared_by.tag)
        if declared_by.fanned_from:
            return place in self._fanned_out
        by = self._compiled.get(place)
        return by is not None and by.sls == declared_by.sls

    def covers(self, declared_by: DeclaredBy) -> bool:
        """Return whether this run has compiled every SLS that could contain a declaration."""
        if self._is_left_out(declared_by) or declared_by.environment != self._requested.environment:
            return False
        slses = self._slses.get(declared_by.on)
        if slses is None or declared_by.sls.endswith(_DEPLOYED):
            return False
        if declared_by.sls in slses:
            return True
        # A highstate judges what a highstate registered. An SLS that was applied by name, beside the top
        # file, is left alone as long as it exists.
        return self._requested.highstate and (declared_by.highstate or not self._exists(declared_by.sls))

    def is_of_unassigned(self, declared_by: DeclaredBy) -> bool:
        """Return whether a declaration was one of a machine to which this highstate assigns nothing."""
        return self._requested.highstate and declared_by.on in self._unassigned

    def _is_left_out(self, declared_by: DeclaredBy) -> bool:
        """Return whether a declaration belongs to what the chosen part of the run leaves out."""
        scope = declared_by.scope
        return (scope, declared_by.fanned_from) in self._left_out or any(
            scope[:end] in self._left_out_paths for end, sign in enumerate(scope) if sign == "/"
        )

    def note_fan_out(self, scope: str, chunk: Chunk, tags: Sequence[str]) -> None:
        """Record the chunks that a chunk with `tgt` became.

        Args:
            scope: the path of the scope that they are in.
            chunk: the chunk with `tgt`.
            tags: their tags.
        """
        self._fanned_out.update(((scope, tag), chunk.tag) for tag in tags)
        fan_out = chunk.options.fan_out
        is_optional = fan_out is not None and fan_out.optional
        self.fan_outs.append(FannedOutState(scope=scope, tags=tuple(tags), is_optional=is_optional))

    def _sls(self, chunk: Chunk, plan: Plan) -> str:
        """Return the SLS of the top scope that a chunk is in or grew from, or the environment instead."""
        if grown_from := self._grown_from.get(plan.scope):
            return grown_from
        if plan.deployment is not None:
            return f"{plan.deployment.environment}{_DEPLOYED}"
        return sls_key(chunk.sls, chunk.saltenv)

    def _exists(self, key: str) -> bool:
        saltenv, _, name = key.rpartition(":")
        return self._roots.find(name, saltenv or "base") is not None


def fanned_from(row: EnforcedRow, by: EnforcedBy) -> str:
    """Return the tag of the state that was fanned out; empty of one without `tgt`.

    Args:
        row: an entry.
        by: its declaration, or that of the reaction that it owes.
    """
    return origin_of(row.tag, row.target, "" if row.scope else by.on) if by.is_fanned_out else ""


def origin_of(tag: str, target: str, on: str) -> str:
    """Return the tag of the state that was fanned out.

    Args:
        tag: the tag on one resource.
        target: the SRN of that resource, as text.
        on: the resource whose own SLS the state is in, as text, if it is not in a scope: its names have the
            id of that resource too.
    """
    prefix, own = (f"{srn.partition(':')[2]} " if srn else "" for srn in (target, on))
    words = words_of(tag)
    listener = LISTENER_PREFIX if words.function == LISTENER_FUNCTION else ""
    own_id = words.id.removeprefix(listener).removeprefix(prefix)
    name = f"{own}{words.name.removeprefix(prefix)}"
    return tag_of(words._replace(id=f"{listener}{own_id}", name=name))


def _on(plan: Plan) -> str:
    """Return the resource whose own SLS a plan is; empty for this machine."""
    return str(plan.resource) if plan.resource is not None else ""
