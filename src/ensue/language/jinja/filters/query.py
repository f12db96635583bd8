"""The filter `json_query`: JMESPath over data, with the package `jmespath`, as in Salt.

Source: Salt's `data` utilities, 3008; JMESPath's specification (jmespath.org).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from jinja2 import TemplateRuntimeError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def json_query(data: Any, expression: str) -> Any:
    """Return what a JMESPath expression finds in data.

    Raises:
        TemplateRuntimeError: the package is not installed.
    """
    try:
        import jmespath
    except ModuleNotFoundError:
        msg = "json_query needs the package jmespath: pip install 'ensue[jmespath]'"
        raise TemplateRuntimeError(msg) from None
    return jmespath.search(expression, data)


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {"json_query": json_query}
"""Filters by the name that templates use."""
