"""What a minion reports to the coordinator: messages, each in one frame or several, in order.

Every bound here is documented in docs/fleet.md. `admission` decides which frames are a minion's own.
"""

from __future__ import annotations

import zlib
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from ensue.core.model.data_bounds import MOST_LEVELS
from ensue.core.model.json_levels import has_too_many_levels
from ensue.salt.fleet.resource_messages import ResourceAsked, Worked
from ensue.salt.fleet.signing import FRAME_BYTES, KEY_BYTES, LAST, MORE
from ensue.salt.fleet.value_messages import Asked, HeldReturn, MinionCompiled, Stalled

MOST_FRAMES: Final = 100_000
"""The most frames of one minion in one job."""

MOST_BYTES: Final = 64 << 20
"""The most content of one minion in one job, packed as it arrives and inflated as it is read."""

MOST_MESSAGE_BYTES: Final = 16 << 20
"""The most that one message may inflate to."""

_OVERHEAD_BYTES: Final = KEY_BYTES + 16 + 1
"""What sealing adds: the sender's key, the tag of the cipher, and the byte in front of the content."""
_MOST_SEALED_BYTES: Final = FRAME_BYTES + _OVERHEAD_BYTES
_MOST_SEALED_CHARS: Final = (_MOST_SEALED_BYTES + 2) // 3 * 4
_MOST_SIGNATURE_CHARS: Final = 4096
_MOST_ID_CHARS: Final = 1024


class Alive(msgspec.Struct, frozen=True, tag=True):
    """The minion is working."""


class Happened(msgspec.Struct, frozen=True, tag=True):
    """Events of the minion's run.

    Args:
        lines: the events, as its journal has them.
    """

    lines: tuple[str, ...]


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The minion could not execute the order.

    Args:
        messages: why, one line each.
    """

    messages: tuple[str, ...]


class Answered(msgspec.Struct, frozen=True, tag=True):
    """The answer of an execution function.

    Args:
        ok: whether the function returned; False: `value` is the message.
        value: what it returned, masked.
    """

    ok: bool
    value: Any


class Warned(msgspec.Struct, frozen=True, tag=True):
    """Warnings of the minion's run.

    Args:
        messages: one line each.
    """

    messages: tuple[str, ...]


class Described(msgspec.Struct, frozen=True, tag=True):
    """The values for `fleet sync` and `fleet status`.

    Args:
        status: its Python, its Salt, and whether ensue was shipped.
    """

    status: dict[str, Any]


class MinionEnded(msgspec.Struct, frozen=True, tag=True):
    """The minion has done its part. The last message; nothing else ends it well.

    Args:
        problem: why it did not execute the order; empty if it did.
    """

    problem: str


Message: TypeAlias = (
    Alive
    | Happened
    | Refused
    | Answered
    | Warned
    | Described
    | MinionEnded
    | MinionCompiled
    | Asked
    | Stalled
    | HeldReturn
    | ResourceAsked
    | Worked
)


class CoordinatorMessage(msgspec.Struct, frozen=True):
    """What the coordinator sends to the ensue that runs a job on a minion.

    It arrives at least once, and usually in the order in which it was sent; so each message has to say all
    that it needs, and has to mean the same when it comes again.

    Args:
        kind: who on the minion reads it; a kind that nobody there knows is ignored with a warning.
        content: data, whose form depends on the kind. It is never code.
    """

    kind: str
    content: Any = None


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final[msgspec.json.Decoder[Message]] = msgspec.json.Decoder(Message)


def packed(message: Message) -> bytes:
    """Return a message in the form that frames carry."""
    return zlib.compress(_ENCODER.encode(message), 1)


def message_line(message: CoordinatorMessage) -> bytes:
    """Return a message of the coordinator as a line, without its end."""
    return _ENCODER.encode(message)


def read_message(line: bytes) -> CoordinatorMessage:
    """Return the message of a line.

    Raises:
        ValueError: it is none.
    """
    return msgspec.json.decode(line, type=CoordinatorMessage)


class SignedFrame(msgspec.Struct, frozen=True):
    """A part of a message, as an event carries it.

    Args:
        minion: whose it is.
        number: its place among all frames of the minion in this job, counted from 0.
        sealed: its content, encrypted, in base64.
        signature: the minion's, in base64.
    """

    minion: Annotated[str, msgspec.Meta(max_length=_MOST_ID_CHARS)]
    number: Annotated[int, msgspec.Meta(ge=0)]
    sealed: Annotated[str, msgspec.Meta(max_length=_MOST_SEALED_CHARS)]
    signature: Annotated[str, msgspec.Meta(max_length=_MOST_SIGNATURE_CHARS)]


class MinionMessages:
    """The messages of one minion: waits for missing frames, and reads what is complete.

    Attributes:
        next: the number of the frame that it waits for.
    """

    def __init__(self) -> None:
        self._held: dict[int, bytes] = {}
        self._pieces: list[bytes] = []
        self._inflated_bytes = 0
        self.next = 0

    @property
    def has_gap(self) -> bool:
        """Whether later frames are here, and an earlier one is not."""
        return bool(self._held)

    def add(self, number: int, content: bytes) -> list[Message]:
        """Take the content of a frame; return the messages that are complete now, in order.

        Raises:
            ValueError: what the minion sent is no message, or too much.
        """
        if number >= self.next:
            self._held.setdefault(number, content)
        messages: list[Message] = []
        while (content_of_next := self._held.pop(self.next, None)) is not None:
            self.next += 1
            self._pieces.append(content_of_next[1:])
            if content_of_next[:1] == LAST:
                messages.append(self._read())
            elif content_of_next[:1] != MORE:
                msg = "a frame is malformed"
                raise ValueError(msg)
        return messages

    def _read(self) -> Message:
        content, self._pieces = b"".join(self._pieces), []
        inflating = zlib.decompressobj()
        try:
            text = inflating.decompress(content, MOST_MESSAGE_BYTES)
        except zlib.error as error:
            raise ValueError(str(error)) from error
        self._inflated_bytes += len(text)
        if inflating.unconsumed_tail:
            msg = f"a message has more than {MOST_MESSAGE_BYTES >> 20} MiB"
            raise ValueError(msg)
        if self._inflated_bytes > MOST_BYTES:
            raise ValueError(too_much())
        try:
            message = _DECODER.decode(text)
        except RecursionError:
            raise _too_deep() from None
        # Events are texts in a message: their levels are counted where they are read.
        if not isinstance(message, Happened) and has_too_many_levels(text.decode()):
            raise _too_deep()
        return message


def _too_deep() -> ValueError:
    return ValueError(f"a message has more than {MOST_LEVELS} levels")


def too_much() -> str:
    """Return what is said about a minion that exceeds its quota."""
    return f"it sent more than {MOST_BYTES >> 20} MiB or {MOST_FRAMES} frames"
