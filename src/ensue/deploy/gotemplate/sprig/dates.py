"""Dates and durations. The local time zone of a template is always UTC.

Source: Sprig's documentation, "Date Functions".
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import TYPE_CHECKING, Any, Final

from ensue.deploy.gotemplate import date_layout
from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.sprig.numeric import integer_of
from ensue.deploy.gotemplate.values import GoObject, Int64

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.deploy.gotemplate.surroundings import RenderingServices

_NS: Final = 10**9
_ROUNDS: Final = (("y", 365 * 86400), ("mo", 30 * 86400), ("d", 86400), ("h", 3600), ("m", 60), ("s", 1))
_NO_TIME: Final = datetime(1, 1, 1, tzinfo=UTC)


class GoTime(GoObject):
    """A point in time.

    Args:
        value: the time, with its zone.
    """

    type_name = "time.Time"

    def __init__(self, value: datetime) -> None:
        self.value = value

    def __str__(self) -> str:
        return date_layout.written(self.value, "2006-01-02 15:04:05.999999999 -0700 MST")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GoTime) and self.value == other.value

    def __hash__(self) -> int:
        return hash(self.value)

    @property
    def json_value(self) -> str:
        """The time for JSON, in RFC 3339."""
        return date_layout.written(self.value, "2006-01-02T15:04:05.999999999Z07:00")

    def field(self, name: str, arguments: list[Any]) -> Any:
        """Return the result of a method; `Format` takes a layout."""
        if name == "Format" and len(arguments) == 1 and isinstance(arguments[0], str):
            return date_layout.written(self.value, arguments[0])
        fields: dict[str, Any] = {
            "Year": self.value.year,
            "Month": date_layout.written(self.value, "January"),
            "Day": self.value.day,
            "Hour": self.value.hour,
            "Minute": self.value.minute,
            "Second": self.value.second,
            "Nanosecond": self.value.microsecond * 1000,
            "YearDay": self.value.timetuple().tm_yday,
            "Weekday": date_layout.written(self.value, "Monday"),
            "Unix": _unix(self.value),
            "String": str(self),
            "IsZero": self.value == _NO_TIME,
        }
        if name == "UTC":
            return GoTime(self.value.astimezone(UTC))
        if name not in fields or arguments:
            return super().field(name, arguments)
        return fields[name]


def _unix(time: datetime) -> Int64:
    return Int64((time - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1))


def _time_of(surroundings: RenderingServices, value: Any) -> datetime:
    if isinstance(value, GoTime):
        return value.value
    if isinstance(value, int) and not isinstance(value, bool):
        return datetime.fromtimestamp(value, UTC)
    return surroundings.now()


def _date(surroundings: RenderingServices, layout: str, value: Any) -> str:
    return date_layout.written(_time_of(surroundings, value).astimezone(UTC), layout)


def _date_in_zone(surroundings: RenderingServices, layout: str, value: Any, zone: str) -> str:
    return date_layout.written(_time_of(surroundings, value).astimezone(_zone(zone)), layout)


def _zone(name: str) -> tzinfo:
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

    try:
        return UTC if name in {"", "UTC", "Local"} else ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return UTC


def _html_date_in_zone(surroundings: RenderingServices, value: Any, zone: str) -> str:
    return _date_in_zone(surroundings, "2006-01-02", value, zone)


def _modified(change: str, time: Any) -> GoTime:
    nanoseconds = date_layout.duration_ns(change)
    if nanoseconds is None:
        raise CallError(f"{change!r} is not a duration", help="Write `24h` or `-1h30m`")
    return GoTime(_checked(time).value + timedelta(microseconds=nanoseconds // 1000))


def _modified_if_valid(change: str, time: Any) -> GoTime:
    return _checked(time) if date_layout.duration_ns(change) is None else _modified(change, time)


def _checked(value: Any) -> GoTime:
    if isinstance(value, GoTime):
        return value
    raise CallError("this is not a date", help="Make one with `toDate` or `now`")


def _to_date(layout: str, text: str) -> GoTime:
    return GoTime(date_layout.read(text, layout))


def _to_date_or_none(layout: str, text: str) -> GoTime:
    try:
        return _to_date(layout, text)
    except CallError:
        return GoTime(_NO_TIME)


def _ago(surroundings: RenderingServices, value: Any) -> str:
    passed = surroundings.now() - _time_of(surroundings, value)
    return date_layout.duration_text(round(passed.total_seconds()) * _NS)


def _duration(value: Any) -> str:
    return date_layout.duration_text((0 if isinstance(value, float) else integer_of(value)) * _NS)


def _duration_round(surroundings: RenderingServices, value: Any) -> str:
    if isinstance(value, GoTime):
        seconds = int((surroundings.now() - value.value).total_seconds())
    elif isinstance(value, str):
        seconds = abs(date_layout.duration_ns(value) or 0) // _NS
    else:
        seconds = abs(integer_of(value)) // _NS
    for unit, length in _ROUNDS:
        if abs(seconds) > length or (unit == "s" and seconds):
            return f"{abs(seconds) // length}{unit}"
    return "0s"


DATE_FUNCTIONS: Final[Mapping[str, Function]] = {
    "ago": function(_ago, "@a"),
    "date": function(_date, "@sa"),
    "dateInZone": function(_date_in_zone, "@sas"),
    "dateModify": function(_modified_if_valid, "sa"),
    "date_in_zone": function(_date_in_zone, "@sas"),
    "date_modify": function(_modified_if_valid, "sa"),
    "duration": function(_duration, "a"),
    "durationRound": function(_duration_round, "@a"),
    "htmlDate": function(lambda surroundings, value: _date(surroundings, "2006-01-02", value), "@a"),
    "htmlDateInZone": function(_html_date_in_zone, "@as"),
    "mustDateModify": function(_modified, "sa"),
    "must_date_modify": function(_modified, "sa"),
    "mustToDate": function(_to_date, "ss"),
    "now": function(lambda surroundings: GoTime(surroundings.now().astimezone(UTC)), "@"),
    "toDate": function(_to_date_or_none, "ss"),
    "unixEpoch": function(lambda value: str(int(_unix(_checked(value).value))), "a"),
}
"""The functions by name."""
