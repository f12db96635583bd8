"""State functions and execution functions as the engine and the compiler see them.

A module of state functions is a Python module `ensue.states.<name>` (dots allowed) with

- `FUNCTIONS: dict[str, Callable]`, public name → function; each takes `ctx: StateContext`, then
  `name`, then the arguments of the state, and returns a `StateReturn`; `async def` or plain
  `def` (a plain one must not block: it runs on the event loop);
- optionally `MOD_WATCH: Callable`, called instead of the function when a watched state changed;
  it takes the same arguments plus `sfun`, the function's name;
- optionally `AWAITS: Callable[[function, name], Srn | None]`: the resource that a declaration cannot
  do without, so that it waits for whoever registers it in the same run;
- optionally `PROMISES: Callable[[function, name, arguments], Sequence[Srn]]`: the resources that a
  declaration will register.

A module of execution functions is `ensue.modules.<name>` with `FUNCTIONS`; each function takes
`ctx: FunctionContext`, then its own arguments, and returns data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_Function = TypeVar("_Function", bound="Callable[..., Any]")

TOUCHES_NOTHING: Final = "__ensue_touches_nothing__"
"""The mark that `touches_nothing` leaves."""


def touches_nothing(function: _Function) -> _Function:
    """Mark a plain state function that does nothing outside of this process.

    Nobody is told that it has begun, and its return may be written down a little later than others: should
    the process be killed meanwhile, there is nothing that is lost.
    """
    setattr(function, TOUCHES_NOTHING, True)
    return function


RENDERS: Final = "__ensue_renders__"
"""The mark that `renders` leaves."""


def renders(**texts: str) -> Callable[[_Function], _Function]:
    """Mark a state function that renders arguments of its own as templates.

    A value that a reference or a slot puts into such an argument is data: `ctx.render_template` inserts it
    after the rendering, as it is.

    Args:
        texts: an argument that is rendered, and the argument that names its renderer, as in
            `contents="template"`. When the latter is empty, nothing is rendered.
    """

    def marked(function: _Function) -> _Function:
        setattr(function, RENDERS, texts)
        return function

    return marked


TAKES_WORDS: Final = "__ensue_takes_words__"
"""The mark that `takes_words` leaves."""


def takes_words(function: _Function) -> _Function:
    """Mark a state function whose `name` is a command, and may be a list of words that no shell reads."""
    setattr(function, TAKES_WORDS, True)
    return function


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """What a state function accepts.

    Args:
        names: accepted argument names, `ctx` left out.
        required: those without a default, `name` left out (the compiler always gives it).
        accepts_any: whether it takes `**kwargs`.
        takes_words: whether its `name` may be a list of words.
        requisites: requisite words that hold for all its states, with the state functions that they mean.
    """

    names: frozenset[str]
    required: frozenset[str]
    accepts_any: bool
    takes_words: bool = False
    requisites: tuple[tuple[str, tuple[str, ...]], ...] = ()


class FunctionCatalog(Protocol):
    """What the compiler asks about state functions; the composition root answers."""

    def signature(self, module: str, function: str) -> Signature | None:
        """Return what a state function accepts, or None when there is no such function.

        Raises:
            PluginError: its module does not load.
            NotAvailableError: this machine has it, and the target does not.
        """
        ...

    def fanned_signature(self, module: str, function: str, target: str) -> Signature | None:
        """Return what a state function accepts for a declaration with a `tgt`.

        Args:
            module: the module.
            function: the function.
            target: the target as written.

        Raises:
            PluginError: its module does not load.
            NotAvailableError: the target is of one type, which does not offer it.
        """
        ...

    @property
    def hint(self) -> str:
        """What a user may do about a function that is nowhere, besides spelling it right."""
        ...

    def near(self, module: str, function: str) -> Sequence[str]:
        """Return names (`file.managed`) that a user may have meant, best first."""
        ...


class StateFunctions(Protocol):
    """The state functions of one target, as the engine calls them."""

    def state(self, module: str, function: str) -> Callable[..., Any]:
        """Return the function.

        Raises:
            NotAvailableError: the target's type does not offer it.
        """
        ...

    def mod_watch(self, module: str) -> Callable[..., Any] | None:
        """Return the module's `MOD_WATCH`, None when it has none."""
        ...
