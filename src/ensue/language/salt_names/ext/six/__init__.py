"""`salt.ext.six`: common names for Python 2 and 3, with their meaning in Python 3."""

from __future__ import annotations

import io
from typing import Any, Final

from ensue.language.salt_names.absent import not_there

PY2: Final = False
PY3: Final = True
string_types: Final = (str,)
integer_types: Final = (int,)
text_type: Final = str
binary_type: Final = bytes
class_types: Final = (type,)
StringIO: Final = io.StringIO
BytesIO: Final = io.BytesIO


def iteritems(d: Any, **kwargs: Any) -> Any:
    """Return an iterator over the items of a mapping."""
    return iter(d.items(**kwargs))


def iterkeys(d: Any, **kwargs: Any) -> Any:
    """Return an iterator over the keys of a mapping."""
    return iter(d.keys(**kwargs))


def itervalues(d: Any, **kwargs: Any) -> Any:
    """Return an iterator over the values of a mapping."""
    return iter(d.values(**kwargs))


def ensure_str(s: Any, encoding: str = "utf-8", errors: str = "strict") -> str:
    """Return bytes as text."""
    return s.decode(encoding, errors) if isinstance(s, bytes) else str(s)


ensure_text = ensure_str


def b(s: str) -> bytes:
    """Return a text as bytes."""
    return s.encode("latin-1")


def u(s: str) -> str:
    """Return a text."""
    return s


def reraise(tp: Any, value: BaseException | None, tb: Any = None) -> None:
    """Raise an exception with the traceback of another."""
    raise (tp() if value is None else value).with_traceback(tb)


def raise_from(value: BaseException, from_value: BaseException | None) -> None:
    """Raise an exception because of another."""
    raise value from from_value


def with_metaclass(meta: Any, *bases: type) -> Any:
    """Return a base class with a metaclass."""
    return meta("temporary_class", bases, {})


def add_metaclass(metaclass: Any) -> Any:
    """Return a class decorator that recreates the class with a metaclass."""

    def decorate(made: type) -> Any:
        own = {name: value for name, value in vars(made).items() if name not in {"__dict__", "__weakref__"}}
        return metaclass(made.__name__, made.__bases__, own)

    return decorate


__getattr__ = not_there(__name__)
