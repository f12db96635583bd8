"""Filters and tests that are not there, as errors that say which one, where Jinja has a text alone."""

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
    """A filter or a test that is not there.

    Args:
        kind: which of the two.
        name: what the template calls it.
        near: names of those that are there and look like it.
    """

    kind: Kind
    name: str
    near: tuple[str, ...]

    def __str__(self) -> str:
        """Say that it is not there."""
        return f"there is no {self.kind} {self.name!r}"


class UnknownWhenCompiledError(TemplateAssertionError):
    """A template names a filter or a test that is not there.

    Args:
        unknown: what.
        line: where it stands.
        template: the template's name.
        path: its file.
    """

    def __init__(self, unknown: UnknownName, line: int, template: str | None, path: str | None) -> None:
        super().__init__(str(unknown), line, template, path)
        self.unknown = unknown


class UnknownWhenCalledError(TemplateRuntimeError):
    """The same in a branch, where Jinja looks when it is taken, or as a name behind `map` and `select`.

    Args:
        unknown: what.
    """

    def __init__(self, unknown: UnknownName) -> None:
        super().__init__(str(unknown))
        self.unknown = unknown


class NamedFunctions(dict[str, Any]):
    """Filters or tests by name; one that is not there fails by its name when it is called.

    Args:
        kind: what they are.
        known: those that are there.
    """

    def __init__(self, kind: Kind, known: Mapping[str, Any]) -> None:
        super().__init__(known)
        self._kind: Kind = kind

    def __missing__(self, name: str) -> Callable[..., NoReturn]:
        def fail(*_args: Any, **_options: Any) -> NoReturn:
            raise UnknownWhenCalledError(self.unknown(name))

        return fail

    def unknown(self, name: str) -> UnknownName:
        """Describe one that is not there."""
        import difflib

        return UnknownName(kind=self._kind, name=name, near=tuple(difflib.get_close_matches(name, self, n=3)))


class NameChecker(CodeGenerator):
    """Jinja's code generator, which refuses what is not there with an error that has the name."""

    def visit_Filter(self, node: nodes.Filter, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Write the call of a filter."""
        self._check(self.environment.filters, node, frame)
        super().visit_Filter(node, frame)

    def visit_Test(self, node: nodes.Test, frame: Frame) -> None:  # noqa: N802 (Jinja's)
        """Write the call of a test."""
        self._check(self.environment.tests, node, frame)
        super().visit_Test(node, frame)

    def _check(self, known: Any, node: nodes.Filter | nodes.Test, frame: Frame) -> None:
        if isinstance(known, NamedFunctions) and node.name not in known and not frame.soft_frame:
            unknown = known.unknown(node.name)
            raise UnknownWhenCompiledError(unknown, node.lineno, self.name, self.filename)
