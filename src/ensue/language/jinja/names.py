"""Compiling templates: unknown filters and tests are errors that carry the name, and constants are authored.

Jinja's own errors have the name only as text.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

import msgspec
from jinja2 import TemplateAssertionError, TemplateRuntimeError, nodes
from jinja2.compiler import CodeGenerator, optimizeconst

from ensue.language.jinja.filters.kinds import is_row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from jinja2 import Environment
    from jinja2.compiler import Frame

Kind: TypeAlias = Literal["filter", "test"]


def _holds_text(value: Any) -> bool:
    if isinstance(value, (str, dict)):
        return value not in ("", {})
    return is_row(value) and any(map(_holds_text, value))


class UnknownName(msgspec.Struct, frozen=True, kw_only=True):
    """An unknown filter or test.

    Args:
        kind: `filter` or `test`.
        name: its name in the template.
        near: similar names that exist.
    """

    kind: Kind
    name: str
    near: tuple[str, ...]

    def __str__(self) -> str:
        """Return the message that it does not exist."""
        return f"there is no {self.kind} {self.name!r}"


class UnknownWhenCompiledError(TemplateAssertionError):
    """A template names an unknown filter or test.

    Args:
        unknown: the filter or test.
        line: the line on which it is used.
        template: the template's name.
        path: its file.
    """

    def __init__(self, unknown: UnknownName, line: int, template: str | None, path: str | None) -> None:
        super().__init__(str(unknown), line, template, path)
        self.unknown = unknown


class UnknownWhenCalledError(TemplateRuntimeError):
    """A template calls an unknown filter or test in a branch, or by name through `map` or `select`.

    Args:
        unknown: the filter or test.
    """

    def __init__(self, unknown: UnknownName) -> None:
        super().__init__(str(unknown))
        self.unknown = unknown


def unknown_names(environment: Environment, text: str) -> list[tuple[UnknownName, int]]:
    """Return the filters and tests because of which a template does not compile, each with its first line.

    Args:
        environment: parses the template, and has the existing ones.
        text: the template, of which at least one is unknown.
    """
    unknown: dict[UnknownName, int] = {}
    for name, line in _refused(environment.parse(text), environment):
        unknown[name] = min(line, unknown.get(name, line))
    return sorted(unknown.items(), key=itemgetter(1))


def _refused(node: nodes.Node, environment: Environment) -> Iterator[tuple[UnknownName, int]]:
    """Yield the unknown filters and tests below a node, except those of conditions, which only fail a run."""
    for child in node.iter_child_nodes():
        if isinstance(child, (nodes.If, nodes.CondExpr)):
            continue
        if isinstance(child, (nodes.Filter, nodes.Test)):
            known = environment.filters if isinstance(child, nodes.Filter) else environment.tests
            if isinstance(known, NamedFunctions) and child.name not in known:
                yield known.unknown(child.name), child.lineno
        yield from _refused(child, environment)


class NamedFunctions(dict[str, Any]):
    """Filters or tests by name; an unknown one raises an error with its name when it is called.

    Args:
        kind: `filter` or `test`.
        known: the existing ones.
    """

    def __init__(self, kind: Kind, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self._kind: Kind = kind

    def __missing__(self, name: str) -> Callable[..., NoReturn]:
        def fail(*_args: Any, **_options: Any) -> NoReturn:
            raise UnknownWhenCalledError(self.unknown(name))

        return fail

    def unknown(self, name: str) -> UnknownName:
        """Describe an unknown one."""
        import difflib

        # Names with blanks are for the compiler alone.
        known = [each for each in self if " " not in each]
        return UnknownName(
            kind=self._kind, name=name, near=tuple(difflib.get_close_matches(name, known, n=3))
        )


class Generator(CodeGenerator):
    """Jinja's code generator with two changes.

    Unknown filters and tests are refused with an error that has the name. The text of constants is
    `Authored`, and `~` goes through `SaltJinjaEnvironment.concatenated`, so that its result may be.
    """

    _is_compared = False

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Generate a constant."""
        value = node.as_const(frame.eval_ctx)
        if self._is_compared or not _holds_text(value):
            super().visit_Const(node, frame)
        else:
            self.write(f"environment.authored({value!r})")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Generate a comparison, in which the mark of a constant has no effect."""
        before, self._is_compared = self._is_compared, True
        super().visit_Compare(node, frame)
        self._is_compared = before

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Generate the look-up of a key, in which the mark of a constant has no effect."""
        if isinstance(node.arg, nodes.Const):
            self.write("environment.getitem(")
            self.visit(node.node, frame)
            self.write(f", {node.arg.as_const(frame.eval_ctx)!r})")
        else:
            super().visit_Getitem(node, frame)

    @optimizeconst
    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Generate a concatenation."""
        if frame.eval_ctx.volatile or frame.eval_ctx.autoescape:
            super().visit_Concat(node, frame)
            return
        self.write("environment.concatenated((")
        for expression in node.nodes:
            self.visit(expression, frame)
            self.write(", ")
        self.write("))")

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Generate the call of a filter."""
        self._check(self.environment.filters, node, frame)
        super().visit_Filter(node, frame)

    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Generate the call of a test."""
        self._check(self.environment.tests, node, frame)
        super().visit_Test(node, frame)

    def _check(self, known: Any, node: nodes.Filter | nodes.Test, frame: Frame) -> None:
        if isinstance(known, NamedFunctions) and node.name not in known and not frame.soft_frame:
            unknown = known.unknown(node.name)
            raise UnknownWhenCompiledError(unknown, node.lineno, self.name, self.filename)
