"""Checks the arguments of `ensue call` against the function's signature, before anything is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic
from ensue.language.collector import near_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from inspect import Signature


def argument_fault(
    name: str, functions: Sequence[Callable[..., Any]], args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Diagnostic | None:
    """Return what is wrong with the arguments of a call; None if a function takes them.

    Args:
        name: the function as it was asked for (`cmd.run`).
        functions: the functions of this name, one per type of the targets.
        args: the positional arguments.
        kwargs: the keyword arguments.

    Returns:
        None also if the signature of a function cannot be read, or there are no functions.
    """
    problems: list[Diagnostic] = []
    for function in functions:
        try:
            signature = _signature(function)
        except (TypeError, ValueError):
            return None
        problem = _problem(name, signature, args, kwargs)
        if problem is None:
            return None
        problems.append(problem)
    return problems[0] if problems else None


def _problem(
    name: str, signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Diagnostic | None:
    why = f"its signature is {name}{signature}"
    try:
        signature.bind_partial(*args, **kwargs)
    except TypeError as error:
        unknown = next((key for key in kwargs if key not in signature.parameters), "")
        meant = near_names(unknown, signature.parameters) if unknown else _quoted(name, args)
        return Diagnostic(code="E0402", summary=f"{name}: {error}", detail=why, help=meant)
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        return Diagnostic(code="E0403", summary=f"{name}: {error}", detail=why)
    return None


def _quoted(name: str, args: Sequence[Any]) -> str:
    """Return the remedy for words that the shell has split, `cmd.run echo hi`; empty for other values."""
    if len(args) <= 1 or not all(isinstance(arg, str) for arg in args):
        return ""
    import shlex

    return f"put an argument with blanks in quotes: `ensue call TARGET {name} {shlex.quote(' '.join(args))}`"


def _signature(function: Callable[..., Any]) -> Signature:
    """Return the signature that a caller sees: without the context, and without types.

    Raises:
        TypeError: it has no signature.
        ValueError: its signature cannot be read.
    """
    import inspect

    signature = inspect.signature(function)
    taken = list(signature.parameters.values())
    # A wrapper around a plain function passes no context.
    if taken and (taken[0].name == "ctx" or not hasattr(function, "__wrapped__")):
        taken = taken[1:]
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in taken]
    return signature.replace(parameters=bare, return_annotation=inspect.Signature.empty)
