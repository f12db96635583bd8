"""The places at which a template reads a name that it does not set itself; nothing is rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jinja2
from jinja2 import nodes
from jinja2.meta import find_undeclared_variables

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from ensue.language.jinja.template_source import TemplateSource


def free_names(source: TemplateSource, names: Container[str]) -> Iterator[tuple[str, int]]:
    """Yield where a template reads one of some names, with the line; unless it asks if it is defined.

    Args:
        source: the template. If it is broken, nothing is yielded: rendering reports it.
        names: the names.
    """
    try:
        tree = source.environment.parse(source.text)
        undeclared = find_undeclared_variables(tree)
    except jinja2.TemplateError:
        return
    asked = {
        test.node.name
        for test in tree.find_all(nodes.Test)
        if test.name in {"defined", "undefined"} and isinstance(test.node, nodes.Name)
    }
    for node in tree.find_all(nodes.Name):
        if node.ctx == "load" and node.name in names and node.name in undeclared - asked:
            yield node.name, node.lineno + source.first_line - 1
