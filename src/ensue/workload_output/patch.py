"""Update operations: `add`, `remove`, `replace`, `move`, `copy` and `test` on plain data.

They are those of JSON Patch with one difference: `add` creates missing parent mappings, so that
`/spec/pod/labels` can be set without a `pod`. It creates no lists. No message contains a value of the
document, because it may be a secret.

Source: RFC 6902; resource graph document, example of a workload with a service account.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import DiagnosticError
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.data_bounds import MOST_ADDED_VALUES, DataBoundError, TooLargeError, check_data
from ensue.workload_output.pointers import (
    Path,
    PointerError,
    child,
    index,
    missing,
    parse_pointer,
    write_pointer,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.diagnostics import Span

_OPERATIONS: Final = ("add", "remove", "replace", "move", "copy", "test")
_WITH_VALUE: Final = frozenset({"add", "replace", "test"})
_WITH_FROM: Final = frozenset({"move", "copy"})


class PatchError(DiagnosticError, ValueError):
    """An update operation that cannot be applied.

    Args:
        number: its number from 1; 0: the operations as a whole.
        path: its path; empty if it has none.
        diagnostic: the error.
    """

    def __init__(self, number: int, path: str, diagnostic: Diagnostic) -> None:
        self.number = number
        self.path = path
        super().__init__([diagnostic])


def apply_patch(document: Any, operations: Any, *, place: Span | None = None) -> Any:
    """Return a document after update operations; if one fails, none is applied.

    Args:
        document: mappings, lists and scalars; never changed, and the result shares nothing with it.
        operations: a list of mappings with `op`, `path`, and `value` or `from`; None: no operations.
        place: where the operations come from, for messages.

    Raises:
        PatchError: an operation cannot be applied; only the first error is reported.
    """
    if operations is None:
        operations = []
    if not is_list(operations):
        raise _error(0, operations, PointerError("the operations are not a list"), place)
    patch = _PatchedDocument(copied(document))
    for number, operation in enumerate(operations, 1):
        try:
            patch.apply(operation)
        except PointerError as wrong:
            raise _error(number, operation, wrong, place) from None
        except DataBoundError as wrong:
            raise _error(number, operation, PointerError(str(wrong)), place) from None
    try:
        check_data(patch.document)
    except DataBoundError as wrong:
        raise _error(0, operations, PointerError(str(wrong)), place) from None
    return patch.document


class _PatchedDocument:
    """A document that operations change in place."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self._copied_values = 0
        self._methods: dict[str, Callable[[Path, dict[str, Any]], None]] = {
            "add": lambda path, operation: self._add(path, self._copy(operation["value"])),
            "remove": lambda path, _: self._remove(path),
            "replace": lambda path, operation: self._replace(path, self._copy(operation["value"])),
            "move": lambda path, operation: self._move(parse_pointer(operation["from"]), path),
            "copy": lambda path, operation: self._add(
                path, self._copy(self._at(parse_pointer(operation["from"])))
            ),
            "test": lambda path, operation: self._test(path, operation["value"]),
        }

    def apply(self, operation: Any) -> None:
        """Apply one operation."""
        _check_members(operation)
        self._methods[operation["op"]](parse_pointer(operation["path"]), operation)

    def _at(self, path: Path) -> Any:
        value = self.document
        for depth, part in enumerate(path):
            value = child(value, part, path[:depth])
        return value

    def _add(self, path: Path, value: Any) -> None:
        if not path:
            self.document = value
            return
        holder = self._holder_for(path)
        if is_list(holder):
            holder.insert(index(holder, path[-1], path[:-1], may_be_end=True), value)
        else:
            _mapping(holder, path[:-1])[path[-1]] = value

    def _holder_for(self, path: Path) -> Any:
        """Return the parent of a path; missing mappings on the way are created."""
        holder = self.document
        for depth, part in enumerate(path[:-1]):
            if is_mapping(holder) and holder.get(part) is None:
                holder[part] = {}
            holder = child(holder, part, path[:depth])
        return holder

    def _remove(self, path: Path) -> Any:
        if not path:
            raise PointerError("the whole document cannot be removed")
        holder, part = self._at(path[:-1]), path[-1]
        if is_list(holder):
            return holder.pop(index(holder, part, path[:-1]))
        if part not in _mapping(holder, path[:-1]):
            raise missing(path[:-1], part)
        return holder.pop(part)

    def _replace(self, path: Path, value: Any) -> None:
        if not path:
            self.document = value
            return
        holder, part = self._at(path[:-1]), path[-1]
        child(holder, part, path[:-1])
        holder[index(holder, part, path[:-1]) if is_list(holder) else part] = value

    def _move(self, source: Path, path: Path) -> None:
        self._at(source)
        if source == path:
            return
        if path[: len(source)] == source:
            raise PointerError("a value cannot be moved into itself")
        self._add(path, self._remove(source))

    def _test(self, path: Path, expected: Any) -> None:
        if not _are_equal(self._at(path), expected):
            raise PointerError("the value is not the one that the test expects")

    def _copy(self, value: Any) -> Any:
        """Return a copy; the copies of a patch are bounded together, as each may double the document."""
        self._copied_values += check_data(value)
        if self._copied_values > MOST_ADDED_VALUES:
            raise TooLargeError(value)
        return copied(value)


def _check_members(operation: Any) -> None:
    if not is_mapping(operation):
        raise PointerError("it is not a mapping", "write {op: add, path: /spec/…, value: …}")
    name = operation.get("op")
    if not isinstance(name, str) or name not in _OPERATIONS:
        raise PointerError("its 'op' is missing or unknown", f"there are {', '.join(_OPERATIONS)}")
    needed = ["path", *(["value"] if name in _WITH_VALUE else []), *(["from"] if name in _WITH_FROM else [])]
    for member in needed:
        if member not in operation:
            raise PointerError(f"it has no {member!r}", f"`{name}` needs {' and '.join(map(repr, needed))}")


def _mapping(value: Any, path: Path) -> dict[str, Any]:
    if is_mapping(value):
        return value
    raise PointerError(f"{write_pointer(path) or 'the document'} is neither a mapping nor a list")


def _are_equal(first: Any, other: Any) -> bool:
    """Compare as JSON does: 1 equals 1.0, and never `true`."""
    if isinstance(first, bool) or isinstance(other, bool):
        return first is other
    if is_mapping(first) and is_mapping(other):
        return first.keys() == other.keys() and all(_are_equal(first[key], other[key]) for key in first)
    if is_list(first) and is_list(other):
        return len(first) == len(other) and all(map(_are_equal, first, other))
    return bool(first == other)


def _error(number: int, operation: Any, wrong: PointerError, place: Span | None) -> PatchError:
    given: dict[str, Any] = operation if number and is_mapping(operation) else {}
    name, path = given.get("op"), given.get("path")
    shown = [name] if isinstance(name, str) and name in _OPERATIONS else []
    shown += [path] if isinstance(path, str) else []
    which = f"the update operation {number}" if number else "the update"
    diagnostic = Diagnostic(
        code="E0830",
        summary=" ".join([which, *([f"({' '.join(shown)})"] if shown else []), "cannot be carried out"]),
        detail=wrong.reason,
        help=wrong.help,
        span=place,
    )
    return PatchError(number, path if isinstance(path, str) else "", diagnostic)
