"""Kinds and types of values, and deep equality.

Source: Sprig's documentation, "Reflection Functions".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_list, is_mapping
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.printing import check_bounded
from ensue.deploy.gotemplate.values import kind_of, type_of

if TYPE_CHECKING:
    from collections.abc import Mapping


def are_deep_equal(first: Any, second: Any) -> bool:
    """Return whether two values have the same types and the same content.

    Args:
        first: any value of a template.
        second: another.
    """
    if is_list(first) or is_mapping(first):
        check_bounded(first)
        check_bounded(second)
    return _same(first, second)


def _same(first: Any, second: Any) -> bool:
    if is_list(first) and is_list(second):
        return len(first) == len(second) and all(map(_same, first, second))
    if is_mapping(first) and is_mapping(second):
        return first.keys() == second.keys() and all(_same(first[key], second[key]) for key in first)
    return type_of(first) == type_of(second) and bool(first == second)


REFLECTION_FUNCTIONS: Final[Mapping[str, Function]] = {
    "deepEqual": function(are_deep_equal, "aa"),
    "kindIs": function(lambda kind, value: kind_of(value) == kind, "sa"),
    "kindOf": function(kind_of, "a"),
    "typeIs": function(lambda name, value: type_of(value) == name, "sa"),
    "typeIsLike": function(lambda name, value: type_of(value).lstrip("*") == name.lstrip("*"), "sa"),
    "typeOf": function(type_of, "a"),
}
"""The functions by name."""
