"""`salt` in templates: execution functions as `salt['cmd.run']('…')` and `salt.cmd.run('…')`.

Templates are rendered in a thread; a function that has to wait runs on the event loop meanwhile.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from ensue.core.contracts.from_thread import from_thread
from ensue.core.contracts.target_questions import called_from
from ensue.core.errors import EnsueError, NotOfferedError
from ensue.language.custom.modules import IN_THREAD
from ensue.language.marks import has_marks, unmarked, without_marks

if TYPE_CHECKING:
    import asyncio

    from jinja2 import TemplateRuntimeError

    from ensue.core.contracts.context import FunctionContext
    from ensue.language.functions.functions import Functions


_READING: Final = frozenset({"config", "defaults", "grains", "match", "pillar", "slsutil"})
"""Modules whose functions return what they receive or read, so that an author's text keeps its marks."""

_ACTING: Final = frozenset({
    *(f"grains.{name}" for name in ("append", "delkey", "delval", "remove", "set", "setval")),
    *(f"slsutil.{name}" for name in ("banner", "deserialize", "renderer", "serialize")),
})  # fmt: skip
"""Functions of these modules that write what they receive, or make another text of it."""


class SaltFunctions(Mapping[str, Any]):
    """The execution functions of one target, callable from a thread beside the event loop.

    Args:
        functions: all execution functions.
        context: the target's context.
        reading: the context for functions that only read and combine data, with authors' marks in pillar.
        loop: the event loop that asynchronous functions run on.
    """

    def __init__(
        self,
        functions: Functions,
        context: FunctionContext,
        reading: FunctionContext,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._functions = functions
        self._context = context
        self._reading = reading
        self._loop = loop

    def __getitem__(self, name: str) -> Any:
        module, _, function = str(name).rpartition(".")
        function_ = self._functions.find(module, function) if module else None
        if function_ is None:
            if not module and self._functions.has_module(function):
                return _Module(self, function)
            return self._missing(name, module, function)
        target = function_
        is_reading = module in _READING and name not in _ACTING
        context = self._reading if is_reading else self._context

        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                # A frame below this one is the template's: the place of what the function asks for.
                with called_from(inspect.currentframe()):
                    return called(*args, **kwargs)
            except NotOfferedError as error:
                raise error.needed_by(str(name)) from None

        def called(*args: Any, **kwargs: Any) -> Any:
            if not is_reading:
                args = tuple(map(_plain, args))
                kwargs = {key: _plain(value) for key, value in kwargs.items()}
            # A project's own function runs in this thread, so that nested calls do not use up threads.
            returned = getattr(target, IN_THREAD, target)(context, *args, **kwargs)
            if inspect.isawaitable(returned):
                return from_thread(returned, self._loop)
            return returned

        return call

    def _missing(self, name: str, module: str, function: str) -> Any:
        """Return an undefined value: templates may test whether it is defined, and a call is an error."""
        from jinja2 import StrictUndefined

        # This error suggests similar names, which Jinja's own cannot; Jinja only raises it.
        error_type = cast("type[TemplateRuntimeError]", EnsueError)
        return StrictUndefined(hint=self.missing_text(name, module, function), exc=error_type)

    def missing_text(self, name: str, module: str, function: str) -> str:
        """Return the message that there is no such function: why, or what may have been meant."""
        why = self._functions.why_missing(module, function) if module else ""
        near = self._functions.near(module, function) if module and not why else ()
        if name in near:
            other = f"{self._context.srn.type}: only this machine has it, cmd.run works there, too"
            return f"there is no execution function {name!r} for {other}"
        hint = f"; {self._functions.hint}" if self._functions.hint else ""
        if why:
            hint = f" for {self._context.srn.type}: {why}"
        meant = f"; did you mean {' or '.join(near)}?" if near else hint
        return f"there is no execution function {name!r}{meant}"

    def unknown_everywhere(self, keys: Sequence[str]) -> str:
        """Return the message for keys of `salt` that name a function which no target has; empty for others.

        Args:
            keys: `("cmd.run",)` or `("cmd", "run")`; further keys do not count.
        """
        name = next(iter(keys), "")
        name = name if "." in name else ".".join(keys[:2])
        module, _, function = name.rpartition(".")
        is_known = not module or function.startswith("__") or name in self
        if is_known or self._functions.why_missing(module, function):
            return ""
        return self.missing_text(name, module, function)

    def __contains__(self, name: object) -> bool:
        module, _, function = str(name).rpartition(".")
        if not module:
            return self._functions.has_module(function)
        return self._functions.find(module, function) is not None

    def __getattr__(self, module: str) -> _Module:
        if not module.isidentifier() or module.startswith(("_", "jinja_")):
            raise AttributeError(module)
        return _Module(self, module)

    def __iter__(self) -> Iterator[str]:
        for module in self._functions.modules():
            for name in self._functions.names(module):
                yield f"{module}.{name}"

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _plain(value: Any) -> Any:
    """Return an argument without the marks of a rendering, text as Python's own."""
    if isinstance(value, str):
        return without_marks(str(value)) if value.__class__ is not str or has_marks(value) else value
    if value.__class__ is tuple:
        return tuple(map(_plain, value))
    return unmarked(value) if isinstance(value, (list, dict)) else value


_OF_THE_SANDBOX: Final = frozenset({"unsafe_callable", "alters_data"})
"""The marks that Jinja's sandbox looks for before a call."""


class _Module:
    """`salt.cmd` or `salt['cmd']`, one attribute or one key away from a function."""

    def __init__(self, functions: SaltFunctions, module: str) -> None:
        self._functions = functions
        self._module = module

    def __getattr__(self, function: str) -> Any:
        if function.startswith("__") or function in _OF_THE_SANDBOX:
            raise AttributeError(function)
        return self[function]

    def __call__(self, *_args: Any, **_kwargs: Any) -> Any:
        """Refuse a call without a function, `salt.cmd('ls')`.

        Raises:
            EnsueError: always.
        """
        raise EnsueError(self._functions.missing_text(self._module, "", ""))

    def __getitem__(self, function: str) -> Any:
        return self._functions[f"{self._module}.{function}"]

    def __contains__(self, function: object) -> bool:
        return f"{self._module}.{function}" in self._functions
