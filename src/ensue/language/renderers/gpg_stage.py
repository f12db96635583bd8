"""`gpg`: decrypts PGP messages in text or data.

After a stage that makes data (`#!yaml|gpg`), each message is decrypted in place, and the result is data,
whatever signs it contains. Before such a stage (`#!gpg|jinja|yaml`), the result is text of the file. The
stream has the keys and the decryption (`Stream.decrypt`).

Source: Salt's renderer `gpg`, 3008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.diagnostics import Diagnostic, Span
from ensue.core.errors import CompileError, DecryptionError
from ensue.core.model.data import is_list, is_mapping
from ensue.language.authored import as_literal
from ensue.language.encrypted_texts import PGP_END, PGP_HEAD
from ensue.language.marks import without_marks
from ensue.language.renderers.stage import Printing
from ensue.language.yaml.document import Anchor

if TYPE_CHECKING:
    from ensue.language.renderers.stage import Stream

_HEAD: Final = PGP_HEAD
_MESSAGE: Final = re.compile(
    rf"{_HEAD}(?:(?!{_HEAD}).)*?{PGP_END}|{_HEAD}(?=[ \t]*(?:\r?\n|\\n|\Z))(?:(?!{_HEAD}).)*", re.DOTALL
)
"""A whole message, or one that is cut short: its first line is there, and its last one is not."""


def render(stream: Stream, _arguments: str) -> Stream:
    """Decrypt every PGP message.

    Raises:
        CompileError: one cannot be decrypted.
    """
    if stream.is_data:
        return msgspec.structs.replace(stream, data=_Decryption(stream).of(stream.data, ()))
    return _decrypted_text(stream) if _HEAD in stream.text else stream


def _decrypted_text(stream: Stream) -> Stream:
    """Return a stream with the messages in its text decrypted, and the source of each line."""
    document = stream.document()
    pieces: list[str] = []
    anchors = list(stream.anchors)
    made = position = 0
    for match in _MESSAGE.finditer(stream.text):
        first = stream.text.count("\n", 0, match.start()) + 1
        place = document.source_span(first)
        pieces += (stream.text[position : match.start()], _plain(stream, match[0], place))
        position = match.end()
        behind = document.source_span(stream.text.count("\n", 0, position) + 1)
        made += pieces[-2].count("\n") + pieces[-1].count("\n")
        anchors.append(Anchor(made + 1, behind.path, behind.line))
    if not stream.anchors:
        anchors.insert(0, Anchor(1, stream.path, stream.first_line))
    return msgspec.structs.replace(
        stream, text="".join([*pieces, stream.text[position:]]), anchors=tuple(anchors), first_line=1
    )


class _Decryption:
    """Decrypts the messages in the data of one stream; an alias is visited once."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._known: dict[int, Any] = {}

    def of(self, data: Any, keys: tuple[Any, ...]) -> Any:
        if isinstance(data, str):
            return self._text(data, keys) if _HEAD in data else data
        if isinstance(data, bytes):
            return self._text(data.decode("utf-8", "replace"), keys) if _HEAD.encode() in data else data
        if not (is_list(data) or is_mapping(data)):
            return data
        if id(data) not in self._known:
            # It is recorded before its parts are visited, so that a cycle ends.
            self._known[id(data)] = data
            within: Any = data
            for key in list(within) if is_mapping(data) else range(len(within)):
                within[key] = self.of(within[key], (*keys, key))
        return data

    def _text(self, text: str, keys: tuple[Any, ...]) -> str:
        place = self._stream.document().locate(keys)
        plain, count = _MESSAGE.subn(
            lambda match: _plain(self._stream, without_marks(match[0]).replace("\\n", "\n"), place), text
        )
        if count:
            plain = plain.rstrip("\n")  # Of a block scalar, which the message ends; as Salt does.
        # In pillar a sign without an author's mark is data; in an SLS each sign must be escaped.
        is_marked = self._stream.printing is Printing.MARKED
        literal: str = plain if is_marked else as_literal(plain)
        return literal


def _plain(stream: Stream, message: str, place: Span) -> str:
    try:
        return stream.decrypt(message)
    except DecryptionError as error:
        is_whole = message.endswith(PGP_END)
        raise CompileError(
            [
                Diagnostic(
                    code="E0222",
                    summary="a PGP message cannot be decrypted"
                    if is_whole
                    else "a PGP message is cut short and cannot be decrypted",
                    detail=str(error) if is_whole else f"it has no line {PGP_END}",
                    span=place,
                    help=f"{_HELP if is_whole else _HELP_IF_CUT}; "
                    "`gpg_decrypt_must_succeed: false` leaves such messages as they are",
                )
            ]
        ) from None


_HELP: Final = (
    "check that the secret key is in the folder that the option `gpg_keydir` names, and "
    "has no passphrase, or one that gpg's agent knows (gpg cannot ask for it here, and then "
    "says `No secret key`, too)"
)
_HELP_IF_CUT: Final = (
    "copy the whole message, up to and including that line, all of its lines with the same indentation, "
    "or encrypt the value again with `ensue keys encrypt`"
)
