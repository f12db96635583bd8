"""Registries in a folder of their own, with a clock that only the test moves."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import pytest

from ensue.store.registry.registry import ResourceRegistry
from ensue.store.registry.vault import ProjectVault

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Clock:
    """Wall time in seconds, moved by hand."""

    def __init__(self) -> None:
        self.now_s = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now_s


class MakeRegistry(Protocol):
    def __call__(self, *, key: str | None = None, **options: Any) -> ResourceRegistry: ...


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cachedir(tmp_path: Path) -> Path:
    return tmp_path / ".ensue"


@pytest.fixture
def make_registry(cachedir: Path, clock: Clock) -> Iterator[MakeRegistry]:
    made: list[ResourceRegistry] = []

    def make(*, key: str | None = None, **options: Any) -> ResourceRegistry:
        environment = {} if key is None else {"ENSUE_KEY": key}
        options.setdefault("vault", ProjectVault.of_project(cachedir, environment=environment))
        options.setdefault("clock", clock)
        options.setdefault("minion_id", "minion-1")
        made.append(ResourceRegistry(cachedir, **options))
        return made[-1]

    yield make
    for registry in made:
        registry.close()


@pytest.fixture
def registry(make_registry: MakeRegistry) -> ResourceRegistry:
    return make_registry()
