"""Checks that each value printed by a template stays within one scalar of a YAML text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.model.printed_text import Extent


def beyond_scalars(text: str, extents: Sequence[Extent]) -> Iterator[Extent]:
    """Yield the extents of printed values that are more than a part of one YAML scalar."""
    from ensue.language.yaml import fast
    from ensue.model import yaml_containment

    return yaml_containment.beyond_scalars(text, extents, fast.load)
