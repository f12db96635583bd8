"""Reads and writes the files that list apt's repositories, in the one-line style and in deb822.

A change leaves everything else in a file as it is, including comments.

Source: sources.list(5), both styles.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.model.file_lines import file_lines
from ensue.library.modules._text_files import text_of, write_text
from ensue.library.modules.pkg.repositories.source import AptSource, read_source

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.context import FunctionContext

    Change = Callable[[AptSource], AptSource | None]

MAIN: Final = "/etc/apt/sources.list"
"""The file for a repository that does not specify one."""

PARTS: Final = "/etc/apt/sources.list.d"
"""The folder of additional files."""

_STYLES: Final = (".list", ".sources")
_FIELDS: Final = {"types", "uris", "suites", "components", "enabled"}
_NO: Final = frozenset({"no", "false", "0", "without", "off", "disable"})
_OPTIONS: Final = {
    "architectures": "arch", "signed-by": "signed-by", "trusted": "trusted", "languages": "lang",
    "targets": "target", "pdiffs": "pdiffs", "by-hash": "by-hash", "check-valid-until": "check-valid-until",
    "allow-insecure": "allow-insecure", "allow-weak": "allow-weak",
}  # fmt: skip
_NAMES: Final = {option: field.title() for field, option in _OPTIONS.items()}


class AptSourceFile(msgspec.Struct, kw_only=True, frozen=True):
    """One file that lists repositories.

    Args:
        path: its path.
        blocks: its parts in order: lines, or paragraphs in deb822, each with its line ends.
        sources: the repositories of each block.
    """

    path: str
    blocks: tuple[str, ...]
    sources: tuple[tuple[AptSource, ...], ...]

    @property
    def all(self) -> list[AptSource]:
        """Return its repositories."""
        return [source for each in self.sources for source in each]

    def changed(self, change: Change) -> AptSourceFile:
        """Return the file with `change` applied to each repository; None removes it."""
        blocks: list[str] = []
        for block, before in zip(self.blocks, self.sources, strict=True):
            after = tuple(new for old in before if (new := change(old)) is not None)
            blocks.append(block if after == before else _written(self.path, block, after))
        return _parsed(self.path, "".join(blocks))

    def with_source(self, source: AptSource) -> AptSourceFile:
        """Return the file with another repository at its end."""
        text = "".join(self.blocks)
        text += "" if not text or text.endswith("\n") else "\n"
        if self.path.endswith(".sources") and text and not text.endswith("\n\n"):
            text += "\n"
        return _parsed(self.path, text + _written(self.path, "", (source,)))

    def text(self) -> str:
        """Return the content of the file."""
        return "".join(self.blocks)


async def source_files(ctx: FunctionContext) -> list[AptSourceFile]:
    """Return all files in which apt looks for repositories."""
    paths = [MAIN]
    if await ctx.connection.stat(PARTS, follow=True) is not None:
        names = await ctx.connection.list_directory(PARTS)
        paths += [posixpath.join(PARTS, name) for name in names if name.endswith(_STYLES)]
    return [_parsed(path, text) for path in paths if (text := await text_of(ctx, path)) is not None]


def empty_file(path: str) -> AptSourceFile:
    """Return an empty file."""
    return AptSourceFile(path=path, blocks=(), sources=())


async def save(ctx: FunctionContext, file: AptSourceFile) -> None:
    """Write a file; a file in the folder that lists nothing any more is removed.

    Raises:
        RemoteFileError: the file cannot be written.
    """
    if not file.all and file.path.startswith(f"{PARTS}/"):
        await ctx.connection.remove(file.path)
        return
    await ctx.connection.make_directory(posixpath.dirname(file.path), parents=True)
    await write_text(ctx, file.path, file.text())


def _parsed(path: str, text: str) -> AptSourceFile:
    if not path.endswith(".sources"):
        blocks = tuple(file_lines(text, keepends=True))
        sources = (read_source(line) for line in blocks)
        return AptSourceFile(
            path=path, blocks=blocks, sources=tuple((source,) if source else () for source in sources)
        )
    paragraphs = tuple(_paragraphs(text))
    return AptSourceFile(
        path=path, blocks=paragraphs, sources=tuple(_read_paragraph(each) for each in paragraphs)
    )


def _paragraphs(text: str) -> list[str]:
    paragraphs: list[str] = [""]
    for line in file_lines(text, keepends=True):
        if paragraphs[-1].endswith("\n\n") and line.strip():
            paragraphs.append("")
        paragraphs[-1] += line
    return [each for each in paragraphs if each]


def _read_paragraph(text: str) -> tuple[AptSource, ...]:
    fields = _fields(text)
    options = tuple(
        (_OPTIONS[name], ",".join(value.split())) for name, value in fields.items() if name in _OPTIONS
        and "BEGIN PGP" not in value
    )  # fmt: skip
    return tuple(
        AptSource(
            type=type_,
            uri=uri,
            dist=dist,
            comps=tuple(fields.get("components", "").split()),
            options=options,
            disabled=fields.get("enabled", "yes").strip().lower() in _NO,
        )
        for type_ in fields.get("types", "").split()
        for uri in fields.get("uris", "").split()
        for dist in fields.get("suites", "").split()
    )


def _fields(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    name = ""
    for line in file_lines(text):
        if line[:1] in {" ", "\t"} and name:
            fields[name] += f"\n{line.strip()}"
        elif ":" in line and not line.startswith("#"):
            name, _, value = line.partition(":")
            name = name.strip().lower()
            fields[name] = value.strip()
    return fields


def _written(path: str, before: str, sources: Sequence[AptSource]) -> str:
    if not path.endswith(".sources"):
        return "".join(f"{source.text()}\n" for source in sources)
    kept = [line for line in file_lines(before) if line.startswith("#")] if sources else []
    body = "\n".join(_paragraph(source) for source in _joined(sources))
    return "".join(f"{line}\n" for line in kept) + body + ("\n" if before.endswith("\n\n") and body else "")


def _joined(sources: Sequence[AptSource]) -> list[list[AptSource]]:
    """Combine repositories that differ in one field only, which one paragraph can describe."""
    groups: list[list[AptSource]] = []
    for source in sources:
        for group in groups:
            same = msgspec.structs.replace(source, dist=group[0].dist, type=group[0].type)
            if same == group[0]:
                group.append(source)
                break
        else:
            groups.append([source])
    whole: list[list[AptSource]] = []
    for group in groups:
        pairs = {(source.type, source.dist) for source in group}
        product = {(left, right) for left, _ in pairs for _, right in pairs}
        whole += [group] if pairs == product else [[source] for source in group]
    return whole


def _paragraph(group: Sequence[AptSource]) -> str:
    first = group[0]
    fields = {"Enabled": "no"} if first.disabled else {}
    fields["Types"] = " ".join(dict.fromkeys(source.type for source in group))
    fields["URIs"] = first.uri
    fields["Suites"] = " ".join(dict.fromkeys(source.dist for source in group))
    fields["Components"] = " ".join(first.comps)
    fields |= {_NAMES.get(name, name.title()): value.replace(",", " ") for name, value in first.options}
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value)
