"""The program of the minion, loaded as Salt loads it: with its own globals."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from tests.salt.fleet.minion_keys import private_key

from ensue.salt.fleet import relay
from ensue.salt.fleet.frames import Alive, MinionEnded, MinionMessages
from ensue.salt.fleet.relay import frame_name
from ensue.salt.fleet.sealing import RunKey

if TYPE_CHECKING:
    from pathlib import Path

KEY = RunKey()


class _Minion:
    """A minion whose events are kept.

    Args:
        folder: its cachedir and its keys.
        monkeypatch: sets the globals of Salt's renderer.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fired: list[Any] = []
        salt: Any = {
            "event.fire_master": lambda data, _: self.fired.append(data),
            "grains.get": lambda _: "3008.3",
        }
        opts = {"id": "web1", "cachedir": str(folder), "pki_dir": str(folder)}
        for name, value in {"__salt__": salt, "__opts__": opts}.items():
            monkeypatch.setattr(relay, name, value, raising=False)
        self._set = monkeypatch.setattr

    def run(self, verb: str, jid: str) -> dict[str, Any]:
        """Run an order for which there is no ensue."""
        order = {
            "verb": verb,
            "run_id": "run",
            "jid": jid,
            "key": base64.b64encode(KEY.public).decode(),
            "bundles": {"another-abi": "x.zip"},
        }
        self._set(relay, "order", order, raising=False)
        return relay.run()

    def messages(self, jid: str) -> list[Any]:
        """Return what was reported."""
        messages = MinionMessages()
        return [
            message
            for frame in self.fired
            for message in messages.add(
                frame["number"],
                KEY.opened(
                    base64.b64decode(frame["sealed"]), frame_name("run", jid, "web1", frame["number"])
                ),
            )
        ]


@pytest.fixture
def minion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> _Minion:
    """A minion with a key."""
    pem = private_key("web1").private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "minion.pem").write_bytes(pem)
    return _Minion(tmp_path, monkeypatch)


def test_a_problem_is_reported_as_the_end(minion: _Minion) -> None:
    """What prevents an order is in the last message, which is signed; Salt's return says nothing more."""
    assert minion.run("apply", "1") == {"problem": ""}
    alive, ended = minion.messages("1")
    assert alive == Alive()
    assert isinstance(ended, MinionEnded)
    assert "the coordinator has no ensue for its Python and platform" in ended.problem


def test_a_job_runs_once(minion: _Minion) -> None:
    """A job that is published again is refused, and no frame of it is signed twice; another job runs."""
    minion.run("apply", "1")
    count = len(minion.fired)
    assert minion.run("apply", "1") == {"problem": "it has run this job already"}
    assert len(minion.fired) == count
    assert minion.run("call", "2") == {"problem": ""}


def test_without_a_key_nothing_is_signed(minion: _Minion, tmp_path: Path) -> None:
    """A minion whose key cannot be read says so in what Salt returns."""
    (tmp_path / "minion.pem").unlink()
    problem = minion.run("apply", "1")["problem"]
    assert problem.startswith("it has no key to sign with")
    assert minion.fired == []
