"""State functions and execution functions as the engine and the compiler see them.

A module of state functions is a Python module `ensue.library.states.<name>` (dots allowed) with

- `FUNCTIONS: dict[str, Callable]`, public name → function (`by_name` makes it); each takes
  `ctx: StateContext`, then `name`, then the arguments of the state, and returns a `StateReturn`; `async def`
  or plain `def` (a plain one must not block: it runs on the event loop);
- optionally `MOD_WATCH: Callable`, called instead of the function when a watched state changed;
  it takes the same arguments plus `sfun`, the function's name;
- optionally `AWAITS: Callable[[function, name], Srn | None]`: the resource that a declaration requires;
  the declaration waits for the state that registers this resource in the same run;
- optionally `PROMISES: Callable[[function, name, arguments], Sequence[Srn]]`: the resources that a
  declaration will register;
- optionally `OF_ONE_CALL: Mapping[function, Collection[str]]`: the properties of its `new_state` that say
  what one call did, not what there is, such as a count of changes; a new value is not drift;
- optionally `SECRETS: Callable[[function, arguments], Collection[str]]`: the property paths into `new_state`
  that the arguments declare as secret; if the state is skipped and what an earlier apply stored is read, they
  are secret there, too;
- optionally `QUERIES: Collection[function]`: the functions whose `new_state` is the output of one call, not a
  thing that anybody manages; another value is an output that differs, not drift that somebody caused;
- optionally `THINGS: Callable[[Return], Collection[str]]`: the names of what a state is about, such as the
  packages of a list; none: its own name. States about one thing undo each other;
- optionally `REMOVES: Callable[[Return], Collection[str]]`: the names of what a state that makes something
  else has removed, or in a plan would, such as the files that `clean` removes from a folder;
- optionally `ABSENT: Sequence[function]`: the functions that make something absent, first the one that
  removes what the others make; or `Mapping[function, function]`: what removes what a function makes, for
  those of which something does; default: `absent`;
- optionally `STILL_EXISTS: Callable[[Connection, name], Awaitable[bool]]`: whether what a state of a name
  made is still there, by one look; a thing that is gone is not reported as no longer declared;
- optionally `KEPT_BY_NAME = True`: it finds what a state made by the name of the state, a label that somebody
  may change; the warning about a state that is no longer declared then says how to keep the name.

A module of execution functions is `ensue.library.modules.<name>` with `FUNCTIONS`; each function takes
`ctx: FunctionContext`, then its own arguments, and returns data.

The docstring of a function documents its arguments below `Args:`, except for `ctx`, which the engine passes.
An argument of several functions may be documented once, in the docstring of their module or of its package.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import msgspec

from ensue.core.contracts.signature import WrittenText

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from ensue.core.contracts.signature import Signature

_Function = TypeVar("_Function", bound="Callable[..., Any]")


def by_name(
    *functions: Callable[..., Any] | Mapping[str, Callable[..., Any]],
    make_only: Collection[str] | None = None,
    **renamed: Callable[..., Any],
) -> dict[str, Callable[..., Any]]:
    """Return the functions that a module offers (`FUNCTIONS`), by public name.

    Args:
        functions: functions, each under its own name without a trailing underscore (`set_` is `set`); and
            functions that are already by name, such as those of a submodule.
        make_only: what all of them make at most, as `makes_only` says it for a single function.
        renamed: functions under another name than their own.
    """
    named: dict[str, Callable[..., Any]] = {}
    for part in functions:
        named |= {part.__name__.rstrip("_"): part} if callable(part) else part
    named |= renamed
    if make_only is not None:
        named = {name: makes_only(*make_only)(function) for name, function in named.items()}
    return named


def _marking(attribute: str, value: object) -> Callable[[_Function], _Function]:
    """Return what marks a function with an attribute."""

    def marked(function: _Function) -> _Function:
        setattr(function, attribute, value)
        return function

    return marked


_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
TOUCHES_NOTHING: Final = "__ensue_touches_nothing__"
"""The attribute that `touches_nothing` sets."""


def touches_nothing(function: _Function) -> _Function:
    """Mark a state function that changes nothing outside of this process.

    Its start is not announced, and its return may be written a little later than others: if the process is
    killed in the meantime, the function is called again and nothing is lost.
    """
    setattr(function, TOUCHES_NOTHING, True)
    return function


MAKES_ONLY: Final = "__ensue_makes_only__"
"""The attribute that `makes_only` sets."""


def makes_only(*made: str) -> Callable[[_Function], _Function]:
    """Mark a state function that makes no other path, user or group on its target.

    In a plan, a later state whose folder or owner is missing fails unless an earlier state may make it. A
    function without this mark may make anything; one that touches nothing makes nothing.

    Args:
        made: `name`, for what its `name` names, with what is below that path; an argument, for the path that
            it has; `paths`, for paths that no argument tells, such as the home of a user.
    """
    return _marking(MAKES_ONLY, frozenset(made))


def made_by(function: Callable[..., Any]) -> frozenset[str] | None:
    """Return what a state function makes at most, in the words of `makes_only`; None: anything."""
    made: frozenset[str] | None = getattr(function, MAKES_ONLY, None)
    return frozenset() if getattr(function, TOUCHES_NOTHING, False) else made


READS_PATHS: Final = "__ensue_reads_paths__"
"""The attribute that `reads_paths` sets."""


class ReadPaths(msgspec.Struct, frozen=True):
    """The paths on its target that a state function looks at, beside its `name`.

    Args:
        arguments: the arguments that are such paths.
        below: the arguments with which it looks at everything below its `name`, too.
        always_below: whether it always does.
    """

    arguments: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    always_below: bool = False

    def looks_below(self, arguments: Mapping[str, Any]) -> bool:
        """Return whether a call looks at what is below its `name`."""
        return self.always_below or any(arguments.get(word) for word in self.below)


def reads_paths(
    *arguments: str, below: tuple[str, ...] = (), always_below: bool = False
) -> Callable[[_Function], _Function]:
    """Mark a state function whose result depends on more paths of its target than its `name`.

    In a plan, its result is known after apply if an earlier state would change one of them.

    Args:
        arguments: the arguments that are such paths.
        below: the arguments with which it looks at everything below its `name`, too.
        always_below: whether it always does.
    """
    return _marking(READS_PATHS, ReadPaths(arguments, below, always_below))


EDITS_PART: Final = "__ensue_edits_part__"
"""The attribute that `edits_part` sets."""


def edits_part(function: _Function) -> _Function:
    """Mark a state function that changes a part of the file at its `name` and leaves the rest alone.

    In a plan, its result does not depend on other edits of the same file, unless it is also marked with
    `reads_paths("name")`: then it reads all of the file, as it is now.
    """
    setattr(function, EDITS_PART, True)
    return function


WRITES_TEXT: Final = "__ensue_writes_text__"
"""The attribute that `writes_text` sets."""


def writes_text(*arguments: str, whole: tuple[str, ...] = ()) -> Callable[[_Function], _Function]:
    """Mark a state function that writes some of its arguments into a file.

    A boolean, null or a fraction for one of these arguments is warned of, since its text is another one than
    in the SLS; so is a state that edits a file whose whole content another one writes.

    Args:
        arguments: those that are written as text.
        whole: those of which each is the whole content of the file at its `name`, unless it has
            `replace: false`.
    """
    return _marking(WRITES_TEXT, WrittenText(arguments, whole))


KEEPS_INTENT: Final = "__ensue_keeps_intent__"
"""The attribute that `keeps_intent` sets."""


def keeps_intent(function: _Function) -> _Function:
    """Mark a state function that stores what it is about to do before it does it.

    A resource of a deployment has a record in the store before its driver is called. So the call does not
    wait until its start is in the journal of the run: it is written meanwhile.
    """
    setattr(function, KEEPS_INTENT, True)
    return function


RENDERS: Final = "__ensue_renders__"
"""The attribute that `renders` sets."""


def renders(**texts: str) -> Callable[[_Function], _Function]:
    """Mark a state function that renders some of its arguments as templates.

    A value that a reference or a slot puts into such an argument is data: `ctx.render_template` inserts it
    unchanged after the rendering.

    Args:
        texts: an argument that is rendered, and the argument that names its renderer, as in
            `contents="template"`. When the latter is empty, nothing is rendered.
    """
    return _marking(RENDERS, texts)


TAKES_WORDS: Final = "__ensue_takes_words__"
"""The attribute that `takes_words` sets."""


def takes_words(function: _Function) -> _Function:
    """Mark a state function whose `name` is a command, and may be a list of words that no shell reads."""
    setattr(function, TAKES_WORDS, True)
    return function


ALSO_TAKES: Final = "__ensue_also_takes__"
"""The attribute that `also_takes` sets."""


class AlsoTakes(msgspec.Struct, frozen=True):
    """How a state function treats its `**kwargs`.

    Args:
        names: the arguments that it accepts.
        others_with: an argument with which all others are accepted, too.
        outdated: arguments of earlier releases of Salt that have no effect today, each with its successor.
        passes_others: whether it passes all others on.
    """

    names: frozenset[str]
    others_with: str
    outdated: Mapping[str, str]
    passes_others: bool


def also_takes(
    *names: str,
    others_with: str = "",
    outdated: Mapping[str, str] | None = None,
    passes_others: bool = False,
) -> Callable[[_Function], _Function]:
    """Mark a state function with `**kwargs` that knows which arguments these may be: all others are refused.

    Args:
        names: the arguments, in addition to those of its signature.
        others_with: an argument with which all others are accepted: with `template` they are its variables.
        outdated: arguments that have no effect, which a warning reports; each with its successor, or an
            empty text.
        passes_others: all others are passed on; only near misses of these names are refused.
    """
    taken = AlsoTakes(frozenset(names), others_with, outdated or _NOTHING, passes_others)
    return _marking(ALSO_TAKES, taken)


class FunctionCatalog(Protocol):
    """What the compiler needs to know about state functions."""

    def signature(self, module: str, function: str) -> Signature | None:
        """Return what a state function accepts, or None when there is no such function.

        Raises:
            PluginError: its module does not load.
            NotAvailableError: this machine offers the function, and the target does not.
        """
        ...

    def new_state_keys(self, module: str, function: str) -> Collection[str]:
        """Return the keys that the `new_state` of a function of ensue may have; none if they are not known.

        A key in angle brackets means any number of keys.
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

    def mod_watch(self, module: str) -> Callable[..., Any] | None:
        """Return the module's `MOD_WATCH`, None when it has none."""
        ...

    @property
    def hint(self) -> str:
        """Return a remedy for an unknown function, other than to correct its spelling."""
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
