"""The text that `file.append` and `file.prepend` add to a file, and the test whether it is there already.

Source: Salt's state module `file`, 3008: without `ignore_whitespace` a text is a regular expression.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.states.file.sources import ContentTemplate, read_first, read_sources

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import Data
    from ensue.library.states.file.sources import ContentSource


def as_texts(text: Data) -> list[str]:
    """Read the argument `text`: a text or a list of texts.

    Raises:
        StateFailedError: the argument is missing or a mapping.
    """
    if text is None or isinstance(text, dict):
        raise StateFailedError(f"No text found to add to the file (`text` is {text!r})")
    if isinstance(text, list):
        return [str(item) for item in text]
    return [text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)]


def given_sources(
    *, source: Data, sources: Data, source_hash: Data, source_hashes: Data
) -> list[ContentSource]:
    """Read `source` or `sources`, each with its checksum.

    Raises:
        StateFailedError: both are given.
    """
    if source and sources:
        raise StateFailedError("source and sources are mutually exclusive")
    if source_hash and source_hashes:
        raise StateFailedError("source_hash and source_hashes are mutually exclusive")
    if source:
        return read_sources([source], source_hash)
    hashes: Sequence[Any] = source_hashes if isinstance(source_hashes, list) else []
    listed = sources if isinstance(sources, list) else [sources] if sources else []
    pairs = zip(listed, [*hashes, *[None] * len(listed)], strict=False)
    return [made for item, source in pairs for made in read_sources([item], source)]


async def rendered_sources(
    ctx: StateContext,
    sources: Sequence[ContentSource],
    *,
    name: str,
    template: str,
    variables: Mapping[str, Any],
) -> list[str]:
    """Return the texts of sources, rendered.

    Args:
        sources: the sources, which must all exist.
        name: the file, for messages.
        template: the renderer.
        variables: variables of the templates.

    Raises:
        StateFailedError: a source does not exist, its checksum differs, or its template has an error.
    """
    texts: list[str] = []
    for source in sources:
        try:
            _, content = await read_first(ctx, [source], name=name, hash_name=None, skip_verify=False)
        except StateFailedError as error:
            raise StateFailedError(f"Failed to load template file {source.location}: {error}") from error
        if template:
            content = await ContentTemplate(renderer=template, variables=variables).render(
                ctx, content, source.location
            )
        texts.append(content.decode("utf-8", "surrogateescape"))
    return texts


def stands_in(text: str, content: str, *, ignore_whitespace: bool) -> bool:
    """Return whether a text is in a file already.

    Args:
        text: whole lines; without `ignore_whitespace` a regular expression.
        content: the file's content.
        ignore_whitespace: white space between words may differ.

    Raises:
        StateFailedError: the text is not a regular expression.
    """
    try:
        return re.search(_pattern(text) if ignore_whitespace else text, content, re.MULTILINE) is not None
    except re.error as error:
        raise StateFailedError(
            f"{text!r} is not a regular expression: {error} "
            "(with `ignore_whitespace: true` it need not be one)"
        ) from None


def _pattern(text: str) -> str:
    blanks = r"(?:[\s]+)?"
    lines = [blanks + blanks.join(map(re.escape, line.split())) + blanks for line in file_lines(text)]
    return f"^{''.join(lines)}$"
