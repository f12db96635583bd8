"""Errors for unknown filters and tests that carry the name, which Jinja's errors have only as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NoReturn, TypeAlias

import msgspec
from jinja2 import TemplateAssertionError, TemplateRuntimeError
from jinja2.compiler import CodeGenerator

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jinja2 import nodes
    from jinja2.compiler import Frame

Kind: TypeAlias = Literal["filter", "test"]


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

        return UnknownName(kind=self._kind, name=name, near=tuple(difflib.get_close_matches(name, self, n=3)))


class NameChecker(CodeGenerator):
    """Jinja's code generator, which refuses unknown filters and tests with an error that has the name."""

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
