"""Fan-out: run one state on every resource that a target matches when the state's turn comes.

A chunk that will be fanned out has a `FanOut` among its options (`chunk.py`). It becomes `FannedChunk`s, one
per resource; when all of them have ended, a `FannedReturn` combines their returns.

Source: Salt Resources, "Targeting"; the tags are those of Salt's merge mode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.chunk import Chunk
from ensue.core.model.returns import Return

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ensue.core.model.srn import Srn


class FannedChunk(Chunk, frozen=True, kw_only=True, gc=False):
    """A chunk on a resource that its target matched; `id` is prefixed with the resource's, `name` is not."""

    @property
    def tag(self) -> str:
        """The chunk's name in results, as Salt merges them: `file_|-web-01 ID_|-web-01 name_|-managed`."""
        prefix = f"{self.target.id} " if self.target is not None else ""
        return f"{self.module}_|-{self.id}_|-{prefix}{self.name}_|-{self.function}"


class FannedReturn(Return, kw_only=True):
    """A fanned-out chunk as requisites on its ID see it: the returns of its chunks, and a combined result.

    Args:
        parts: the returns of the chunks that ran, by target; output shows these, not the combined result.
    """

    parts: dict[str, Return] = msgspec.field(default_factory=dict[str, Return])

    def on(self, target: Srn) -> Return | None:
        """Return the chunk's return on one resource; None if it was not run there."""
        return self.parts.get(str(target))


def declared_id(chunk: Chunk) -> str:
    """Return a chunk's ID as it is declared, without the resource that it runs on."""
    if chunk.target is None or not isinstance(chunk, FannedChunk):
        return chunk.id
    return chunk.id.removeprefix(f"{chunk.target.id} ")


def fanned_chunk(chunk: Chunk, target: Srn) -> FannedChunk:
    """Return a chunk as it runs on one resource.

    Args:
        chunk: the chunk that is fanned out; its own target is ignored.
        target: the resource.
    """
    fanned = resource_chunk(chunk, target)
    return msgspec.structs.replace(fanned, options=msgspec.structs.replace(chunk.options, fan_out=None))


def resource_chunk(chunk: Chunk, target: Srn) -> FannedChunk:
    """Return a chunk of a resource in a run on several resources; it may still be fanned out.

    Args:
        chunk: the chunk, as it was compiled for the resource.
        target: the resource.
    """
    own = {field: getattr(chunk, field) for field in Chunk.__struct_fields__}
    own |= {"id": f"{target.id} {chunk.id}", "target": target}
    return FannedChunk(**own)


def fanned_return(chunk: Chunk, scope: str, target: str, returns: Sequence[Return | None]) -> FannedReturn:
    """Combine the returns of a fanned-out chunk: False outweighs None, and None outweighs True.

    Args:
        chunk: the chunk.
        scope: the path of its scope.
        target: the target of its plan, as text.
        returns: the return of each of its chunks; None for one that never ran.
    """
    parts = [part for part in returns if part is not None]
    results = {None if part is None else part.result for part in returns}
    return FannedReturn(
        tag=chunk.tag,
        id=chunk.id,
        name=chunk.name,
        sls=chunk.sls,
        module=chunk.module,
        function=chunk.function,
        scope=scope,
        target=target,
        result=False if False in results else None if None in results else True,
        changes={part.tag: part.changes for part in parts if part.changes},
        comment="",
        ran=any(part.ran for part in parts),
        parts={part.target: part for part in parts},
    )


def parts_of(returned: Return) -> Iterable[Return]:
    """Return the returns that a return combines: those of all its chunks, or itself."""
    return returned.parts.values() if isinstance(returned, FannedReturn) else (returned,)


def all_returns(returns: Iterable[Return]) -> Iterator[Return]:
    """Yield the returns of a run: of states with several targets those of each, and those of all scopes."""
    for returned in returns:
        for part in parts_of(returned):
            yield part
            for scope in (*part.delayed, *part.applied):
                yield from all_returns(scope.returns.values())
