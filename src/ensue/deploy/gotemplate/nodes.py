"""The nodes of a parsed template; `offset` is where a node begins, in characters from the beginning."""

from __future__ import annotations

from typing import Any, TypeAlias

import msgspec


class ConstantNode(msgspec.Struct, frozen=True):
    """A literal: a number, string, boolean or nil."""

    value: Any
    offset: int


class DotNode(msgspec.Struct, frozen=True):
    """The value that `.` means at this place."""

    offset: int


class FieldNode(msgspec.Struct, frozen=True):
    """`.a.b`: fields of the dot."""

    names: tuple[str, ...]
    offset: int


class VariableNode(msgspec.Struct, frozen=True):
    """`$x.a.b`: a variable and fields of it; `$` is the data itself."""

    name: str
    names: tuple[str, ...]
    offset: int


class FunctionNode(msgspec.Struct, frozen=True):
    """The name of a function; its arguments are those of the command."""

    name: str
    offset: int


class ChainNode(msgspec.Struct, frozen=True):
    """`(…).a.b`: fields of the result of a pipeline in parentheses."""

    base: Operand
    names: tuple[str, ...]
    offset: int


class CommandNode(msgspec.Struct, frozen=True):
    """An operand, or a function with its arguments."""

    first: Operand
    arguments: tuple[Operand, ...]
    offset: int


class PipelineNode(msgspec.Struct, frozen=True):
    """Commands; each receives the result of the one before as its last argument.

    Args:
        names: the variables that are set, at most two.
        is_assignment: whether they were declared before (`=`).
        commands: at least one.
        offset: where it begins.
    """

    names: tuple[str, ...]
    is_assignment: bool
    commands: tuple[CommandNode, ...]
    offset: int


Operand: TypeAlias = (
    ConstantNode | DotNode | FieldNode | VariableNode | FunctionNode | ChainNode | PipelineNode
)


class TextNode(msgspec.Struct, frozen=True):
    """Text that is printed unchanged."""

    text: str
    offset: int


class ActionNode(msgspec.Struct, frozen=True):
    """A pipeline whose value is printed, unless it sets a variable."""

    pipeline: PipelineNode
    offset: int


class BranchNode(msgspec.Struct, frozen=True):
    """`if`, `with` or `range`, with its `else`."""

    word: str
    pipeline: PipelineNode
    body: Body
    otherwise: Body
    offset: int


class TemplateCallNode(msgspec.Struct, frozen=True):
    """`template` (or `block`): a call of another template with data."""

    name: str
    pipeline: PipelineNode | None
    offset: int


class JumpNode(msgspec.Struct, frozen=True):
    """`break` or `continue`."""

    word: str
    offset: int


Node: TypeAlias = TextNode | ActionNode | BranchNode | TemplateCallNode | JumpNode
Body: TypeAlias = tuple[Node, ...]
