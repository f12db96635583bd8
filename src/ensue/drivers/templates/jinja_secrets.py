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

from ensue.drivers.templates.jinja_printing import OWN, written_join
from ensue.model.secret_marks import (
    Secret,
    bracketed,
    computed,
    computed_in_place,
    holds_secret,
    secret,
    unbracketed,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ensue.model.printed_text import Written

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
        result = _attempted(call, (left, right), {})
        if isinstance(result, (list, tuple)):
            return result
        return (computed_in_place if operator == "+" and isinstance(result, str) else _computed)(
            result, call, (left, right)
        )

    def call_unop(self, context: Any, operator: str, arg: Any) -> Any:
        """Return the result of an operator."""
        base: Any = super()
        return computed(base.call_unop(context, operator, arg), (arg,))

    def getitem(self, obj: Any, argument: Any) -> Any:
        """Return an item: a secret of a secret, and where a secret says which."""
        return self._selected(super().getitem(obj, argument), (obj, argument))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """Return an attribute, of a secret number for instance."""
        return self._selected(super().getattr(obj, attribute), (obj, attribute))

    def call(self, context: Any, obj: Any, /, *args: Any, **options: Any) -> Any:
        """Return the result of a function."""
        base: Any = super()
        call = functools.partial(base.call, context, obj)
        if getattr(obj, OWN, False):
            return call(*args, **options)
        owner = getattr(obj, "__self__", None)
        operands = (owner, *args, *options.values())
        result = _attempted(call, args, options, operands)
        if isinstance(obj, _TEXTS_OF_THEIR_OWN) or obj in _MADE_OF_ARGUMENTS:
            return result
        if isinstance(owner, _CONTAINERS):
            return self._selected(result, operands)
        return computed(result, operands)

    def wrap_str_format(self, value: Any) -> Callable[..., str] | None:
        """Return the method `format` of a text, which computes with the text as well."""
        base: Any = super()
        filled = base.wrap_str_format(value)
        if filled is None:
            return None

        def tracked(*args: Any, **options: Any) -> str:
            operands = (value.__self__, *args, *options.values())
            text: str = computed(_attempted(filled, args, options, operands), operands)
            return text

        return tracked

    def _selected(self, result: Any, operands: Sequence[Any]) -> Any:
        """Return a part of something that may be secret itself; a member of data has its mark already."""
        if not any(isinstance(one, Secret) for one in operands):
            return result
        if isinstance(result, jinja2.Undefined):
            return self.undefined(_HIDDEN)
        return result if callable(result) else secret(result)


def tracking_filters(filters: Mapping[str, Callable[..., Any]]) -> dict[str, Callable[..., Any]]:
    """Return filters that track secrets."""
    return {name: _tracking(name, one) for name, one in filters.items()}


def _tracking(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(call)
    def tracking(*args: Any, **options: Any) -> Any:
        if name in _OPEN:
            return call(*args, **options)
        if name not in _HOLDS:
            # What is gone through once could otherwise not be looked at.
            args = tuple(list(one) if isinstance(one, Iterator) else one for one in args)
        operands = (*args, *options.values())
        result = _attempted(call, args, options, operands)
        if isinstance(result, jinja2.Undefined):
            return result
        if name in _HOLDS:
            return secret(result) if any(isinstance(one, Secret) for one in operands) else result
        if name in _KEEPS_TEXT and isinstance(result, str):
            return computed_in_place(result, _of_all(call, len(args), options), operands)
        return computed(result, operands)

    return tracking


def _of_all(call: Callable[..., Any], count: int, options: Iterable[str]) -> Callable[..., Any]:
    """Return a function that calls another with all operands by position."""
    return lambda *operands: call(*operands[:count], **dict(zip(options, operands[count:], strict=True)))


def _attempted(
    call: Callable[..., Any], args: Sequence[Any], options: Mapping[str, Any], operands: Sequence[Any] = ()
) -> Any:
    """Call something whose error may quote its operands.

    Raises:
        TemplateRuntimeError: it failed, and an operand is secret.
    """
    try:
        return call(*args, **options)
    except jinja2.UndefinedError:
        raise  # It names what an author wrote.
    except Exception:
        if any(map(holds_secret, operands or args)):
            raise jinja2.TemplateRuntimeError(_HIDDEN) from None
        raise


def _computed(result: Any, _call: Callable[..., Any], operands: Sequence[Any]) -> Any:
    return computed(result, operands)
