"""Keeps outputs of resources as they are where Kubernetes expands what an author wrote.

The kubelet replaces `$(NAME)` by a variable, and `$$` by `$`, in variables, commands and arguments of a
container, in the commands of its probes and in `subPathExpr`. An author uses that on purpose. An output is
data, so its dollar signs are doubled there. A text carries the mark which of its characters are data.

Source: the API reference of Kubernetes, Container: `command`, `args`, `env`; the kubelet's `expansion`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from ensue.core.model.data import is_list, is_mapping, mapped
from ensue.workload_output.findings import text_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.driver import ForeignPart

_Path: TypeAlias = tuple[str | int, ...]
_EXPANDED: Final = (
    ("command", "*"),
    ("args", "*"),
    ("env", "*", "value"),
    ("volumeMounts", "*", "subPathExpr"),
    *((probe, "exec", "command", "*") for probe in ("livenessProbe", "readinessProbe", "startupProbe")),
)
"""The places in a container where the kubelet expands; `*` is every item of a list."""


class DataText(str):
    """A text with parts that are data. Every other text is its author's.

    Args:
        text: the text.
        parts: where each part of data begins and ends, in order.
    """

    __slots__ = ("parts",)

    parts: tuple[tuple[int, int], ...]

    def __new__(cls, text: str, parts: tuple[tuple[int, int], ...]) -> Self:
        """Mark a text."""
        marked = super().__new__(cls, text)
        marked.parts = parts
        return marked


def with_data_marked(data: Any, foreign: Mapping[_Path, tuple[ForeignPart, ...]]) -> Any:
    """Return a module with its texts marked.

    Args:
        data: the module.
        foreign: its parts that are outputs of resources, by path.
    """
    return _marked(data, (), foreign, is_data=False) if foreign else data


def without_marks(data: Any) -> Any:
    """Return a copy of data with plain texts."""
    return mapped(data, _plain, _plain)


def expandable(value: Any) -> str:
    """Return a value as text in which the kubelet expands what its author wrote, and nothing else."""
    return text_of(mapped(value, _expandable, _expandable))


def expandable_container(container: Any) -> Any:
    """Return a container in Kubernetes' form whose texts are expandable wherever the kubelet expands them."""
    for place in _EXPANDED:
        container = _expandable_at(container, place)
    return container


def _expandable_at(value: Any, place: tuple[str, ...]) -> Any:
    if not place:
        return None if value is None else expandable(value)
    name, *rest = place
    if name == "*":
        return [_expandable_at(item, tuple(rest)) for item in value] if is_list(value) else value
    if is_mapping(value) and name in value:
        return {**value, name: _expandable_at(value[name], tuple(rest))}
    return value


def _expandable(text: Any) -> Any:
    if not isinstance(text, DataText):
        return text
    written: list[str] = []
    before = 0
    for start, end in text.parts:
        authored = text[before:start]
        # A single dollar sign of the author is not to form `$(` or `$$` with what follows.
        is_open = (len(authored) - len(authored.rstrip("$"))) % 2
        written += [authored, "$" * is_open, text[start:end].replace("$", "$$")]
        before = end
    return "".join([*written, text[before:]])


def _marked(
    value: Any, path: _Path, foreign: Mapping[_Path, tuple[ForeignPart, ...]], *, is_data: bool
) -> Any:
    parts = foreign.get(path, ())
    is_data = is_data or any(part.end is None for part in parts)
    if is_mapping(value):
        return {
            (_all_data(key) if is_data else key): _marked(item, (*path, key), foreign, is_data=is_data)
            for key, item in value.items()
        }
    if is_list(value):
        return [_marked(item, (*path, index), foreign, is_data=is_data) for index, item in enumerate(value)]
    if is_data:
        return _all_data(value)
    marks = tuple((part.start, part.end) for part in parts if part.end is not None)
    return DataText(value, marks) if marks and isinstance(value, str) else value


def _all_data(value: Any) -> Any:
    return DataText(value, ((0, len(value)),)) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, DataText) else value
