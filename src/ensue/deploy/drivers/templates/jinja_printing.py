"""Puts marks around data that a Jinja template prints.

A template's syntax tree is changed before it is compiled: each printed expression passes its value to a
function that marks it. Constants, and values made only of constants, are the author's own.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from jinja2 import nodes
from jinja2.visitor import NodeTransformer

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import Written, is_plain
from ensue.core.model.secret_marks import (
    Secret,
    SecretText,
    bracketed,
    bracketed_json,
    computed,
    has_brackets,
    holds_secret,
    joined,
    secret,
    unbracketed,
)
from ensue.deploy.drivers.templates.guards import Origin, is_plain_data

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import jinja2

    from ensue.deploy.drivers.templates.guards import Guards

OWN: Final = "is_own"
"""The attribute of functions that only a changed syntax tree calls."""

_PRINT: Final = f"ensue_print_{os.urandom(10).hex()}"
_WRITTEN: Final = f"ensue_written_{os.urandom(10).hex()}"
_CONCAT: Final = f"ensue_concat_{os.urandom(10).hex()}"
_SLICE: Final = f"ensue_slice_{os.urandom(10).hex()}"
"""Names of functions that no template can use."""
_HELP: Final = "print it with `| tojson`"


def mark_printed(
    template: nodes.Template, environment: jinja2.Environment, *, tracks_secrets: bool = False
) -> None:
    """Change a template so that it marks what it prints.

    Args:
        template: its syntax tree, which is changed in place.
        environment: the environment that it is compiled in.
        tracks_secrets: whether functions stand for operations that Jinja compiles to Python's own.
    """
    (_Tracking() if tracks_secrets else _Guarding()).visit(template)
    template.set_environment(environment)


def printing_functions(guards: Guards) -> Mapping[str, Callable[..., Any]]:
    """Return the functions that the changed syntax tree calls.

    Args:
        guards: marks what is printed.
    """

    def guarded(value: Any, expression: str, line: int) -> Any:
        if isinstance(value, str):
            return guards.guarded(value, Origin(expression, line, _HELP))
        data: Any = json.loads(_json(value)) if isinstance(value, tuple) else value
        if not (is_mapping(data) or is_list(data)) or is_plain_data(data):
            return data
        return guards.guarded(_json(data), Origin(expression, line, _HELP, is_serialized=True))

    return {_PRINT: guarded, _WRITTEN: Written}


def tracking_functions(guards: Guards) -> Mapping[str, Callable[..., Any]]:
    """Return the functions that the changed syntax tree of a template with secrets calls.

    Args:
        guards: marks what is printed.
    """
    guarded = printing_functions(guards)[_PRINT]

    def print_(value: Any, expression: str, line: int) -> Any:
        if not holds_secret(value):
            return guarded(value, expression, line)
        if isinstance(value, str):
            return bracketed(guarded(value, expression, line))
        if isinstance(value, (int, float)):
            return bracketed(SecretText(str(value)))
        is_data = is_mapping(value) or is_list(value)
        text = unbracketed(bracketed_json(value)) if is_data else SecretText(_json(value))
        return bracketed(guards.guarded(text, Origin(expression, line, _HELP, is_serialized=True)))

    own: dict[str, Callable[..., Any]] = {
        _PRINT: print_,
        _WRITTEN: _written,
        _CONCAT: _concatenated,
        _SLICE: _sliced,
    }
    for function in own.values():
        setattr(function, OWN, True)
    return own


def _written(text: str) -> str:
    return unbracketed(Written(text))


def _concatenated(*parts: Any) -> str:
    return joined([computed(part if isinstance(part, str) else str(part), (part,)) for part in parts])


def _sliced(value: Any, *bounds: Any) -> Any:
    result = value[slice(*bounds)]
    return secret(result) if any(isinstance(bound, Secret) for bound in (value, *bounds)) else result


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def written_join(pieces: Iterable[str]) -> Written:
    """Return the text that consists of pieces of printed text."""
    return Written("".join(pieces))


class _Guarding(NodeTransformer):
    """Puts the calls into a syntax tree."""

    def visit_Output(self, node: nodes.Output) -> nodes.Output:  # noqa: N802 -- Jinja's name for it
        """Mark what an expression prints, unless it is a constant."""
        node.nodes = [
            expression if _is_constant(expression) else self._printing(expression)
            for expression in node.nodes
        ]
        return node

    def visit_Const(self, node: nodes.Const) -> nodes.Expr:  # noqa: N802 -- Jinja's name for it
        """Mark a constant as the author's own text, where that matters."""
        if not isinstance(node.value, str) or not node.value or is_plain(node.value):
            return node
        return _call(_WRITTEN, [node], node.lineno)

    def _printing(self, node: nodes.Expr) -> nodes.Expr:
        expression = nodes.Const(_as_written(node))
        line = nodes.Const(node.lineno)
        return _call(_PRINT, [self.visit(node), expression, line], node.lineno)


class _Tracking(_Guarding):
    """Puts in the calls for operations with secrets as well."""

    def visit_Const(self, node: nodes.Const) -> nodes.Expr:  # noqa: N802 -- Jinja's name for it
        """Mark a constant that has brackets around secrets, too."""
        if isinstance(node.value, str) and has_brackets(node.value):
            return _call(_WRITTEN, [node], node.lineno)
        return super().visit_Const(node)

    def visit_Concat(self, node: nodes.Concat) -> nodes.Expr:  # noqa: N802 -- the same
        """Join texts with their marks."""
        self.generic_visit(node)
        return _call(_CONCAT, node.nodes, node.lineno)

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Expr:  # noqa: N802 -- the same
        """Cut a part out of a text with its mark."""
        self.generic_visit(node)
        if not isinstance(node.arg, nodes.Slice):
            return node
        bounds = (node.arg.start, node.arg.stop, node.arg.step)
        none = nodes.Const(None, lineno=node.lineno)
        return _call(_SLICE, [node.node, *(bound or none for bound in bounds)], node.lineno)


def _is_constant(node: nodes.Node) -> bool:
    return isinstance(node, nodes.TemplateData) or (
        isinstance(node, nodes.Const) and not (isinstance(node.value, str) and has_brackets(node.value))
    )


def _call(function: str, arguments: list[nodes.Expr], line: int) -> nodes.Call:
    return nodes.Call(nodes.Name(function, "load", lineno=line), arguments, [], None, None, lineno=line)


def _as_written(node: nodes.Node) -> str:
    """Return an expression's source if it has only names, keys and filters; else empty."""
    match node:
        case nodes.Name():
            return node.name
        case nodes.Getattr():
            return f"{_as_written(node.node)}.{node.attr}"
        case nodes.Getitem(arg=nodes.Const(value=key)):
            return f"{_as_written(node.node)}[{key!r}]"
        case nodes.Filter(node=nodes.Expr() as base):
            return f"{_as_written(base)} | {node.name}"
        case _:
            return ""
