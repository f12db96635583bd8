"""Messages from the coordinator to the ensue that runs a job on a minion."""

from __future__ import annotations

import asyncio
import base64
import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.salt.fleet.minion_keys import private_key
from tests.salt.fleet.real_fleet import HAS_SALT

from ensue.core.model.events import JobPublished, RunStarted
from ensue.salt.fleet.frames import CoordinatorMessage, Warned, message_line
from ensue.salt.fleet.inbox import LONGEST_LINE_BYTES, Inbox
from ensue.salt.fleet.job_folder import JobFolder
from ensue.salt.fleet.sealing import sealed_for
from ensue.salt.fleet.signing import message_name, opened
from ensue.store.runs.run_history import read_run

if TYPE_CHECKING:
    from pathlib import Path

    from tests.salt.fleet.fake_minion import FakeMinion
    from tests.salt.fleet.real_fleet import Fleet


def _dispatched(*lines: bytes) -> tuple[list[Any], list[str]]:
    """Return what the handler of `value` got, and the warnings."""
    values: list[Any] = []
    warnings: list[str] = []

    def take(content: Any) -> None:
        if not isinstance(content, int):
            msg = "it is no number"
            raise ValueError(msg)  # noqa: TRY004 -- what handlers raise
        values.append(content)

    async def listen() -> None:
        reader = asyncio.StreamReader(limit=LONGEST_LINE_BYTES)
        reader.feed_data(b"".join(line + b"\n" for line in lines))
        reader.feed_eof()
        inbox = Inbox(reader, lambda warning: warnings.append(warning.message))
        inbox.on("value", take)
        await inbox.listen()

    asyncio.run(listen())
    return values, warnings


def test_messages_go_to_the_handler_of_their_kind() -> None:
    """A handler gets the content of its messages, in order; anything else causes one warning per kind."""
    values, warnings = _dispatched(
        *(message_line(CoordinatorMessage(kind, content)) for kind, content in (("value", 1), ("new", 2))),
        *(message_line(CoordinatorMessage(kind, content)) for kind, content in (("new", 3), ("value", 4))),
    )
    assert values == [1, 4]
    assert len(warnings) == 1
    assert "a message of the kind 'new', which it does not know" in warnings[0]


UNREADABLE = (b"", b"x", b"[]", b"{}", b'{"kind":1}', b"[" * 100_000, b'{"kind":"value"}')


@pytest.mark.parametrize("line", UNREADABLE)
def test_what_is_no_message_is_ignored(line: bytes) -> None:
    """After a line that cannot be read, the next message is read."""
    values, warnings = _dispatched(line, message_line(CoordinatorMessage("value", 1)))
    assert values == [1]
    assert len(warnings) == 1
    assert "a message that cannot be read" in warnings[0]


def test_only_its_minion_opens_a_message() -> None:
    """A message is opened with the key of its minion, for its job and place; not when it was altered."""
    name = message_name("run", "1", "web1", "2-000000")
    sealed = sealed_for(private_key("web1").public_key(), b"x", name)
    assert opened(private_key("web1"), sealed, name) == b"x"
    for key, content, about in (
        ("web2", sealed, name),
        ("web1", sealed[:-1] + bytes([sealed[-1] ^ 1]), name),
        ("web1", sealed, message_name("run", "1", "web1", "2-000001")),
        ("web1", b"", name),
    ):
        with pytest.raises(ValueError):  # noqa: PT011 -- of cryptography, without a text
            opened(private_key(key), content, about)


def test_a_job_that_does_not_run_takes_no_message(tmp_path: Path) -> None:
    """A message wakes the process that runs the job, in the order of names; without one it is refused."""
    job = JobFolder(tmp_path, "1")
    assert job.put("a", b"x") == "it does not run this job"
    assert job.claimed()
    assert job.put("a", b"x") == "it does not run this job"
    bell = job.listening()
    assert [job.put(name, name.encode()) for name in ("b", "a")] == ["", ""]
    assert job.taken(bell) == [("a", b"a"), ("b", b"b")]
    assert job.taken(bell) == []


ECHO = """
import base64, json, sys, zlib

def send(text):
    content = zlib.compress(json.dumps({"type": "Warned", "messages": [text]}).encode())
    sys.stdout.write(base64.b64encode(content).decode() + "\\n")
    sys.stdout.flush()

sys.stdin.readline()
send("ready")
send(sys.stdin.readline())
"""


def test_the_relay_passes_messages_on(minion: FakeMinion) -> None:
    """A message is written to the stdin of the ensue that runs, opened; one for another minion is not."""
    minion.ship("echo", ECHO)

    def told(minion_id: str, text: str) -> None:
        name = message_name("run", "1", minion_id, "2-000000")
        content = message_line(CoordinatorMessage("value", text))
        sealed = sealed_for(private_key("web1").public_key(), content, name)
        messages = {"web1": {"job": "1", "sealed": [base64.b64encode(sealed).decode()]}}
        assert minion.run("tell", "2", messages=messages) == {"problem": ""}

    def on_frame(count: int) -> None:
        if count == 2:
            told("web2", "of another minion")
            told("web1", "x" * 300_000)

    minion.on_frame = on_frame
    assert minion.run("apply", "1") == {"problem": ""}
    warned = [message for message in minion.messages("1") if isinstance(message, Warned)]
    assert [message.messages[0] for message in warned] == [
        "ready",
        json.dumps({"kind": "value", "content": "x" * 300_000}, separators=(",", ":")) + "\n",
    ]


if HAS_SALT:

    def test_a_message_reaches_a_running_job(fleet: Fleet) -> None:
        """A message of an unknown kind only adds a warning to the minion's run."""
        process = fleet.begun("apply", "--tgt", "db1", "slow")
        with (fleet.base / "gate").open("w") as gate:
            events = read_run(fleet.base / "project" / ".ensue", "last")
            (jid,) = [event.jid for event in events if isinstance(event, JobPublished)]
            (run_id,) = [event.run_id for event in events if isinstance(event, RunStarted)]
            assert fleet.told(run_id, jid, "db1") == {"problem": ""}
            gate.write("on")
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0, err
        assert "a message of the kind 'unheard', which it does not know" in out
