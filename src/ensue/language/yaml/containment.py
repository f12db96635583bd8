"""Checks that each value printed by a template stays within one scalar of a YAML text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ensue.core.model.printed_text import Extent


def beyond_scalars(text: str, extents: Sequence[Extent]) -> Iterator[Extent]:
    """Yield the extents of printed values that are more than a part of one YAML scalar."""
    from ensue.core.model import yaml_containment

    return yaml_containment.beyond_scalars(text, extents, load_any)


def load_any(text: str) -> Any:
    """Return the data of YAML text.

    Raises:
        ValueError: it cannot be read.
    """
    import yaml

    from ensue.core.model.data_bounds import DataBoundError
    from ensue.language.yaml import full

    try:
        return full.load(text)
    except (yaml.YAMLError, full.DuplicateKeyError, DataBoundError) as error:
        raise ValueError(str(error)) from None
