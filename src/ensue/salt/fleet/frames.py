"""What a minion reports to the coordinator: messages in sealed frames, each sent in parts."""

from __future__ import annotations

import base64
import zlib
from typing import Annotated, Any, Final, TypeAlias

import msgspec

from ensue.salt.fleet.sealing import RunKey, seal

MOST_BYTES: Final = 64 << 20
"""The most that one frame may inflate to; a minion could otherwise exhaust the coordinator's memory."""

MOST_PARTS: Final = 4096
"""The most parts of one frame."""


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


Message: TypeAlias = Happened | Refused | Answered | Warned

_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final[msgspec.json.Decoder[Message]] = msgspec.json.Decoder(Message)


def written(message: Message, public: bytes, about: str) -> str:
    """Return a message as a sealed frame, in text.

    Args:
        message: the message.
        public: the public key of the run.
        about: which frame it is; see `frame_name`.
    """
    return base64.b64encode(seal(public, zlib.compress(_ENCODER.encode(message), 1), about)).decode()


def read(frame: str, key: RunKey, about: str) -> Message:
    """Return the message of a sealed frame.

    Raises:
        ValueError: it was altered, belongs elsewhere, or is not a message.
    """
    packed = key.opened(base64.b64decode(frame), about)
    inflating = zlib.decompressobj()
    try:
        content = inflating.decompress(packed, MOST_BYTES)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if inflating.unconsumed_tail:
        msg = "the frame is too large"
        raise ValueError(msg)
    return _DECODER.decode(content)


def frame_name(run_id: str, minion: str, number: int) -> str:
    """Return what a frame is sealed with, so that it counts only once and only in its place."""
    return f"{run_id}\0{minion}\0{number}"


class Piece(msgspec.Struct, frozen=True):
    """A part of a frame, as an event carries it.

    Args:
        frame: which frame it belongs to, counted from 0.
        part: which part it is, counted from 0.
        parts: how many parts the frame has.
        sealed: its text.
    """

    frame: Annotated[int, msgspec.Meta(ge=0)]
    part: Annotated[int, msgspec.Meta(ge=0)]
    parts: Annotated[int, msgspec.Meta(ge=1, le=MOST_PARTS)]
    sealed: str


class Collected:
    """The frames of one minion, in order, whatever order their parts arrive in.

    Attributes:
        complete: how many frames have been returned.
    """

    def __init__(self) -> None:
        self._parts: dict[int, dict[int, str]] = {}
        self.complete = 0

    def add(self, piece: Piece) -> list[tuple[int, str]]:
        """Take a part; return the frames that are next in order and complete now, each with its number."""
        if piece.frame >= self.complete:
            held = self._parts.setdefault(piece.frame, dict.fromkeys(range(piece.parts), ""))
            held[piece.part] = piece.sealed
        ready: list[tuple[int, str]] = []
        while (whole := self._parts.get(self.complete)) and all(whole.values()):
            del self._parts[self.complete]
            ready.append((self.complete, "".join(whole[index] for index in sorted(whole))))
            self.complete += 1
        return ready
