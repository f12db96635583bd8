"""Renderers of installed distributions: entry points of the group `ensue.renderers`.

Each is a `contracts.Renderer`. The origin of a program's texts is unknown, so the rule of `py_data`
applies: if nothing that the run gave to the renderer contains a sign of a reference or slot, every sign that
it returns is the author's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.renderer import RenderInput
from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError, EnsueError
from ensue.language.data_faults import refuse_unbounded
from ensue.language.marks import without_authorship
from ensue.language.renderers.py_data import GivenTexts
from ensue.language.yaml import YamlDocument

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from ensue.core.contracts.renderer import Renderer
    from ensue.language.renderers.stage import Stage, Stream

GROUP: Final = "ensue.renderers"
"""The entry point group."""


def installed_stage(name: str) -> Stage | None:
    """Return the stage of an installed renderer; None if there is none of that name."""
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP, name=name):
        return _stage(name, entry)
    return None


def _stage(name: str, entry: EntryPoint) -> Stage:
    def render(stream: Stream, arguments: str) -> Stream:
        place = Span(stream.path, 1)
        try:
            renderer: Renderer = entry.load()
        except Exception as error:
            raise _failed(name, f"{_origin(entry)} does not load: {_said(error)}", place) from error
        given = GivenTexts()
        watched = given.watch(stream)
        source = RenderInput(
            text=without_authorship(stream.text),
            data=stream.data,
            path=stream.path,
            variables=watched.variables,
            arguments=tuple(arguments.split()),
        )
        try:
            returned = renderer(source)
        except EnsueError:
            raise
        except Exception as error:
            raise _failed(name, f"{_origin(entry)}: {_said(error)}", place) from error
        given.check(returned, stream.document())
        if isinstance(returned, str):
            return msgspec.structs.replace(stream, text=returned)
        refuse_unbounded(returned, place)
        return msgspec.structs.replace(
            stream.with_data(returned), written=_ProgramText(stream.path, stream.text)
        )

    return render


class _ProgramText(YamlDocument):
    """The text from which a program has made data; its references need not be written in it."""

    makes_data = True

    __slots__ = ()


def _failed(name: str, detail: str, place: Span) -> CompileError:
    return CompileError(
        [
            Diagnostic(
                code="E0223",
                summary=f"the renderer {name!r} failed",
                detail=detail,
                span=place,
                help="fix it, or remove it from the first line of the file",
            )
        ]
    )


def _origin(entry: EntryPoint) -> str:
    return f"{entry.value} of {entry.dist.name if entry.dist else 'an unknown distribution'}"


def _said(error: Exception) -> Any:
    return f"{type(error).__name__}: {error}"
