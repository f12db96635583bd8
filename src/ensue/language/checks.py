"""What the states of a scope are checked against, in addition to the state functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

import msgspec

from ensue.language.argument_check import REFUSED, OnUnknown
from ensue.language.targeting.vocabulary import NO_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from ensue.core.model.chunk import StateOptions
    from ensue.language.collector import Collector
    from ensue.language.targeting import Vocabulary

    CheckRegisters: TypeAlias = "Callable[[StateOptions, str, Collector], None]"


class SecretLiterals(Protocol):
    """Learns which literals of an SLS are secrets."""

    def learn(self, declaring: Sequence[Mapping[str, Any]]) -> None:
        """Learn the literals that states declare.

        Args:
            declaring: the arguments of the states that have an argument `sensitive`.
        """
        ...

    def not_known(self) -> None:
        """Note that an SLS does not compile, so that its secrets are not known."""
        ...


class Checks(msgspec.Struct, frozen=True, kw_only=True):
    """What the states of a scope are checked against, in addition to the state functions.

    Args:
        vocabulary: the names that targets may use.
        registers: reports what is wrong with a state's `registers`; None accepts everything.
        on_unknown: what happens if a function does not exist, or does not take the arguments.
        literals: learns which literals the SLS declares to be secrets.
        minion: the id of this minion in a run over minions; empty in other runs.
        is_resource: whether the scope is one of a resource, beside those of others in `apply --tgt`.
    """

    vocabulary: Vocabulary = NO_NAMES
    registers: CheckRegisters | None = None
    on_unknown: OnUnknown = REFUSED
    literals: SecretLiterals | None = None
    minion: str = ""
    is_resource: bool = False


NO_CHECKS: Final = Checks()
