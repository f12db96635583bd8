"""State module `cron` with a real `crontab`, for a user that is there for the test alone."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest
from tests.library.states.system_states import HERE, context, execute, needs_root, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = "# Lines below here are managed by Salt, do not edit\n"

pytestmark = [
    needs_root,
    pytest.mark.skipif(not shutil.which("crontab"), reason="needs crontab: apt-get install cron"),
]


@pytest.fixture
def user() -> Iterator[str]:
    """A user without a crontab."""
    name = f"ensue-{uuid4().hex[:8]}"
    subprocess.run(["useradd", "--no-create-home", name], check=True, capture_output=True)
    yield name
    subprocess.run(["crontab", "-u", name, "-r"], capture_output=True, check=False)
    subprocess.run(["userdel", name], check=True, capture_output=True)


def listed(user: str) -> str:
    """What cron itself says of a user's jobs."""
    return subprocess.run(
        ["crontab", "-u", user, "-l"], capture_output=True, text=True, check=True
    ).stdout  # fmt: skip


def test_jobs_come_change_and_go(user: str) -> None:
    """Cron takes what is written for it, and keeps what it already had."""
    here = MinionConnection(HERE)
    subprocess.run(["crontab", "-u", user, "-"], input="MAILTO=me\n0 1 * * * /own\n", text=True, check=True)
    planned, done = thrice("cron.present", here, "/bin/job 100%", user=user, minute=5, identifier="JOB")
    assert planned.result is None
    assert done.changes == {user: "/bin/job 100%"}
    own = "MAILTO=me\n0 1 * * * /own\n"
    assert listed(user) == own + HEADER + "# SALT_CRON_IDENTIFIER:JOB\n5 * * * * /bin/job 100%\n"
    thrice("cron.present", here, "/bin/job", user=user, special="@daily", identifier="JOB")
    assert listed(user).endswith("@daily /bin/job\n")
    thrice("cron.absent", here, "/bin/job", user=user, special="@daily", identifier="JOB")
    assert listed(user) == own + HEADER


def test_a_user_without_jobs_gets_the_first(user: str) -> None:
    """`no crontab for …` is an empty one."""
    here = MinionConnection(HERE)
    assert state("cron.absent", context(here), "/bin/job", user=user).changes == {}
    thrice("cron.present", here, "/bin/job", user=user)
    assert execute("cron.list_tab", context(here), user)["crons"][0]["cmd"] == "/bin/job"


def test_what_cron_refuses_is_the_comment(user: str) -> None:
    """A time that is none leaves the crontab as it was; so does a user that is not there."""
    here = MinionConnection(HERE)
    thrice("cron.present", here, "/bin/job", user=user)
    before = listed(user)
    refused = state("cron.present", context(here), "/bin/other", user=user, minute="99")
    assert (refused.result, refused.changes) == (False, {})
    assert "bad minute" in refused.comment
    assert listed(user) == before
    nobody = state("cron.present", context(here), "/bin/job", user=f"no-{user}")
    assert nobody.result is False
