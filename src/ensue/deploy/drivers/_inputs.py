"""Checks of inputs that drivers share: one sentence per error.

This module is not a driver. A value that is not known yet is never an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import DriverError
from ensue.core.model.option_kinds import Either, ListOf, MappingOf, OneOf
from ensue.core.model.unknown import Unknown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.contracts.driver import DriverRequest
    from ensue.core.model.option_kinds import OptionKind

_SHOWN_CHARS: Final = 60

TEXT: Final = OneOf("a text that is not empty", (str,), bool)
SWITCH: Final = OneOf("true or false", (bool,))
SECONDS: Final = OneOf("a number of seconds above 0", (int, float), lambda value: value > 0)
WORDS: Final = ListOf("a list of texts", OneOf("a text or a number", (str, int, float)))
VARIABLES: Final = MappingOf(
    "a mapping of names to texts or numbers", OneOf("a text or a number", (str, int, float))
)
TEXT_OR_WORDS: Final = Either("a text or a list of texts", {str: TEXT, list: WORDS})


def wrong_inputs(kind: OptionKind, data: Any, place: str, *, is_secret: bool = False) -> Iterator[str]:
    """Yield one sentence per input of the wrong kind.

    Args:
        kind: what they may be.
        data: the inputs; may hold `Unknown`.
        place: where they are, such as `values`.
        is_secret: the values are not to be shown.
    """
    if isinstance(data, Unknown):
        return
    for misfit in kind.misfits(data):
        if isinstance(misfit.value, Unknown):
            continue
        where = ".".join([place, *map(str, misfit.keys)])
        shown = "" if is_secret or misfit.is_key else f", not {_shown(misfit.value)}"
        question = f" ({misfit.question})" if misfit.question else ""
        yield f"{where}: {misfit.takes}{shown}{question}"


def refuse_wrong(request: DriverRequest, wrong: Sequence[str]) -> None:
    """Refuse inputs of a resource.

    Args:
        request: the request for the resource.
        wrong: one sentence per error; none: the inputs are right.

    Raises:
        DriverError: something is wrong.
    """
    if wrong:
        raise DriverError("\n".join(f"{request.key}: {sentence}" for sentence in wrong))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN_CHARS else f"{text[:_SHOWN_CHARS]}…"
