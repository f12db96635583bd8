"""The documentation of modules and functions as text for a terminal, and as data for programs."""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.contracts.function_docs import ArgumentDoc, FunctionDoc, ModuleDoc
    from ensue.output.colours import Palette

KIND_WORDS: Final = {"states": "state function", "modules": "execution function"}
_WIDTH: Final = 100
_LINK: Final = re.compile(r"\[(?P<words>[^\]]*)\]\((?P<page>[\w./-]+)?(?:#[^)]*)?\)")


def function_text(doc: FunctionDoc, palette: Palette) -> str:
    """Return the whole documentation of a function.

    Args:
        doc: the documentation.
        palette: the colours.
    """
    title = palette.paint(palette.bold, doc.name)
    lines = [f"{title} ({KIND_WORDS[doc.kind]})", "", *wrapped_lines(doc.summary)]
    for paragraphs in (doc.text, doc.notes):
        lines += ["", *wrapped_lines(paragraphs)] if paragraphs else []
    module = doc.name.rpartition(".")[0]
    example = [f"  {line}".rstrip() for line in doc.example.splitlines()]
    sections = {
        "Arguments": _arguments(doc, palette),
        "Example": example,
        "Usage": [f"  {usage(doc)}"] if doc.kind == "modules" and not example else [],
        "Returns": wrapped_lines(doc.returns, 2),
        "new_state": _keys(doc, palette),
        "Differences from Salt": wrapped_lines(doc.differences, 2),
        f"Differences of the module {module} from Salt": wrapped_lines(doc.module_differences, 2),
    }
    for heading, content in sections.items():
        lines += ["", palette.paint(palette.bold, heading), *content] if content else []
    return "\n".join(lines) + "\n"


def _arguments(doc: FunctionDoc, palette: Palette) -> list[str]:
    lines: list[str] = []
    for argument in doc.arguments:
        name = palette.paint(palette.cyan, argument.repeated + argument.name)
        lines += [f"  {name} ({kind_words(argument)})", *wrapped_lines(argument.meaning, 6)]
        lines += wrapped_lines(f"Accepted: {' '.join(argument.names)}", 6) if argument.names else []
    return lines


def _keys(doc: FunctionDoc, palette: Palette) -> list[str]:
    lines: list[str] = []
    for key in doc.new_state:
        name = palette.paint(palette.cyan, key.name)
        lines += [f"  {name} ({key.type}; {present_words(key.present)})", *wrapped_lines(key.meaning, 6)]
    return lines


def module_text(doc: ModuleDoc, palette: Palette) -> str:
    """Return what a module is for, and a sentence about each of its functions.

    Args:
        doc: the documentation.
        palette: the colours.
    """
    title = palette.paint(palette.bold, doc.name)
    lines = [f"{title} ({KIND_WORDS[doc.kind]}s)", "", *wrapped_lines(doc.summary)]
    lines += ["", *wrapped_lines(doc.notes)] if doc.notes else []
    lines += [
        "",
        *listed_lines({f"{doc.name}.{name}": text for name, text in doc.functions.items()}, palette),
    ]
    if doc.differences:
        lines += [
            "",
            palette.paint(palette.bold, "Differences from Salt"),
            *wrapped_lines(doc.differences, 2),
        ]
    return "\n".join(lines) + "\n"


def modules_text(kind: str, summaries: Mapping[str, str], palette: Palette) -> str:
    """Return the list of modules.

    Args:
        kind: the kind of their functions.
        summaries: a sentence about each, by name.
        palette: the colours.
    """
    title = palette.paint(palette.bold, f"Modules of {KIND_WORDS[kind]}s")
    return "\n".join([title, *listed_lines(summaries, palette)]) + "\n"


def usage(doc: FunctionDoc) -> str:
    """Return how `ensue call` calls an execution function: required arguments, then the others by name.

    Args:
        doc: the function.
    """
    words = [
        argument.name.upper() if argument.required else f"[{argument.name}=…]"
        for argument in doc.arguments
        if not argument.repeated
    ]
    further = {"*": "[VALUE…]", "**": "[NAME=VALUE…]"}
    words += [further[argument.repeated] for argument in doc.arguments if argument.repeated]
    return " ".join(("ensue call TGT", doc.name, *words))


def kind_words(argument: ArgumentDoc) -> str:
    """Return what an argument takes, whether it is required, and its default, in words."""
    if argument.repeated:
        return "further arguments by name" if argument.repeated == "**" else "any number of values"
    words = argument.type
    if argument.unit and argument.unit not in words and "octal" not in words:
        words += f", in {argument.unit}"
    if argument.required:
        return f"{words}; required"
    return f"{words}; default: {default_words(argument.default)}"


def default_words(default: Any) -> str:
    """Return a default as it would be written in an SLS; `none` for null."""
    if default is None:
        return "none"
    if default == "":
        return "an empty text"
    if isinstance(default, bool | int | float):
        return json.dumps(default)
    return str(default) if isinstance(default, str) else json.dumps(data_of(default))


def present_words(present: str) -> str:
    """Return when a key of `new_state` is there, in words."""
    return "if it exists" if present == "exists" else present


def data_of(value: Any) -> Any:
    """Return a documentation, or a default, as plain data."""
    return msgspec.to_builtins(value, enc_hook=str)


def plain_text(markdown: str) -> str:
    """Return text without links of Markdown: their words remain."""
    return _LINK.sub(lambda link: link["words"] or link["page"], markdown)


def listed_lines(texts: Mapping[str, str], palette: Palette) -> Iterator[str]:
    """Yield names with a sentence each, in two columns.

    Args:
        texts: the sentences by name.
        palette: the colours.
    """
    width = max(map(len, texts), default=0)
    for name, text in texts.items():
        first, *others = wrapped_lines(text, width + 4) or [""]
        yield f"  {palette.paint(palette.cyan, name)}{' ' * (width - len(name) + 2)}{first.strip()}".rstrip()
        yield from others


def wrapped_lines(text: str, indent: int = 0) -> list[str]:
    """Return Markdown as lines of a terminal.

    Args:
        text: paragraphs, one a line.
        indent: the number of blanks before each line.
    """
    lines: list[str] = []
    for line in plain_text(text).splitlines():
        following = " " * (indent + (2 if line.startswith("- ") else 0))
        lines += _broken(line, " " * indent, following) if line and line[:4] != "    " else [line]
    return lines


def _broken(line: str, first: str, following: str) -> Sequence[str]:
    return textwrap.wrap(
        line,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=following,
        break_long_words=False,
        break_on_hyphens=False,
    )
