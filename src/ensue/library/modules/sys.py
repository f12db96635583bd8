"""Execution module `sys`: the documentation of the functions that a target offers.

`ensue doc` shows the same for this machine.

Differences from Salt:
    `sys.doc` and `sys.argspec` take state functions, too. There are no runners and returners to list.

Source: Salt's execution module `sys`, 3008: names, arguments and shapes.
"""

from __future__ import annotations

import asyncio
import fnmatch
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.contracts.function_docs import Documentation, FunctionDoc, FunctionKind
    from ensue.core.model.data import DataMap

_BOTH: Final[tuple[FunctionKind, ...]] = ("modules", "states")


async def doc(ctx: FunctionContext, *args: str) -> dict[str, str]:
    """Return the documentation of functions, as `ensue doc` shows it.

    Args:
        *args: functions (`file.managed`), modules (`file`) or globs (`sys.list_*`); none: all execution
            functions.

    Returns:
        The texts by function. Of a name that is both a state and an execution function, the text has both.

    Example:
        ensue call '*' sys.doc file.managed
    """
    return await asyncio.to_thread(_docs, ctx.documentation, _BOTH if args else ("modules",), args)


async def state_doc(ctx: FunctionContext, *args: str) -> dict[str, str]:
    """Return the documentation of state functions.

    Args:
        *args: functions, modules or globs; none: all state functions.

    Returns:
        The texts by function.

    Example:
        ensue call '*' sys.state_doc service
    """
    return await asyncio.to_thread(_docs, ctx.documentation, ("states",), args)


async def argspec(ctx: FunctionContext, module: str = "") -> DataMap:
    """Return the arguments of functions and their defaults.

    Args:
        module: a function, a module or a glob; empty: all execution functions.

    Returns:
        By function `args`, a list of names; `defaults`, those of the last arguments; `varargs` and `kwargs`,
        true if it takes further arguments by position or by name. Of a name that is both a state and an
        execution function, the arguments are those of the execution function.

    Example:
        ensue call '*' sys.argspec file.managed
    """
    words = [module] if module else []
    return await asyncio.to_thread(_argspecs, ctx.documentation, _BOTH if module else ("modules",), words)


async def state_argspec(ctx: FunctionContext, module: str = "") -> DataMap:
    """Return the arguments of state functions and their defaults.

    Args:
        module: a function, a module or a glob; empty: all state functions.

    Returns:
        By function `args`, a list of names; `defaults`, those of the last arguments; `varargs` and `kwargs`,
        true if it takes further arguments by position or by name.

    Example:
        ensue call '*' sys.state_argspec pkg.installed
    """
    return await asyncio.to_thread(_argspecs, ctx.documentation, ("states",), [module] if module else [])


async def list_modules(ctx: FunctionContext, *args: str) -> list[str]:
    """Return the names of the execution modules.

    Args:
        *args: globs that the names match; none: all modules.

    Example:
        ensue call '*' sys.list_modules 'p*'
    """
    return await asyncio.to_thread(_modules, ctx.documentation, "modules", args)


async def list_state_modules(ctx: FunctionContext, *args: str) -> list[str]:
    """Return the names of the state modules.

    Args:
        *args: globs that the names match; none: all modules.
    """
    return await asyncio.to_thread(_modules, ctx.documentation, "states", args)


async def list_functions(ctx: FunctionContext, *args: str) -> list[str]:
    """Return the names of execution functions.

    Args:
        *args: modules or globs; none: all functions.

    Example:
        ensue call '*' sys.list_functions file
    """
    return await asyncio.to_thread(_functions, ctx.documentation, "modules", args)


async def list_state_functions(ctx: FunctionContext, *args: str) -> list[str]:
    """Return the names of state functions.

    Args:
        *args: modules or globs; none: all functions.

    Example:
        ensue call '*' sys.list_state_functions 'file.*'
    """
    return await asyncio.to_thread(_functions, ctx.documentation, "states", args)


def _docs(docs: Documentation, kinds: Sequence[FunctionKind], words: Sequence[str]) -> dict[str, str]:
    texts: dict[str, list[str]] = {}
    for kind in kinds:
        for name in _functions(docs, kind, words):
            texts.setdefault(name, []).append(docs.text(kind, name))
    return {name: "\n".join(texts[name]) for name in sorted(texts)}


def _argspecs(docs: Documentation, kinds: Sequence[FunctionKind], words: Sequence[str]) -> DataMap:
    specs: DataMap = {}
    for kind in reversed(kinds):
        for name in _functions(docs, kind, words):
            if (function := docs.function(kind, name)) is not None:
                specs[name] = _argspec(function)
    return {name: specs[name] for name in sorted(specs)}


def _argspec(function: FunctionDoc) -> DataMap:
    named = [argument for argument in function.arguments if not argument.repeated]
    # Python's defaults belong to the last arguments, and so do Salt's in this list.
    ordered = sorted(named, key=lambda argument: not argument.required)
    repeated = {argument.repeated for argument in function.arguments}
    return {
        "args": [argument.name for argument in ordered],
        "defaults": [argument.default for argument in ordered if not argument.required] or None,
        "varargs": True if "*" in repeated else None,
        "kwargs": True if "**" in repeated else None,
    }


def _modules(docs: Documentation, kind: FunctionKind, words: Sequence[str]) -> list[str]:
    return [
        name for name in docs.modules(kind) if not words or any(fnmatch.fnmatch(name, word) for word in words)
    ]


def _functions(docs: Documentation, kind: FunctionKind, words: Sequence[str]) -> list[str]:
    """Return the full names of the functions that words name: functions, modules or globs."""
    names: list[str] = []
    for module in docs.modules(kind):
        if words and not any(_may_be_in(word, module) for word in words):
            continue
        module_doc = docs.module(kind, module)
        full = [f"{module}.{function}" for function in (module_doc.functions if module_doc else ())]
        names += [name for name in full if not words or any(_is_named(name, module, word) for word in words)]
    return names


def _may_be_in(word: str, module: str) -> bool:
    """Return whether a module may have functions of a word; a module that has none is not loaded."""
    return word == module or word.startswith(f"{module}.") or any(sign in word for sign in "*?[")


def _is_named(name: str, module: str, word: str) -> bool:
    return word in (name, module) or fnmatch.fnmatch(name, word)


FUNCTIONS: Final = by_name(
    argspec, doc, list_functions, list_modules, list_state_functions, list_state_modules,
    state_argspec, state_doc,
)  # fmt: skip
