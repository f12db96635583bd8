"""The top file: which SLS are assigned to which target.

Every environment may have one. `top_files.py` merges them; this module matches one target against the result.

Source: Salt's top file; globs, lists, compound and grain matches, several environments.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import PluginError
from ensue.core.model.data import is_list, is_mapping
from ensue.language.collector import near_names
from ensue.language.targeting import TargetSyntaxError, exact_name, matches, matches_so_far
from ensue.language.targeting.errors import UNKNOWN_NODEGROUP
from ensue.language.top_files import OwnMatchers, TopOptions, read_top_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ensue.language.collector import Collector
    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import Roots, SlsFile
    from ensue.language.targeting import TargetSubject
    from ensue.language.targeting.expression import Target
    from ensue.language.yaml.document import YamlPlace

ENGINES: Final = {
    "glob": "", "compound": "", "grain": "G", "grain_pcre": "P", "list": "L", "pcre": "E", "ipcidr": "S",
    "pillar": "I", "pillar_exact": "I", "pillar_pcre": "J", "nodegroup": "N", "range": "R", "resource": "T",
    "managing_minion": "M",
}  # fmt: skip
"""The kinds of match that a top file may name, each with its letter in a compound target."""
_BY_NAME: Final = frozenset({"compound", "glob"})
"""The kinds of match whose target may be a name."""


class TopMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One SLS that the top file assigns to a target.

    Args:
        name: the SLS name or glob.
        saltenv: the environment to look in.
        span: the target's place in the top file.
        may_be_missing: whether a missing SLS is no error (`ignore_missing`, in pillar).
        names_subject: whether the target is the name of the subject, and no other target assigns the SLS.
    """

    name: str
    saltenv: str
    span: YamlPlace
    may_be_missing: bool = False
    names_subject: bool = False


class TargetNotes(msgspec.Struct, kw_only=True):
    """What the match of a subject with the targets of top files leaves open.

    Args:
        undecided: the targets that what is not known of the subject decides; None: all of it is known.
        unmatched: the compound targets that do not match the subject, with their places.
    """

    undecided: list[str] | None = None
    unmatched: dict[str, YamlPlace] = msgspec.field(default_factory=dict[str, "YamlPlace"])


def top_matches(
    roots: Roots,
    render: Callable[[SlsFile], Stream],
    subject: TargetSubject,
    collector: Collector,
    options: TopOptions | None = None,
    *,
    switches: set[str] | None = None,
    notes: TargetNotes | None = None,
) -> list[TopMatch] | None:
    """Return the SLS that the top files assign to a subject.

    Args:
        roots: where to look for top files, in every environment.
        render: renders them.
        subject: the target that is matched.
        collector: collects the errors.
        options: which environments count, and how their top files are merged.
        switches: the switches that a top file turns on are added here; None: a top file has no switches.
        notes: receives the targets that do not match the subject, or of which that is not known.

    Returns:
        The assigned SLS, by environment in the order in which each first matches; None without a top file.
    """
    options = options or TopOptions()
    tops = read_top_files(roots, render, collector, options, switches=switches)
    if tops is None:
        return None
    matcher = _Matcher(roots, subject, collector, notes or TargetNotes(), options.matchers)
    results: dict[str, dict[str, TopMatch]] = {}
    for saltenv, targets in tops.items():
        if options.saltenv and saltenv != options.saltenv:
            continue
        for expression, target in targets.items():
            for match in matcher.matched(expression, target.entries, saltenv, target.span):
                of_environment = results.setdefault(match.saltenv, {})
                known = of_environment.setdefault(match.name, match)
                if known.names_subject and not match.names_subject:
                    of_environment[match.name] = msgspec.structs.replace(known, names_subject=False)
    order = [*(env for env in options.env_order if env in results), *results] if options.sorted else results
    return [value for saltenv in dict.fromkeys(order) for value in results[saltenv].values()]


class _Matcher:
    """Matches one subject against targets."""

    def __init__(
        self,
        roots: Roots,
        subject: TargetSubject,
        collector: Collector,
        notes: TargetNotes,
        matchers: OwnMatchers | None,
    ) -> None:
        self._matchers = matchers
        self._unmatched = notes.unmatched
        self._undecided = notes.undecided
        self._environments = frozenset(roots.environments)
        self._subject = subject
        self._collector = collector

    def matched(
        self, expression: str, listed: list[Any], saltenv: str, span: YamlPlace
    ) -> Iterator[TopMatch]:
        """Yield the SLS of a target if the subject matches it."""
        if not self._applies(expression, listed, span):
            return
        missing = any(is_mapping(entry) and entry.get("ignore_missing") for entry in listed)
        names_subject = _kind_of(listed) in _BY_NAME and self._names_subject(expression)
        for entry in listed:
            if isinstance(entry, (str, int)):
                yield TopMatch(
                    name=str(entry),
                    saltenv=saltenv,
                    span=span,
                    may_be_missing=missing,
                    names_subject=names_subject,
                )
            elif is_mapping(entry):
                yield from self._nested(entry, span, saltenv)

    def _nested(self, entry: Any, span: YamlPlace, saltenv: str) -> Iterator[TopMatch]:
        """Read `subfilter`, which narrows a target, and SLS of another environment."""
        for key, value in entry.items():
            if key == "subfilter" and is_mapping(value):
                for expression, entries in value.items():
                    listed = entries if is_list(entries) else [entries]
                    yield from self.matched(str(expression), listed, saltenv, span)
            elif key in self._environments and isinstance(value, str):
                yield TopMatch(name=value, saltenv=str(key), span=span)

    def _names_subject(self, expression: str) -> bool:
        """Return whether a target that matches is the name of the subject: as its id, or with its type."""
        return exact_name(self._subject.vocabulary.parse(expression)) != ""

    def _applies(self, expression: str, entries: list[Any], span: YamlPlace) -> bool:
        kind = _kind_of(entries)
        if kind not in ENGINES:
            return self._applies_by_own(kind, expression, span)
        try:
            is_matched = self._is_matched(self._target(kind, expression), expression)
        except TargetSyntaxError as error:
            if error.code == UNKNOWN_NODEGROUP:
                # As in Salt: one top file may serve several masters, each with its own nodegroups.
                self._collector.warning(error.code, str(error), span, detail="the target matches nothing")
            else:
                self._collector.error(error.code, str(error), span)
            return False
        if not is_matched and kind in _BY_NAME:
            self._warn_of_group(expression, span)
            if kind == "compound":
                self._unmatched[expression] = span
        return is_matched

    def _applies_by_own(self, kind: str, expression: str, span: YamlPlace) -> bool:
        """Match by a matcher of the project."""
        try:
            own = self._matchers.find(kind) if self._matchers is not None else None
            if own is not None and self._undecided is not None:
                # It may look at anything of a target, which may not exist yet.
                self._undecided.append(expression)
                return False
            if own is not None:
                return own(expression)
        except PluginError as error:
            self._collector.error("E0602", str(error), span, help="fix it, or name another matcher")
            return False
        known = [*ENGINES, *(self._matchers.names() if self._matchers is not None else ())]
        self._collector.error(
            "E0602",
            f"there is no kind of match {kind!r}",
            span,
            help=near_names(kind, known) or f"{', '.join(known)}; or write _matchers/{kind}_match.py",
        )
        return False

    def _warn_of_group(self, expression: str, span: YamlPlace) -> None:
        """Warn of an id that is the name of a nodegroup, and of a pattern of Ansible."""
        from ensue.language.targeting.ansible_patterns import instead_of_group

        if instead := instead_of_group(expression, self._subject.vocabulary.nodegroups):
            self._collector.warning(
                "E0888",
                f"the target {expression!r} is taken for the id of a machine",
                span,
                detail="a word without an engine is a glob of ids",
                help=instead,
            )

    def _is_matched(self, target: Target, expression: str) -> bool:
        if self._undecided is None:
            return matches(target, self._subject)
        verdict = matches_so_far(target, self._subject)
        if verdict is None:
            self._undecided.append(expression)
        return verdict is True

    def _target(self, kind: str, expression: str) -> Target:
        vocabulary = self._subject.vocabulary
        if kind == "compound":
            return vocabulary.parse(expression)
        if kind == "pillar_exact":
            import glob

            expression = glob.escape(expression)
        return vocabulary.word(ENGINES[kind], expression)


def _kind_of(entries: list[Any]) -> str:
    kinds = [str(entry["match"]) for entry in entries if is_mapping(entry) and "match" in entry]
    return kinds[-1] if kinds else "compound"


__all__ = ["ENGINES", "OwnMatchers", "TargetNotes", "TopMatch", "TopOptions", "top_matches"]
