"""Go's date layouts, written as the reference time `Mon Jan 2 15:04:05 MST 2006`, and its durations.

Source: the documentation of Go's `time`.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Final

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.regex import StepBudget, compiled

if TYPE_CHECKING:
    from collections.abc import Callable

_ELEMENT: Final = re.compile(
    r"January|Jan|Monday|Mon|MST|2006|Z07:00:00|Z07:00|Z0700|Z07|-07:00:00|-07:00|-0700|-07"
    r"|002|01|02|03|04|05|06|15|PM|pm|_2|1|2|3|4|5|[.,]0+(?!\d)|[.,]9+(?!\d)"
)
_MONTHS: Final = (
    *("January", "February", "March", "April", "May", "June", "July"),
    *("August", "September", "October", "November", "December"),
)
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DURATION: Final = re.compile(r"(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)")
_NANOSECONDS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_FIRST_OF_CENTURY: Final = 69


def _hour(time: datetime) -> int:
    return time.hour % 12 or 12


def _offset(time: datetime, style: str) -> str:
    seconds = int((time.utcoffset() or timedelta()).total_seconds())
    if style.startswith("Z") and seconds == 0:
        return "Z"
    minutes = abs(seconds) // 60
    sign = "-" if seconds < 0 else "+"
    colon = ":" if ":" in style else ""
    tail = "" if style in {"Z07", "-07"} else f"{colon}{minutes % 60:02d}"
    return f"{sign}{minutes // 60:02d}{tail}"


def _mst(time: datetime) -> str:
    name = time.tzname() or "UTC"
    return _offset(time, "-0700") if name.startswith("UTC") and name != "UTC" else name


_WRITERS: Final[dict[str, Callable[[datetime], str]]] = {
    "January": lambda time: _MONTHS[time.month - 1],
    "Jan": lambda time: _MONTHS[time.month - 1][:3],
    "Monday": lambda time: _DAYS[time.weekday()],
    "Mon": lambda time: _DAYS[time.weekday()][:3],
    "MST": _mst,
    "2006": lambda time: f"{time.year:04d}",
    "06": lambda time: f"{time.year % 100:02d}",
    "01": lambda time: f"{time.month:02d}",
    "1": lambda time: str(time.month),
    "02": lambda time: f"{time.day:02d}",
    "_2": lambda time: f"{time.day:2d}",
    "2": lambda time: str(time.day),
    "002": lambda time: f"{time.timetuple().tm_yday:03d}",
    "15": lambda time: f"{time.hour:02d}",
    "03": lambda time: f"{_hour(time):02d}",
    "3": lambda time: str(_hour(time)),
    "04": lambda time: f"{time.minute:02d}",
    "4": lambda time: str(time.minute),
    "05": lambda time: f"{time.second:02d}",
    "5": lambda time: str(time.second),
    "PM": lambda time: "PM" if time.hour >= 12 else "AM",  # noqa: PLR2004 -- noon
    "pm": lambda time: "pm" if time.hour >= 12 else "am",  # noqa: PLR2004 -- noon
}


def written(time: datetime, layout: str) -> str:
    """Return a time in a layout.

    Args:
        time: the time, with its zone.
        layout: the reference time in the wanted format, such as `2006-01-02`.
    """

    def element(match: re.Match[str]) -> str:
        word = match[0]
        if word in _WRITERS:
            return _WRITERS[word](time)
        if word[0] in ".,":
            return _fraction(time, word, is_after_second=layout[: match.start()].endswith(("05", "5")))
        return _offset(time, word)

    return _ELEMENT.sub(element, layout)


def _fraction(time: datetime, word: str, *, is_after_second: bool) -> str:
    digits = f"{time.microsecond:06d}000"[: len(word) - 1].ljust(len(word) - 1, "0")
    if word[1] == "9":
        digits = digits.rstrip("0")
        return f"{word[0]}{digits}" if digits and is_after_second else ""
    return f"{word[0]}{digits}" if is_after_second else word


_PATTERNS: Final = {
    "January": "(?P<month_name>[A-Za-z]+)",
    "Jan": "(?P<month_name>[A-Za-z]{3})",
    "Monday": "(?:[A-Za-z]+day)",
    "Mon": "(?:[A-Za-z]{3})",
    "MST": "(?P<zone>[A-Z]{3,4})",
    "2006": r"(?P<year>\d{4})",
    "06": r"(?P<short_year>\d{2})",
    "01": r"(?P<month>\d{2})",
    "1": r"(?P<month>\d{1,2})",
    "02": r"(?P<day>\d{2})",
    "_2": r"[\t\n\f\r ]*(?P<day>\d{1,2})",
    "2": r"(?P<day>\d{1,2})",
    "002": r"(?P<day_of_year>\d{3})",
    "15": r"(?P<hour>\d{2})",
    "03": r"(?P<hour>\d{2})",
    "3": r"(?P<hour>\d{1,2})",
    "04": r"(?P<minute>\d{2})",
    "4": r"(?P<minute>\d{1,2})",
    "05": r"(?P<second>\d{2})(?:[.,](?P<fraction>\d+))?",
    "5": r"(?P<second>\d{1,2})(?:[.,](?P<fraction>\d+))?",
    "PM": "(?P<half>AM|PM)",
    "pm": "(?P<half>am|pm)",
}


def read(text: str, layout: str) -> datetime:
    """Parse a time in a layout; it is in UTC if the text names no zone.

    Args:
        text: the text.
        layout: the reference time in the format of the text.

    Raises:
        CallError: the text is not in the layout, or there is no such time.
    """
    match = compiled(rf"\A(?:{_pattern(layout)})\z").search(text, StepBudget())
    problem = f"{text!r} is not a time in the layout {layout!r}"
    if match is None:
        raise CallError(problem, help="A layout is how `Mon Jan 2 15:04:05 MST 2006` would be written")
    try:
        return _time(match.by_name())
    except (ValueError, OverflowError) as error:
        raise CallError(f"{problem}: {error}") from None


def _pattern(layout: str) -> str:
    parts: list[str] = []
    names: set[str] = set()
    end = 0
    for match in _ELEMENT.finditer(layout):
        parts.append(re.escape(layout[end : match.start()]))
        word = match[0]
        pattern = _PATTERNS.get(word) or (
            r"(?:[.,]\d+)?" if word[0] in ".," else r"(?P<offset>Z|[+-]\d{2}:?(?:\d{2})?)"
        )
        for name in re.findall(r"\?P<(\w+)>", pattern):
            if name in names:
                pattern = pattern.replace(f"?P<{name}>", "?:")
            names.add(name)
        if word[0] in ".," and parts and "fraction" in parts[-2 if not parts[-1] else -1]:
            pattern = ""
        parts.append(pattern)
        end = match.end()
    return "".join(parts) + re.escape(layout[end:])


def _time(values: dict[str, str]) -> datetime:
    year = int(values.get("year", "0"))
    if "short_year" in values:
        short = int(values["short_year"])
        year = short + (1900 if short >= _FIRST_OF_CENTURY else 2000)
    month = int(values.get("month", "1"))
    if "month_name" in values:
        month = [name[: len(values["month_name"])].lower() for name in _MONTHS].index(
            values["month_name"].lower()
        ) + 1
    hour = int(values.get("hour", "0"))
    if "half" in values:
        hour = hour % 12 + (12 if values["half"].upper() == "PM" else 0)
    time = datetime(
        max(year, 1),
        month,
        int(values.get("day", "1")),
        hour,
        int(values.get("minute", "0")),
        int(values.get("second", "0")),
        int(values.get("fraction", "0")[:6].ljust(6, "0")),
        tzinfo=_zone(values.get("offset", "Z")),
    )
    if "day_of_year" in values:
        time = time.replace(month=1, day=1) + timedelta(days=int(values["day_of_year"]) - 1)
    return time


def _zone(offset: str) -> timezone:
    if offset == "Z":
        return UTC
    digits = offset[1:].replace(":", "").ljust(4, "0")
    span = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-span if offset[0] == "-" else span) if span else UTC


def duration_ns(text: str) -> int | None:
    """Return a duration such as `1h30m` in nanoseconds, None if the text is not a duration.

    Args:
        text: numbers with the units `h`, `m`, `s`, `ms`, `us` and `ns`, with or without a sign.
    """
    body = text.lstrip("+-") if text[:1] in {"+", "-"} else text
    if body == "0":
        return 0
    if not re.fullmatch(f"(?:{_DURATION.pattern})+", body):
        return None
    total = sum(round(float(amount) * _NANOSECONDS[unit]) for amount, unit in _DURATION.findall(body))
    return -total if text.startswith("-") else total


def duration_text(nanoseconds: int) -> str:
    """Return a duration as Go prints it, such as `1h1m1s`."""
    sign = "-" if nanoseconds < 0 else ""
    total = abs(nanoseconds)
    if total == 0:
        return "0s"
    if total < _NANOSECONDS["s"]:
        unit = "ms" if total >= _NANOSECONDS["ms"] else "µs" if total >= _NANOSECONDS["us"] else "ns"
        return f"{sign}{_decimal(total, _NANOSECONDS[unit])}{unit}"
    minutes, rest = divmod(total, _NANOSECONDS["m"])
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(rest, _NANOSECONDS['s'])}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else sign + text


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    digits = str(rest).rjust(len(str(unit)) - 1, "0").rstrip("0")
    return f"{whole}.{digits}" if digits else str(whole)
