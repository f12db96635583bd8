"""Tracks secrets through the operations of a Jinja template: what is computed from one is one, too.

Jinja has a hook for nearly every operation: operators, calls, filters, items and attributes. Slices and `~`
have none, so the syntax tree is changed (`jinja_printing`). In what is printed, brackets are around secrets,
because Jinja turns it into ordinary text.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Final

import jinja2
from jinja2.runtime import BlockReference, LoopContext, Macro
from jinja2.utils import Cycler, Joiner, Namespace

from ensue.core.model.secret_marks import (
    Secret,
    bracketed,
    computed,
    computed_in_place,
    holds_secret,
    secret,
    unbracketed,
)
from ensue.deploy.drivers.templates.jinja_printing import OWN, written_join

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.core.model.printed_text import Written

_HIDDEN: Final = "an operation with a secret failed, so that the reason is not shown"

_HOLDS: Final = frozenset(
    {
        *("attr", "batch", "d", "default", "dictsort", "first", "groupby", "items", "last", "list", "map"),
        *("max", "min", "reject", "rejectattr", "reverse", "select", "selectattr", "slice", "sort", "unique"),
    }
)
"""The filters whose result consists of members of their value, with their marks."""

_OPEN: Final = frozenset({"count", "length"})
"""The filters that say only how long something is."""

_KEEPS_TEXT: Final = frozenset({"indent", "join", "string", "trim"})
"""The filters that put texts one after another or change only their margins."""

_TEXTS_OF_THEIR_OWN: Final = (BlockReference, LoopContext, Macro)
"""What prints a text in which every value has its mark already."""

_OF_JINJA: Final = ("_loop_vars", "_block_vars")
"""What Jinja itself adds to the arguments of each call: all variables of the loop and the block around it."""

_CONTAINERS: Final = (dict, list, tuple, set, frozenset, Cycler, Joiner)
_MADE_OF_ARGUMENTS: Final = (dict, Namespace, Cycler, Joiner)


class TrackingEnvironment(jinja2.Environment):
    """The part of an environment that tracks secrets; it comes before a sandboxed environment."""

    intercepted_binops: ClassVar[frozenset[str]] = frozenset({"//", "%", "+", "*", "-", "/", "**"})
    intercepted_unops: ClassVar[frozenset[str]] = frozenset({"+", "-"})

    @staticmethod
    def concat(pieces: Iterable[str]) -> Written:
        """Return the text that consists of pieces of printed text, marked where it is secret."""
        # What a block's filter or a macro returns is marked itself.
        text: Any = unbracketed(written_join(map(bracketed, pieces)))
        written: Written = text
        return written

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        """Return the result of an operator; lists keep the marks of their items."""
        base: Any = super()
        call = functools.partial(base.call_binop, context, operator)
        if not _are_concerned((left, right)):
            return call(left, right)
        result = _attempted(call, (left, right))
        if isinstance(result, (list, tuple)):
            return result  # pyright: ignore[reportUnknownVariableType] # of anything
        if operator == "+" and isinstance(result, str):
            return computed_in_place(result, call, (left, right))
        return computed(result, (left, right))

    def call_unop(self, context: Any, operator: str, arg: Any) -> Any:
        """Return the result of an operator."""
        base: Any = super()
        return computed(base.call_unop(context, operator, arg), (arg,))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item: a secret of a secret, and where a secret says which."""
        item = super().getitem(obj, argument)
        return self._part(item) if isinstance(obj, Secret) or isinstance(argument, Secret) else item

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute, of a secret number for instance."""
        value = super().getattr(obj, attribute)
        return self._part(value) if isinstance(obj, Secret) else value

    def call(self, context: Any, obj: Any, /, *args: Any, **options: Any) -> Any:
        """Return the result of a function."""
        if getattr(obj, OWN, False):
            return obj(*args)
        base: Any = super()
        owner = getattr(obj, "__self__", None)
        operands = (owner, *args, *(option for name, option in options.items() if name not in _OF_JINJA))
        if not _are_concerned(operands):
            return base.call(context, obj, *args, **options)
        result = _attempted(functools.partial(base.call, context, obj, **options), args, operands)
        if isinstance(obj, _TEXTS_OF_THEIR_OWN) or any(obj is maker for maker in _MADE_OF_ARGUMENTS):
            return result
        if isinstance(owner, _CONTAINERS):
            return self._part(result) if any(isinstance(operand, Secret) for operand in operands) else result
        return computed(result, operands)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return the method `format` of a text, which computes with the text as well."""
        base: Any = super()
        filled = base.wrap_str_format(value)
        if filled is None:
            return None

        def tracked(*args: Any, **options: Any) -> str:
            operands = (value.__self__, *args, *options.values())
            text = _attempted(functools.partial(filled, **options), args, operands)
            marked: str = computed(text, operands)
            return marked

        return tracked

    def _part(self, value: Any) -> Any:
        """Return a part of a secret, or one that a secret selects."""
        return self.undefined(_HIDDEN) if isinstance(value, jinja2.Undefined) else _secret_part(value)


def tracking_filters(filters: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return filters that track secrets."""
    return {name: call if name in _OPEN else _tracking(name, call) for name, call in filters.items()}


def _tracking(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    holds, keeps_text = name in _HOLDS, name in _KEEPS_TEXT

    @functools.wraps(call)
    def tracking(*args: Any, **options: Any) -> Any:
        operands = (*args, *options.values())
        if not _are_concerned(operands):
            return call(*args, **options)
        if not holds:
            # What is gone through once could otherwise not be looked at.
            args = tuple(map(_kept, args))
            operands = (*args, *options.values())
        result = _attempted(functools.partial(call, **options), args, operands)
        if holds:
            return (
                _secret_part(result) if any(isinstance(operand, Secret) for operand in operands) else result
            )
        if keeps_text and isinstance(result, str):
            return computed_in_place(result, _of_all(call, len(args), options), operands)
        return computed(result, operands)

    return tracking


def _are_concerned(operands: Iterable[Any]) -> bool:
    """Return whether an operand is secret, or cannot be looked at without being used up."""
    return any(holds_secret(operand) or isinstance(operand, Iterator) for operand in operands)


def _kept(value: Any) -> Any:
    return list(value) if isinstance(value, Iterator) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] # of anything


def _secret_part(value: Any) -> Any:
    """Return a part of a secret as one; a method of it computes with it when it is called."""
    return value if callable(value) or isinstance(value, jinja2.Undefined) else secret(value)


def _of_all(call: Callable[..., Any], count: int, options: Iterable[str]) -> Callable[..., Any]:
    """Return a function that calls another with all operands by position."""
    return lambda *operands: call(*operands[:count], **dict(zip(options, operands[count:], strict=True)))


def _attempted(call: Callable[..., Any], args: Sequence[Any], operands: Sequence[Any] = ()) -> Any:
    """Call something whose error may quote its operands.

    Raises:
        TemplateRuntimeError: it failed, and an operand is secret.
    """
    try:
        return call(*args)
    except jinja2.UndefinedError:
        raise  # It names what an author wrote.
    except Exception:
        if any(map(holds_secret, operands or args)):
            raise jinja2.TemplateRuntimeError(_HIDDEN) from None
        raise
