"""Words of Salt's command line among the SLS names: `test=True` and `pillar='{…}'` mean what they mean there.

Any other `name=value` is refused with the option that says the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import click
import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.cli.session import Session

_WORD: Final = r"(?s)(?P<name>[a-z_]+)=(?P<value>.*)\Z"
_BOOLEANS: Final = {"true": True, "false": False}
_OPTIONS: Final = {
    "saltenv": "--saltenv {value}", "pillarenv": "--pillarenv {value}", "exclude": "--exclude {value}",
    "concurrent": "--wait", "queue": "--wait", "failhard": "--failhard",
    "state_output": "--state-output {value}",
    "output": "--out {value}", "id": "--id {value}", "tgt": "--tgt '{value}'",
}  # fmt: skip


class SaltArguments(msgspec.Struct, frozen=True, kw_only=True):
    """What the words after `apply` or `plan` request.

    Args:
        mods: SLS names.
        test: the value of `test=…`; None if it is not given.
    """

    mods: tuple[str, ...]
    test: bool | None = None


def asked_for(session: Session, words: Sequence[str]) -> SaltArguments:
    """Separate SLS names from Salt's keywords, and add the pillar of these to that of the session.

    Raises:
        click.UsageError: ensue has no such keyword; the message names the option to use.
    """
    names: list[str] = []
    test: bool | None = None
    for word in words:
        match = re.match(_WORD, word) if "=" in word else None
        match match["name"] if match else None:
            case "test" if match:
                test = _boolean(match["value"])
            case "pillar" if match:
                given = (*session.options.pillar, match["value"])
                session.options = session.options._replace(pillar=given)
            case str(name) if match:
                raise click.UsageError(_refusal(name, match["value"]))
            case _:
                names.append(word)
    return SaltArguments(mods=mods_of(names), test=test)


def mods_of(words: Sequence[str]) -> tuple[str, ...]:
    """Return the SLS names of a command line: separated by spaces, or by commas as in Salt."""
    return tuple(name for word in words for name in word.split(",") if name)


def _boolean(value: str) -> bool:
    if value.lower() not in _BOOLEANS:
        message = f"test={value} is neither test=True nor test=False. `ensue plan` changes nothing."
        raise click.UsageError(message)
    return _BOOLEANS[value.lower()]


def _refusal(name: str, value: str) -> str:
    word = f"{name}={value}"
    if name in _OPTIONS:
        return f"{word!r} is not an SLS. Use {_OPTIONS[name].format(value=value)}."
    return f"{word!r} is not an SLS. To set a pillar value, use --pillar {word}."
