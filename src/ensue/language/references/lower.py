"""Lowering references: each is resolved to its producer, which its state then comes after.

What a text means is found out once, however many states hold it; what is wrong with it is said at each
place where it stands.

Source: Idem's argument binding: references become `arg_bind` requisites.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.language.fan_outs import TARGET
from ensue.language.references.faults import Fault, Faults
from ensue.language.references.grammar import Malformed, read_text
from ensue.language.references.leaves import signed_texts
from ensue.language.references.producers import Producers, identity_of, meant
from ensue.model.chunk import NO_OPTIONS
from ensue.model.reference import Binding, BoundText, Reference

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from ensue.contracts.enforced import EnforcedStates
    from ensue.diagnostics import Span
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration
    from ensue.language.references.leaves import Keys
    from ensue.model.enforced import EnforcedState
    from ensue.model.srn import Srn

    Meaning: TypeAlias = tuple[Reference, int | EnforcedState]
    Wanted: TypeAlias = list[dict[str, dict[int, None]]]

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


class _Text(msgspec.Struct, frozen=True, gc=False):
    """Where a draft holds a text with references."""

    text: str
    keys: Keys
    owner: Declaration


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
        self._texts: dict[int, list[_Text]] = {}
        self._pieces: dict[str, tuple[str | Meaning, ...] | list[Fault]] = {}
        self._placed: dict[str, tuple[str | Binding, ...]] = {}
        self._producers_of: dict[str, dict[int, None]] = {}

    def lower(self, wanted: Wanted) -> None:
        """Find all references and add what they ask for to the requisites of their states."""
        for number, draft in enumerate(self._drafts):
            texts = [text for text in _texts_of(draft) if self._is_bound(number, text, wanted[number])]
            if texts:
                self._texts[number] = texts
            if draft.options is not NO_OPTIONS:
                self._check_options(draft)

    def of(self, number: int, place_of: Sequence[int]) -> dict[str, BoundText] | None:
        """Return the bound texts of a draft, by text; None when it has none.

        Args:
            number: the draft.
            place_of: the place in the plan of every draft.
        """
        texts = self._texts.get(number)
        if texts is None:
            return None
        bound: dict[str, BoundText] = {}
        for one in reversed(texts):
            document, keys = one.owner.written_at(*one.keys)
            pieces = self._placed_pieces(one.text, place_of)
            bound[one.text] = BoundText(pieces, document, keys)
        return bound

    def step(self, number: int, producer: int) -> tuple[str, Span]:
        """Return the reference by which a draft is bound to another, and its place."""
        for one in self._texts.get(number, ()):
            for reference, target in self._meanings(one.text):
                if target == producer:
                    return reference.text, _span(one, reference.text)
        return WORD, self._drafts[number].declaration.span()

    def _is_bound(self, number: int, text: _Text, wanted: dict[str, dict[int, None]]) -> bool:
        producers = self._producers_of.get(text.text)
        if producers is not None and number not in producers:
            wanted.setdefault(WORD, {}).update(producers)
            return True
        pieces = self._read(text.text)
        if isinstance(pieces, list):
            for fault in pieces:
                self._faults.tell(fault, _span(text, fault.text))
            return False
        for piece in pieces:
            if isinstance(piece, str) or not isinstance(piece[1], int):
                continue
            if piece[1] == number:
                self._faults.tell_of_itself(self._drafts[number], piece[0], _span(text, piece[0].text))
            else:
                wanted.setdefault(WORD, {})[piece[1]] = None
                self._producers_of.setdefault(text.text, {})[piece[1]] = None
        return pieces != (text.text,)

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

    def _placed_pieces(self, text: str, place_of: Sequence[int]) -> tuple[str | Binding, ...]:
        placed = self._placed.get(text)
        if placed is None:
            pieces = self._read(text)
            placed = self._placed[text] = tuple(
                piece if isinstance(piece, str) else _binding(piece, place_of)
                for piece in (() if isinstance(pieces, list) else pieces)
            )
        return placed

    def _check_options(self, draft: Draft) -> None:
        """Refuse references in options that a shell or another state would be given as they stand."""
        for option in _READ_OPTIONS:
            for text, keys in signed_texts(_option(draft, option)):
                for piece in read_text(text):
                    if isinstance(piece, Reference) and self._producers.meant(piece):
                        place = _Text(text, (option, *keys), draft.declaration)
                        self._faults.in_option(draft, option, piece, _span(place, piece.text))


def _option(draft: Draft, option: str) -> list[Any]:
    value: Any = getattr(draft.options, option)
    return list(value) if isinstance(value, tuple) else [value]  # pyright: ignore[reportUnknownArgumentType] # of anything


def _texts_of(draft: Draft) -> list[_Text]:
    one = draft.declaration
    texts = [_Text(text, keys, one) for text, keys in signed_texts(draft.arguments)]
    if "$" in draft.name:
        keys = ("names",) if draft.name_order else ("name",)
        texts[:0] = [_Text(text, keys, one) for text, _ in signed_texts(draft.name)]
    if (fan_out := draft.options.fan_out) is not None:
        texts += [_Text(text, (TARGET,), one) for text, _ in signed_texts(fan_out.expression)]
    return texts


def _span(text: _Text, needle: str) -> Span:
    document, keys = text.owner.written_at(*text.keys)
    return document.locate_text(keys, needle)


def _binding(meaning: Meaning, place_of: Sequence[int]) -> Binding:
    reference, target = meaning
    if isinstance(target, int):
        return Binding(reference=reference, producer=place_of[target])
    return Binding(reference=reference, enforced=target)
