"""What the values are that a line of a template reads, for an operation that they do not allow.

It says of which kind they are and never shows them, since pillar has secrets. Nothing is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jinja2
from jinja2 import nodes

from ensue.core.model.data import is_mapping
from ensue.language.jinja.missing_keys import MISSING, value_of, written

if TYPE_CHECKING:
    from collections.abc import Mapping


def kinds_read(environment: jinja2.Environment, text: str, line: int, variables: Mapping[str, Any]) -> str:
    """Return which values a line reads, and what each is; empty if it reads none that is known.

    Args:
        environment: parses the template.
        text: the template.
        line: the line, counted from 1.
        variables: the variables of the rendering.
    """
    from ensue.core.model.property_values import kind_in_words

    try:
        tree = environment.parse(text)
    except (jinja2.TemplateError, ValueError, RecursionError):
        return ""
    kinds = {
        written(node): kind_in_words(value)
        for node in tree.find_all((nodes.Name, nodes.Getattr, nodes.Getitem))
        if node.lineno == line and written(node)
        for value in (value_of(node, variables),)
        if value is not MISSING and not is_mapping(value) and not callable(value)
    }
    return ", ".join(f"`{path}` is {kind}" for path, kind in kinds.items())
