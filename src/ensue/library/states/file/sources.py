"""Sources of a managed file: chooses, reads, checks and renders them.

Source: Salt's `source`, `source_hash`, `skip_verify` and `template`, 3008.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ensue.core.contracts.content import whole
from ensue.core.errors import StateFailedError
from ensue.library.states.file.hashes import ExpectedHash, expected_hash
from ensue.library.states.file.source_cache import copy_of, opened

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ensue.core.contracts.content import Content, SourceContent
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import Data


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentTemplate:
    """How text is rendered.

    Args:
        renderer: `jinja`, ….
        variables: variables in addition to the usual ones.
        further: those of them that are arguments which the state function does not have.
    """

    renderer: str
    variables: Mapping[str, Any]
    further: Collection[str] = ()

    async def render(
        self, ctx: FunctionContext, content: bytes, name: str, *, about: Mapping[str, Any] | None = None
    ) -> bytes:
        """Render content.

        Args:
            content: the template.
            name: what to call the template in messages.
            about: Salt's variables that describe the file; `variables` override them.

        Raises:
            StateFailedError: the template is not UTF-8, or has an error.
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
class ContentSource:
    """A source of content.

    Args:
        location: `salt://…`, http(s), `file://` or a path of the managing minion.
        hash_text: its `source_hash`; empty if there is none.
    """

    location: str
    hash_text: str = ""

    @property
    def is_remote(self) -> bool:
        """Whether the source is on the network, where its content may change."""
        return self.location.startswith(("http://", "https://", "ftp://"))

    @property
    def is_checked(self) -> bool:
        """Whether the checksum is compared; the file roots are trusted, as in Salt."""
        return bool(self.hash_text) and not self.location.startswith("salt://")


def read_sources(source: Data, source_hash: Data) -> list[ContentSource]:
    """Read the argument `source`: a text, or a list of alternatives.

    Raises:
        StateFailedError: the argument is something else.
    """
    if source is None or source == "":
        return []
    default = "" if source_hash is None else str(source_hash)
    content_sources: list[ContentSource] = []
    for item in source if isinstance(source, list) else [source]:
        if isinstance(item, dict) and len(item) == 1:
            location, own = next(iter(item.items()))
            content_sources.append(ContentSource(location=str(location), hash_text=str(own or "")))
        elif isinstance(item, str):
            content_sources.append(ContentSource(location=item, hash_text=default))
        else:
            raise StateFailedError(f"source: {item!r} is not a source (write salt://…, https://… or a path)")
    return content_sources


async def read_first(
    ctx: FunctionContext,
    sources: Sequence[ContentSource],
    *,
    name: str,
    hash_name: str | None,
    skip_verify: bool,
) -> tuple[ContentSource, bytes]:
    """Return the first source that exists, and its whole content, checked.

    Args:
        sources: the sources, at least one.
        name: the managed file.
        hash_name: `source_hash_name`.

    Raises:
        StateFailedError: no source exists, or the checksum differs.
    """
    source, content = await open_first(ctx, sources, name=name, hash_name=hash_name, skip_verify=skip_verify)
    return source, await whole_of(source, content)


async def open_first(
    ctx: FunctionContext,
    sources: Sequence[ContentSource],
    *,
    name: str,
    hash_name: str | None,
    skip_verify: bool,
) -> tuple[ContentSource, SourceContent]:
    """Return the first source that exists, and its content, checked; long content is read in chunks.

    A copy that `file.cached` keeps is used instead of the source if it has the checksum.

    Args:
        sources: the sources, at least one.
        name: the managed file.
        hash_name: `source_hash_name`.

    Raises:
        StateFailedError: no source exists, or the checksum differs.
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


async def whole_of(source: ContentSource, content: Content) -> bytes:
    """Return the whole content of a source.

    Raises:
        StateFailedError: the source cannot be read.
    """
    try:
        return await whole(content)
    except OSError as error:
        raise StateFailedError(f"the source {source.location} cannot be read: {error.strerror}") from None


async def hash_of(
    ctx: FunctionContext, source: ContentSource, *, name: str, hash_name: str | None
) -> ExpectedHash:
    """Return the expected checksum of a source.

    Raises:
        StateFailedError: its `source_hash` is invalid.
    """
    return await expected_hash(
        ctx, source.hash_text, source=source.location, name=name, wanted_name=hash_name
    )
