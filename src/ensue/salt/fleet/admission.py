"""Decides which events of Salt's bus count: only frames that a minion of the run signed for its job.

Any minion may fire any event under almost any tag, and lists of events carry whatever sender they like, so
neither a tag nor the sender that Salt names decides anything here. The signature does, checked against the
key that the master has accepted. Everything runs in the thread that reads the bus: what is refused takes no
memory.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from ensue.core.model.data import is_mapping
from ensue.salt.fleet.frames import MOST_BYTES, MOST_FRAMES, SignedFrame
from ensue.salt.fleet.signing import frame_name, signature_form, signed_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

_LONGEST_CHARS: Final = 400
_DIGEST_BYTES: Final = 8
_STARTS: Final = "salt/minion/"
_MOST_STARTS: Final = 10


class Admitted(msgspec.Struct, frozen=True):
    """A frame that its minion signed.

    Args:
        minion: whose it is.
        number: its number.
        name: what it is sealed with.
        sealed: its content, encrypted.
    """

    minion: str
    number: int
    name: str
    sealed: bytes


class Exceeded(msgspec.Struct, frozen=True):
    """A minion has exceeded its quota of frames or bytes.

    Args:
        minion: the minion.
    """

    minion: str


class Twin(msgspec.Struct, frozen=True):
    """Two machines have signed different frames with one number: they have the same id and key.

    Args:
        minion: the id.
    """

    minion: str


class SaltFailed(msgspec.Struct, frozen=True):
    """Salt says that it could not run ensue on a minion; anybody may have said so.

    Args:
        minion: the minion.
        problem: what is said.
    """

    minion: str
    problem: str


class SaltStarted(msgspec.Struct, frozen=True):
    """Salt's minion has started; anybody may have said so.

    Args:
        minion: the minion.
    """

    minion: str


BusEvent: TypeAlias = Admitted | Exceeded | Twin | SaltFailed | SaltStarted
"""What an event of the bus may mean for a run."""


class _Sender:
    """What is known about a minion of a job.

    Args:
        jid: the job.
        public_key: the key that the master accepted, as PEM.
    """

    def __init__(self, jid: str, public_key: bytes) -> None:
        self.jid = jid
        self._pem = public_key
        self._key: RSAPublicKey | None = None
        self.digests: dict[int, bytes] = {}
        self.sealed_bytes = 0
        self.has_exceeded = False
        self.has_failed = False
        self.answers_anew = False
        self.starts = 0

    def has_signed(self, name: str, sealed: bytes, signature: bytes) -> bool:
        """Return whether a frame has its signature."""
        from cryptography.exceptions import InvalidSignature

        try:
            self._public_key().verify(signature, signed_text(name, sealed), *signature_form())
        except InvalidSignature:
            return False
        return True

    def _public_key(self) -> RSAPublicKey:
        if self._key is None:
            self._key = rsa_key(self._pem)
        return self._key


class Admission:
    """Admits the frames of a run, and counts what it refuses.

    Args:
        run_id: the run.

    Attributes:
        refused: how many events were refused, by the sender that Salt names; "" for an unknown one.
    """

    def __init__(self, run_id: str) -> None:
        self.run_id = run_id
        self.prefix = f"ensue/{run_id}/"
        self.refused: Counter[str] = Counter()
        self._senders: dict[str, _Sender] = {}
        self._jids: set[str] = set()

    def expect(self, jid: str, public_keys: Mapping[str, bytes]) -> None:
        """Admit frames of a job, too; called before it is published.

        Args:
            jid: the job.
            public_keys: the key of each of its minions, as PEM, for which `rsa_key` does not raise.
        """
        self._senders.update({minion: _Sender(jid, key) for minion, key in public_keys.items()})
        self._jids.add(jid)

    def watch(self, jid: str) -> None:
        """Read what Salt returns for a job that asks for the frames of another."""
        self._jids.add(jid)

    def expect_anew(self, minion: str) -> None:
        """Drop a frame with other content and a known number: a minion that keeps no frames is asked again.

        Args:
            minion: the minion; what it answers anew is numbered from the beginning.
        """
        self._senders[minion].answers_anew = True

    def admit(self, tag: str, data: object) -> BusEvent | None:
        """Return what an event means for the run; None if it means nothing.

        Args:
            tag: the tag of the event.
            data: its data, whatever that is.
        """
        if tag.startswith(self.prefix):
            return self._frame(data)
        if self._is_return(tag):
            return self._return(data)
        return self._start(tag) if tag.startswith(_STARTS) else None

    def _start(self, tag: str) -> SaltStarted | None:
        """Return that a minion has started, a few times: each costs a job that asks for its frames."""
        minion, _, event = tag.removeprefix(_STARTS).rpartition("/")
        sender = self._senders.get(minion)
        if sender is None or event != "start" or sender.starts >= _MOST_STARTS:
            return None
        sender.starts += 1
        return SaltStarted(minion)

    def _frame(self, data: object) -> Admitted | Exceeded | Twin | None:
        try:
            frame = msgspec.convert(data.get("data") if is_mapping(data) else None, SignedFrame)
            sealed = base64.b64decode(frame.sealed, validate=True)
            signature = base64.b64decode(frame.signature, validate=True)
        except (msgspec.ValidationError, binascii.Error, ValueError):
            self._refuse(data)
            return None
        sender = self._senders.get(frame.minion)
        if sender is None:
            self._refuse(data)
            return None
        name = frame_name(self.run_id, sender.jid, frame.minion, frame.number)
        if not sender.has_signed(name, sealed, signature):
            self._refuse(data)
            return None
        if sender.has_exceeded:
            return None
        return self._signed(sender, frame, name, sealed)

    @staticmethod
    def _signed(
        sender: _Sender, frame: SignedFrame, name: str, sealed: bytes
    ) -> Admitted | Exceeded | Twin | None:
        digest = hashlib.sha256(sealed).digest()[:_DIGEST_BYTES]
        if frame.number in sender.digests:
            # A frame that is sent again is the same; its encryption differs if it was made again.
            is_known = sender.digests[frame.number] == digest or sender.answers_anew
            return None if is_known else Twin(frame.minion)
        sender.sealed_bytes += len(sealed)
        if frame.number >= MOST_FRAMES or sender.sealed_bytes > MOST_BYTES:
            sender.has_exceeded = True
            return Exceeded(frame.minion)
        sender.digests[frame.number] = digest
        return Admitted(frame.minion, frame.number, name, sealed)

    def _refuse(self, data: object) -> None:
        named = data.get("id") if is_mapping(data) else None
        self.refused[named if isinstance(named, str) and named in self._senders else ""] += 1

    def _is_return(self, tag: str) -> bool:
        salt, _, rest = tag.partition("/job/")
        jid, _, rest = rest.partition("/")
        return salt == "salt" and jid in self._jids and rest.startswith("ret/")

    def _return(self, data: object) -> SaltFailed | None:
        """Return what Salt's own return says, once per minion: it counts only as a failure."""
        minion = data.get("id") if is_mapping(data) else None
        sender = self._senders.get(minion) if isinstance(minion, str) else None
        if sender is None or sender.has_failed or not is_mapping(data):
            return None
        problem = _problem(data.get("return"))
        sender.has_failed = bool(problem)
        return SaltFailed(str(minion), problem) if problem else None


def rsa_key(pem: bytes) -> RSAPublicKey:
    """Return a public key of Salt.

    Raises:
        ValueError: it is none.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(pem)
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from error
    if not isinstance(key, RSAPublicKey):
        msg = "it is no RSA key"
        raise ValueError(msg)  # noqa: TRY004 -- of a file's content
    return key


def _problem(returned: Any) -> str:
    """Return the problem that Salt's return has; empty if the relay has reported its end."""
    if is_mapping(returned) and "problem" in returned:
        return str(returned["problem"])[:_LONGEST_CHARS]
    lines = [line for line in str(returned)[-_LONGEST_CHARS:].splitlines() if line.strip()]
    return f"Salt could not run ensue there: {lines[-1].strip() if lines else ''}"
