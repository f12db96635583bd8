"""Where a managed file's content comes from when it is a source: choosing, reading, checking, rendering.

Source: Salt's `source`, `source_hash`, `skip_verify` and `template`, 3008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ensue.contracts.content import whole
from ensue.errors import StateFailedError
from ensue.states.file.hashes import ExpectedHash, expected_hash
from ensue.states.file.source_cache import copy_of, opened

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.contracts.content import Content, SourceContent
    from ensue.contracts.context import FunctionContext
    from ensue.model.data import Data


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """How text is rendered.

    Args:
        renderer: `jinja`, ….
        variables: what it is given beside the usual.
    """

    renderer: str
    variables: Mapping[str, Any]

    async def render(
        self, ctx: FunctionContext, content: bytes, name: str, *, about: Mapping[str, Any] | None = None
    ) -> bytes:
        """Render content.

        Args:
            ctx: the target.
            content: the template.
            name: what it is called in messages.
            about: what Salt tells a template of the file that it becomes; `variables` outrank it.

        Raises:
            StateFailedError: it is no UTF-8, or the template is broken.
        """
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            message = f"{name} is not UTF-8 (at byte {error.start}), so it cannot be a template"
            raise StateFailedError(message) from None
        variables = {**(about or {}), **self.variables}
        rendered = await ctx.render_template(text, renderer=self.renderer, name=name, context=variables)
        return rendered.encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One place that content may come from.

    Args:
        location: `salt://…`, http(s), `file://` or a path of the managing minion.
        hash_text: its `source_hash`; empty when there is none.
    """

    location: str
    hash_text: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether it comes from outside, where anyone may have changed it."""
        return self.location.startswith(("http://", "https://", "ftp://"))

    @property
    def is_checked(self) -> bool:
        """Whether its checksum is compared; the file roots are trusted, as in Salt."""
        return bool(self.hash_text) and not self.location.startswith("salt://")


def read_sources(source: Data, source_hash: Data) -> list[Source]:
    """Read `source`: a text, or a list of which the first that is there is taken.

    Raises:
        StateFailedError: it is something else.
    """
    if source is None or source == "":
        return []
    default = "" if source_hash is None else str(source_hash)
    found: list[Source] = []
    for item in source if isinstance(source, list) else [source]:
        if isinstance(item, dict) and len(item) == 1:
            location, own = next(iter(item.items()))
            found.append(Source(location=str(location), hash_text=str(own or "")))
        elif isinstance(item, str):
            found.append(Source(location=item, hash_text=default))
        else:
            raise StateFailedError(f"source: {item!r} is no source (write salt://…, https://… or a path)")
    return found


async def read_first(
    ctx: FunctionContext, sources: Sequence[Source], *, name: str, hash_name: str | None, skip_verify: bool
) -> tuple[Source, bytes]:
    """Return the first source that is there, and all of its content, checked.

    Args:
        ctx: the target.
        sources: the sources, at least one.
        name: the file that is managed.
        hash_name: `source_hash_name`.
        skip_verify: believe whatever comes.

    Raises:
        StateFailedError: none is there, or its checksum is another.
    """
    source, content = await open_first(ctx, sources, name=name, hash_name=hash_name, skip_verify=skip_verify)
    return source, await whole_of(source, content)


async def open_first(
    ctx: FunctionContext, sources: Sequence[Source], *, name: str, hash_name: str | None, skip_verify: bool
) -> tuple[Source, SourceContent]:
    """Return the first source that is there, and its content, checked; long content to be read in chunks.

    A copy that `file.cached` keeps is as good as the source when it has the checksum.

    Args:
        ctx: the target.
        sources: the sources, at least one.
        name: the file that is managed.
        hash_name: `source_hash_name`.
        skip_verify: believe whatever comes.

    Raises:
        StateFailedError: none is there, or its checksum is another.
    """
    for source in sources:
        if source.is_remote and not source.hash_text and not skip_verify:
            raise StateFailedError(
                f"Unable to verify upstream hash of source file {source.location}, "
                "please set source_hash or set skip_verify to True"
            )
        if source.is_remote and not skip_verify:
            copy = await opened(copy_of(ctx, source.location, "base"))
            if copy is not None:
                expected = await hash_of(ctx, source, name=name, hash_name=hash_name)
                if await expected.of_any(copy) == expected.digest:
                    return source, copy
        try:
            content = await ctx.files.open(source.location)
        except StateFailedError:
            if len(sources) == 1:
                raise
            continue
        if source.is_checked and not skip_verify:
            expected = await hash_of(ctx, source, name=name, hash_name=hash_name)
            expected.check_digest(await expected.of_any(content), source.location)
        return source, content
    raise StateFailedError(
        f"none of the specified sources were found: {', '.join(source.location for source in sources)}"
    )


async def whole_of(source: Source, content: Content) -> bytes:
    """Return all of a source's content.

    Raises:
        StateFailedError: it cannot be read.
    """
    try:
        return await whole(content)
    except OSError as error:
        raise StateFailedError(f"the source {source.location} cannot be read: {error.strerror}") from None


async def hash_of(ctx: FunctionContext, source: Source, *, name: str, hash_name: str | None) -> ExpectedHash:
    """Return the checksum that a source has to have.

    Raises:
        StateFailedError: its `source_hash` is none.
    """
    return await expected_hash(
        ctx, source.hash_text, source=source.location, name=name, wanted_name=hash_name
    )
