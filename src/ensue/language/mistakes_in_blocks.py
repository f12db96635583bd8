"""Warns of what fails in a delayed block whatever the values are that it is rendered with.

A block is rendered when a state has ended, so only its text is known before. It is read as it is rendered
later: by its own renderers, and with the options of their templates. What does not compile is certain, and
so are a name and a function that a template reads in any case and that nobody defines. The text outside of
tags is certain, and what a tag prints is not: a function and its arguments are judged where the text has all
of them as YAML reads it, and so is the ID of a state that a tag reads as a variable, and a key that
`prev_ret` never has. They are warnings: the block may never be called, and a tag may leave the text out.
"""

from __future__ import annotations

from importlib import import_module
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Severity, Span
from ensue.core.errors import CompileError
from ensue.core.model.data import is_mapping
from ensue.core.model.returns import Return
from ensue.language.aggregation import unmarked
from ensue.language.collector import Collector
from ensue.language.declarations import read_declarations
from ensue.language.outside_tags import PRINTED, certain_data, outside_tags, texts_of_ids, with_tags_shown
from ensue.language.pipe import run_pipe
from ensue.language.result_words import RESULTS_OF_TASKS, of_return
from ensue.language.yaml import YamlDocument, load_document
from ensue.language.yaml.document import Anchor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from ensue.language.blocks.block import Block
    from ensue.language.chunks import Drafter
    from ensue.language.jinja.template_source import TemplateSource
    from ensue.language.renderers.stage import Stream
    from ensue.language.tree import SlsTree

_LACKS_ARGUMENT: Final = "E0403"
_DATA_STAGES: Final = frozenset({"yaml", "yamlex", "json"})
_TEMPLATES: Final = frozenset({"mako", "py"})
"""Renderers that compile a text before they run it."""


def warn_of_mistakes_in_blocks(
    tree: SlsTree, drafter: Callable[[Collector], Drafter], collector: Collector
) -> None:
    """Warn of texts that do not compile, states that fail, and names that no block has, in delayed blocks.

    Args:
        tree: the SLS with the blocks.
        drafter: makes what judges states and reports to a collector.
        collector: collects the warnings.
    """
    for stream in tree.streams.values():
        ids = {*tree.declared} - {*stream.exported}
        for block in _new_blocks(stream):
            _Judge(block, stream, drafter, collector).judge(ids)


def _new_blocks(stream: Stream) -> Iterator[Block]:
    """Yield the blocks that a rendering brings; those within a block were judged with its file."""
    for block in stream.space.own.values():
        if stream.space.outer is None or block.place.path != stream.path:
            yield block
            yield from block.inner.nested_blocks()


class _Judge:
    """Judges one block.

    Args:
        block: the block.
        stream: the rendering of the SLS that it belongs to.
        drafter: makes what judges states and reports to a collector.
        collector: collects the warnings.
    """

    def __init__(
        self, block: Block, stream: Stream, drafter: Callable[[Collector], Drafter], collector: Collector
    ) -> None:
        self._block = block
        self._drafter = drafter
        self._collector = collector
        self._stream = msgspec.structs.replace(
            stream,
            text=block.inner.text,
            source=block.inner.text,
            path=block.place.path,
            name=block.template,
            first_line=block.first_line,
            anchors=(Anchor(1, block.place.path, block.first_line),) if block.moved else (),
            data=None,
            is_data=False,
            is_rendered=False,
            written=None,
        )

    def judge(self, ids: AbstractSet[str]) -> None:
        """Warn of what fails.

        Args:
            ids: the IDs of the states beside the block.
        """
        stream = self._stream
        first, _, rest = self._block.pipe.partition("|")
        if first == "jinja" and stream.jinja_settings.may_have_tags(stream.text):
            self._judge_template(stream.jinja().source_of(stream.text, stream.first_line), ids)
        elif first == "jinja" and rest not in _DATA_STAGES:
            self._judge_states(stream.text, stream.first_line)
        elif first == "jinja" or self._block.pipe in _DATA_STAGES:
            self._judge_data(rest or first)
        elif first in _TEMPLATES:
            self._warn(import_module(f"ensue.language.renderers.{first}_stage").faults(stream))

    def _judge_template(self, source: TemplateSource, ids: AbstractSet[str]) -> None:
        stream = self._stream
        if faults := stream.jinja().faults(source, path=stream.path, name=stream.name):
            self._warn(faults)
            return
        names = self._judge_reads(source, ids)
        if not (self._block.scoped or stream.jinja_settings.allow_undefined):
            from ensue.language.jinja.undefined_names import undefined_in_any_case

            variables = {**stream.variables, "prev_ret": None}
            self._warn(undefined_in_any_case(source, stream.path, variables, names), is_certain=False)
        self._warn(_unknown_functions(source, stream.path, stream.variables.get("salt")), is_certain=False)
        self._judge_states(outside_tags(source), source.first_line)

    def _judge_data(self, stage: str) -> None:
        """Judge a text without tags, whose data is certain."""
        try:
            stream = run_pipe(self._stream, stage)
        except CompileError as error:
            self._warn(error.diagnostics)
            return
        if is_mapping(stream.data):
            refused = Collector()
            declared = read_declarations(unmarked(stream.data), self._block.name, stream.document(), refused)
            self._drafter(refused).drafts(declared)
            self._warn(chain(refused.errors, refused.warnings))

    def _judge_states(self, text: str, first_line: int) -> None:
        """Judge the states of a text in which signs stand for what tags print."""
        for text_of_id, line in texts_of_ids(text):
            document = YamlDocument(self._stream.path, text_of_id, first_line=first_line + line)
            try:
                data = load_document(document)
            except CompileError:
                continue  # What the tags print may make it YAML.
            refused = Collector()
            self._drafter(refused).drafts(
                read_declarations(certain_data(data), self._block.name, document, Collector())
            )
            self._warn(
                fault
                for fault in chain(refused.errors, refused.warnings)
                if fault.code != _LACKS_ARGUMENT or PRINTED not in text_of_id
            )

    def _judge_reads(self, source: TemplateSource, ids: AbstractSet[str]) -> set[str]:
        """Warn of what reads the ID of a state as a variable, or a key that `prev_ret` never has.

        Returns:
            The names of these states.
        """
        states: set[str] = set()
        for what, state, key, line in self._reads(source, ids):
            states.add(state)
            self._collector.warning(
                "E0204",
                what,
                Span(self._stream.path, line),
                detail=f"the delayed block {self._block.name!r} has the return of its caller, `prev_ret`",
                help=f"write {of_return(() if key == 'new_state' else (key,))}",
            )
        return states

    def _reads(self, source: TemplateSource, ids: AbstractSet[str]) -> Iterator[tuple[str, str, str, int]]:
        """Yield what is wrong with a key, the variable, the key, and the line."""
        from jinja2 import meta, nodes

        template = source.environment.parse(source.text)
        undeclared = meta.find_undeclared_variables(template)
        for node in template.find_all(nodes.Getattr):
            owner, key = node.node, node.attr
            if not isinstance(owner, nodes.Name) or owner.name not in undeclared:
                continue
            name, line = owner.name, node.lineno + source.first_line - 1
            if name == "prev_ret" and not self._block.producers and not _may_be_in_return(key):
                yield f"`prev_ret` has no key {key!r}", name, key, line
            elif name in ids and key in {"new_state", *RESULTS_OF_TASKS}:
                yield f"{name!r} is a state, not a variable", name, key, line

    def _warn(self, faults: Iterable[Diagnostic], *, is_certain: bool = True) -> None:
        when = f"it fails when the delayed block {self._block.name!r} is rendered"
        for fault in faults:
            consequence = when if is_certain and fault.severity is Severity.ERROR else ""
            warning = msgspec.structs.replace(
                fault,
                summary=with_tags_shown(fault.summary),
                detail="; ".join(filter(None, (with_tags_shown(fault.detail), consequence))),
                help=with_tags_shown(fault.help),
                severity=Severity.WARNING,
            )
            self._collector.add([warning])


def _unknown_functions(source: TemplateSource, path: str, salt: Any) -> Iterator[Diagnostic]:
    """Yield the errors for functions that no target has and a template names in any case."""
    from ensue.language.functions.salt_functions import SaltFunctions
    from ensue.language.jinja.missing_names import names_in_any_case

    if not isinstance(salt, SaltFunctions):
        return
    for read in names_in_any_case(source.environment.parse(source.text)):
        if read.name == "salt" and (message := salt.unknown_everywhere(read.keys)):
            yield Diagnostic(
                code="E0205",
                summary="a template could not be rendered",
                detail=message,
                span=source.span(path, read.line),
            )


def _may_be_in_return(key: str) -> bool:
    always = Return("", "", "", "", "", "", "", "", None, {}, "").own_data()
    return key in always or key in Return.__struct_fields__ or hasattr(dict, key)
