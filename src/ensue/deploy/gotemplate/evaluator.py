"""Renders a parsed template.

A missing key of a mapping is nil, as in Go, and so is everything below it. Printing it, or passing it to a
function that does not accept nil, is an error that names the key. Loop rounds and calls are counted, so that
every template ends.
Source: the documentation of Go's `text/template`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, assert_never

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.printed_text import Written
from ensue.core.model.secret_marks import computed, holds_secret, joined
from ensue.deploy.gotemplate.failures import MOST_CHARS, MOST_STEPS, MOST_TEMPLATE_LEVELS, CallError
from ensue.deploy.gotemplate.function import Function, checked_arguments, checked_result
from ensue.deploy.gotemplate.missing_keys import NO_MEMBER, NO_VALUE, missing_key
from ensue.deploy.gotemplate.nodes import (
    ActionNode,
    Body,
    BranchNode,
    ChainNode,
    CommandNode,
    ConstantNode,
    DotNode,
    FieldNode,
    FunctionNode,
    JumpNode,
    Node,
    Operand,
    PipelineNode,
    TemplateCallNode,
    TextNode,
    VariableNode,
)
from ensue.deploy.gotemplate.printing import printed
from ensue.deploy.gotemplate.regex import StepBudget
from ensue.deploy.gotemplate.secrecy import printed_secret, result_with_secrets, without_reason
from ensue.deploy.gotemplate.values import GoObject, is_true, type_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ensue.deploy.gotemplate.surroundings import RenderingServices

_MISSING: Final = object()


class EvaluationFailure(Exception):  # noqa: N818 -- an error of the template, turned into one before it is seen
    """An operation failed at a position in the template.

    Args:
        error: what happened.
        offset: the position, in characters from the beginning.
    """

    def __init__(self, error: CallError, offset: int) -> None:
        self.error = error
        self.offset = offset
        super().__init__(error.what)


class _Break(Exception):  # noqa: N818 -- a jump, not an error
    pass


class _Continue(Exception):  # noqa: N818 -- a jump, not an error
    pass


class TemplateProgram(msgspec.Struct, frozen=True):
    """A parsed template and the functions it may call.

    Args:
        body: the template.
        definitions: the templates that it defines.
        functions: the functions it may call, by name.
    """

    body: Body
    definitions: Mapping[str, Body]
    functions: Mapping[str, Function]


class TemplateRendering:
    """One rendering of a program.

    Args:
        program: the parsed template.
        surroundings: the time and randomness for functions.

    Attributes:
        offset: where the last function or template was called, in characters from the beginning.
    """

    def __init__(self, program: TemplateProgram, surroundings: RenderingServices) -> None:
        self.offset = 0
        self._program = program
        self._surroundings = msgspec.structs.replace(surroundings, work=StepBudget())
        self._tracks_secrets = surroundings.tracks_secrets
        self._parts: list[str] = []
        self._chars = 0
        self._steps = 0
        self._levels = 0
        self._variables: list[tuple[str, Any]] = []

    def text(self, data: Any) -> str:
        """Return what the program prints.

        Args:
            data: the value of `.` and `$`.

        Raises:
            EvaluationFailure: an operation failed, or a limit was reached.
        """
        self._variables.append(("$", data))
        self._run(self._program.body, data)
        return joined(self._parts) if self._tracks_secrets else "".join(self._parts)

    # Statements

    def _run(self, body: Body, dot: Any) -> None:
        for node in body:
            self._statement(node, dot)

    def _statement(self, node: Node, dot: Any) -> None:
        match node:
            case ActionNode():
                value = self._pipeline(node.pipeline, dot)
                if not node.pipeline.names:
                    self._print(self._shown(value, node, dot), node)
            case BranchNode():
                self._branch(node, dot)
            case TemplateCallNode():
                self._template(node, dot)
            case JumpNode():
                raise _Break if node.word == "break" else _Continue
            case TextNode():
                self._print(node.text, node)
            case _:
                assert_never(node)

    def _shown(self, value: Any, node: ActionNode, dot: Any) -> str:
        text = value if value.__class__ is str else self._printed(value, node, dot)
        if self._tracks_secrets and holds_secret(value):
            text = printed_secret(value, text)
        elif value is None or isinstance(value, (Written, int, float)):
            return text
        return self._surroundings.on_printed(value, text, node.pipeline.offset)

    def _printed(self, value: Any, node: ActionNode, dot: Any) -> str:
        if value is None:
            last = node.pipeline.commands[-1]
            if isinstance(last.first, FunctionNode) and last.first.name == "index":
                raise EvaluationFailure(NO_MEMBER, last.offset)
            self._require_key(last.first, dot)
            if isinstance(last.first, ChainNode | VariableNode):
                raise EvaluationFailure(NO_VALUE, last.offset)
            return "<no value>"
        try:
            return printed(value)
        except CallError as error:
            raise EvaluationFailure(error, node.offset) from None

    def _print(self, text: str, node: Node) -> None:
        self._chars += len(text)
        if self._chars > MOST_CHARS:
            raise EvaluationFailure(CallError(f"it prints more than {MOST_CHARS:,} characters"), node.offset)
        self._parts.append(text)

    def _step(self, offset: int) -> None:
        self._steps += 1
        self.offset = offset
        if self._steps > MOST_STEPS:
            what = f"it takes more than {MOST_STEPS:,} loop iterations and function calls"
            raise EvaluationFailure(CallError(what, help="Loop over fewer items"), offset)

    def _branch(self, node: BranchNode, dot: Any) -> None:
        seen = len(self._variables)
        value = self._pipeline(node.pipeline, dot, is_range=node.word == "range")
        if node.word == "range":
            self._range(node, value, dot)
        elif is_true(value):
            self._run(node.body, value if node.word == "with" else dot)
        else:
            self._run(node.otherwise, dot)
        del self._variables[seen:]

    def _range(self, node: BranchNode, value: Any, dot: Any) -> None:
        names = node.pipeline.names
        seen = len(self._variables)
        is_empty = True
        for key, item in self._members(value, node.pipeline.offset):
            is_empty = False
            self._step(node.offset)
            pair = (item,) if len(names) == 1 else (key, item)
            for name, variable in zip(names, pair, strict=False):
                if node.pipeline.is_assignment:
                    self._assign(name, variable)
                else:
                    self._variables.append((name, variable))
            try:
                self._run(node.body, item)
            except _Continue:
                pass
            except _Break:
                break
            finally:
                del self._variables[seen:]
        if is_empty:
            self._run(node.otherwise, dot)

    def _members(self, value: Any, offset: int) -> Iterator[tuple[Any, Any]]:
        if value is None:
            return iter(())
        if is_list(value):
            return iter(enumerate(tuple(value)))
        if is_mapping(value):
            return iter([(key, value[key]) for key in sorted(value, key=str)])
        if isinstance(value, int) and not isinstance(value, bool):
            return ((number, number) for number in computed(range(value), (value,)))
        what = f"range can't go through {type_of(value)}"
        raise EvaluationFailure(CallError(what, help="Give it a list, a mapping or an integer"), offset)

    def _template(self, node: TemplateCallNode, dot: Any) -> None:
        body = self._program.definitions.get(node.name)
        if body is None:
            what = f"there is no template {node.name!r}"
            raise EvaluationFailure(CallError(what, help="Define it with `define`"), node.offset)
        value = None if node.pipeline is None else self._pipeline(node.pipeline, dot)
        self._levels += 1
        if self._levels > MOST_TEMPLATE_LEVELS:
            what = f"templates call each other more than {MOST_TEMPLATE_LEVELS} levels deep"
            raise EvaluationFailure(CallError(what), node.offset)
        self._step(node.offset)
        outer, self._variables = self._variables, [("$", value)]
        self._run(body, value)
        self._variables = outer
        self._levels -= 1

    # Pipelines

    def _pipeline(self, node: PipelineNode, dot: Any, *, is_range: bool = False) -> Any:
        value: Any = _MISSING
        source: Operand | None = None
        for command in node.commands:
            value = self._command(command, dot, value, source)
            source = command.first
        if node.names and not is_range:
            for name in node.names:
                if node.is_assignment:
                    self._assign(name, value)
                else:
                    self._variables.append((name, value))
        return value

    def _assign(self, name: str, value: Any) -> None:
        for index in range(len(self._variables) - 1, -1, -1):
            if self._variables[index][0] == name:
                self._variables[index] = (name, value)
                return

    def _command(self, node: CommandNode, dot: Any, final: Any, source: Operand | None) -> Any:
        first = node.first
        if isinstance(first, FunctionNode):
            return self._call(first.name, node, dot, final, source)
        if not node.arguments and final is _MISSING:
            return self._operand(first, dot)
        arguments = [self._operand(argument, dot) for argument in node.arguments]
        if final is not _MISSING:
            arguments.append(final)
        names = first.names if isinstance(first, FieldNode | VariableNode | ChainNode) else ()
        if not names:
            raise EvaluationFailure(CallError("only a function takes arguments"), first.offset)
        owner = self._fields(self._base(first, dot), names[:-1], first.offset)
        return self._method(owner, names[-1], arguments, first.offset)

    def _base(self, node: Operand, dot: Any) -> Any:
        if isinstance(node, VariableNode):
            return self._variable(node.name)
        return self._operand(node.base, dot) if isinstance(node, ChainNode) else dot

    def _method(self, owner: Any, name: str, arguments: list[Any], offset: int) -> Any:
        if not isinstance(owner, GoObject):
            raise EvaluationFailure(CallError(f"{name} is not a method, and has arguments"), offset)
        try:
            return computed(owner.field(name, arguments), (owner, *arguments))
        except CallError as error:
            raise EvaluationFailure(without_reason(error, (owner, *arguments)), offset) from None

    def _call(self, name: str, node: CommandNode, dot: Any, final: Any, source: Operand | None = None) -> Any:
        self._step(node.offset)
        if name in {"and", "or"}:
            return self._short_circuit(name, node, dot, final)
        arguments = [self._operand(operand, dot) for operand in node.arguments]
        if final is not _MISSING:
            arguments.append(final)
        called = self._program.functions[name]
        try:
            checked_arguments(name, called, arguments)
            if called.is_random:
                self._surroundings.on_random()
            if self._tracks_secrets:
                return result_with_secrets(name, called, arguments, self._surroundings)
            services = (self._surroundings,) if called.needs_run else ()
            return checked_result(called, arguments, called.call(*services, *arguments))
        except CallError as error:
            sources = node.arguments if source is None else (*node.arguments, source)
            for operand, argument in zip(sources, arguments, strict=False):
                if argument is None:
                    self._require_key(operand, dot)
            what = (
                error.what
                if name == "fail" or error.what.startswith(("argument ", f"{name} "))
                else f"{name}: {error.what}"
            )
            raise EvaluationFailure(CallError(what, help=error.help), node.offset) from None
        except (ValueError, ArithmeticError, MemoryError) as error:
            raise EvaluationFailure(CallError(f"{name}: {error}"), node.offset) from None

    def _short_circuit(self, name: str, node: CommandNode, dot: Any, final: Any) -> Any:
        if not node.arguments and final is _MISSING:
            raise EvaluationFailure(
                CallError(f"{name} takes at least 1 argument, but is given 0"), node.offset
            )
        value: Any = None
        for argument in node.arguments:
            value = self._operand(argument, dot)
            if is_true(value) is (name == "or"):
                return value
        return value if final is _MISSING else final

    # Operands

    def _operand(self, node: Operand, dot: Any) -> Any:  # noqa: PLR0911 -- a return per node
        match node:
            case FieldNode():
                return self._fields(dot, node.names, node.offset)
            case ConstantNode():
                return node.value
            case VariableNode():
                value = self._variable(node.name)
                return self._fields(value, node.names, node.offset) if node.names else value
            case PipelineNode():
                return self._pipeline(node, dot)
            case DotNode():
                return dot
            case ChainNode():
                return self._fields(self._operand(node.base, dot), node.names, node.offset)
            case FunctionNode():
                return self._call(node.name, CommandNode(node, (), node.offset), dot, _MISSING)
            case _:
                assert_never(node)

    def _variable(self, name: str) -> Any:
        for known, value in reversed(self._variables):
            if known == name:
                return value
        raise EvaluationFailure(CallError(f"there is no variable {name} here"), 0)

    def _fields(self, value: Any, names: tuple[str, ...], offset: int) -> Any:
        for name in names:
            if is_mapping(value):
                if name not in value:
                    # Everything below a missing key is missing, too.
                    return None
                value = value[name]
            elif isinstance(value, GoObject):
                value = self._method(value, name, [], offset)
            else:
                what = (
                    f"there is no {name} in {'nil' if value is None else type_of(value)} (.{'.'.join(names)})"
                )
                raise EvaluationFailure(CallError(what, help="Only mappings have keys"), offset)
        return value

    def _require_key(self, node: Operand, dot: Any) -> None:
        """Raise an error if an operand is nil because one of its keys is missing."""
        while isinstance(node, PipelineNode):
            node = node.commands[-1].first
        if isinstance(node, FieldNode):
            owner = dot
        elif isinstance(node, VariableNode):
            owner = self._variable(node.name)
        else:
            return
        for name in node.names:
            if not is_mapping(owner):
                return
            if name not in owner:
                raise EvaluationFailure(missing_key(name, node.names, owner), node.offset)
            owner = owner[name]
