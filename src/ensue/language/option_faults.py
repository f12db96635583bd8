"""The error about a state option whose value the option does not take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration

_MOST_SHOWN: Final = 60
"""How many characters of a refused value a message shows."""


class OptionFaults:
    """Reports the options of one declaration that have values of the wrong kind.

    Args:
        declaration: the state.
        collector: collects the errors.
        ignores: whether a boolean that is no condition is ignored, as in Salt.
    """

    def __init__(self, declaration: Declaration, collector: Collector, *, ignores: bool) -> None:
        self.declaration = declaration
        self._collector = collector
        self._ignores = ignores

    def refuse(
        self, word: str, value: Any, expected: str, *keys: str | int, is_part: bool = False, meant: str = ""
    ) -> None:
        """Report a value.

        Args:
            word: the option, or the key below it that has the value.
            value: the value, for the message.
            expected: what the option takes, in the user's words.
            keys: the path to the value in the arguments of the state; empty: that of the option.
            is_part: whether the value is one of several.
            meant: what was probably meant: `did you mean …?` or an instruction; empty if that is not known.
        """
        document, place = self.declaration.written_at(*(keys or (word,)))
        self._collector.error(
            "E0312",
            f"`{word}` of {self.declaration.id!r} {'holds' if is_part else 'is'} {shown(value)}",
            document.locate(place),
            help=f"it takes {expected}" + (f"; {meant}" if meant else ""),
        )

    def report_boolean(self, word: str, value: bool, *keys: str | int) -> None:
        """Refuse a condition that is a boolean, or warn that it does not keep the state from running.

        Args:
            word: `onlyif` or `unless`.
            value: the boolean.
            keys: the path to it in the arguments of the state.
        """
        document, place = self.declaration.written_at(*keys)
        command = shown(value)
        if not self._ignores:
            self._collector.error(
                "E0312",
                f"`{word}` of {self.declaration.id!r} {'holds' if len(keys) > 1 else 'is'} {command}",
                document.locate(place),
                detail="a boolean is not a condition: Salt ignores it and runs the state",
                help=f"did you mean the command {command!r}? Put it in quotes; to decide by a value, write "
                "{% if … %} around the state; with `on_unknown_argument: ignore` in ensue.yaml such states "
                "run as in Salt",
            )
            return
        self._collector.warning(
            "E0408",
            f"`{word}` of {self.declaration.id!r} {'holds' if len(keys) > 1 else 'is'} {command}",
            document.locate(place),
            detail="a boolean is not a condition; as in Salt, it does not keep the state from running",
            help=f"put it in quotes if the command '{command}' is meant, or remove it",
        )

    def report_name(self, value: Any) -> None:
        """Warn of a `name` that is no text, so that the ID takes its place; refuse one that is a command.

        Args:
            value: what YAML reads it as.
        """
        document, place = self.declaration.written_at("name")
        id_, text = self.declaration.id, shown(value)
        report, code = (
            (self._collector.warning, "E0408") if self._ignores else (self._collector.error, "E0312")
        )
        report(
            code,
            f"`name` of {id_!r} is {text}, not a text",
            document.locate(place),
            detail=f"as in Salt, the ID is the name instead: {id_}",
            help=(
                "write one text, or `names` for several"
                if is_list(value) or is_mapping(value)
                else f"did you mean the text '{text}'? Put it in quotes"
                if value is not None
                else "give it a value, or leave `name` out if the ID is the name"
            ),
        )


def shown(value: Any) -> str:
    """Return a value as a message shows it: its beginning, if it is long."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"
