"""State module `cron`: a real spool folder below a temporary root, and an imitated `crontab`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.library.states.system_states import HERE, context, execute, needs_root, state, thrice

from ensue.core.contracts.connection import Command, Completed
from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "# Lines below here are managed by Salt, do not edit\n"
BY_SALT = (
    "MAILTO=me\n0 1 * * * /own\n"
    + HEADER
    + "PATH=/bin\n# why SALT_CRON_IDENTIFIER:one\n5 4 * * * /bin/one a  b\n"
    "# SALT_CRON_IDENTIFIER:two\n#DISABLED#@daily /bin/two\nnonsense\n"
)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    folder = tmp_path / "var/spool/cron/crontabs"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def here(tmp_path: Path, spool: Path) -> MinionConnection:
    assert spool.is_dir()
    return MinionConnection(HERE, root=str(tmp_path))


@needs_root
def test_a_job_comes_changes_and_goes(here: MinionConnection, spool: Path) -> None:
    """A job has Salt's marks, is found by its identifier when its command changes, and goes again."""
    planned, done = thrice("cron.present", here, "/bin/job", minute=5, hour="*/2", identifier="JOB")
    assert (planned.result, planned.comment) == (None, "Cron /bin/job is set to be added")
    assert (done.changes, done.comment) == ({"root": "/bin/job"}, "Cron /bin/job added to root's crontab")
    assert (spool / "root").read_text() == HEADER + "# SALT_CRON_IDENTIFIER:JOB\n5 */2 * * * /bin/job\n"
    assert (spool / "root").stat().st_mode & 0o777 == 0o600

    planned, done = thrice("cron.present", here, "/bin/other", minute=6, identifier="JOB", comment="why\nso")
    assert (planned.comment, done.comment) == (
        "Cron /bin/other is set to be updated", "Cron /bin/other updated",
    )  # fmt: skip
    expected = HEADER + "# why\n# so SALT_CRON_IDENTIFIER:JOB\n6 * * * * /bin/other\n"
    assert (spool / "root").read_text() == expected
    thrice("cron.present", here, "/bin/other", special="@daily", identifier="JOB", commented=True)
    assert (spool / "root").read_text().endswith("\n#DISABLED#@daily /bin/other\n")

    assert state("cron.absent", context(here), "/bin/other", identifier="JOB").changes == {}
    planned, done = thrice("cron.absent", here, "/bin/other", identifier="JOB", special="@daily")
    assert (planned.result, done.changes) == (None, {"root": "/bin/other"})
    assert (spool / "root").read_text() == HEADER


def test_a_crontab_of_salt_is_recognised(here: MinionConnection, spool: Path) -> None:
    """Jobs that Salt wrote are found; what is none of them stays as it is, above its line and below."""
    (spool / "root").write_text(BY_SALT)
    ctx = context(here)
    same = state("cron.present", ctx, "/bin/one a  b", minute=5, hour=4, identifier="one")
    assert (same.result, same.changes) == (True, {})
    thrice("cron.present", here, "/bin/two", special="@daily", identifier="two")
    expected = BY_SALT.replace("#DISABLED#", "")
    assert (spool / "root").read_text() == expected
    listed = execute("cron.list_tab", ctx, "root")
    assert listed["pre"] == ["MAILTO=me", "0 1 * * * /own"]
    assert listed["crons"] == [
        {"minute": "5", "hour": "4", "daymonth": "*", "month": "*", "dayweek": "*", "cmd": "/bin/one a  b",
         "identifier": "one", "comment": "why", "commented": False},
    ]  # fmt: skip
    assert listed["special"][0]["spec"] == "@daily"
    assert listed["env"] == [{"name": "PATH", "value": "/bin"}]
    thrice("cron.present", here, "/own", minute=0, hour=1)
    assert (spool / "root").read_text() == expected + "# SALT_CRON_IDENTIFIER:/own\n0 1 * * * /own\n"


def test_random_times_stay(here: MinionConnection, spool: Path) -> None:
    """`random` becomes a number once, which later runs keep."""
    (spool / "root").write_text(HEADER)
    thrice("cron.present", here, "/bin/job", minute="random", hour=3)
    minute, hour = (spool / "root").read_text().splitlines()[-1].split()[:2]
    assert (0 <= int(minute) < 60, hour) == (True, "3")


def test_the_program_is_used_where_there_is_one() -> None:
    """On a whole machine `crontab` reads and writes, and what it refuses is the comment."""
    fake, kept = FakeConnection(), [b""]

    def write(command: Command) -> Completed:
        kept[0] = command.stdin
        return Completed(returncode=0, stdout=b"", stderr=b"")

    def read(_: Command) -> Completed:
        if not kept[0]:
            return Completed(returncode=1, stdout=b"", stderr=b"no crontab for ada\n")
        return Completed(returncode=0, stdout=kept[0], stderr=b"")

    fake.on_run("sh -c *")
    fake.on_run("crontab -u ada -l", read)
    fake.on_run("crontab -u ada -", write)
    _, done = thrice("cron.present", fake, "/bin/job", user="ada")
    assert done.changes == {"ada": "/bin/job"}
    assert kept[0].decode() == HEADER + "# SALT_CRON_IDENTIFIER:/bin/job\n* * * * * /bin/job\n"
    fake.on_run("crontab -u eve *", returncode=1, stderr=b"must be privileged\n")
    refused = state("cron.present", context(fake), "/bin/job", user="eve")
    assert (refused.result, "must be privileged" in refused.comment) == (False, True)


def test_what_cannot_be_is_said(tmp_path: Path, here: MinionConnection) -> None:
    """A target without cron, a time with a blank, a command of two lines, a user that is a path."""
    bare = MinionConnection(HERE, root=str(tmp_path / "var"))
    missing = state("cron.present", context(bare), "/bin/job")
    assert (missing.result, "install cron" in missing.comment) == (False, True)
    for arguments in ({"minute": "1 2"}, {"user": "../x"}, {"identifier": "a\nb"}):
        assert state("cron.present", context(here), "/bin/job", **arguments).result is False
    assert state("cron.present", context(here), "a\nb").result is False
