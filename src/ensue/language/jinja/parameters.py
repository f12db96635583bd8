"""`{{ params.get('x') }}` without a value: null where it is a whole value, and nothing within a longer text.

Jinja prints `None`, which YAML reads as a text. The expression is recognised when the template is compiled,
since the value alone does not say where it came from; `pillar.get` prints what it prints in Salt.

Source: Idem 25, the renderer `replacements`; measured there.
"""

from __future__ import annotations

from typing import Any, Final

from jinja2 import nodes

from ensue.language.authored_text import Authored
from ensue.language.jinja.current import current
from ensue.language.marks import NOTHING

PARAMETER: Final = "ensue parameter"
"""The filter for a printed parameter; no template can name it."""

_NAME: Final = "params"
_METHOD: Final = "get"
_MOST_ARGUMENTS: Final = 2


def printed_parameter(value: Any) -> Any:
    """Return what is printed for a parameter."""
    if value is not None:
        return value
    rendering = current.get(None)
    return Authored(NOTHING if rendering is not None and rendering.is_guarded else "")


def filter_parameters(template: nodes.Template) -> None:
    """Put the filter around each printed parameter of a template."""
    for output in template.find_all(nodes.Output):
        output.nodes = [_filtered(node) if _is_parameter(node) else node for node in output.nodes]


def _is_parameter(node: nodes.Expr) -> bool:
    return (
        isinstance(node, nodes.Call)
        and isinstance(node.node, nodes.Getattr)
        and node.node.attr == _METHOD
        and isinstance(node.node.node, nodes.Name)
        and node.node.node.name == _NAME
        and 1 <= len(node.args) <= _MOST_ARGUMENTS
    )


def _filtered(node: nodes.Expr) -> nodes.Expr:
    return nodes.Filter(node, PARAMETER, [], [], None, None, lineno=node.lineno)
