"""Execution module `debconf`: answers to the questions that Debian's packages ask.

Source: Salt's execution module `debconf`, 3008: names and return values; debconf-set-selections(1).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.library.modules._programs import ask, must

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_ANSWER: Final = re.compile(
    r"^(?P<package>[^#\s]\S*)[\t ]+(?P<question>\S+)[\t ]+(?P<type>\S+)[\t ]?(?P<value>[^\n]*)$", re.MULTILINE
)


async def get_selections(ctx: FunctionContext, fetchempty: bool = True) -> dict[str, list[list[str]]]:
    """Return the answers of each package, as question, type and value.

    Args:
        fetchempty: include empty answers.

    Raises:
        StateFailedError: the target has no debconf-utils.
    """
    listing = await must(ctx, "debconf-get-selections", what="read debconf (debconf-utils is required)")
    answers_by_package: dict[str, list[list[str]]] = {}
    for match in _ANSWER.finditer(listing.stdout):
        if fetchempty or match["value"]:
            answer = [match["question"], match["type"], match["value"]]
            answers_by_package.setdefault(match["package"], []).append(answer)
    return answers_by_package


async def show(ctx: FunctionContext, name: str) -> list[list[str]] | None:
    """Return the answers of one package, None if it has none.

    Args:
        name: the package.

    Example:
        ensue call '*' debconf.show postfix
    """
    return (await get_selections(ctx)).get(name)


async def set_(
    ctx: FunctionContext,
    package: str,
    question: str,
    type: str,  # noqa: A002 (Salt's argument)
    value: Any,
    *extra: str,
) -> bool:
    """Answer a question.

    Args:
        package: the package that asks.
        question: the question (`postfix/main_mailer_type`).
        type: its type (`string`, `select`, `boolean`, …).
        value: the answer.
        *extra: further words of the answer, which are joined with blanks.

    Example:
        ensue call '*' debconf.set postfix postfix/main_mailer_type select 'Satellite system'

    Raises:
        StateFailedError: the target has no debconf, or refuses the answer.
    """
    line = f"{package} {question} {type} {' '.join([str(value), *extra])}\n"
    what = f"answer {question}"
    await must(ctx, "debconf-set-selections", stdin=line.encode(), what=what)
    return True


async def is_there(ctx: FunctionContext) -> bool:
    """Return whether answers can be read; Salt has no such function."""
    return not (await ask(ctx, "debconf-get-selections")).is_missing


FUNCTIONS: Final = by_name(get_selections, is_there, set_, show)
