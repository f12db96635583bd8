"""The documentation of state and execution functions, read from their signatures and docstrings.

`ensue doc`, `sys.doc`, the reference pages and the JSON Schema for SLS are made from these values alone.
"""

from __future__ import annotations

import inspect
import re
import sys
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol, TypeAlias

import msgspec

from ensue.core.contracts.argument_types import argument_type
from ensue.core.contracts.functions import ALSO_TAKES
from ensue.core.model.docstrings import read_docstring

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ensue.core.contracts.functions import AlsoTakes

FunctionKind: TypeAlias = Literal["states", "modules"]
"""`states`: functions that an SLS names; `modules`: functions that templates and `ensue call` call."""

_UNITS: Final = {"seconds": "seconds", "mode": "octal digits"}
_NAME: Final = r"([a-z_][\w.]*\.\w+)(?=:?$| )"
_FUNCTION: Final[Mapping[FunctionKind, re.Pattern[str]]] = {
    "states": re.compile(f"^  {_NAME}", re.MULTILINE),
    "modules": re.compile(rf"^(?:ensue call \S+ |    - ){_NAME}", re.MULTILINE),
}
"""The function in an example: below an ID of an SLS; on a command line, or in a list of `module.run`."""
_ANYTHING: Final = "anything"


class ArgumentDoc(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of a function.

    Args:
        name: its name.
        type: what it takes, in words.
        unit: the unit of its value; empty if it has none, or if the meaning names it.
        required: whether it has to be given.
        default: its default; null if it is required, too.
        meaning: what it is for.
        repeated: `*` if it takes further values by position, `**` if it takes further arguments by name.
        names: the further arguments that are accepted by name, if these are known.
        others_with: the argument with which it takes any other by name, too; empty if there is none.
        takes_any: whether it takes further arguments of any name.
        annotation: the annotation in its signature; empty if there is none.
    """

    name: str
    type: str
    unit: str = ""
    required: bool
    default: Any = None
    meaning: str
    repeated: Literal["", "*", "**"] = ""
    names: tuple[str, ...] = ()
    others_with: str = ""
    takes_any: bool = False
    annotation: str = ""


class KeyDoc(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the `new_state` that a state function returns.

    Args:
        name: the key.
        type: the types of its value.
        present: when it is there.
        meaning: what the value is.
    """

    name: str
    type: str
    present: str
    meaning: str


class FunctionDoc(msgspec.Struct, frozen=True, kw_only=True):
    """The documentation of a function.

    Args:
        kind: whether it is a state or an execution function.
        name: `module.function`.
        summary: what it does, in a sentence.
        text: further paragraphs.
        notes: what users have to know besides.
        arguments: its arguments in order, the context left out.
        returns: what it returns.
        raises: when it fails, by exception.
        example: an example; of an execution function without required arguments by default a call without
            arguments; empty if there is none.
        differences: how it differs from Salt's function of this name.
        module_differences: how its module differs from Salt's.
        new_state: the keys of its `new_state`; of an execution function none.
    """

    kind: FunctionKind
    name: str
    summary: str
    text: str = ""
    notes: str = ""
    arguments: tuple[ArgumentDoc, ...]
    returns: str = ""
    raises: Mapping[str, str]
    example: str = ""
    differences: str = ""
    module_differences: str = ""
    new_state: tuple[KeyDoc, ...] = ()


class ModuleDoc(msgspec.Struct, frozen=True, kw_only=True):
    """The documentation of a module.

    Args:
        kind: whether its functions are state or execution functions.
        name: its name.
        summary: what it is for, in a sentence.
        notes: what users have to know besides.
        differences: how it differs from Salt's module of this name.
        functions: a sentence about each function, by its name in the module.
    """

    kind: FunctionKind
    name: str
    summary: str
    notes: str = ""
    differences: str = ""
    functions: Mapping[str, str]


class Documentation(Protocol):
    """The documentation of all functions of a project. A call may load files of the project, and blocks."""

    def modules(self, kind: FunctionKind) -> Sequence[str]:
        """Return the names of all modules, sorted."""
        ...

    def summaries(self, kind: FunctionKind) -> Mapping[str, str]:
        """Return a sentence about each module, by name; of a file that does not load, the reason."""
        ...

    def module(self, kind: FunctionKind, name: str) -> ModuleDoc | None:
        """Return the documentation of a module; None if there is no such module."""
        ...

    def function(self, kind: FunctionKind, name: str) -> FunctionDoc | None:
        """Return the documentation of a function, `module.function`; None if there is no such function."""
        ...

    def text(self, kind: FunctionKind, name: str) -> str:
        """Return the documentation of a function as text; empty if there is no such function."""
        ...

    def near(self, name: str) -> Sequence[str]:
        """Return names of modules and functions that resemble a name, best first."""
        ...

    def with_argument(self, word: str) -> Sequence[str]:
        """Return the state functions that have an argument of a name, sorted."""
        ...


def function_doc(
    kind: FunctionKind, name: str, function: Callable[..., Any], new_state: tuple[KeyDoc, ...] = ()
) -> FunctionDoc:
    """Return the documentation of a function.

    Args:
        kind: whether it is a state or an execution function.
        name: `module.function`.
        function: the function.
        new_state: the keys of its `new_state`.
    """
    docstring = read_docstring(inspect.getdoc(inspect.unwrap(function)) or "")
    meanings = {**_shared_arguments(function), **docstring.arguments}
    also: AlsoTakes | None = getattr(function, ALSO_TAKES, None)
    arguments = tuple(
        _argument(parameter, meanings.get(parameter.name, ""), also) for parameter in _parameters(function)
    )
    is_called_alone = kind == "modules" and not any(argument.required for argument in arguments)
    return FunctionDoc(
        kind=kind,
        name=name,
        summary=docstring.summary,
        text=docstring.text,
        notes=docstring.notes,
        arguments=arguments,
        returns=docstring.returns,
        raises=docstring.raises,
        example=_example_of(
            kind, name, docstring.example or (f"ensue call '*' {name}" if is_called_alone else "")
        ),
        differences=docstring.differences,
        new_state=new_state,
    )


def _shared_arguments(function: Callable[..., Any]) -> Mapping[str, str]:
    """Return the arguments that several functions share, as their module and its package document them."""
    module: Mapping[str, object] = getattr(inspect.unwrap(function), "__globals__", {})
    package = getattr(sys.modules.get(str(module.get("__package__"))), "__doc__", None)
    texts = (text for text in (package, module.get("__doc__")) if isinstance(text, str))
    return {name: meaning for text in texts for name, meaning in read_docstring(text).arguments.items()}


def _example_of(kind: FunctionKind, name: str, example: str) -> str:
    """Return an example with the requested name: a function may have several (`cmd.wait`, `cmd.watch`).

    The last function of an example is the documented one.
    """
    own = list(_FUNCTION[kind].finditer(example))
    if not own or re.search(rf"\b{re.escape(name)}\b", example):
        return example
    return f"{example[: own[-1].start(1)]}{name}{example[own[-1].end(1) :]}"


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    taken = list(inspect.signature(function).parameters.values())
    return taken[1:] if taken and taken[0].name == "ctx" else taken


def _argument(parameter: inspect.Parameter, meaning: str, also: AlsoTakes | None) -> ArgumentDoc:
    is_empty = parameter.annotation is inspect.Parameter.empty
    annotation = "" if is_empty else _annotation_text(parameter.annotation)
    kind = parameter.kind
    repeated: Literal["", "*", "**"] = (
        "**" if kind is kind.VAR_KEYWORD else "*" if kind is kind.VAR_POSITIONAL else ""
    )
    has_default = parameter.default is not inspect.Parameter.empty
    known = argument_type(annotation) if annotation else None
    unit = next((_UNITS[kind] for kind in known.kinds if kind in _UNITS), "") if known else ""
    return ArgumentDoc(
        name=parameter.name,
        type=known.expected if known else _ANYTHING,
        unit=unit,
        required=not has_default and not repeated,
        default=parameter.default if has_default else None,
        meaning=meaning,
        repeated=repeated,
        names=tuple(sorted(also.names)) if also and repeated == "**" else (),
        others_with=also.others_with if also and repeated == "**" else "",
        takes_any=repeated == "**" and (also is None or also.passes_others),
        annotation=annotation,
    )


def _annotation_text(annotation: Any) -> str:
    """Return an annotation as it is written; a project's own file may have the classes themselves."""
    if isinstance(annotation, str):
        return annotation
    return annotation.__name__ if isinstance(annotation, type) else str(annotation)
