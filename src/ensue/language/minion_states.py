"""States of other minions, which references and requisites name in a run over minions.

Each becomes a state without a function in the scope that names it (`StateOptions.minion_state`), however many
states name it. That state comes right before the first of them, and its return is the return of the state of
the other minion, so references and requisites mean it as they mean any other state.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.chunk import StateOptions
from ensue.core.model.data import is_mapping
from ensue.core.model.minion_state import ANY_PATH, MinionState
from ensue.language.chunks import Draft
from ensue.language.declarations import Declaration
from ensue.language.names_by_glob import GLOB_SIGNS
from ensue.language.place_document import PlaceDocument
from ensue.language.references.grammar import minion_of, read_id
from ensue.language.requested import NOTHING

if TYPE_CHECKING:
    from ensue.core.diagnostics import Span
    from ensue.language.collector import Collector
    from ensue.language.requested import Requested

MODULE: Final = "minion"
FUNCTION: Final = "state"
"""Module and function in the tag of such a state; an SLS cannot call `minion.state`."""

_WORDS: Final = frozenset(
    {
        "require", "require_any", "watch", "watch_any", "onchanges", "onchanges_any",
        "onfail", "onfail_any", "onfail_all",
    }
)  # fmt: skip
"""The requisites that another minion's state can be named in."""


class MinionStates:
    """The states of other minions that one scope names.

    Args:
        drafts: all drafts of the scope; those of other minions' states are added.
        minion: the id of this minion in a run over minions; empty: no coordinator has the values of others.
        collector: collects the errors.
    """

    def __init__(self, drafts: list[Draft], minion: str, collector: Collector) -> None:
        self._drafts = drafts
        self._minion = minion
        self._collector = collector
        self._numbers: dict[MinionState, int] = {}

    @property
    def are_known(self) -> bool:
        """Whether this is a run over minions, so that values of other minions can be had."""
        return bool(self._minion)

    def is_own(self, minion: str) -> bool:
        """Return whether a minion is this one."""
        return minion == self._minion

    def number(self, state: MinionState, first: Draft) -> int:
        """Return the number of the draft of a state of another minion.

        Args:
            state: the state.
            first: the draft that names it.
        """
        if state not in self._numbers:
            self._numbers[state] = len(self._drafts)
            self._drafts.append(_draft(state, first))
        return self._numbers[state]

    def complete(self, requested: Requested) -> None:
        """Add the requisites of the drafts that were added: none."""
        requested += [NOTHING] * (len(self._drafts) - len(requested))

    def required(self, draft: Draft, word: str, place: int, reference: Any) -> tuple[bool, Any]:
        """Read a requisite that may name a state of another minion.

        Args:
            draft: the draft that has the requisite.
            word: the requisite's word.
            place: its place in the list.
            reference: the requisite as it is written.

        Returns:
            Whether it names another minion, and then the number of a draft, or None after an error, which is
            reported. If it does not: the requisite, without the name of this minion if it has that.
        """
        if not (is_mapping(reference) and len(reference) == 1):
            return False, reference
        ((key, value),) = reference.items()
        minion = minion_of(str(key))
        if not minion:
            return False, reference
        span = draft.declaration.span(word, place)
        if not self.are_known:
            self._refuse_alone(draft, word, minion, span)
            return True, None
        if self.is_own(minion):
            return False, value
        state = _state(minion, value)
        if state is None or word not in _WORDS:
            self._refuse(draft, word, str(key), span, is_word=state is not None)
            return True, None
        return True, self.number(state, draft)

    def _refuse_alone(self, draft: Draft, word: str, minion: str, span: Span) -> None:
        self._collector.error(
            "E0877",
            f"`{word}` of {draft.declaration.id!r} names a state on minion[{minion}]",
            span,
            detail="only a run over minions has the returns of other minions",
            help="a requisite names a state of another host that this machine manages like its own: write "
            "that "
            f"state here with `- tgt: {minion}`. Between minions of Salt, run `ensue apply --tgt` on the "
            f"master, with "
            "a target that matches both",
        )

    def _refuse(self, draft: Draft, word: str, key: str, span: Span, *, is_word: bool) -> None:
        if is_word:
            detail = f"`{word}` changes when or whether a state of the other minion runs"
            help_ = (
                "name it in `require`, `watch`, `onchanges` or `onfail`; or write the requisite over there"
            )
        else:
            detail = "a requisite names one state of another minion, by module and ID or by its ID"
            help_ = f"write `- '{key}': {{module: id}}`, or `- '{key}': id`"
        self._collector.error(
            "E0880",
            f"`{word}` of {draft.declaration.id!r} cannot name that on {key}",
            span,
            detail=detail,
            help=help_,
        )


def _state(minion: str, value: Any) -> MinionState | None:
    """Return the state that a requisite names; None if it does not name one state."""
    if not is_mapping(value):
        value = {"id": value}
    if len(value) != 1:
        return None
    ((path, name),) = value.items()
    if not isinstance(name, str) or path == "sls":
        return None
    parts = read_id(name)
    if isinstance(parts, str):
        return None
    id_, selector = parts
    if not GLOB_SIGNS.isdisjoint(id_):
        return None
    return MinionState(minion=minion, path=ANY_PATH if path == "id" else path, id=id_, selector=selector)


def _draft(state: MinionState, first: Draft) -> Draft:
    declaration = first.declaration
    return Draft(
        Declaration(
            id=str(state),
            module=MODULE,
            function=FUNCTION,
            arguments={},
            sls=declaration.sls,
            document=PlaceDocument.at(declaration.span()),
            key="",
            saltenv=declaration.saltenv,
        ),
        str(state),
        {},
        StateOptions(minion_state=state),
    )
