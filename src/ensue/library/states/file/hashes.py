"""`source_hash`: the expected checksum of a source outside the file roots.

It is a checksum, `type=checksum`, or a source that lists checksums, one per line with the name of its file.

Source: Salt's `source_hash` of `file.managed`, 3008.
"""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.content import HASH_TYPES, digest_of
from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines

if TYPE_CHECKING:
    from ensue.core.contracts.content import Content
    from ensue.core.contracts.context import FunctionContext

_WORD: Final = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{32,128}(?![0-9A-Za-z])")
_IS_SOURCE: Final = ("salt://", "http://", "https://", "file://", "/")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedHash:
    """An expected checksum.

    Args:
        kind: `sha256`, `md5`, ….
        digest: in lower case hex.
    """

    kind: str
    digest: str

    async def of_any(self, content: Content) -> str:
        """Return the checksum of content, of this kind; long content is read for it."""
        try:
            return await digest_of(content, self.kind)
        except OSError as error:
            raise StateFailedError(f"the source cannot be read: {error.strerror}") from None

    def check_digest(self, actual: str, source: str) -> None:
        """Compare with the actual checksum of a source.

        Raises:
            StateFailedError: the checksums differ.
        """
        if actual != self.digest:
            raise StateFailedError(
                f"Specified {self.kind} checksum for {source} ({self.digest}) does not match actual checksum "
                f"({actual}). If source_hash names a file with several checksums, set source_hash_name"
            )


async def expected_hash(
    ctx: FunctionContext, source_hash: str, *, source: str, name: str, wanted_name: str | None
) -> ExpectedHash:
    """Read `source_hash`.

    Args:
        source_hash: the argument of the state.
        source: the source that it belongs to.
        name: the managed file.
        wanted_name: `source_hash_name`, the file name to look up in a list of checksums.

    Raises:
        StateFailedError: the format is invalid, or the list has no checksum for this source.
    """
    text = source_hash.strip()
    if text.startswith(_IS_SOURCE):
        content = await ctx.files.read(text)
        names = [wanted_name] if wanted_name else [posixpath.basename(source), posixpath.basename(name)]
        return _listed(content.decode("utf-8", "replace"), names, text)
    kind, separator, digest = text.replace(":", "=", 1).partition("=")
    if not separator:
        kind, digest = HASH_TYPES.get(len(text), ""), text
    expected = _made(kind.strip().lower(), digest.strip())
    if expected is None:
        raise StateFailedError(
            f"Source hash {text} format is invalid. Write a checksum, type=checksum, or a source that lists "
            f"checksums; types and lengths are {', '.join(f'{k} ({n})' for n, k in HASH_TYPES.items())}"
        )
    return expected


def _made(kind: str, digest: str) -> ExpectedHash | None:
    if HASH_TYPES.get(len(digest)) != kind or not _WORD.fullmatch(digest):
        return None
    return ExpectedHash(kind=kind, digest=digest.lower())


def _listed(text: str, names: list[str], where: str) -> ExpectedHash:
    """Return the checksum listed for one of the names; a single checksum needs no name."""
    hashes: list[tuple[ExpectedHash, str]] = []
    for line in file_lines(text):
        for word in _WORD.findall(line):
            made = _made(HASH_TYPES.get(len(word), ""), word)
            if made:
                hashes.append((made, line))
    for name in names:
        for made, line in hashes:
            if re.search(rf"(?:^|[\s*/=:(]){re.escape(name)}(?:$|[\s=:)])", line):
                return made
    if len({made for made, _ in hashes}) == 1:
        return hashes[0][0]
    raise StateFailedError(f"{where} lists no checksum for {' or '.join(names)} (set source_hash_name)")
