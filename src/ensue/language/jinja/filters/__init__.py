"""Salt's Jinja filters, tests and global functions.

Source: Salt's Jinja documentation ("Filters") and the further filters of its sources, 3008; results
measured there (tests/compat/expressions), code our own.
"""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list
from ensue.core.model.paths import traverse
from ensue.language.jinja.filters import (
    addresses,
    combining,
    dates,
    digests,
    documents,
    encoding,
    lists,
    machine,
    mappings,
    numbers,
    query,
    texts,
    xml,
)
from ensue.language.jinja.filters.functions import GLOBALS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "traverse": traverse,
    **addresses.FILTERS,
    **combining.FILTERS,
    **dates.FILTERS,
    **digests.FILTERS,
    **documents.FILTERS,
    **encoding.FILTERS,
    **lists.FILTERS,
    **machine.FILTERS,
    **mappings.FILTERS,
    **numbers.FILTERS,
    **query.FILTERS,
    **texts.FILTERS,
    **xml.FILTERS,
}
"""Filters by the name that templates use."""

TESTS: Final[Mapping[str, Callable[..., bool]]] = {
    "equalto": operator.eq,
    "list": is_list,
    "match": texts.matches,
}
"""Tests (`x is match('a.*')`) by name."""

__all__ = ["FILTERS", "GLOBALS", "TESTS"]
