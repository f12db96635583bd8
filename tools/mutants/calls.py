"""Which tests call which functions of the product: plug-ins for pytest that record it and run chosen tests.

What a test does in processes of its own is not seen.
"""

from __future__ import annotations

import sys
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path
    from types import FrameType

Call: TypeAlias = tuple[str, str]
"""A module below `src` and the qualified name of a function in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What one test did.

    Attributes:
        duration_s: How long it took, with its fixtures.
        calls: The functions of the product that it called.
    """

    duration_s: float
    calls: frozenset[Call]


@dataclass(slots=True, kw_only=True)
class Recorder:
    """A plug-in that records the calls of each test that passes.

    Attributes:
        source: The folder that holds `ensue`.
        tests: What was recorded, by node id.
    """

    source: Path
    tests: dict[str, Recorded] = field(default_factory=dict[str, Recorded])
    _calls: set[Call] = field(default_factory=set[Call])
    _paths: dict[str, str | None] = field(default_factory=dict[str, str | None])

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        """Record the calls of one test."""
        failed_before = item.session.testsfailed
        self._calls = set()
        began = time.monotonic()
        threading.settrace(self._trace)
        sys.settrace(self._trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            if item.session.testsfailed == failed_before:
                duration_s = time.monotonic() - began
                self.tests[item.nodeid] = Recorded(duration_s=duration_s, calls=frozenset(self._calls))

    def _trace(self, frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG002 # Python's signature
        # It returns nothing, so Python reports calls alone and no lines.
        path = self._path(frame.f_code.co_filename)
        if path is not None:
            self._calls.add((path, frame.f_code.co_qualname))

    def _path(self, filename: str) -> str | None:
        if filename not in self._paths:
            inside = filename.startswith(f"{self.source}/ensue/")
            self._paths[filename] = filename.removeprefix(f"{self.source}/") if inside else None
        return self._paths[filename]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A plug-in that runs chosen tests in a chosen order.

    Attributes:
        tests: Their node ids, first to last.
    """

    tests: Sequence[str]

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave the chosen tests alone."""
        places = {test: place for place, test in enumerate(self.tests)}
        items[:] = sorted(
            (item for item in items if item.nodeid in places), key=lambda item: places[item.nodeid]
        )
