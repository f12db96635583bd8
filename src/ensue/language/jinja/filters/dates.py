"""The filter `strftime` (`date_format`): formats a date.

Salt reads everything that PHP's `strtotime` reads, including relative words (`next Monday`). ensue reads the
usual forms of dates: ISO 8601, `2002/12/25`, `25.12.2002`, `25 December 2002`, `Dec 25, 2002`, RFC 2822,
seconds since 1970, and `now`, `today`, `tomorrow`, `yesterday`.

Source: Salt's `dateutils`, 3008; results measured there, code our own.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from jinja2 import TemplateRuntimeError

from ensue.language.jinja.filters.kinds import not_folded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_DATES: Final = (
    "%Y/%m/%d", "%d.%m.%Y", "%d-%m-%Y", "%m/%d/%Y", "%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y",
)  # fmt: skip
_TIMES: Final = ("", " %H:%M", " %H:%M:%S")
_DAYS: Final = {"today": 0, "midnight": 0, "tomorrow": 1, "yesterday": -1}


def strftime(value: Any = None, format: str = "%Y-%m-%d") -> str:  # noqa: A002 (Salt's name)
    """Return a date in a format of Python's `strftime`.

    Args:
        value: a date as text, seconds since 1970, a datetime; None is now.
        format: the format.

    Raises:
        TemplateRuntimeError: it cannot be read as a date.
    """
    return _moment(value).strftime(format)


def _moment(value: Any) -> datetime:
    if value is None:
        return _now()
    if isinstance(value, datetime):
        return value
    if isinstance(value, str):
        return _read(value.strip())
    if isinstance(value, (int, float)):
        return _at(value)
    return _refuse(value)


def _read(text: str) -> datetime:
    if text.lower() == "now":
        return _now()
    if text.lower() in _DAYS:
        midnight = _now().replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight + timedelta(days=_DAYS[text.lower()])
    for read in (_seconds, datetime.fromisoformat, _written, _mailed):
        try:
            return read(text)
        except ValueError:
            continue
    return _refuse(text)


def _seconds(text: str) -> datetime:
    return _at(float(text))


def _written(text: str) -> datetime:
    for date in _DATES:
        for time in _TIMES:
            try:
                return datetime.strptime(text, date + time)  # noqa: DTZ007 (a date without a zone is local)
            except ValueError:
                continue
    raise ValueError(text)


def _mailed(text: str) -> datetime:
    from email.utils import parsedate_to_datetime

    return parsedate_to_datetime(text)


def _at(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC).astimezone()


def _now() -> datetime:
    return datetime.now(UTC).astimezone()


def _refuse(value: Any) -> datetime:
    raise TemplateRuntimeError(f"strftime: {value!r} cannot be read as a date; write for example 2002-12-25")


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "date_format": not_folded(strftime),
    "strftime": not_folded(strftime),
}
"""Filters by the name that templates use."""
