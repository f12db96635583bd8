"""An option value that is one of a set of words. For any other word the message suggests similar ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    _Choice: TypeAlias = click.Choice[str]
else:
    _Choice = click.Choice  # It is generic since click 8.2 only.


class WordChoice(_Choice):
    """One of some words, such as the values of `--out`.

    Args:
        words: the words.
        instead: returns what to write instead of another word; an empty text if that is not known.
    """

    def __init__(self, words: Sequence[str], instead: Callable[[str], str] = lambda _word: "") -> None:
        super().__init__(words)
        self._instead = instead

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the word.

        Raises:
            click.BadParameter: it is not one of the words; the message lists them and the similar ones.
        """
        words = [str(word) for word in self.choices]
        if value in words:
            return str(value)
        from ensue.core.model.near_names import near

        message = f"{value!r} is not one of {', '.join(words)}{near(str(value), words)}"
        if instead := self._instead(str(value)):
            message = f"{message}. Instead: {instead}"
        raise click.BadParameter(message, ctx, param)
