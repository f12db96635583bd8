"""Resolves requisites: from the words of an SLS to the numbers of chunks.

A reference is an ID, or `module: ID or name`, `id: …`, `sls: …`, each with shell globs. A reference that
matches nothing is a diagnostic with its place. Cycles are found in `order.py`.

Source: Salt's requisites; matching measured in Salt 3008.5.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.requisite import Requisite, RequisiteKind
from ensue.language.collector import near_names
from ensue.language.requested import NOTHING, add_request
from ensue.language.requisite_names import MEANINGS, REQUISITES_IN
from ensue.language.tree import sls_key

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.minion_states import MinionStates
    from ensue.language.names_by_glob import NamesByGlob
    from ensue.language.requested import Requested, Words
    from ensue.language.settings.roots import Roots
    from ensue.language.tree import SlsTree

_MOST_NAMED: Final = 5
_WITHOUT: Final = {
    "require": "does not wait for this state",
    "onchanges": "runs in every apply",
    "onfail": "runs in every apply",
}
"""What a state does that a requisite of another one means in vain."""


class Resolver:
    """Finds the drafts that requisites name.

    Args:
        drafts: all drafts of the scope.
        tree: the SLS that they are from.
        collector: collects the errors.
        outer_ids: IDs and names of the enclosing scopes, which requisites cannot name.
        minion: the id of this minion in a run over minions; empty in other runs.
        roots: the SLS files of the project, of which an error names those that declare what is missing.
    """

    def __init__(
        self,
        drafts: list[Draft],
        tree: SlsTree,
        collector: Collector,
        outer_ids: Container[str] = (),
        minion: str = "",
        *,
        roots: Roots | None = None,
    ) -> None:
        self._drafts = drafts
        self._minion = minion
        self._roots = roots
        self._tree = tree
        self._collector = collector
        self._outer_ids = outer_ids
        self._by_key: dict[tuple[str, str], list[int]] | None = None
        self._by_sls: dict[str, list[int]] = {}
        self._globs: dict[tuple[str, str], list[int]] = {}
        self._reached_ids: set[str] = set()
        self._names: dict[str, NamesByGlob] = {}

    def resolve(self, waits: Iterable[tuple[int, int]] = ()) -> Requested:
        """Return, for each draft, its requisite words and the drafts they name.

        Args:
            waits: drafts that require others without a word in an SLS, each with one that it requires.
        """
        requested: Requested = [NOTHING] * len(self._drafts)
        for number, draft in enumerate(self._drafts):
            if draft.requisites:
                for word, references in draft.requisites.items():
                    self._resolve_word(requested, number, word, references)
        for number, producer in waits:
            add_request(requested, number, "require", producer)
        if "minion_states" in self.__dict__:
            self.minion_states.complete(requested)
        return requested

    @cached_property
    def minion_states(self) -> MinionStates:
        """The states of other minions that are named; each is added to the drafts."""
        from ensue.language.minion_states import MinionStates

        return MinionStates(self._drafts, self._minion, self._collector)

    def _resolve_word(self, requested: Requested, number: int, word: str, references: Any) -> None:
        draft = self._drafts[number]
        if references is None and word in REQUISITES_IN:
            return  # As in Salt; a template loop without items leaves such a key.
        if is_mapping(references) and word in REQUISITES_IN:
            references = [{key: value} for key, value in references.items()]
        if isinstance(references, str) and word in REQUISITES_IN and word != "listen_in":
            self._collector.warning(
                "E0503",
                f"`{word}` of {draft.declaration.id!r} is not a list",
                draft.declaration.span(word),
                detail=f"{references!r} is ignored, as in Salt, so a state of that name "
                + _WITHOUT.get(word.partition("_")[0], "does not react to this state"),
                help=f"write one `- module: id` per line under {word}:",
            )
            return
        if not is_list(references):
            self._collector.error(
                "E0503",
                f"`{word}` of {draft.declaration.id!r} is not a list",
                draft.declaration.span(word),
                help=f"write one `- module: id` per line under {word}:",
            )
            return
        if word in REQUISITES_IN and word not in MEANINGS:
            self._resolve_backward(requested, number, word, references)
            return
        for place, reference in enumerate(references):
            for target in self._targets(number, word, place, reference):
                add_request(requested, number, word, target)

    def _resolve_backward(self, requested: Requested, number: int, word: str, references: list[Any]) -> None:
        """Add the requisites that an `_in` requisite of a draft gives to others."""
        bearers = self._bearers(number)
        for place, reference in enumerate(references):
            for target in self._narrowed(self._targets(number, word, place, reference), reference):
                for bearer in bearers:
                    if bearer != target or bearer == number:
                        add_request(requested, target, word.removesuffix("_in"), bearer)

    def _bearers(self, number: int) -> list[int]:
        """Return the drafts that an `_in` requisite of a draft makes others require.

        As in Salt, the other state gets the requisite `MODULE: ID`, which every state of the module with that
        ID or name satisfies. The drafts of one declaration share them: the first one adds all.
        """
        declaration = self._drafts[number].declaration
        drafts = self._lookup(declaration.module, declaration.id) or [number]
        first = next((draft for draft in drafts if self._drafts[draft].declaration is declaration), number)
        return drafts if number == first else [number]

    def _targets(self, number: int, word: str, place: int, reference: Any) -> list[int]:
        draft = self._drafts[number]
        if _may_name_minion(reference):
            names_minion, rest = self.minion_states.required(draft, word, place, reference)
            if names_minion:
                return [] if rest is None else [rest]
            reference = rest
        targets: list[int] = []
        for key, value in self._pairs(draft, word, place, reference):
            matched = self._lookup(key, value)
            if matched is None:
                self._nothing(draft, word, place, key, value)
                continue
            if word in REQUISITES_IN:
                self._reached_ids.update(self._drafts[index].declaration.id for index in matched)
            targets += matched
        return targets

    def _narrowed(self, targets: list[int], reference: Any) -> list[int]:
        """Return the drafts that a reference of an `_in` requisite means, as in Salt.

        A bare ID means the first state of that ID, and `sls` the states written in that SLS itself. A name
        means the state with that ID; without one, the states with that `name`.
        """
        from ensue.language.names_by_glob import GLOB_SIGNS

        if isinstance(reference, str):
            own = self._of_id(targets, reference)
            first = self._drafts[own[0]].declaration.module if own else ""
            return [draft for draft in own if self._drafts[draft].declaration.module == first] or targets
        for key, name in reference.items() if is_mapping(reference) else ():
            if isinstance(name, str) and GLOB_SIGNS.isdisjoint(name):
                if key == "sls":
                    return [target for target in targets if self._drafts[target].declaration.sls == name]
                return self._of_id(targets, name) or targets
        return targets

    def _of_id(self, targets: list[int], id_: str) -> list[int]:
        return [target for target in targets if self._drafts[target].declaration.id == id_]

    def _pairs(self, draft: Draft, word: str, place: int, reference: Any) -> Iterator[tuple[str, str]]:
        if isinstance(reference, str):
            yield "id", reference
            return
        if not is_mapping(reference) or len(reference) != 1:
            self._malformed(draft, word, place, reference)
            return
        for key, value in reference.items():
            if value is None:
                continue
            if not isinstance(value, str):
                self._malformed(draft, word, place, reference)
                continue
            yield str(key), value

    def _malformed(self, draft: Draft, word: str, place: int, reference: Any) -> None:
        self._collector.error(
            "E0503",
            f"`{word}` of {draft.declaration.id!r} holds {reference!r}",
            draft.declaration.span(word, place),
            help="write `- module: id` (an ID that is a number or a yes/no needs quotes), or just `- id`",
        )

    def _index(self) -> dict[tuple[str, str], list[int]]:
        if self._by_key is not None:
            return self._by_key
        index: dict[tuple[str, str], list[int]] = defaultdict(list)
        for number, draft in enumerate(self._drafts):
            declaration = draft.declaration
            index[declaration.module, declaration.id].append(number)
            index["id", declaration.id].append(number)
            if draft.name != declaration.id:
                index[declaration.module, draft.name].append(number)
                index["id", draft.name].append(number)
            for name in self._tree.loaded.get(
                sls_key(declaration.sls, declaration.saltenv), {declaration.sls}
            ):
                self._by_sls.setdefault(name, []).append(number)
        # An SLS without states satisfies a requisite on it.
        for sls, names in self._tree.loaded.items():
            for name in (sls, *names):
                self._by_sls.setdefault(name, [])
        self._by_key = dict(index)
        return self._by_key

    def _lookup(self, key: str, value: str) -> list[int] | None:
        from ensue.language.names_by_glob import GLOB_SIGNS

        index = self._index()
        if GLOB_SIGNS.isdisjoint(value):
            if key == "sls":
                return self._by_sls.get(value)
            return index.get((key, value))
        if (key, value) not in self._globs:
            self._globs[key, value] = self._glob(key, value)
        return self._globs[key, value] or index.get((key, value)) or self._instances(key, value)

    def _instances(self, key: str, value: str) -> list[int] | None:
        """Return the instances of a declaration that `ID[name]` picks, as in a reference."""
        from ensue.language.references.grammar import read_id

        parts = read_id(value) if key != "sls" else value
        if isinstance(parts, str) or parts[1] is None:
            return None
        id_, selector = parts
        drafts = self._drafts
        return [
            number
            for number in self._index().get((key, id_), ())
            if selector in (drafts[number].name, str(drafts[number].arguments.get("resource_name", "")))
        ] or None

    def _glob(self, key: str, pattern: str) -> list[int]:
        from ensue.language.names_by_glob import NamesByGlob

        index = self._index()
        if key not in self._names:
            names = self._by_sls if key == "sls" else (name for kind, name in index if kind == key)
            self._names[key] = NamesByGlob(names)
        listed = (
            number
            for name in self._names[key].matching(pattern)
            for number in (self._by_sls[name] if key == "sls" else index[key, name])
        )
        return list(dict.fromkeys(listed))

    def _nothing(self, draft: Draft, word: str, place: int, key: str, value: str) -> None:
        """Report a reference that matches nothing.

        In an `_in` requisite, some are ignored with a warning, as in Salt: a bare ID, an SLS, and a module
        that an ID lacks, if an earlier `_in` has found the ID. In `listen_in`, Salt ignores none.
        """
        if self._collector.may_be_declared(value):
            return
        if key != "sls" and value in self._outer_ids:
            self._outside(draft, word, place, key, value)
            return
        if key == "sls":
            near = near_names(value, self._by_sls)
        else:
            near = near_names(value, {name for kind, name in self._index() if kind in (key, "id")})
        module, _, id_ = value.partition(".")
        if key == "id" and (module, id_) in self._index():
            near = f"write the module and the ID of the state apart: `- {module}: {id_}`"
        modules = sorted({kind for kind, name in self._index() if name == value and kind != "id"})
        if modules and key not in ("id", "sls"):
            near = f"{value!r} is declared with {', '.join(modules)}: did you mean `{modules[0]}: {value}`?"
        listed = (draft.requisites or {}).get(word)
        bare = is_list(listed) and isinstance(listed[place], str)
        by_salt = bare or key == "sls" or value in self._reached_ids
        ignored = word in REQUISITES_IN and word != "listen_in" and by_salt
        report = self._collector.warning if ignored else self._collector.error
        report(
            "E0501",
            f"`{word}` of {draft.declaration.id!r} names {key}: {value}, which is not in this run",
            draft.declaration.span(word, place),
            detail="it is ignored, as in Salt" if ignored else "",
            help=self._in_a_block(value)
            or near
            or self._elsewhere(draft, key, value)
            or "declare it, or include the SLS that does",
        )

    def _outside(self, draft: Draft, word: str, place: int, key: str, value: str) -> None:
        from ensue.language.requisites_across_blocks import instead_of_requisite_across

        self._collector.error(
            "E0501",
            f"`{word}` of {draft.declaration.id!r} names {key}: {value}, a state in another scope",
            draft.declaration.span(word, place),
            detail=f"{value!r} is in an enclosing scope; a requisite names only states of its own scope",
            help=instead_of_requisite_across(word, value),
        )

    def _elsewhere(self, draft: Draft, key: str, value: str) -> str:
        """Return the remedy for a state that SLS declare which are not in this run; empty if none does."""
        if self._roots is None or key == "sls":
            return ""
        from ensue.language.ids_in_files import declaring_files

        saltenv = draft.declaration.saltenv
        files = [
            self._roots.find_path(file.path, saltenv)
            for file in declaring_files(value, self._roots.folders(saltenv))
            if key in ("id", file.module)
        ]
        names = sorted({file.name for file in files if file is not None})
        return f"include the SLS that declares it: {' or '.join(names[:_MOST_NAMED])}" if names else ""

    def _in_a_block(self, id_: str) -> str:
        """Return the remedy for an ID that a delayed block declares; empty if none does."""
        from ensue.language.requisites_across_blocks import block_that_declares

        block = block_that_declares(id_, self._tree)
        return (
            f"the delayed block {block!r} declares it, and its states are a scope of their own, which begins "
            "later: put the state with the requisite into the block, too"
            if block
            else ""
        )


def _may_name_minion(reference: Any) -> bool:
    """Return whether a requisite may name a state of another minion; False is certain."""
    return is_mapping(reference) and any(str(key).startswith("minion[") for key in reference)


class Requisites:
    """Makes the requisites of drafts; equal ones share one object.

    Args:
        place_of: the place of each draft in the plan.
    """

    def __init__(self, place_of: list[int]) -> None:
        self._place_of = place_of
        self._known: dict[tuple[str, tuple[int, ...]], Requisite] = {}
        self._last: Words | None = None
        self._last_made: tuple[Requisite, ...] = ()

    def of(self, words: Words) -> tuple[Requisite, ...]:
        """Return a draft's requisites with the places of chunks in the plan."""
        if words is not self._last:
            self._last, self._last_made = words, self._made(words)
        return self._last_made

    def _made(self, words: Words) -> tuple[Requisite, ...]:
        if len(words) == 1:
            for word, targets in words.items():
                return (self._of_word(word, tuple(targets)),) if targets else ()
        return tuple([self._of_word(word, tuple(targets)) for word, targets in words.items() if targets])

    def _of_word(self, word: str, targets: tuple[int, ...]) -> Requisite:
        known = self._known.get((word, targets))
        if known is None:
            kind, any_of = MEANINGS[word]
            places = tuple(map(self._place_of.__getitem__, targets))
            known = self._known[word, targets] = Requisite(kind=kind, chunks=places, any=any_of)
        return known


__all__ = ["RequisiteKind", "Requisites", "Resolver"]
