"""The words of `--only`, `--exclude` and `--start-at`: which states of a plan each of them names.

A word is an ID, a name or an SLS; `id:`, `sls:` and `tag:` before it say which. A word that names nothing, or
that is both an ID and an SLS, is refused before anything runs. What a part needs beside the states that are
named is in `graph.transforms.part`.
"""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.first_names import first_names
from ensue.language.collector import near_names
from ensue.language.names_by_glob import GLOB_SIGNS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from ensue.core.contracts.growth import Plan
    from ensue.core.model.chunk import Chunk
    from ensue.core.model.run_part import RunPart
    from ensue.core.model.srn import Srn

    _NamesOf: TypeAlias = Callable[[Chunk], Collection[str]]

EXCLUDE: Final = "--exclude"
START_AT: Final = "--start-at"
_KINDS: Final = ("id", "sls", "tag")
_MOST_CALLERS: Final = 5
_MOST_NAMED: Final = 10


class Named(msgspec.Struct, frozen=True, kw_only=True):
    """The states of a plan that the words of a part name, as indices into its chunks.

    Args:
        only: those that `--only` names; None: it was not given.
        exclude: those that `--exclude` names.
        start: the one that `--start-at` names; None: it was not given. The number of chunks if the plan does
            not have it.
    """

    only: frozenset[int] | None = None
    exclude: frozenset[int] = frozenset()
    start: int | None = None


class StatesByWord:
    """The states of one plan by the words that name them.

    Args:
        plan: the plan.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._indices: dict[str, dict[str, list[int]]] = {}

    def named(self, part: RunPart) -> Named:
        """Return the states that the words of a part name."""
        meant: dict[str, set[int]] = {}
        for option, word in part.words:
            meant.setdefault(option, set()).update(*self.meanings(option, word).values())
        starts = meant.get(START_AT, ())
        return Named(
            only=frozenset(meant.get("--only", ())) if part.only else None,
            exclude=frozenset(meant.get(EXCLUDE, ())),
            start=min(starts, default=len(self._plan.chunks)) if part.start_at else None,
        )

    @property
    def target(self) -> Srn:
        """The target of the plan."""
        return self._plan.target

    def meanings(self, option: str, word: str) -> dict[str, set[int]]:
        """Return the states that a word may name, by its kind: `id`, `sls`, `tag`; without empty ones."""
        kind, colon, rest = word.partition(":")
        kinds = ("id",) if option == START_AT else ("id", "sls")
        if colon and kind in _KINDS and option != START_AT:
            kinds, word = (kind,), rest
        by_kind = {kind: self._of_kind(option, kind, word) for kind in kinds}
        return {kind: set(indices) for kind, indices in by_kind.items() if indices}

    def known(self, option: str) -> Iterator[str]:
        """Yield every word that names a state."""
        yield from self._by("id", self._ids)
        yield from self._by("name", _names)
        if option != START_AT:
            yield from self._by(*self._sls(option))
            yield from (f"tag:{tag}" for tag in self._by("tag", _tags))

    def included_by(self, sls: str) -> list[str]:
        """Return the SLS that an SLS includes."""
        included = {chunk.sls for chunk in self._plan.chunks if sls in self._covering(chunk)}
        return sorted(included - {sls})

    def callers(self) -> Iterator[str]:
        """Yield the IDs of the states that have `delayed_render`."""
        return (chunk.id for chunk in self._plan.chunks if chunk.options.delayed_render)

    def _of_kind(self, option: str, kind: str, word: str) -> Collection[int]:
        if kind == "id":
            return _matching(self._by("id", self._ids), word) or _matching(self._by("name", _names), word)
        return _matching(self._by("tag", _tags) if kind == "tag" else self._by(*self._sls(option)), word)

    def _by(self, key: str, names_of: _NamesOf) -> dict[str, list[int]]:
        if key not in self._indices:
            indices = self._indices[key] = {}
            for index, chunk in enumerate(self._plan.chunks):
                for name in names_of(chunk):
                    indices.setdefault(name, []).append(index)
        return self._indices[key]

    def _ids(self, chunk: Chunk) -> tuple[str, ...]:
        resource = self._plan.resource
        own = chunk.id.removeprefix(f"{resource.id} ") if resource is not None else chunk.id
        return (chunk.id,) if own == chunk.id else (own, chunk.id)

    def _sls(self, option: str) -> tuple[str, _NamesOf]:
        # As `require: sls:` and `exclude: sls:` do: what an SLS includes comes with it, and stays without it.
        return ("own", lambda chunk: (chunk.sls,)) if option == EXCLUDE else ("covering", self._covering)

    def _covering(self, chunk: Chunk) -> Collection[str]:
        tree = self._plan.tree
        return (chunk.sls,) if tree is None else tree.names_of(chunk.sls, chunk.saltenv)


def _names(chunk: Chunk) -> tuple[str, ...]:
    return (chunk.name,)


def _tags(chunk: Chunk) -> tuple[str, ...]:
    return chunk.options.tags


def _matching(known: dict[str, list[int]], word: str) -> Collection[int]:
    if word in known or GLOB_SIGNS.isdisjoint(word):
        return known.get(word, ())
    return {index for name in fnmatch.filter(known, word) for index in known[name]}


def word_problems(plans: Sequence[Plan], part: RunPart, *, joining: bool = False) -> list[Diagnostic]:
    """Return what is wrong with the words of a part.

    Args:
        plans: all plans that a run begins with.
        part: the part.
        joining: whether resources join whose states are not known yet; a word may name one of those, and is
            only warned of.
    """
    by_word = [StatesByWord(plan) for plan in plans if plan.chunks]
    problems: list[Diagnostic] = []
    for option, word in part.words:
        meanings = [states_by_word.meanings(option, word) for states_by_word in by_word]
        if any(len(meaning) > 1 and len({*map(frozenset, meaning.values())}) > 1 for meaning in meanings):
            problems.append(_ambiguous(option, word))
        elif not any(meanings) and not joining:
            problems.append(_unknown(option, word, by_word))
        elif not any(meanings):
            problems.append(_not_known_yet(option, word))
    if part.start_at and not problems:
        without = [states for states in by_word if not states.meanings(START_AT, part.start_at)]
        problems += [_nothing_starts(without, part.start_at)] if without else []
    return problems


def _nothing_starts(without: Sequence[StatesByWord], word: str) -> Diagnostic:
    targets = [states.target.id for states in without]
    named, have = first_names(targets, _MOST_NAMED), "has" if len(targets) == 1 else "have"
    return Diagnostic(
        code="E0918",
        summary=f"nothing runs on {named}, which {have} no state {word!r} to start at",
        detail="`--start-at` counts for each host, and a state of another host has no place in its plan",
        help=f"run all of {'it' if len(targets) == 1 else 'them'} with `--tgt` and without `--start-at`",
        severity=Severity.WARNING,
    )


def _ambiguous(option: str, word: str) -> Diagnostic:
    return Diagnostic(
        code="E0870",
        summary=f"`{option} {word}` names a state and an SLS",
        detail="nothing was run",
        help=f"write `id:{word}` for the state, or `sls:{word}` for all states of the SLS",
    )


def _unknown(option: str, word: str, by_word: Sequence[StatesByWord]) -> Diagnostic:
    included = sorted(
        {sls for states_by_word in by_word for sls in states_by_word.included_by(word.removeprefix("sls:"))}
    )
    if option == EXCLUDE and included:
        help_ = f"it only includes other SLS; name those: {', '.join(included)}"
    else:
        known = sorted({name for states_by_word in by_word for name in states_by_word.known(option)})
        help_ = near_names(word, known) or _near_rest(word, known) or _forms(option)
    callers = list(dict.fromkeys(id_ for states_by_word in by_word for id_ in states_by_word.callers()))
    return Diagnostic(
        code="E0869",
        summary=f"`{option} {word}` names no state of this run",
        detail=f"nothing was run{_of_callers(callers)}",
        help=help_,
    )


def _not_known_yet(option: str, word: str) -> Diagnostic:
    return Diagnostic(
        code="E0869",
        summary=f"`{option} {word}` names no state that is known before the run",
        detail="resources join the run whose states are not known yet",
        help="check the spelling; it may name a state of theirs",
        severity=Severity.WARNING,
    )


def _near_rest(word: str, known: Iterable[str]) -> str:
    """Return what a word with `id:`, `sls:` or a module before it may mean."""
    kind, colon, rest = word.partition(":")
    others = [word for word in known if not word.startswith("tag:")]
    if colon and kind in _KINDS:
        return near_names(rest, others)
    # `file.two` and `file:two`, as Terraform and references write an address.
    ids = [end for mark in ".:" for _, _, end in [word.partition(mark)] if end in others]
    return f"did you mean {ids[0]}?" if ids else ""


def _forms(option: str) -> str:
    if option == START_AT:
        return "it takes the ID or the name of a state; `ensue show low` prints them"
    return "it takes an ID, a name, an SLS, or `tag:NAME`; `ensue show low` prints them"


def _of_callers(callers: Sequence[str]) -> str:
    if not callers:
        return ""
    named = first_names(callers, _MOST_CALLERS)
    return f"; a state in a delayed block is run, or left out, with the state that renders the block: {named}"
