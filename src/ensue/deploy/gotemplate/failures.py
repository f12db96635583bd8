"""Errors of functions, limits and syntax of a template; the evaluator adds the place in the template."""

from __future__ import annotations

from typing import Final

MOST_CHARS: Final = 4_000_000
"""The longest text that a template may print or a function may return, in characters."""

MOST_ITEMS: Final = 1_000_000
"""The longest list that a function may return."""

MOST_STEPS: Final = 1_000_000
"""The most loop rounds and function calls of one rendering."""

MOST_TEMPLATE_LEVELS: Final = 100
"""The deepest nesting of templates that call templates."""

MOST_NESTING: Final = 50
"""The deepest nesting of blocks and parentheses."""


class CallError(ValueError):
    """An operation of a template failed.

    Args:
        what: what happened, one sentence without a full stop.
        help: how to fix it; may be empty.
    """

    def __init__(self, what: str, *, help: str = "") -> None:  # noqa: A002 -- the field's name
        self.what = what
        self.help = help
        super().__init__(what)


class TemplateSyntaxError(CallError):
    """A template's text does not parse.

    Args:
        what: what happened.
        offset: where in the text, in characters from its beginning.
        help: how to fix it; may be empty.
    """

    def __init__(self, what: str, offset: int, *, help: str = "") -> None:  # noqa: A002 -- the field's name
        self.offset = offset
        super().__init__(what, help=help)


def check_chars(count: int) -> None:
    """Refuse a text that would be too long, before it is built.

    Args:
        count: how long it would be, in characters.

    Raises:
        CallError: that is more than `MOST_CHARS`.
    """
    if count > MOST_CHARS:
        raise CallError(
            f"a text would be longer than {MOST_CHARS:,} characters", help="Print less, or repeat less often"
        )


def check_items(count: int) -> None:
    """Refuse a list that would be too long, before it is built.

    Args:
        count: how many items it would have.

    Raises:
        CallError: that is more than `MOST_ITEMS`.
    """
    if count > MOST_ITEMS:
        raise CallError(f"a list would have more than {MOST_ITEMS:,} items", help="Make a shorter list")
