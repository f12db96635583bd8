"""`arg_bind` written by hand, in both of its forms, and the form in which high data shows bindings.

```
- arg_bind:                          - arg_bind:
  - cloud:                             - cloud:
    - State_B                            - State_B:
    - ID: state_B_id                       - ID: state_B_id
```

Both become the reference `${cloud:State_B:ID}` in the argument `state_B_id`, which need not exist; deeper
places are written as a path (`nics[0]:address`). A reference that is already there, as in high data, is kept.

Source: Idem's argument binding, "Arg_bind requisites".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.property_grammar import quoted, read_property
from ensue.core.model.reference import Reference
from ensue.language.option_words import OPTION_WORDS
from ensue.language.references.grammar import Malformed, read_id, read_text
from ensue.language.references.leaves import signed_texts
from ensue.language.requisite_names import REQUISITE_OPTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ensue.core.model.property_path import Index
    from ensue.language.collector import Collector
    from ensue.language.declarations import Declaration

WORD: Final = "arg_bind"
_OPTIONS: Final = OPTION_WORDS | REQUISITE_OPTIONS
_HELP: Final = "write `- state: [ID, {property: argument}]`"


class _ArgumentBinding(msgspec.Struct, frozen=True):
    """One requested binding: a state's path and ID, one of its properties, and the argument that gets it."""

    path: str
    id: str
    property: str
    argument: str


class _ShapeError(Exception):
    """Carries the error in an `arg_bind`; never leaves this module."""


def apply_arg_bind(declaration: Declaration, collector: Collector) -> None:
    """Turn the `arg_bind` of a declaration into references in its arguments."""
    place = declaration.written_at(WORD)
    listed = declaration.arguments.pop(WORD)
    try:
        for binding in _bindings(listed):
            _fulfil(declaration, binding)
            declaration.borrow(str(_steps(binding.argument)[0]), place)
    except _ShapeError as error:
        document, keys = place
        collector.error(
            "E0807",
            f"`{WORD}` of {declaration.id!r} cannot be read",
            document.locate(keys),
            detail=str(error),
            help=_HELP,
        )


def _bindings(listed: Any) -> Iterator[_ArgumentBinding]:
    if not is_list(listed):
        raise _ShapeError("it is not a list")
    for item in listed:
        if not is_mapping(item):
            raise _ShapeError(f"{item!r} names no state")
        for path, value in item.items():
            if not is_list(value):
                raise _ShapeError(f"{path} is followed by {value!r}, which is not a list")
            yield from _bindings_of_path(str(path), value)


def _bindings_of_path(path: str, listed: Sequence[Any]) -> Iterator[_ArgumentBinding]:
    id_ = ""
    for item in listed:
        if is_mapping(item):
            for key, value in item.items():
                if isinstance(value, str):
                    if not id_:
                        raise _ShapeError(f"there is no ID before {key}: {value}")
                    yield _ArgumentBinding(path, id_, str(key), value)
                else:
                    yield from _bindings_of_id(path, str(key), value)
        elif item is None:
            raise _ShapeError(f"an ID of {path} is missing")
        else:
            id_ = str(item)


def _bindings_of_id(path: str, id_: str, listed: Any) -> Iterator[_ArgumentBinding]:
    for item in listed if is_list(listed) else [listed]:
        if not is_mapping(item) or not all(isinstance(argument, str) for argument in item.values()):
            raise _ShapeError(f"{id_} is followed by {item!r}, which is not `property: argument`")
        for property_, argument in item.items():
            yield _ArgumentBinding(path, id_, str(property_), argument)


def _fulfil(declaration: Declaration, binding: _ArgumentBinding) -> None:
    first, *below = _steps(binding.argument)
    if not isinstance(first, str):
        raise _ShapeError(f"{binding.argument} is not an argument")
    arguments = declaration.arguments
    arguments[first] = _with(arguments.get(first), below, _reference(binding), binding)


def _reference(binding: _ArgumentBinding) -> Reference:
    id_ = read_id(binding.id)
    if isinstance(id_, str):
        raise _ShapeError(id_)
    name = quoted(id_[0]) if id_[1] is None else f"{quoted(id_[0])}[{quoted(id_[1])}]"
    text = f"${{{binding.path}:{name}:{binding.property}}}"
    pieces = read_text(text)
    if len(pieces) != 1 or not isinstance(pieces[0], Reference):
        problem = pieces[0].problem if isinstance(pieces[0], Malformed) else "it lacks the parts of one"
        raise _ShapeError(f"{text} is not a reference: {problem}")
    return pieces[0]


def _steps(argument: str) -> list[str | Index]:
    """Return the keys and indexes of a place in an argument; a `[*]` among them finds no place."""
    segments = read_property(argument)
    if isinstance(segments, str):
        raise _ShapeError(segments)
    steps: list[str | Index] = []
    for segment in segments:
        if isinstance(segment, str):
            steps.append(segment)
            continue
        if segment.key is not None:
            steps.append(segment.key)
        steps += segment.indexes
    return steps or [""]


def _with(data: Any, steps: Sequence[str | Index], reference: Reference, binding: _ArgumentBinding) -> Any:
    """Return data with a reference at a place in it; the original may be used twice, so it is not changed."""
    if not steps:
        return data if _holds(data, reference) else reference.text
    step, rest = steps[0], steps[1:]
    if isinstance(step, str) and (data is None or is_mapping(data)):
        inside: Mapping[str, Any] = data or {}
        return {**inside, step: _with(inside.get(step), rest, reference, binding)}
    if isinstance(step, int) and is_list(data) and -len(data) <= step < len(data):
        copied = list(data)
        copied[step] = _with(copied[step], rest, reference, binding)
        return copied
    raise _ShapeError(f"the argument {binding.argument} has no such place")


def _holds(data: Any, reference: Reference) -> bool:
    return any(
        isinstance(piece, Reference) and _same(piece, reference)
        for text, _ in signed_texts(data)
        for piece in read_text(text)
    )


def _same(reference: Reference, other: Reference) -> bool:
    return _meaning(reference) == _meaning(other)


def _meaning(reference: Reference) -> tuple[object, ...]:
    return reference.minion, reference.path, reference.id, reference.selector, reference.steps


def shown_bindings(arguments: Mapping[str, Any]) -> list[dict[str, list[Any]]]:
    """Return the `arg_bind` of a declaration in high data: one entry per reference, in reading order."""
    return [
        {_shown_path(piece): [_shown_id(piece), {piece.property: _shown_place(keys)}]}
        for text, keys in signed_texts({name: arguments[name] for name in arguments if name not in _OPTIONS})
        for piece in read_text(text)
        if isinstance(piece, Reference)
    ]


def _shown_path(reference: Reference) -> str:
    return f"minion[{reference.minion}]:{reference.path}" if reference.minion else reference.path


def _shown_id(reference: Reference) -> str:
    id_ = quoted(reference.id) if any(sign in reference.id for sign in '[]"') else reference.id
    return id_ if reference.selector is None else f"{id_}[{reference.selector}]"


def _shown_place(keys: Sequence[str | int]) -> str:
    shown = ""
    for key in keys:
        if isinstance(key, int):
            shown += f"[{key}]"
        else:
            shown += f":{quoted(key)}" if shown else quoted(key)
    return shown
