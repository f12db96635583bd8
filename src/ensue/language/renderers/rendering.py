"""Rendering SLS files and templates with one target's context."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError
from ensue.language.blocks import scan
from ensue.language.blocks.calls import SlsHead
from ensue.language.blocks.sls_tag import read_sls_tag
from ensue.language.blocks.space import space_of
from ensue.language.encrypted_texts import refuse_undecrypted, refuse_whole_vault
from ensue.language.idem_names import FOREIGN_NAMES, foreign_name
from ensue.language.pipe import is_jinja, makes_data, pipe_of, run_pipe, run_pipe_to_data
from ensue.language.renderers.project_rendering import PLAIN_RENDERING, ProjectRendering
from ensue.language.renderers.stage import Printing, Stream, no_stage
from ensue.language.sls_context import place_variables
from ensue.language.stateconf.values import StateconfValues
from ensue.language.yaml.document import Anchor
from ensue.language.yaml.input_files import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ensue.language.blocks import Block, Scan
    from ensue.language.blocks.space import BlockSpace
    from ensue.language.jinja import JinjaRenderer
    from ensue.language.mako.render import MakoRenderer
    from ensue.language.renderers.stage import Stage
    from ensue.language.settings.roots import Roots, SlsFile

_TOP: Final = "top"


class _Templates:
    """The templates that a renderer has compiled, by environment, and the blocks in them, by path."""

    def __init__(self) -> None:
        self.jinja: dict[str, JinjaRenderer] = {}
        self.mako: dict[str, MakoRenderer] = {}
        self.blocks: dict[str, tuple[Block, ...]] = {}


class SlsRenderer:
    """Renders files with the context of one target.

    Args:
        roots: file roots; templates are loaded from them.
        variables: makes `salt grains pillar opts` and the other variables of every file, on demand.
        project: what all renderings of the project share.
        own_stage: returns a renderer of the project by its name; None if there is none.
        has_states: whether the files hold states, which can call for delayed blocks; pillar holds none.
        compiled: the templates of a renderer that differs only in its variables; None: none are compiled yet.
        stateconf: the `stateconf` values of the loading that this renderer belongs to; None: a new loading.
    """

    def __init__(
        self,
        roots: Roots,
        variables: Callable[[], Mapping[str, Any]],
        *,
        project: ProjectRendering = PLAIN_RENDERING,
        own_stage: Callable[[str], Stage | None] = no_stage,
        has_states: bool = True,
        compiled: _Templates | None = None,
        stateconf: StateconfValues | None = None,
    ) -> None:
        self._roots = roots
        self._variables = variables
        self._project = project
        self._own_stage = own_stage
        self._has_states = has_states
        self._compiled = compiled or _Templates()
        self._stateconf = stateconf or StateconfValues()

    def seeing(self, variables: Mapping[str, Any]) -> SlsRenderer:
        """Return this renderer with further variables; compiled templates are shared."""
        own = self._variables
        return self._with(lambda: {**own(), **variables}, self._stateconf)

    def of_one_loading(self) -> SlsRenderer:
        """Return this renderer for one loading of SLS; they share `stateconf` values only with each other."""
        return self._with(self._variables, StateconfValues())

    def _with(self, variables: Callable[[], Mapping[str, Any]], stateconf: StateconfValues) -> SlsRenderer:
        return SlsRenderer(
            self._roots,
            variables,
            project=self._project,
            own_stage=self._own_stage,
            has_states=self._has_states,
            compiled=self._compiled,
            stateconf=stateconf,
        )

    def render_file(self, file: SlsFile, defaults: Mapping[str, Any] | None = None) -> Stream:
        """Render one SLS file to data.

        Args:
            file: the file.
            defaults: further variables, as a pillar `include` may give.

        Raises:
            CompileError: it cannot be read, or a stage refuses it.
        """
        shown = self._roots.shown(file.path)
        text = read_text(file.path, shown)
        if self._has_states:
            # The names of the file and of its environment are words of its author, too.
            self._project.see_source(f"{file.name}\n{file.saltenv}\n{text}")

        def context() -> dict[str, Any]:
            return {**self._variables(), **(defaults or {}), **place_variables(file)}

        pipe = pipe_of(text, self._project.default_pipe)
        with_parts = self._has_states and file.name != _TOP
        cut = scan(text, shown, pipe=pipe, template=file.relative, with_parts=with_parts)
        if self._has_states and (uses := list(self._foreign_uses(cut, file.saltenv))):
            raise CompileError(uses)
        stream = self._stream(cut.text, shown, file.relative, context, file.saltenv, is_file=True)
        printing = Printing.JUDGED if self._has_states or file.name == _TOP else Printing.MARKED
        refuse_whole_vault(text, shown)
        stream = run_pipe_to_data(msgspec.structs.replace(stream, printing=printing), pipe)
        refuse_undecrypted(stream, pipe)
        stream = _with_parts(stream, cut)
        stream = self._with_blocks(stream, cut.all_blocks, None, pipe)
        if stream.space.own and (not self._has_states or file.name == _TOP):
            raise CompileError([_uncallable(block) for block in stream.space.own.values()])
        return stream

    def render_block(
        self, block: Block, file: SlsFile, outer: BlockSpace, scoped: Mapping[str, Any]
    ) -> Stream:
        """Render one delayed block to data.

        Args:
            block: the block.
            file: the SLS that it belongs to.
            outer: the space it was found in; its own blocks may call the blocks there.
            scoped: variables of its caller, for a scoped block.

        Raises:
            CompileError: a stage refuses it.
        """

        def context() -> dict[str, Any]:
            return {**self._variables(), **place_variables(file), **scoped}

        text = block.inner.text
        stream = self._stream(text, block.place.path, block.template, context, file.saltenv, is_file=True)
        # Without anchors, errors would also give columns.
        anchors = (Anchor(1, block.place.path, block.first_line),) if block.moved else ()
        stream = msgspec.structs.replace(
            stream, first_line=block.first_line, inherited=scoped, anchors=anchors
        )
        stream = block.function(stream) if block.function else run_pipe_to_data(stream, block.pipe)
        refuse_undecrypted(stream, block.pipe)
        stream = _with_parts(stream, block.inner)
        return self._with_blocks(stream, block.inner.all_blocks, outer, block.pipe)

    def sls_head(self, file: SlsFile) -> SlsHead:
        """Read an SLS without rendering it; see `blocks.calls.HeadReader`."""
        shown = self._roots.shown(file.path)
        text = read_text(file.path, shown)
        faults: list[Diagnostic] = []
        options, place = read_sls_tag(text, shown, faults)
        pipe = pipe_of(text, self._project.default_pipe)
        try:
            cut = scan(text, shown, pipe=pipe)
        except CompileError as error:
            faults += error.diagnostics
        else:
            if is_jinja(pipe):
                faults += self._foreign_names(cut.text, Span(shown, 1), file.saltenv)
            faults += self._foreign_uses(cut, file.saltenv)
        if faults:
            raise CompileError(faults)
        return SlsHead(options=options, place=place, pipe=pipe)

    def _foreign_uses(self, cut: Scan, saltenv: str) -> Iterator[Diagnostic]:
        """Yield the errors for names of Idem in blocks, which would otherwise stop a run half way."""
        for block in cut.nested_blocks():
            # A scoped block may have a variable of this name from the file around it.
            if is_jinja(block.pipe) and not block.scoped:
                yield from self._foreign_names(
                    block.inner.text, Span(block.place.path, block.first_line), saltenv
                )

    def _foreign_names(self, text: str, start: Span, saltenv: str) -> Iterator[Diagnostic]:
        """Yield the errors for names of Idem in a template that begins at a line of a file."""
        if not any(name in text for name in FOREIGN_NAMES):
            return
        for name, line in self._jinja_of(saltenv).free_names(text, FOREIGN_NAMES):
            use = foreign_name(name, Span(start.path, start.line + line - 1))
            if use is not None:
                yield use

    def _with_blocks(
        self, stream: Stream, own: tuple[Block, ...], outer: BlockSpace | None, pipe: str
    ) -> Stream:
        """Return a rendering with the blocks found in its text, its functions and its templates.

        A template that names no renderers has the renderers of the file that pulls it in.
        """
        known = self._compiled.blocks
        pulled_in = [
            block if block.pipe else msgspec.structs.replace(block, pipe=pipe)
            for path in stream.templates
            for block in known.get(path, ())
        ]
        if not own and not pulled_in and not stream.functions and outer is None:
            return stream
        return msgspec.structs.replace(stream, space=space_of([*own, *stream.functions, *pulled_in], outer))

    def _cut_template(self, text: str, path: str, saltenv: str) -> str:
        file = self._roots.find_path(Path(path), saltenv)
        cut = scan(
            text, self._roots.shown(path), pipe=pipe_of(text, ""), template=file.relative if file else ""
        )
        if cut.blocks or path in self._compiled.blocks:
            self._compiled.blocks[path] = cut.blocks
        return cut.text

    def render_stream(
        self, text: str, *, renderer: str, name: str, extra: Mapping[str, Any], saltenv: str = "base"
    ) -> Stream:
        """Render a text other than an SLS: a template (`file.managed` with `template: jinja`), a map file.

        Args:
            text: the text.
            renderer: the pipe.
            name: its name in messages; its path in the roots, if it is there.
            extra: further variables.
            saltenv: the environment.

        Raises:
            CompileError: a renderer is unknown, or refuses the text.
        """
        variables = {**self._variables(), "saltenv": saltenv, "sls": "", **extra}
        relative = name.removeprefix("salt://")
        folder = relative.rpartition("/")[0]
        places = {
            "tplfile": relative,
            "tpldir": folder or ".",
            "tpldot": folder.replace("/", "."),
            "slspath": folder,
        }
        for key, value in places.items():
            variables.setdefault(key, value)
        stream = self._stream(text, name, relative, lambda: variables, saltenv, is_file=name != relative)
        if not makes_data(renderer):
            stream = msgspec.structs.replace(stream, printing=Printing.FREE)
        return run_pipe(stream, renderer)

    def _stream(
        self,
        text: str,
        path: str,
        name: str,
        context: Callable[[], Mapping[str, Any]],
        saltenv: str,
        *,
        is_file: bool,
    ) -> Stream:
        return Stream(
            text=text,
            source=text,
            is_file=is_file,
            path=path,
            name=name,
            context=context,
            jinja=lambda: self._jinja_of(saltenv),
            jinja_settings=self._project.jinja,
            mako=lambda: self._mako_of(saltenv),
            decrypt=self._project.decrypt,
            own_stage=self._own_stage,
            stateconf=self._stateconf,
            find_file=lambda relative: self._file(relative, saltenv),
        )

    def _jinja_of(self, saltenv: str) -> JinjaRenderer:
        if saltenv not in self._compiled.jinja:
            from ensue.language.jinja import JinjaRenderer

            settings = self._project.jinja
            self._compiled.jinja[saltenv] = JinjaRenderer(
                self._roots.folders(saltenv),
                shorten=self._roots.shown,
                options=settings.options,
                allow_undefined=settings.allow_undefined,
                prepare=lambda text, path: self._cut_template(text, path, saltenv),
                kept=settings.kept() if settings.kept and self._has_states else None,
            )
        return self._compiled.jinja[saltenv]

    def _file(self, relative: str, saltenv: str) -> tuple[str, str, str] | None:
        path = self._roots.find_file(relative, saltenv)
        if path is None:
            return None
        shown = self._roots.shown(path)
        text = read_text(path, shown)
        if self._has_states:
            self._project.see_source(text)
        return text, shown, str(path)

    def _mako_of(self, saltenv: str) -> MakoRenderer:
        if saltenv not in self._compiled.mako:
            from ensue.language.mako.render import MakoRenderer

            def read(path: Path) -> str:
                return self._cut_template(read_text(path, shown(path)), str(path), saltenv)

            shown = self._roots.shown
            self._compiled.mako[saltenv] = MakoRenderer(
                lambda name: self._roots.find_file(name, saltenv), read, shorten=shown
            )
        return self._compiled.mako[saltenv]


def _with_parts(stream: Stream, cut: Scan) -> Stream:
    """Return a rendering with the renderings of the parts that name their own renderers."""
    if not cut.parts:
        return stream
    empty = msgspec.structs.replace(
        stream,
        data=None,
        is_data=False,
        is_rendered=False,
        written=None,
        exported={},
        templates=(),
        functions=(),
    )
    rendered = [_rendered_part(empty, part) for part in _parts_of(cut)]
    return msgspec.structs.replace(
        stream,
        parts=tuple(rendered),
        templates=(*stream.templates, *(path for part in rendered for path in part.templates)),
        functions=(*stream.functions, *(block for part in rendered for block in part.functions)),
    )


def _rendered_part(empty: Stream, part: Block) -> Stream:
    text = part.inner.text
    anchors = (Anchor(1, part.place.path, part.first_line),) if part.moved else ()
    stream = msgspec.structs.replace(
        empty, text=text, source=text, first_line=part.first_line, anchors=anchors
    )
    stream = run_pipe_to_data(stream, part.pipe)
    refuse_undecrypted(stream, part.pipe)
    return stream


def _parts_of(cut: Scan) -> Iterator[Block]:
    for part in cut.parts:
        yield part
        yield from _parts_of(part.inner)


def _uncallable(block: Block) -> Diagnostic:
    return Diagnostic(
        code="E0906",
        summary=f"the delayed block {block.name!r} is in a file that holds no states",
        span=block.place,
        detail="pillar and top files hold no state that could call for it",
        help="move it into an SLS",
    )
