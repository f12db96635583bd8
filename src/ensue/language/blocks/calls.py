"""Resolves the entries of `delayed_render` while their scope is compiled.

An unknown name is therefore reported before anything runs. Nothing is rendered here.

Source: SEP 16, "Simple example calling a delayed_block" and "Finding blocks".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

import msgspec

from ensue.core.errors import CompileError
from ensue.language.collector import near_names
from ensue.language.tree import absolute_name, sls_key

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from ensue.core.diagnostics import Span
    from ensue.language.blocks.block import Block, Limit
    from ensue.language.blocks.space import BlockSpace
    from ensue.language.blocks.tags import TagOptions
    from ensue.language.chunks import Draft
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration
    from ensue.language.renderers.stage import Stream
    from ensue.language.settings.roots import Roots, SlsFile
    from ensue.language.tree import SlsTree


_WORD: Final = "delayed_render"
_NAMED: Final = re.compile(r"""\bblock['"]?\s*:\s*(?P<name>"[^"\n]*"|'[^'\n]*'|[^\s,\]})]+)""")
"""An entry of `delayed_render`, in the text of a file."""
_PLAIN: Final = re.compile(r"[\w.-]+")


class Called(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """One resolved entry of `delayed_render`.

    Args:
        kind: `block` or `sls`.
        name: the name by which it is called.
        file: the SLS that is rendered, or that the block belongs to.
        place: the place of the block, or of the SLS's tag; a limit counts per place.
        limit: the limit of the tag.
        scoped: whether the tag has `scoped`.
        caller: the rendering that the calling state came from.
        pipe: the renderers it is rendered with.
        block: the block; None for an SLS.
        space: where the block was found; None for an SLS.
    """

    kind: str
    name: str
    file: SlsFile
    place: Span
    limit: Limit
    scoped: bool
    caller: Stream
    pipe: str
    block: Block | None = None
    space: BlockSpace | None = None


class SlsHead(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an SLS before its delayed rendering.

    Args:
        options: the options of its tag.
        place: the tag; the file if it has none.
        pipe: its renderers.
    """

    options: TagOptions
    place: Span
    pipe: str


class HeadReader(Protocol):
    """The part of the renderer that this module needs."""

    def sls_head(self, file: SlsFile) -> SlsHead:
        """Read an SLS without rendering it; its delayed blocks are checked.

        Raises:
            CompileError: its tags are broken.
        """
        ...


class Lookup:
    """Resolves all entries of `delayed_render` of one scope.

    Args:
        tree: everything that is compiled together.
        roots: where SLS files are.
        reader: reads the tags of SLS files.
        collector: collects the errors.
    """

    def __init__(self, tree: SlsTree, roots: Roots, reader: HeadReader, collector: Collector) -> None:
        self._tree = tree
        self._roots = roots
        self._reader = reader
        self._collector = collector
        self._heads: dict[tuple[str, str], SlsHead | None] = {}

    def look_up(self, drafts: list[Draft]) -> list[tuple[int, int]]:
        """Set on each draft the resolved entries of its `delayed_render`; add drafts that wait for others.

        Args:
            drafts: the drafts of the scope; changed.

        Returns:
            The numbers of an added draft and of one that it requires, for all of them.
        """
        has_all = True
        for draft in drafts:
            if entries := draft.options.delayed_render:
                called = tuple(
                    called
                    for place, (kind, name) in enumerate(entries)
                    if (called := self._look_up(draft.declaration, place, kind, name))
                )
                draft.options = msgspec.structs.replace(
                    draft.options,
                    delayed_render=tuple((block.kind, block.name) for block in called),
                    delayed_calls=called,
                )
                has_all = has_all and len(called) == len(entries)
        if has_all:
            self._warn_of_uncalled(drafts)
        waits: list[tuple[int, int]] = []
        declared = drafts[:]
        for key, stream in self._tree.streams.items():
            for block in stream.space.own.values():
                if block.producers and (producers := self._producers(declared, block)) is not None:
                    call = _called(block, stream.space, self._tree.files[key], stream)
                    if len(block.producers) == len(producers) == 1:
                        _let_call(drafts[producers[0]], call)
                        continue
                    from ensue.language.blocks.block_waits import waiting_draft

                    last = drafts[producers[-1]] if producers else None
                    waits += [(len(drafts), producer) for producer in producers]
                    drafts.append(waiting_draft(block, call, call.file, last))
        return waits

    def _warn_of_uncalled(self, drafts: Sequence[Draft]) -> None:
        """Warn of blocks that nothing in their file can name; a macro of a template may write such a name."""
        places = {call.place for draft in drafts for call in draft.options.delayed_calls}
        for stream in self._tree.streams.values():
            for block in () if stream.templates else stream.space.own.values():
                is_called = block.place in places or block.producers or block.function is not None
                if is_called or block.place.path != stream.path or _may_be_named(block.name, stream):
                    continue
                self._collector.warning(
                    "E0416",
                    f"no state renders the delayed block {block.name!r}",
                    block.place,
                    help=f"write `- delayed_render: [block: {block.name}]` in the state that it belongs to, "
                    "or delete it",
                )

    def _producers(self, drafts: Sequence[Draft], block: Block) -> list[int] | None:
        """Return the states of this scope that a block waits for, each the last of its ID, in order.

        Returns:
            The numbers of their drafts; None if there is no such state in this scope or in those around it.
        """
        last = {draft.declaration.id: number for number, draft in enumerate(drafts)}
        missing = [
            producer
            for producer in block.producers
            if producer not in last and producer not in self._tree.outer_ids
        ]
        for producer in missing:
            if not self._collector.may_be_declared(producer):
                self._no_producer(last, producer, block)
        if missing:
            return None
        return sorted(last[producer] for producer in block.producers if producer in last)

    def _no_producer(self, known: Iterable[str], producer: str, block: Block) -> None:
        self._collector.error(
            "E0314",
            f"the block waits for {producer!r}, which is not in this run",
            block.place,
            help=near_names(producer, known) or "correct the ID, or include the SLS that declares it",
        )

    def _look_up(self, declaration: Declaration, place: int, kind: str, name: str) -> Called | None:
        # An entry that `extend` added is resolved in the SLS that wrote it.
        sls, document = sls_key(declaration.sls, declaration.saltenv), declaration.document
        keys: tuple[str | int, ...] = (*declaration.keys, _WORD, place)
        if place < len(declaration.delayed_from):
            sls, document, keys = declaration.delayed_from[place]
        caller, file = self._tree.streams.get(sls), self._tree.files.get(sls)
        if caller is None or file is None:
            return None
        find = self._sls if kind == "sls" else self._block
        return find(name, file, caller, lambda: document.locate(keys))

    def _block(self, name: str, file: SlsFile, caller: Stream, span: Callable[[], Span]) -> Called | None:
        known = caller.space.find(name)
        if known is None:
            self._collector.error(
                "E0904",
                f"there is no delayed block {name!r} here",
                span(),
                detail=self._elsewhere(name),
                help=near_names(name, caller.space.names())
                or f"write #!delayed_block {name} in {caller.path}, or correct the name",
            )
            return None
        block, space = known
        return _called(block, space, file, caller)

    def _sls(self, written: str, calling: SlsFile, caller: Stream, span: Callable[[], Span]) -> Called | None:
        name = written if not written.startswith(".") else absolute_name(written, calling) or written
        file = self._roots.find(name, calling.saltenv)
        if file is None:
            self._collector.error(
                "E0904",
                f"there is no SLS {name!r} to render",
                span(),
                help=near_names(name, self._roots.names(calling.saltenv))
                or "correct the name, or create the file",
            )
            return None
        head = self._head(file)
        if head is None:
            return None
        return Called(
            kind="sls",
            name=name,
            file=file,
            place=head.place,
            limit=head.options.limit,
            scoped=head.options.scoped,
            caller=caller,
            pipe=head.pipe,
        )

    def _head(self, file: SlsFile) -> SlsHead | None:
        key = (file.name, file.saltenv)
        if key not in self._heads:
            self._heads[key] = None
            try:
                self._heads[key] = self._reader.sls_head(file)
            except CompileError as error:
                self._collector.add(error.diagnostics)
        return self._heads[key]

    def _elsewhere(self, name: str) -> str:
        """Return where a block of that name is that cannot be called from here; empty if there is none."""
        for stream in self._tree.streams.values():
            for block in _all_blocks(stream.space.own.values()):
                if block.name == name:
                    return (
                        f"the one at {block.place} is in another block or SLS, and cannot be called from here"
                    )
        return ""


def _may_be_named(name: str, stream: Stream) -> bool:
    """Return whether the text of a file has an entry with the name of a block, or one with an expression."""
    texts = [stream.source]
    space: BlockSpace | None = stream.space
    while space is not None:
        texts += [block.text for block in space.own.values()]
        space = space.outer
    words = [match["name"].strip("'\"") for text in texts for match in _NAMED.finditer(text)]
    return any(word == name or not _PLAIN.fullmatch(word) for word in words)


def _let_call(draft: Draft, called: Called) -> None:
    """Add a block to the entries of a draft's `delayed_render`."""
    options = draft.options
    draft.options = msgspec.structs.replace(
        options,
        delayed_render=(*options.delayed_render, (called.kind, called.name)),
        delayed_calls=(*options.delayed_calls, called),
    )


def _called(block: Block, space: BlockSpace, file: SlsFile, caller: Stream) -> Called:
    return Called(
        kind="block",
        name=block.name,
        file=file,
        place=block.place,
        limit=block.limit,
        scoped=block.scoped,
        caller=caller,
        pipe=block.pipe,
        block=block,
        space=space,
    )


def _all_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    open_blocks = list(blocks)
    while open_blocks:
        block = open_blocks.pop()
        yield block
        open_blocks.extend(block.inner.blocks)
