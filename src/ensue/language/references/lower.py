"""Lowers references: each is resolved to its producer, which then runs before the state that has it.

Each text is resolved once, however many states contain it; its errors are reported at every place where it
is written.

Source: Idem's argument binding: references become `arg_bind` requisites.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.core.model.chunk import NO_OPTIONS, StateOptions
from ensue.core.model.data import is_mapping
from ensue.core.model.enforced import EnforcedState, RanElsewhere
from ensue.core.model.minion_state import MinionState, state_read_by
from ensue.core.model.reference import Binding, BoundText, Reference
from ensue.language.fan_outs import TARGET
from ensue.language.hcl_words import interpolations
from ensue.language.references.detection import holds_sign
from ensue.language.references.faults import Fault, Faults
from ensue.language.references.grammar import Malformed, read_text
from ensue.language.references.leaves import signed_texts
from ensue.language.references.lookalikes import lookalikes
from ensue.language.references.plain_names import plain_names
from ensue.language.references.producers import Producers, identity_of, meant
from ensue.language.references.returned_keys import ReturnedKeys
from ensue.language.requested import add_request

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Sequence

    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.diagnostics import Span
    from ensue.core.model.srn import Srn
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration
    from ensue.language.minion_states import MinionStates
    from ensue.language.references.leaves import Keys
    from ensue.language.renderers.stage import Stream
    from ensue.language.requested import Requested

    Meaning: TypeAlias = tuple[Reference, int | EnforcedState | MinionState]
    _Text: TypeAlias = tuple[str, Keys]

WORD: Final = "arg_bind"
"""The requisite that a reference becomes."""

_READ_OPTIONS: Final = ("unless", "onlyif", "creates", "check_cmd", "runas", "tags")


def _no_keys(producer: Draft) -> Collection[str]:  # noqa: ARG001 -- of any state
    return ()


def _no_block(_id: str) -> str:
    return ""


def _no_stream(_declaration: Declaration) -> Stream | None:
    return None


class LoweringScope(msgspec.Struct, frozen=True, kw_only=True):
    """The scope whose references are lowered.

    Args:
        target: the target of the scope.
        identity: the identity of the scope (`state_identity`); empty at the top.
        enforced: the enforced state; None if the project keeps none.
        outer_ids: IDs and names of the enclosing scopes, which references cannot name.
        whole_slses: the SLS of which every state is in the scope; a further state of theirs that an earlier
            apply enforced is no longer declared.
        keys_of: returns the keys that the `new_state` of a state may have; none if they are not known.
        is_resource: whether the scope is one of a resource, which sees no state of another.
        block_of: returns the delayed block whose text declares an ID; empty if none does.
        stream_of: returns the rendering of the SLS of a declaration; None if it is not known.
    """

    target: Srn
    identity: str = ""
    enforced: EnforcedStates | None = None
    outer_ids: Container[str] = ()
    whole_slses: Container[str] = ()
    keys_of: Callable[[Draft], Collection[str]] = _no_keys
    is_resource: bool = False
    block_of: Callable[[str], str] = _no_block
    stream_of: Callable[[Declaration], Stream | None] = _no_stream


class _Read(msgspec.Struct, frozen=True):
    """A resolved text, wherever it is written.

    Args:
        pieces: its pieces; empty if it has errors.
        meanings: the references among the pieces.
        faults: its errors.
        binds: whether it contains references to bind, or escapes to undo.
        may_warn: whether a piece of it has the sign of a reference but is not one.
    """

    pieces: tuple[str | Meaning, ...] = ()
    meanings: tuple[Meaning, ...] = ()
    faults: tuple[Fault, ...] = ()
    binds: bool = False
    may_warn: bool = False


class Bindings:
    """The references of one scope.

    Args:
        drafts: all drafts of the scope.
        scope: what lowering needs to know of the scope.
        minion_states: the states of other minions; those that references name are added to the drafts.
        collector: collects the errors.
    """

    def __init__(
        self, drafts: Sequence[Draft], scope: LoweringScope, minion_states: MinionStates, collector: Collector
    ) -> None:
        self._drafts = drafts
        self._minion_states = minion_states
        self._scope = scope
        self._producers = Producers(drafts)
        self._faults = Faults(
            drafts, self._producers, collector, is_resource=scope.is_resource, block_of=scope.block_of
        )
        self._returned = ReturnedKeys(scope.keys_of, collector)
        self._known: dict[str, _Read] = {}
        self._bound: dict[int, list[_Text]] = {}

    def lower(self, requested: Requested) -> None:
        """Find all references, and add the requisites they imply to their states."""
        for number, draft in enumerate(self._drafts):
            for text in _texts_of(draft):
                self._bind(number, text, requested)
            if draft.options is not NO_OPTIONS:
                self._check_options(draft)
                draft.options = _with_plain_commands(draft.options)
        self._minion_states.complete(requested)

    def of(self, number: int, place_of: Sequence[int]) -> dict[str, BoundText] | None:
        """Return the bound texts of a draft, by text; None if it has none.

        Args:
            number: the draft.
            place_of: the place of each draft in the plan.
        """
        if number not in self._bound:
            return None
        declaration = self._drafts[number].declaration
        placed: dict[str, BoundText] = {}
        for text, keys in reversed(self._bound[number]):
            made = tuple(
                [
                    piece if isinstance(piece, str) else self._binding(number, piece, place_of)
                    for piece in self._read(text).pieces
                ]
            )
            document, place = declaration.written_at(*keys) if declaration.borrowed else (None, keys)
            placed[text] = BoundText(made, place, document)
        return placed

    def step(self, number: int, producer: int) -> tuple[str, Span]:
        """Return the reference by which a draft is bound to another, and its place."""
        declaration = self._drafts[number].declaration
        for text in self._bound.get(number, ()):
            for reference, target in self._read(text[0]).meanings:
                if self._numbered(number, target) == producer:
                    return reference.text, _span(declaration, text, reference.text)
        return WORD, declaration.span()

    def _bind(self, number: int, text: _Text, requested: Requested) -> None:
        """Bind a draft to the producers of one of its texts, and report the errors in the text."""
        read = self._read(text[0])
        for fault in read.faults:
            self._faults.tell(fault, _span(self._drafts[number].declaration, text, fault.text))
        if read.may_warn:
            self._warn_of_lookalikes(number, text)
        if not read.binds:
            return
        self._bound.setdefault(number, []).append(text)
        declaration = self._drafts[number].declaration
        for reference, target in read.meanings:
            place = partial(_span, declaration, text, reference.text)
            if isinstance(target, EnforcedState) and target.sls in self._scope.whole_slses:
                self._faults.warn_of_undeclared(reference, target, place())
            if target == number:
                self._faults.tell_of_itself(self._drafts[number], reference, place())
                continue
            if isinstance(target, int):
                self._returned.check(self._drafts[target], reference, place)
            if isinstance(producer := self._numbered(number, target), int):
                add_request(requested, number, WORD, producer)

    def _numbered(self, number: int, target: int | EnforcedState | MinionState) -> int | EnforcedState:
        """Return the number of a producer's draft; that of a state of another minion, which a draft names."""
        if isinstance(target, MinionState):
            return self._minion_states.number(target, self._drafts[number])
        return target

    def _binding(self, number: int, meaning: Meaning, place_of: Sequence[int]) -> Binding:
        reference, target = meaning
        producer = self._numbered(number, target)
        if isinstance(producer, int):
            return Binding(reference=reference, producer=place_of[producer])
        return Binding(reference=reference, enforced=producer)

    def _warn_of_lookalikes(self, number: int, text: _Text) -> None:
        draft = self._drafts[number]
        warned: set[str] = set()
        for piece, id_, meant_by_it in lookalikes(text[0], self._producers):
            warned.add(piece)
            self._faults.warn_of_lookalike(piece, id_, meant_by_it, _span(draft.declaration, text, piece))
        declaration = draft.declaration
        stream = self._scope.stream_of(declaration)
        names = dict(plain_names(text[0], declaration.module, stream))
        for piece, instead in (*interpolations(text[0], draft.name), *names.items()):
            if piece not in warned:
                span = _span(declaration, text, piece)
                self._faults.warn_of_interpolation(piece, instead, span, is_terraforms=piece not in names)

    def _read(self, text: str) -> _Read:
        known = self._known.get(text)
        if known is None:
            known = self._known[text] = self._meaning_of(text)
        return known

    def _meaning_of(self, text: str) -> _Read:
        """Return the pieces of a text, or all of its errors."""
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
        if faults:
            return _Read(faults=tuple(faults.values()))
        may_warn = any(isinstance(piece, str) and holds_sign(piece) for piece in pieces)
        meanings = tuple(piece for piece in pieces if not isinstance(piece, str))
        return _Read(tuple(pieces), meanings, binds=pieces != [text], may_warn=may_warn)

    def _target(self, reference: Reference) -> int | EnforcedState | MinionState | Fault:
        if reference.minion and not self._minion_states.is_own(reference.minion):
            known = self._minion_states.are_known
            return state_read_by(reference) if known else self._faults.elsewhere(reference)
        left = self._producers.meant(reference)
        if len(left) == 1:
            return left[0]
        if left:
            return self._faults.ambiguous(reference, left)
        if reference.selector is not None and (instances := self._producers.without_selector(reference)):
            return self._faults.no_instance(reference, instances)
        if reference.id in self._scope.outer_ids:
            return self._faults.outer(reference)
        return self._enforced(reference)

    def _enforced(self, reference: Reference) -> EnforcedState | Fault:
        store = self._scope.enforced
        scope = self._scope
        entries = store.find(scope.target, scope.identity, reference.path, reference.id) if store else ()
        left = meant(reference, entries, identity_of)
        if len(left) > 1:
            are_gone = all(state.sls in scope.whole_slses for state in left)
            return self._faults.ambiguous_before(reference, left, are_gone=are_gone)
        if not left:
            place = scope.target, reference.path, reference.id
            return self._faults.nothing(reference, store.ran_elsewhere(*place) if store else RanElsewhere())
        cut = left[0].cut_at(reference.steps)
        return self._faults.not_kept(reference, cut) if cut else left[0]

    def _check_options(self, draft: Draft) -> None:
        """Refuse references in options that are passed unchanged to a shell or another state."""
        for option in _READ_OPTIONS:
            for text, keys in signed_texts(_option(draft, option)):
                for piece in read_text(text):
                    if isinstance(piece, Reference) and (piece.minion or self._producers.meant(piece)):
                        place = _span(draft.declaration, (text, (option, *keys)), piece.text)
                        self._faults.in_option(draft, option, piece, place)


def _option(draft: Draft, option: str) -> list[Any]:
    value: Any = getattr(draft.options, option)
    return list(value) if isinstance(value, tuple) else [value]  # pyright: ignore[reportUnknownArgumentType] # of anything


def _with_plain_commands(options: StateOptions) -> StateOptions:
    """Return options with their escapes undone: nothing is bound in commands that go to a shell."""
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
    return {key: _plain(item) for key, item in value.items()} if is_mapping(value) else value


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
