"""The functions in Salt's module files, for modules that do not load yet.

A module's `__virtual__` may require a program that a state of this run installs. Until then Salt's loader
does not have the function, so the file is parsed instead. Nothing in it is executed.
"""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_VIRTUAL_NAME: Final = re.compile(r"""^__virtualname__\s*=\s*["']([^"']+)["']""", re.MULTILINE)
_ALIASES: Final = "__func_alias__"
_NO_DEFAULT: Final = inspect.Parameter.empty


def unloaded_signature(
    files: Iterable[tuple[str, str]], module: str, function: str
) -> inspect.Signature | None:
    """Return the signature of a function in a module that does not load; None if the module lacks it.

    Args:
        files: all module files of a loader: each one's name and its path.
        module: the module's name, which may be its `__virtualname__`.
        function: the function.
    """
    for name, path in files:
        if not path.endswith(".py"):
            continue
        text = Path(path).read_text(encoding="utf-8", errors="replace")
        virtual = _VIRTUAL_NAME.search(text)
        if module in (name, virtual[1] if virtual else "") and (callable_ := _function(text, function)):
            return callable_
    return None


def _function(text: str, function: str) -> inspect.Signature | None:
    try:
        body = ast.parse(text).body
    except SyntaxError:
        return None
    names = {name for name, alias in _aliases(body) if alias == function} or {function}
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            return inspect.Signature([*_parameters(node.args)])
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id in names for target in node.targets
        ):
            # The function has a second name; its arguments are checked when it is called.
            return inspect.Signature(
                [
                    inspect.Parameter("args", inspect.Parameter.VAR_POSITIONAL),
                    inspect.Parameter("kwargs", inspect.Parameter.VAR_KEYWORD),
                ]
            )
    return None


def _aliases(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for node in body:
        is_aliases = isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == _ALIASES for target in node.targets
        )
        if is_aliases and isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                    yield str(key.value), str(value.value)


def _parameters(taken: ast.arguments) -> Iterator[inspect.Parameter]:
    plain = [*taken.posonlyargs, *taken.args]
    first_default = len(plain) - len(taken.defaults)
    for index, parameter in enumerate(plain):
        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        yield inspect.Parameter(parameter.arg, kind, default=... if index >= first_default else _NO_DEFAULT)
    if taken.vararg:
        yield inspect.Parameter(taken.vararg.arg, inspect.Parameter.VAR_POSITIONAL)
    for parameter, default in zip(taken.kwonlyargs, taken.kw_defaults, strict=True):
        keyword_only = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(parameter.arg, keyword_only, default=_NO_DEFAULT if default is None else ...)
    if taken.kwarg:
        yield inspect.Parameter(taken.kwarg.arg, inspect.Parameter.VAR_KEYWORD)
