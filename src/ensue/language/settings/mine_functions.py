"""`mine_functions`: the definitions of values that the mine collects from a target.

Source: Salt's documentation, "The Salt Mine", and its option `mine_functions`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OPTION: Final = "mine_functions"
"""The name of the option, in `ensue.yaml` and in pillar."""

_OWN_KEYS: Final = frozenset({"allow_tgt", "allow_tgt_type"})
"""Restricts the readers of a value in Salt; here one process serves all targets, so all may read it."""


class MineFunction(msgspec.Struct, frozen=True, kw_only=True):
    """The definition of one value.

    Args:
        function: the execution function.
        args: its positional arguments.
        kwargs: its keyword arguments.
    """

    function: str
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])


def definitions(opts: Mapping[str, Any], pillar: Mapping[str, Any]) -> dict[str, MineFunction]:
    """Return a target's definitions by the names of the values; pillar takes precedence over options.

    Args:
        opts: the options of the project.
        pillar: the pillar of the target.

    Raises:
        StateFailedError: a definition is invalid.
    """
    mine_functions: dict[str, MineFunction] = {}
    for where in (opts, pillar):
        given = where.get(OPTION)
        if is_mapping(given):
            mine_functions |= {str(name): read_definition(str(name), value) for name, value in given.items()}
        elif is_list(given):
            mine_functions |= {name: read_definition(name, value) for name, value in _listed(given)}
        elif given:
            raise StateFailedError(f"{OPTION} must be a mapping of names to definitions, not {given!r}")
    return mine_functions


def read_definition(name: str, given: Any) -> MineFunction:
    """Return one definition.

    Args:
        name: the name of the value, and of the function if the definition names none.
        given: a list of arguments, with mappings for keyword arguments; or a mapping of keyword arguments.

    Raises:
        StateFailedError: it is neither.
    """
    items = given if is_list(given) else [given] if given else []
    args: list[Any] = []
    kwargs: dict[str, Any] = {}
    for item in items:
        if is_mapping(item):
            kwargs |= {str(key): value for key, value in item.items()}
        elif is_list(given):
            args.append(item)
        else:
            raise StateFailedError(f"{OPTION}:{name} must be a list or a mapping of arguments, not {given!r}")
    function = str(kwargs.pop("mine_function", name))
    return MineFunction(
        function=function,
        args=tuple(args),
        kwargs={key: value for key, value in kwargs.items() if key not in _OWN_KEYS},
    )


def _listed(given: list[Any]) -> Iterator[tuple[str, Any]]:
    for item in given:
        if is_mapping(item):
            yield from ((str(name), value) for name, value in item.items())
        else:
            yield str(item), []
