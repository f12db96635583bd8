"""Rendering one Mako template with Salt's context."""

# pyright: basic
# Mako has no types.
from __future__ import annotations

import inspect
import io
from typing import TYPE_CHECKING, Any, Final

import msgspec
from mako.runtime import CallerStack, Context

from ensue.language.line_marks import take_out_marks
from ensue.language.mako.errors import as_compile_error
from ensue.language.mako.lookup import RootsLookup, called_name, pulled_in
from ensue.language.mako.marks import Marker
from ensue.language.mako.printing import NAMES, is_guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from types import CodeType, ModuleType

    from ensue.language.yaml.document import Anchor

_OWN_NAMES: Final = frozenset({*NAMES, "runtime", "filters", "cache", "UNDEFINED", "STOP_RENDERING"})


class MakoOutput(msgspec.Struct, frozen=True, kw_only=True):
    """A rendering.

    Args:
        text: the text.
        anchors: where its lines come from.
        exported: the template's own variables at its end.
        templates: the files of the templates that it pulled in.
    """

    text: str
    anchors: tuple[Anchor, ...]
    exported: Mapping[str, Any]
    templates: tuple[str, ...]


class MakoRenderer:
    """Renders texts of one environment (`base`); compiled templates are kept.

    Args:
        find: returns the file of a name below the roots; None if there is none.
        read: returns the text of a file without its delayed blocks.
        shorten: makes an absolute path relative to the project, for messages.
    """

    def __init__(
        self, find: Callable[[str], Path | None], read: Callable[[Path], str], shorten: Callable[[str], str]
    ) -> None:
        self._shorten = shorten
        self._marker = Marker(shorten)
        self._lookup = RootsLookup(find, read, self._marker)
        self._compiled: dict[tuple[str, str, str], Any] = {}

    def render(
        self, text: str, variables: Mapping[str, Any], *, path: str, name: str, guarded: bool = False
    ) -> MakoOutput:
        """Render a template.

        Args:
            text: the template, with the line numbers of its file.
            variables: its context.
            path: its file, for messages.
            name: its name in the roots.
            guarded: whether to guard the values, because the text is read as YAML or JSON afterwards.

        Raises:
            CompileError: invalid Mako, an undefined variable, or an error in a called function.
        """
        token, guard = pulled_in.set([]), is_guarded.set(guarded)
        try:
            template = self._template(text, path, called_name(variables, name), name)
            buffer = io.StringIO()
            context: Any = Context(buffer, **variables)
            stack = _Stack(template.module.render_body.__code__)
            context.caller_stack = context._data["caller"] = stack  # noqa: SLF001 -- as Context makes its own
            template.render_context(context, **variables)
            templates = tuple(dict.fromkeys(pulled_in.get()))
        except Exception as error:  # noqa: BLE001 -- the user's template: anything may come
            raise as_compile_error(
                error, text=text, path=path, shorten=self._shorten, variables=variables
            ) from None
        finally:
            pulled_in.reset(token)
            is_guarded.reset(guard)
        plain, anchors = take_out_marks(buffer.getvalue(), dict(enumerate(self._marker.paths)))
        exported = {**_module_names(template.module), **stack.variables}
        return MakoOutput(text=plain, anchors=anchors, exported=exported, templates=templates)

    def compile(self, text: str, variables: Mapping[str, Any], *, path: str, name: str) -> None:
        """Compile a template, for its rendering.

        Args:
            text: the template, with the line numbers of its file.
            variables: variables of its rendering.
            path: its file, for messages.
            name: its name in the roots.

        Raises:
            CompileError: invalid Mako.
        """
        try:
            self._template(text, path, called_name(variables, name), name)
        except Exception as error:  # noqa: BLE001 -- Mako parses Python: anything may come
            raise as_compile_error(
                error, text=text, path=path, shorten=self._shorten, variables=variables
            ) from None

    def _template(self, text: str, path: str, called: str, name: str) -> Any:
        key = (path, called, text)
        if key not in self._compiled:
            folder = name.rpartition("/")[0]
            # Strict, as in Salt: an undefined name is an error.
            self._compiled[key] = self._lookup.compiled(
                text, path, called=called, folder=folder, strict_undefined=True
            )
        return self._compiled[key]


class _Stack(CallerStack):  # type: ignore[misc]
    """Mako's stack of calls; it keeps the variables of one body when the body ends, even by an exception.

    Mako gives no other access to them: they are local variables of the function compiled from a template,
    copied into `__M_locals` for the calls of the template.

    Args:
        body: the code of that function.
    """

    def __init__(self, body: CodeType) -> None:
        super().__init__()
        self._body = body
        self.variables: dict[str, Any] = {}

    def _pop_frame(self) -> None:
        frame = inspect.currentframe()
        caller = frame.f_back if frame else None
        if caller is not None and caller.f_code is self._body:
            self.variables = {
                name: value for name, value in caller.f_locals["__M_locals"].items() if name != "pageargs"
            }
        super()._pop_frame()


def _module_names(module: ModuleType) -> dict[str, Any]:
    """Return the names that `<%! … %>` defines."""
    made = {f"render_{name}" for name in ("body", *module._exports)}  # noqa: SLF001 -- what Mako wrote into it
    return {
        name: value
        for name, value in vars(module).items()
        if not name.startswith("_") and name not in _OWN_NAMES and name not in made
    }
