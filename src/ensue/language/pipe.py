"""The render pipe of one file: `#!jinja|yaml`, or other renderers that its first line names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.contracts.target_questions import rendering
from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.language.blocks.sls_tag import pipe_line
from ensue.language.blocks.waiting import is_end, read_waiting
from ensue.language.collector import near_names
from ensue.language.renderer_names import NAMES
from ensue.language.renderers import load_stage
from ensue.language.renderers.replaced import REPLACED

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream

DEFAULT_PIPE: Final = "jinja|yaml"
_DATA_STAGES: Final = (["yaml"], ["yamlex"], ["json"])
_TAGS: Final = ("delayed_block", "end_delayed_block", "delayed_sls")


def pipe_of(text: str, default: str = DEFAULT_PIPE) -> str:
    """Return the pipe that the first line, or the line after `#!delayed_sls`, names; else the default."""
    first = pipe_line(text)
    if not first.startswith("#!") or first.startswith("#!/"):
        return default
    named = first[2:].strip()
    if not named or named.split()[0] in _TAGS or read_waiting(first) or is_end(first):
        return default
    return named


def makes_data(pipe: str) -> bool:
    """Return whether a stage of a pipe turns text into data; `gpg` may follow it."""
    return any(part.split()[:1] in _DATA_STAGES for part in pipe.split("|"))


def run_pipe(stream: Stream, pipe: str) -> Stream:
    """Send a text through every stage of a pipe.

    Raises:
        CompileError: a stage is unknown, or refuses the text.
    """
    with rendering(stream.path):
        return _through_stages(stream, pipe)


def _through_stages(stream: Stream, pipe: str) -> Stream:
    for part in pipe.split("|"):
        name, _, arguments = part.strip().partition(" ")
        stage = stream.own_stage(name) or load_stage(name)
        if stage is None:
            raise CompileError(
                [
                    Diagnostic(
                        code="E0206",
                        summary=f"there is no renderer {name!r}",
                        span=Span(stream.path, 1),
                        help=REPLACED.get(name)
                        or near_names(name, NAMES)
                        or f"the renderers are {', '.join(NAMES)}",
                    )
                ]
            )
        stream = stage(stream, arguments.strip())
    return stream


def is_jinja(pipe: str) -> bool:
    """Return whether a stage of a pipe is Jinja."""
    return any(stage.split()[:1] == ["jinja"] for stage in pipe.split("|"))


def run_pipe_to_data(stream: Stream, pipe: str) -> Stream:
    """Send a file through every stage of a pipe; the result must be data.

    Raises:
        CompileError: a stage is unknown or refuses the text, or the result is text.
    """
    stream = run_pipe(stream, pipe)
    if stream.is_data or not stream.text.strip():
        return stream
    raise CompileError(
        [
            Diagnostic(
                code="E0207",
                summary=f"the renderer {pipe!r} returns text, not a mapping",
                span=Span(stream.path, stream.first_line),
                help=f"add a renderer that makes data: #!{pipe}|yaml",
            )
        ]
    )
