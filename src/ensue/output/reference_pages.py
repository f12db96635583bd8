"""The reference of modules and functions as pages of Markdown (MyST), one per module.

Sphinx's configuration, `docs/conf.py`, writes them when the documentation is built.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.output.function_docs import KIND_WORDS, default_words, present_words, usage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.contracts.function_docs import ArgumentDoc, FunctionDoc, ModuleDoc

_CODE: Final = re.compile(r"(`+[^`]*`+)")
_LINK: Final = re.compile(r"\]\((?=[\w-]+\.md)")
_ABOVE: Final = "../../"
"""From the folder of a page to the other pages of the documentation."""


def reference_page(module: ModuleDoc, functions: Sequence[FunctionDoc]) -> str:
    """Return the page of a module.

    Args:
        module: the module.
        functions: all its functions.
    """
    lines = [f"# `{module.name}`: {KIND_WORDS[module.kind]}s", "", _markdown(module.summary), ""]
    lines += [_markdown(module.notes), ""] if module.notes else []
    if module.differences:
        lines += ["**Differences from Salt**", "", _markdown(module.differences), ""]
    for function in functions:
        lines += _function(function)
    return "\n".join(lines).rstrip() + "\n"


def _function(doc: FunctionDoc) -> Iterator[str]:
    yield from (f"## `{doc.name}`", "", _markdown(doc.summary), "")
    for text in (doc.text, doc.notes):
        yield from (_markdown(text), "") if text else ()
    if doc.arguments:
        yield from ("| argument | takes | default | meaning |", "| --- | --- | --- | --- |")
        yield from map(_argument, doc.arguments)
        yield ""
    if doc.example:
        language = "yaml" if doc.kind == "states" else "sh"
        yield from (f"```{language}", doc.example, "```", "")
    else:
        yield from ("```sh", usage(doc), "```", "") if doc.kind == "modules" else ()
    yield from ("**Returns**", "", _markdown(doc.returns), "") if doc.returns else ()
    if doc.new_state:
        yield from ("| `new_state` | type | present | meaning |", "| --- | --- | --- | --- |")
        for key in doc.new_state:
            present, meaning = _cell(present_words(key.present)), _cell(key.meaning)
            yield f"| `{key.name}` | {key.type} | {present} | {meaning} |"
        yield ""
    yield from ("**Differences from Salt**", "", _markdown(doc.differences), "") if doc.differences else ()


def _argument(argument: ArgumentDoc) -> str:
    takes = argument.type if not argument.repeated else "further arguments"
    if argument.unit and argument.unit not in takes and "octal" not in takes:
        takes += f", in {argument.unit}"
    has_default = not argument.required and not argument.repeated
    default = (
        "required" if argument.required else f"`{default_words(argument.default)}`" if has_default else ""
    )
    if has_default and argument.default in (None, ""):
        default = default.strip("`")
    meaning = argument.meaning
    if argument.names:
        meaning += f" Accepted: {' '.join(f'`{name}`' for name in argument.names)}."
    name = f"{argument.repeated}{argument.name}"
    return f"| `{name}` | {_cell(takes)} | {_cell(default)} | {_cell(meaning)} |"


def _cell(text: str) -> str:
    return _markdown(" ".join(text.split())).replace("|", "\\|")


def _markdown(text: str) -> str:
    """Return text of a docstring as Markdown: what looks like HTML or emphasis outside of code is text."""
    parts = _CODE.split(text)
    parts[::2] = [re.sub(r"([<*_\\])", r"\\\1", part) if "](" not in part else part for part in parts[::2]]
    return _LINK.sub(f"]({_ABOVE}", "".join(parts))
