"""How often states of `pkg` fetch the package lists in one run."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import context, state

from ensue.core.contracts.connection import Command, Completed
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from ensue.testing.context import FakeStateContext


class Apt:
    """A target with apt, whose lists lack every package but `known`; it counts the fetches.

    Args:
        fetched_at_s: when the lists were last fetched.
        code: the exit code of a fetch.
    """

    def __init__(self, fetched_at_s: float, code: int = 0) -> None:
        self.fetches = 0
        self._code = code
        self.fake = FakeConnection(files={"/var/cache/apt/pkgcache.bin": b""}, clock=lambda: fetched_at_s)
        self.fake.on_run("sh -c *dpkg-query*", stdout=b"amd64\n")
        self.fake.on_run("dpkg-query *")
        self.fake.on_run("apt-cache madison *")
        self.fake.on_run("apt-cache policy *", stdout=b"known:\n  Installed: (none)\n  Candidate: 1\n")
        self.fake.on_run("apt-get *")
        self.fake.on_run("apt-get -q update", self._fetched)

    def _fetched(self, _: Command) -> Completed:
        self.fetches += 1
        return Completed(returncode=self._code, stdout=b"", stderr=b"")


def run_states(apt: Apt, *names: str, **arguments: Any) -> FakeStateContext:
    """Run a state of `pkg.installed` for each name, in one run."""
    ctx = context(apt.fake)
    for name in names:
        state("pkg.installed", ctx, name, **arguments)
    return ctx


@pytest.mark.parametrize(
    ("age_s", "names", "fetches"),
    [
        (60, ["known", "known"], 0),
        (7200, ["known", "known", "known"], 1),
        (60, ["absent-1", "absent-2", "absent-3"], 1),
        (7200, ["absent-1", "known", "absent-2"], 1),
    ],
    ids=["fresh", "old", "lacking", "old and lacking"],
)
def test_a_run_fetches_the_lists_once(age_s: float, names: list[str], fetches: int) -> None:
    """Old lists are fetched once, and so are lists that lack packages, however many states find that."""
    apt = Apt(time.time() - age_s)
    run_states(apt, *names)
    assert apt.fetches == fetches


def test_a_fetch_that_fails_is_not_tried_by_each_state() -> None:
    """Without a network, the states use the old lists after one attempt."""
    apt = Apt(0, code=100)
    run_states(apt, "known", "known", "known")
    assert apt.fetches == 1


def test_another_run_fetches_again() -> None:
    """What a run knows about the lists ends with it."""
    apt = Apt(time.time())
    run_states(apt, "absent-1")
    run_states(apt, "absent-1")
    assert apt.fetches == 2


def test_a_new_repository_is_a_reason_to_fetch() -> None:
    """Once repositories have been changed, lists that lack a package are fetched again."""
    apt = Apt(time.time())
    ctx = run_states(apt, "absent-1")
    asyncio.run(apt.fake.make_directory("/etc/apt/sources.list.d", parents=True))
    for name in ("absent-1", "absent-2"):
        state("pkg.installed", ctx, name)
    assert apt.fetches == 2


def test_refresh_decides_alone() -> None:
    """With `refresh: true` every state fetches the lists, with `refresh: false` none."""
    for refresh, fetches in ((True, 2), (False, 0)):
        apt = Apt(0)
        run_states(apt, "absent-1", "known", refresh=refresh)
        assert apt.fetches == fetches
