"""Lowering references: each is resolved to its producer, which its state then comes after.

What a text means is found out once, however many states hold it; what is wrong with it is said at each
place where it stands.

Source: Idem's argument binding: references become `arg_bind` requisites.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.language.fan_outs import TARGET
from ensue.language.references.faults import Fault, Faults
from ensue.language.references.grammar import Malformed, read_text
from ensue.language.references.leaves import is_small, signed_texts
from ensue.language.references.lookalikes import lookalikes
from ensue.language.references.producers import Producers, identity_of, meant
from ensue.language.references.signs import holds_sign
from ensue.language.wishes import NOTHING, add_wish
from ensue.model.chunk import NO_OPTIONS, StateOptions
from ensue.model.data import is_mapping
from ensue.model.reference import Binding, BoundText, Reference

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from ensue.contracts.enforced import EnforcedStates
    from ensue.diagnostics import Span
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration
    from ensue.language.references.leaves import Keys
    from ensue.language.wishes import Wanted, Words
    from ensue.model.enforced import EnforcedState
    from ensue.model.srn import Srn

    Meaning: TypeAlias = tuple[Reference, int | EnforcedState]
    _Text: TypeAlias = tuple[str, Keys]

WORD: Final = "arg_bind"
"""The requisite that a reference becomes."""

_READ_OPTIONS: Final = ("unless", "onlyif", "creates", "check_cmd", "runas")


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What lies around the scope whose references are lowered.

    Args:
        target: what the scope runs against.
        enforced: what earlier applies enforced; None where the project keeps none.
        outer_ids: IDs and names of the scopes around this one, which no reference reaches.
    """

    target: Srn
    enforced: EnforcedStates | None = None
    outer_ids: Container[str] = ()


class _Bound(msgspec.Struct):
    """The texts with references of one draft, and of others that hold the same at the same places.

    Args:
        texts: the texts, each with the way to it.
        producers: the drafts that are meant.
        words: those as requisites.
        placed: the texts as they stand in a plan, once that is asked for.
    """

    texts: tuple[_Text, ...]
    producers: dict[int, None]
    words: Words
    placed: dict[str, BoundText] | None = None


class _Pattern(msgspec.Struct):
    """Arguments that many states have, one after the other, and what is bound in them.

    Args:
        arguments: the arguments.
        names: their names as they stand: in that order faults are told.
        bound: what is bound in them.
    """

    arguments: dict[str, Any]
    names: list[str]
    bound: _Bound


class Bindings:
    """The references of one scope.

    Args:
        drafts: all drafts of the scope.
        around: what lies around it.
        found: where faults go.
    """

    def __init__(self, drafts: Sequence[Draft], around: Surroundings, found: Collector) -> None:
        self._drafts = drafts
        self._around = around
        self._producers = Producers(drafts)
        self._faults = Faults(drafts, self._producers, found)
        self._pieces: dict[str, tuple[str | Meaning, ...] | list[Fault]] = {}
        self._bound: dict[int, _Bound] = {}
        self._known: dict[tuple[_Text, ...], _Bound] = {}
        self._last: _Pattern | None = None

    def lower(self, wanted: Wanted) -> None:
        """Find all references and add what they ask for to the requisites of their states."""
        for number, draft in enumerate(self._drafts):
            last = self._last
            if last is not None and last.arguments == draft.arguments and self._is_like(last, number, draft):
                self._bind(number, last.bound, wanted)
                continue
            texts = tuple(_texts_of(draft))
            if texts:
                self._bind(number, self._bound_of(number, draft, texts), wanted)
            if draft.options is not NO_OPTIONS:
                self._check_options(draft)
                draft.options = _with_plain_commands(draft.options)

    def of(self, number: int, place_of: Sequence[int]) -> dict[str, BoundText] | None:
        """Return the bound texts of a draft, by text; None when it has none. Many drafts share one.

        Args:
            number: the draft.
            place_of: the place in the plan of every draft.
        """
        bound = self._bound.get(number)
        if bound is None:
            return None
        one = self._drafts[number].declaration
        if one.borrowed:
            return self._placed(bound.texts, place_of, one)
        if bound.placed is None:
            bound.placed = self._placed(bound.texts, place_of)
        return bound.placed

    def _placed(
        self, texts: Sequence[_Text], place_of: Sequence[int], borrower: Declaration | None = None
    ) -> dict[str, BoundText]:
        placed: dict[str, BoundText] = {}
        for text, keys in reversed(texts):
            pieces = self._read(text)
            made = tuple(
                piece if isinstance(piece, str) else _binding(piece, place_of)
                for piece in (() if isinstance(pieces, list) else pieces)
            )
            document, place = borrower.written_at(*keys) if borrower else (None, keys)
            placed[text] = BoundText(made, place, document)
        return placed

    def step(self, number: int, producer: int) -> tuple[str, Span]:
        """Return the reference by which a draft is bound to another, and its place."""
        declaration = self._drafts[number].declaration
        for text in self._bound[number].texts if number in self._bound else ():
            for reference, target in self._meanings(text[0]):
                if target == producer:
                    return reference.text, _span(declaration, text, reference.text)
        return WORD, declaration.span()

    def _is_like(self, last: _Pattern, number: int, draft: Draft) -> bool:
        is_plain = draft.options is NO_OPTIONS and "$" not in draft.name
        return is_plain and number not in last.bound.producers and last.names == [*draft.arguments]

    def _bound_of(self, number: int, draft: Draft, texts: tuple[_Text, ...]) -> _Bound:
        bound = self._known.get(texts)
        if bound is None or number in bound.producers:
            return self._looked_up(number, texts)
        if draft.options is NO_OPTIONS and "$" not in draft.name and is_small(draft.arguments.values()):
            # A second state with the same: more of them follow, as a loop writes them.
            self._last = _Pattern(draft.arguments, [*draft.arguments], bound)
        return bound

    def _bind(self, number: int, bound: _Bound, wanted: Wanted) -> None:
        if bound.texts:
            self._bound[number] = bound
        if wanted[number] is NOTHING:
            wanted[number] = bound.words
            return
        for producer in bound.producers:
            add_wish(wanted, number, WORD, producer)

    def _looked_up(self, number: int, texts: tuple[_Text, ...]) -> _Bound:
        """Find out what texts mean; what is wrong with them is told of this draft, and so of every other."""
        held: list[_Text] = []
        producers: dict[int, None] = {}
        is_right = True
        for text in texts:
            pieces = self._read(text[0])
            if isinstance(pieces, list):
                is_right = False
                for fault in pieces:
                    self._faults.tell(fault, _span(self._drafts[number].declaration, text, fault.text))
                continue
            if any(isinstance(piece, str) and holds_sign(piece) for piece in pieces):
                self._warn_of_lookalikes(number, text)
            for reference, target in (piece for piece in pieces if not isinstance(piece, str)):
                if target == number:
                    is_right = False
                    place = _span(self._drafts[number].declaration, text, reference.text)
                    self._faults.tell_of_itself(self._drafts[number], reference, place)
                elif isinstance(target, int):
                    producers[target] = None
            if pieces != (text[0],):
                held.append(text)
        words = MappingProxyType({WORD: producers}) if producers else NOTHING
        bound = _Bound(tuple(held), producers, words)
        if is_right:
            self._known[texts] = bound
        return bound

    def _warn_of_lookalikes(self, number: int, text: _Text) -> None:
        declaration = self._drafts[number].declaration
        for piece, id_, meant_by_it in lookalikes(text[0], self._producers):
            self._faults.warn_of_lookalike(piece, id_, meant_by_it, _span(declaration, text, piece))

    def _read(self, text: str) -> tuple[str | Meaning, ...] | list[Fault]:
        if text not in self._pieces:
            self._pieces[text] = self._meaning_of_pieces(text)
        return self._pieces[text]

    def _meaning_of_pieces(self, text: str) -> tuple[str | Meaning, ...] | list[Fault]:
        """Return what a text is made of, or all that is wrong with it."""
        pieces: list[str | Meaning] = []
        faults: dict[str, Fault] = {}
        for piece in read_text(text):
            match piece:
                case str():
                    pieces.append(piece)
                case Malformed():
                    faults[piece.text] = self._faults.malformed(piece)
                case Reference():
                    target = self._target(piece)
                    if isinstance(target, Fault):
                        faults[piece.text] = target
                    else:
                        pieces.append((piece, target))
        return list(faults.values()) or tuple(pieces)

    def _target(self, reference: Reference) -> int | EnforcedState | Fault:
        left = self._producers.meant(reference)
        if len(left) == 1:
            return left[0]
        if left:
            return self._faults.ambiguous(reference, left)
        if reference.selector is not None and (instances := self._producers.without_selector(reference)):
            return self._faults.no_instance(reference, instances)
        if reference.id in self._around.outer_ids:
            return self._faults.outer(reference)
        return self._enforced(reference)

    def _enforced(self, reference: Reference) -> EnforcedState | Fault:
        store = self._around.enforced
        entries = store.find(self._around.target, reference.path, reference.id) if store else ()
        left = meant(reference, entries, identity_of)
        if len(left) > 1:
            return self._faults.ambiguous_before(reference, left)
        return left[0] if left else self._faults.nothing(reference)

    def _meanings(self, text: str) -> Iterator[Meaning]:
        pieces = self._read(text)
        if not isinstance(pieces, list):
            yield from (piece for piece in pieces if not isinstance(piece, str))

    def _check_options(self, draft: Draft) -> None:
        """Refuse references in options that a shell or another state would be given as they stand."""
        for option in _READ_OPTIONS:
            for text, keys in signed_texts(_option(draft, option)):
                for piece in read_text(text):
                    if isinstance(piece, Reference) and self._producers.meant(piece):
                        place = _span(draft.declaration, (text, (option, *keys)), piece.text)
                        self._faults.in_option(draft, option, piece, place)


def _option(draft: Draft, option: str) -> list[Any]:
    value: Any = getattr(draft.options, option)
    return list(value) if isinstance(value, tuple) else [value]  # pyright: ignore[reportUnknownArgumentType] # of anything


def _with_plain_commands(options: StateOptions) -> StateOptions:
    """Return options whose commands a shell can be given: nothing is bound in them, so escapes are undone."""
    plain = {
        option: _plain(value)
        for option in _READ_OPTIONS
        if (value := getattr(options, option)) and signed_texts(list(value) if option != "runas" else value)
    }
    return msgspec.structs.replace(options, **plain) if plain else options


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return "".join(piece if isinstance(piece, str) else piece.text for piece in read_text(value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(_plain, value))  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # of anything
    return {key: _plain(one) for key, one in value.items()} if is_mapping(value) else value


def _texts_of(draft: Draft) -> list[_Text]:
    texts = signed_texts(draft.arguments) if draft.arguments else []
    if "$" in draft.name and "name" not in draft.arguments:
        keys = ("names",) if draft.name_order else ("name",)
        texts[:0] = [(text, keys) for text, _ in signed_texts(draft.name)]
    if draft.options is not NO_OPTIONS and (fan_out := draft.options.fan_out) is not None:
        texts += [(text, (TARGET,)) for text, _ in signed_texts(fan_out.expression)]
    return texts


def _span(declaration: Declaration, text: _Text, needle: str) -> Span:
    document, keys = declaration.written_at(*text[1])
    return document.locate_text(keys, needle)


def _binding(meaning: Meaning, place_of: Sequence[int]) -> Binding:
    reference, target = meaning
    if isinstance(target, int):
        return Binding(reference=reference, producer=place_of[target])
    return Binding(reference=reference, enforced=target)
