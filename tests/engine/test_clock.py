"""The real clock."""

from __future__ import annotations

import datetime as dt
import re
import time

from ensue.core.contracts.system_clock import SystemClock


def test_the_time_of_day_is_that_of_this_place() -> None:
    """Hours to microseconds, local, each with all its digits, and not before or after it is asked for."""
    clock = SystemClock()
    for _ in range(1000):
        before = dt.datetime.now().astimezone()
        shown = clock.time_of_day()
        after = dt.datetime.now().astimezone()
        assert re.fullmatch(r"\d\d:\d\d:\d\d\.\d{6}", shown)
        moment = dt.datetime.combine(before.date(), dt.time.fromisoformat(shown), before.tzinfo)
        late = dt.timedelta(days=1) if moment < before - dt.timedelta(hours=1) else dt.timedelta()
        assert before <= moment + late <= after


def test_monotonic_time_is_the_finest_there_is() -> None:
    """Durations are measured with `perf_counter`."""
    before = time.perf_counter()
    assert before <= SystemClock().monotonic() <= time.perf_counter()
