"""The line `#jinja2: {"trim_blocks": true}`: options of Jinja's environment for one file.

It is the first line of a template, or the second below `#!jinja|yaml`. The options hold for what the template
imports, too. A line that is not well-formed is a comment, and an option that Jinja does not have is ignored.

Source: Salt's Jinja documentation ("Jinja Environment Configuration Override"), 3008; measured there.
"""

from __future__ import annotations

import json
from typing import Any, Final

import jinja2.defaults
import msgspec

from ensue.core.model.data import is_mapping

_MARK: Final = "#jinja2:"


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """A template with its own options.

    Args:
        options: Jinja's options by name.
        kept: the line above the options, which stays in the rendering.
        body: the template below.
        lines: the number of lines in the file before the body.
    """

    options: dict[str, Any]
    kept: str
    body: str
    lines: int


def read_header(text: str) -> Header | None:
    """Return the options that a template sets for itself; None if it sets none."""
    if _MARK not in text:
        return None
    first, end, rest = text.partition("\n")
    if first.startswith("#!") and not first.startswith("#!/"):
        line, _, body = rest.partition("\n")
        kept, lines = first + end, 2
    else:
        line, body, kept, lines = first, rest, "", 1
    options = _options(line.removeprefix(_MARK)) if line.startswith(_MARK) else None
    return None if options is None else Header(options=options, kept=kept, body=body, lines=lines)


def _options(written: str) -> dict[str, Any] | None:
    try:
        options = json.loads(written)
    except ValueError:
        return None
    if not is_mapping(options):
        return None
    lower = {name.lower(): value for name, value in options.items()}
    return {name: value for name, value in lower.items() if hasattr(jinja2.defaults, name.upper())}
