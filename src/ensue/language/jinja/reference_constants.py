"""Makes the constants of a template that hold a reference `ReferenceText` when the template runs.

A constant that is printed as it is stays a constant. The keys of look-ups and the arguments of searches stay
as they are too: there only the text matters.
"""

from __future__ import annotations

from typing import Any, Final

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from ensue.language.jinja.authorship import is_searching

REFERENCE: Final = "reference"
"""The method of the environment that makes the text."""

TESTED: Final = "tested_reference"
"""The method of the environment that refuses a reference as a condition."""


def mark_references(template: nodes.Template, source: str) -> None:
    """Have the constants of a parsed template that may hold a reference made when it runs.

    Args:
        template: the template; changed in place.
        source: its text, for a quick check.
    """
    if "${" in source:
        _ReferenceConstants().visit(template)


class _ReferenceConstants(NodeTransformer):
    def visit_Const(self, node: nodes.Const) -> nodes.Expr:  # noqa: N802 (Jinja's)
        return _called(REFERENCE, node) if _may_hold_reference(node) else node

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802 (Jinja's)
        node.nodes = [each if isinstance(each, nodes.Const) else self.visit(each) for each in node.nodes]
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Getitem:  # noqa: N802 (Jinja's)
        node.node = self.visit(node.node)
        if not isinstance(node.arg, nodes.Const):
            node.arg = self.visit(node.arg)
        return node

    def visit_Filter(self, node: nodes.Filter | nodes.Call) -> Any:  # noqa: N802 (Jinja's)
        return self._searching(node) if is_searching(node) else self.generic_visit(node)

    def visit_If(self, node: nodes.If | nodes.CondExpr) -> Any:  # noqa: N802 (Jinja's)
        node.test = _tested(node.test)
        return self.generic_visit(node)

    def _import(self, node: Any) -> Any:
        return node

    visit_Call, visit_CondExpr = visit_Filter, visit_If  # noqa: N815 (Jinja's)
    visit_Include = visit_Import = visit_FromImport = visit_Extends = _import  # noqa: N815 (Jinja's)

    def _searching(self, node: Any) -> Any:
        if node.node is not None:
            node.node = self.visit(node.node)
        return node


def _may_hold_reference(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Const) and isinstance(node.value, str) and "$" in node.value


def _tested(node: Any) -> Any:
    """Return a condition in which a reference that is one of its operands is refused."""
    match node:
        case nodes.Const() if _may_hold_reference(node):
            return _called(TESTED, node)
        case nodes.Not():
            node.node = _tested(node.node)
        case nodes.And() | nodes.Or():
            node.left, node.right = _tested(node.left), _tested(node.right)
        case _:
            pass
    return node


def _called(method: str, node: nodes.Const) -> nodes.Call:
    function = nodes.EnvironmentAttribute(method, lineno=node.lineno)
    return nodes.Call(function, [node], [], None, None, lineno=node.lineno)
