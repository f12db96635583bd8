"""An option that may be given without a value, such as `--adopt` and `--adopt=RESOURCE`.

click itself would take the next word for the value, and that word may be a file.
"""

from __future__ import annotations

from typing import Any

import click


class OptionalValue(click.Option):
    """An option whose value, if there is one, follows an equals sign.

    Args:
        without: its value if it is given without one.
    """

    def __init__(self, *args: Any, without: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.without = without

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return how it is written, without a blank, and its help."""
        record = super().get_help_record(ctx)
        return record and (record[0].replace(" [=", "[="), record[1])


def with_values(params: list[click.Parameter], words: list[str]) -> list[str]:
    """Return the words of a command line, with a value for each such option that has none.

    Args:
        params: the parameters of the command.
        words: the words, up to the end of the options `--` at least.
    """
    optional = {
        name: parameter.without
        for parameter in params
        if isinstance(parameter, OptionalValue)
        for name in parameter.opts
    }
    end = words.index("--") if "--" in words else len(words)
    options = [f"{word}={optional[word]}" if word in optional else word for word in words[:end]]
    return [*options, *words[end:]]
