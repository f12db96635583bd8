"""An option value that is one of a set of words. For any other word the message suggests similar ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import click

if TYPE_CHECKING:
    _Choice: TypeAlias = click.Choice[str]
else:
    _Choice = click.Choice  # It is generic since click 8.2 only.


class WordChoice(_Choice):
    """One of some words, such as the values of `--out`."""

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
        raise click.BadParameter(message, ctx, param)
