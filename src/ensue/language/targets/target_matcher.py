"""What a target matches during a run, including resources that were registered a moment ago.

Grains and pillar are gathered only from the resources whose match depends on them, all at the same time. A
resource that cannot be reached then counts as matched and fails as its own chunk, instead of being left out
silently.

Source: Salt Resources, "Targeting"; derived-resources document, "Ordering inside a single apply".
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.contracts.origins import with_origins
from ensue.core.errors import NO_CONNECTION, EnsueError, RemoteError
from ensue.core.model.srn import Srn
from ensue.engine.services import Matched
from ensue.language.references.detection import holds_sign
from ensue.language.targeting import (
    TargetSyntaxError,
    exact_name,
    matches_so_far,
    parse_target,
    reads_grains,
    words_of,
)
from ensue.language.targeting.expression import Word
from ensue.language.targeting.nodegroups import groups_taken_for_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.language.targeting.expression import Target
    from ensue.language.targets.resource_index import ResourceIndex
    from ensue.language.targets.targets import Targets

_AT_ONCE: Final = 1000
_OF_OTHER_MINIONS: Final = (
    "of the resources of other minions a target matches those that their states have registered, and none"
    " that pillar declares there: `require` the state that registers it"
)
_TAKES_GLOBS: Final = frozenset({"", "T", "M"})


class _Unusable(msgspec.Struct, frozen=True, kw_only=True):
    """Why states cannot run on some resources.

    Args:
        comments: why, as the comments of their returns.
        unreachable: those of them that cannot be reached.
    """

    comments: dict[Srn, str] = {}
    unreachable: set[Srn] = set()


class ProjectMatcher:
    """The engine's `TargetMatcher` for one run.

    Args:
        services: the project.
    """

    def __init__(self, services: Targets) -> None:
        self._services = services
        self._possible: dict[str, Target | None] = {}

    def exact(self, expression: str) -> Srn | None:
        """Return the resource that a target names by type and id; None for any other target."""
        target = self._possible_target(expression)
        name = exact_name(target) if target is not None else ""
        try:
            return Srn.parse(name)
        except ValueError:
            return None

    def may_match(self, expression: str, srn: Srn) -> bool:
        """Return whether a target may match a resource of which only the name is known."""
        target, subject = self._possible_target(expression), self._services.known_subject(srn, is_there=False)
        return target is None or matches_so_far(target, subject) is not False

    def matches_name(self, expression: str, srn: Srn) -> bool:
        """Return whether a target matches a resource of which only the name is known, whatever else it is."""
        target, subject = self._possible_target(expression), self._services.known_subject(srn, is_there=False)
        return target is not None and matches_so_far(target, subject) is True

    async def is_registered(self, srn: Srn) -> bool:
        """Return whether a resource can be targeted now."""
        record = await asyncio.to_thread(self._services.directory.index.record, srn)
        return record is not None and record.status == "active"

    async def matched(self, expression: str) -> Matched:
        """Return what a target matches now, with the pillar of each compiled.

        Raises:
            TargetSyntaxError: it does not parse, or names a type or a nodegroup that does not exist.
        """
        target = await self._target(expression)
        index = self._services.directory.index
        by_name = await asyncio.to_thread(index.matching, target, self._services.vocabulary)
        unusable = _Unusable()
        more = await self._matching(target, by_name.undecided, unusable)
        targets = sorted([*by_name.matched, *more]) if more else by_name.matched
        elsewhere = await self._elsewhere(target, unusable)
        if not targets and not elsewhere:
            return Matched(targets=(), nothing=await asyncio.to_thread(self._nothing, expression, target))
        await self._prepare(targets, unusable)
        return Matched(
            targets=tuple(sorted([*targets, *elsewhere]) if elsewhere else targets),
            faults=unusable.comments,
            unreachable=frozenset(unusable.unreachable),
        )

    async def _elsewhere(self, target: Target, unusable: _Unusable) -> list[Srn]:
        """Return the resources that other minions manage and that a target matches, by their names."""
        others = self._services.stores.other_minions
        if others is None:
            return []
        from ensue.language.targets.matches_elsewhere import matches_elsewhere

        resources = await others.resources.look()
        own = self._services.directory.index
        records = await asyncio.to_thread(own.find, [srn.id for srns in resources.values() for srn in srns])
        matches = matches_elsewhere(
            target,
            resources,
            vocabulary=self._services.vocabulary,
            here=self._services.minion.id,
            own={record.srn.id for record in records if record.status == "active"},
        )
        unusable.comments.update(matches.faults)
        others.resources.assign(matches.managing)
        return [*matches.managing]

    async def _matching(self, target: Target, known: Sequence[Srn], unusable: _Unusable) -> list[Srn]:
        """Return what matches, in the order given, and what may match but does not answer."""
        await self.recall(target, known)
        verdicts = {srn: self.verdict(target, srn) for srn in known}
        if undecided := [srn for srn, matches in verdicts.items() if matches is None]:
            await self._get_to_know(target, undecided, unusable)
            for srn in undecided:
                verdicts[srn] = srn in unusable.comments or self.verdict(target, srn) is not False
        return [srn for srn, matches in verdicts.items() if matches]

    def verdict(self, target: Target, srn: Srn) -> bool | None:
        """Return whether a target matches a resource; None if that is not known."""
        return matches_so_far(target, self._services.known_subject(srn))

    async def recall(self, target: Target, srns: Sequence[Srn]) -> None:
        """Use the grains that earlier commands gathered from resources whose match depends on them."""
        if reads_grains(target):
            undecided = [srn for srn in srns if self.verdict(target, srn) is None]
            await self._services.directory.recall_grains(undecided)

    async def _get_to_know(self, target: Target, srns: Sequence[Srn], unusable: _Unusable) -> None:
        """Gather the grains and the pillar of resources."""
        await self._prepare(srns, unusable)
        if reads_grains(target):
            at_once = asyncio.Semaphore(_AT_ONCE)

            async def gather(srn: Srn) -> None:
                async with at_once:
                    await self._services.directory.grains(srn)

            reachable = [srn for srn in srns if srn not in unusable.comments]
            ended = await asyncio.gather(*map(gather, reachable), return_exceptions=True)
            await self._note(unusable, reachable, ended, "it cannot be decided whether the target matches: ")

    async def _prepare(self, srns: Sequence[Srn], unusable: _Unusable) -> None:
        """Compile the pillar of resources; an error, or one of its configuration, fails only the resource."""
        refused = self._services.directory.refused
        unusable.comments.update({srn: refused[srn] for srn in srns if srn in refused} if refused else {})
        await self._services.preparation.prepare_all(srns)
        ended = await asyncio.gather(*map(self._services.preparation.prepare, srns), return_exceptions=True)
        await self._note(unusable, srns, ended, "")

    async def _note(
        self, unusable: _Unusable, srns: Sequence[Srn], ended: Sequence[object], lead: str
    ) -> None:
        """Note the errors as text; raise an exception that is not an error of a resource."""
        comments = unusable.comments
        for srn, outcome in zip(srns, ended, strict=True):
            if isinstance(outcome, RemoteError):
                comments[srn] = f"{lead}{await with_origins(outcome, self._services.stores.registry)}"
                if (
                    isinstance(outcome, NO_CONNECTION)
                    or self._services.directory.reach.fault(str(srn)) is not None
                ):
                    unusable.unreachable.add(srn)
            elif isinstance(outcome, EnsueError):
                comments[srn] = f"{lead}{outcome}"
            elif isinstance(outcome, Exception):
                comments[srn] = f"{lead}{type(outcome).__name__}: {outcome}"
            elif isinstance(outcome, BaseException):
                raise outcome

    async def _target(self, expression: str) -> Target:
        vocabulary = self._services.vocabulary
        if vocabulary.is_checked(expression):
            return vocabulary.parse(expression)
        # A reference may name a type that was not loaded when the SLS was compiled.
        return await asyncio.to_thread(vocabulary.parse, expression)

    def _possible_target(self, expression: str) -> Target | None:
        """Return a target in which a reference may have any value; None if all of it is a reference."""
        if expression not in self._possible:
            self._possible[expression] = self._without_references(expression)
        return self._possible[expression]

    def _without_references(self, expression: str) -> Target | None:
        if not holds_sign(expression):
            return parse_target(expression)
        from ensue.language.references.grammar import read_text

        pieces = [piece if isinstance(piece, str) else "*" for piece in read_text(expression)]
        try:
            target = parse_target("".join(pieces))
        except TargetSyntaxError:
            return None
        return target if all(word.engine in _TAKES_GLOBS for word in words_of(target)) else None

    async def hint(self, expression: str) -> str:
        """Return what may have been meant by a target that matches nothing, or why it no longer matches.

        Raises:
            TargetSyntaxError: it does not parse, or names a type or a nodegroup that does not exist.
        """
        return await asyncio.to_thread(self._hint, await self._target(expression))

    def _rewritten(self, word: Word, *, is_part: bool) -> str:
        """Return how to write a word in the form of another tool, in its place; empty if it has none."""
        from ensue.language.targeting.ansible_patterns import instead_of_engines, instead_of_pattern

        if word.engine == "N":
            taken = groups_taken_for_ids(self._services.vocabulary.nodegroups)
            inner = next((inner for name, inner in taken if name == word.pattern), "")
            of_group = f"in {word.pattern!r}, {inner} is the id of a machine; the nodegroup is N@{inner}"
            return of_group if inner else ""
        if word.engine:
            return _other_form(word)
        type_, colon, _ = word.pattern.partition(":")
        vocabulary = self._services.vocabulary
        if colon and vocabulary.knows_type(type_):
            return ""
        groups, minion = vocabulary.nodegroups, self._services.minion.id
        if "N@" in word.pattern or word.pattern.startswith("@"):
            advice = instead_of_engines(word.pattern, groups, minion, is_part=is_part) or _other_form(word)
        else:
            advice = _other_form(word) or instead_of_pattern(word.pattern, groups, minion, is_part=is_part)
        return f"for {word.pattern!r}: {advice}" if advice and is_part else advice

    def _nothing(self, expression: str, target: Target) -> str:
        return f"no minion or resource matches the target {expression!r} ({self._hint(target)})"

    def _hint(self, target: Target) -> str:
        from ensue.language.targets.unassigned_resources import unassigned_resources

        directory = self._services.directory
        if self.verdict(target, self._services.minion):
            return "it matches only this machine, whose grains are not cached"
        gone = directory.index.matching(target, self._services.vocabulary, active=False)
        for srn in sorted([*gone.matched, *gone.undecided])[:1]:
            if record := directory.index.record(srn):
                return directory.why_gone(record)
        words = list(words_of(target))
        is_part = not isinstance(target, Word)
        if advice := next((text for word in words if (text := self._rewritten(word, is_part=is_part))), ""):
            return advice
        near = dict.fromkeys(name for word in words for name in _near(word, directory.index))
        if near:
            return f"did you mean {' or '.join(near)}?"
        if warning := unassigned_resources(self._services):
            return f"{warning.summary}: {warning.help}"
        return self._general_hint(words)

    def _general_hint(self, words: Sequence[Word]) -> str:
        if self._services.stores.other_minions is not None:
            return _OF_OTHER_MINIONS
        is_name = len(words) == 1 and not words[0].engine and words[0].pattern.isidentifier()
        return "`ensue resources list` shows all" + (
            "; a group is a nodegroup of ensue.yaml, N@NAME" if is_name else ""
        )


def _other_form(word: Word) -> str:
    """Return how to write a word in the form of another tool: `web1,web2`, `G@os=Debian`, `root@web`."""
    pattern = word.pattern
    if word.engine in {"G", "P", "I", "J"} and "=" in pattern and word.delimiter not in pattern:
        return f"a key and its value are {word.engine}@{pattern.replace('==', '=').replace('=', ':', 1)}"
    if not word.engine and "@" in pattern:
        return f"write the id alone, {pattern.rpartition('@')[2]}: the registration of a host has its user"
    return ""


def _near(word: Word, index: ResourceIndex) -> list[str]:
    """Return what may have been meant by a word: ids (of its type, if it has a known one), or types."""
    if word.engine not in {"", "T", "L"}:
        return []
    type_, _, id_ = word.pattern.partition(":") if word.engine == "T" else ("", "", word.pattern)
    types = index.types()
    if type_ and type_ not in types:
        import difflib

        return difflib.get_close_matches(type_, types, n=2)
    lead = f"{type_}:" if type_ else ""
    return [f"{lead}{near_id}" for near_id in index.near_ids(id_.strip("*?"), [type_] if type_ else types)]
