"""The documentation of drivers, resource types, providers and topics as text for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.output.function_docs import listed_lines, wrapped_lines

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.part_docs import PartDoc, PartKind
    from ensue.output.colours import Palette

_WORDS: Final[Mapping[PartKind, str]] = {
    "drivers": "driver",
    "resource types": "resource type",
    "environment providers": "environment provider",
    "topics": "topic",
}
_INPUTS: Final[Mapping[PartKind, str]] = {
    "drivers": "Inputs (driver_inputs)",
    "resource types": "Configuration",
    "environment providers": "Options",
    "topics": "",
}
_TITLES: Final[Mapping[PartKind, str]] = {
    "drivers": "Drivers of deployments",
    "resource types": "Resource types",
    "environment providers": "Environment providers",
    "topics": "Topics",
}


def part_text(doc: PartDoc, palette: Palette) -> str:
    """Return the whole documentation of a part.

    Args:
        doc: the documentation.
        palette: the colours.
    """
    lines = [f"{palette.paint(palette.bold, doc.name)} ({_WORDS[doc.kind]})", "", *wrapped_lines(doc.summary)]
    lines += ["", *wrapped_lines(doc.text)] if doc.text else []
    if doc.inputs:
        lines += ["", palette.paint(palette.bold, _INPUTS[doc.kind])]
        for name, meaning in doc.inputs.items():
            lines += [f"  {palette.paint(palette.cyan, name)}", *wrapped_lines(meaning, 6)]
    if doc.example:
        lines += ["", palette.paint(palette.bold, "Example")]
        lines += [f"  {line}".rstrip() for line in doc.example.splitlines()]
    return "\n".join(lines) + "\n"


def parts_text(kind: PartKind, summaries: Mapping[str, str], palette: Palette) -> str:
    """Return the list of the parts of a kind.

    Args:
        kind: the kind.
        summaries: a sentence about each, by name.
        palette: the colours.
    """
    title = palette.paint(palette.bold, _TITLES[kind])
    return "\n".join([title, *listed_lines(summaries, palette)]) + "\n"
