"""What a state function takes, as the compiler sees it."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 -- msgspec reads the types of fields
from types import MappingProxyType
from typing import Any, Final

import msgspec

from ensue.core.contracts.argument_types import NOT_CHECKED, ArgumentTypes


class WrittenText(msgspec.Struct, frozen=True):
    """The arguments of a state function that a file gets.

    Args:
        texts: those that are written as text.
        whole: those of which each is the whole content of the file at its `name`.
    """

    texts: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()


NOTHING_WRITTEN: Final = WrittenText()
"""What a function without the mark writes."""


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """What a state function accepts.

    Args:
        names: accepted argument names, `ctx` left out.
        required: those without a default, `name` left out (the compiler always gives it).
        accepts_any: whether it passes arguments of any other name on.
        takes_words: whether its `name` may be a list of words.
        others_with: the argument with which it takes any other, too; empty when there is none.
        outdated: names that are accepted and have no effect, each with its successor.
        absorbs_any: whether an argument of another name, copied by `use`, does no harm.
        is_ours: whether it comes with ensue and passes nothing on to functions that do not.
        requisites: requisites of all its states, with the state functions that they name.
        types: the types of its arguments.
        edits_part: whether it changes only a part of the file at its name (`edits_part`).
        writes: the arguments that it writes into a file (`writes_text`).
    """

    names: frozenset[str]
    required: frozenset[str]
    accepts_any: bool
    takes_words: bool = False
    others_with: str = ""
    outdated: Mapping[str, str] = MappingProxyType({})
    absorbs_any: bool = False
    is_ours: bool = False
    requisites: tuple[tuple[str, tuple[str, ...]], ...] = ()
    types: ArgumentTypes = NOT_CHECKED
    edits_part: bool = False
    writes: WrittenText = NOTHING_WRITTEN

    def passes_on(self, given: Mapping[str, Any]) -> bool:
        """Return whether any other argument is passed on."""
        return self.accepts_any or bool(self.others_with and given.get(self.others_with))

    def takes_option(self, given: Mapping[str, Any], word: str) -> bool:
        """Return whether a word that is an option of states is an argument of the function.

        Functions of Salt and of projects that pass any argument on may pass `tags` to what needs it.

        Args:
            given: the arguments.
            word: one of them.
        """
        if word in self.names:
            return True
        return word == "tags" and not self.is_ours and self.passes_on(given)


ANY_ARGUMENTS: Final = Signature(names=frozenset(), required=frozenset(), accepts_any=True, absorbs_any=True)
"""The signature of an unknown function."""
