"""What every test shares: Hypothesis profiles, the parts some tests need, a clean environment.

It holds no fakes (they are in `ensue.testing`) and no fixtures of one package's tests.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings
from tests.support import chance

if TYPE_CHECKING:
    from collections.abc import Generator

# Here, not beside the tests that use them: any test module may be loaded before the conftest of a folder.
pytest.register_assert_rewrite("ensue.testing.file_contract", "ensue.testing.command_contract")

IN_CI = os.environ.get("CI") == "true"

# No deadline: two busy cores make any example slow now and then, which says nothing about it.
# For the same reason nobody is told that data is made slowly.
_SLOW = (HealthCheck.too_slow,)
settings.register_profile("default", deadline=None, max_examples=60, suppress_health_check=_SLOW)
settings.register_profile("ci", deadline=None, max_examples=60, print_blob=True, suppress_health_check=_SLOW)
settings.register_profile(
    "thorough", deadline=None, max_examples=2000, print_blob=True, suppress_health_check=_SLOW
)
settings.register_profile(
    "quick",
    deadline=None,
    max_examples=10,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=_SLOW,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if IN_CI else "default"))


_BYTECODE = pytest.StashKey[tempfile.TemporaryDirectory[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Make what the caller's shell may have set harmless to the processes that tests start."""
    _hear_signals()
    chance.SEED = config.getoption("randomly_seed", 0)
    # What thousands of collected tests keep is looked through seldom: a tenth of the time went there.
    gc.set_threshold(50_000, 20, 100)
    # Hundreds of processes would otherwise compile all that they import, each of them anew.
    if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
        folder = config.stash[_BYTECODE] = tempfile.TemporaryDirectory(prefix="ensue-bytecode-")
        os.environ["PYTHONPYCACHEPREFIX"] = folder.name


def pytest_unconfigure(config: pytest.Config) -> None:
    """Remove the compiled modules that were kept for one session."""
    if folder := config.stash.get(_BYTECODE, None):
        folder.cleanup()


def _hear_signals() -> None:
    """Hear signals that the parent ignores (`nohup`, a shell's `&`): tests send them to their children."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_collection(session: pytest.Session) -> None:
    """Let each of several workers load another part of the test modules first.

    After a clone nothing is compiled. Workers that loaded all modules in one order would each compile all of
    them at the same time. So each compiles its part, and finds the others' compiled when it collects them.
    """
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if workers == 1:
        return
    root = session.config.rootpath
    folders = {Path(argument.partition("::")[0]).resolve() for argument in session.config.args}
    modules = sorted({path for folder in folders for path in folder.rglob("test_*.py")})
    for path in modules[worker::workers]:
        # What is wrong with a module, or why it is skipped, is reported when it is collected.
        with contextlib.suppress(Exception, pytest.skip.Exception):
            importlib.import_module(".".join(path.relative_to(root).with_suffix("").parts))


@cache
def _has_sshd() -> bool:
    return shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is not None


@cache
def _has_namespaces() -> bool:
    if not shutil.which("unshare"):
        return False
    attempt = subprocess.run(["unshare", "-Urm", "true"], capture_output=True, check=False)
    return attempt.returncode == 0


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let files of long tests begin first: the last of them would be waited for while other workers idle."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip, with a reason, what needs a part that is not on this machine."""
    if item.get_closest_marker("openssh") and not _has_sshd():
        pytest.skip("needs sshd: apt-get install openssh-server")
    if item.get_closest_marker("namespace") and not _has_namespaces():
        pytest.skip("this kernel gives an ordinary process no user and mount namespaces")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Under CI=true, fail a test that was skipped for want of a part."""
    report = yield
    _refuse_want(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """The same for a whole file."""
    report = yield
    _refuse_want(report)
    return report


def _refuse_want(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure when its reason says that a part is wanted: `needs busybox: …`.

    What a kernel refuses, or what only root (or only an ordinary user) can show, stays skipped.
    """
    if not IN_CI or report.outcome != "skipped" or not isinstance(report.longrepr, tuple):
        return
    reason = str(report.longrepr[2])
    if reason.removeprefix("Skipped: ").startswith("needs "):
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI=true forbids: {reason}"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name what was skipped and why, a line per reason, below all other output."""
    counts = Counter(
        (str(report.longrepr[2]).removeprefix("Skipped: "), report.nodeid.partition("::")[0])
        for report in terminalreporter.stats.get("skipped", ())
    )
    if not counts:
        return
    terminalreporter.section("skipped", sep="=")
    for reason, lines in groupby(sorted(counts.items()), key=lambda item: item[0][0]):
        files = [f"{path} ({count})" for (_, path), count in lines]
        terminalreporter.line(f"{reason}\n    {', '.join(files)}")


@pytest.fixture(scope="session", autouse=True)
def _foreign_processes_stay() -> Generator[None]:
    """Fail if the tests moved a process that none of them started: this one, or the first of the machine."""
    places = [Path(f"/proc/{pid}/cgroup") for pid in (1, os.getpid())]
    groups = [place.read_text() for place in places]
    yield
    assert [place.read_text() for place in places] == groups


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    # The key, and the width and colours of whoever runs the tests, must not leak into their results.
    for name in ("ENSUE_KEY", "COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--update`: rewrite the expectations of specification cases to what is true now."""
    parser.addoption("--update", action="store_true", help="rewrite expectations of specification cases")
