"""A line of an `authorized_keys` file: options, type, key and comment.

Source: sshd(8), "AUTHORIZED_KEYS FILE FORMAT"; Salt's execution module `ssh`, 3008, for what
counts as a key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines

_LINE: Final = re.compile(r"^(?P<options>.*?)\s?(?P<rest>(?:sk-)?(?:ssh-|ecds)[\w@.-]+\s.+)$")
_SHORT_TYPES: Final = {
    "r": "ssh-rsa", "rsa": "ssh-rsa",
    "d": "ssh-dss", "dsa": "ssh-dss", "dss": "ssh-dss",
    "e": "ecdsa-sha2-nistp256", "ecdsa": "ecdsa-sha2-nistp256",
    "ed25519": "ssh-ed25519",
}  # fmt: skip
_TYPE: Final = re.compile(
    r"(ssh-(rsa|dss|ed25519)|rsa-sha2-(256|512)|(sk-)?ecdsa-sha2-nistp(256|384|521)|sk-ssh-ed25519)"
    r"(-cert-v01)?(@openssh\.com)?"
)


class KeyLine(msgspec.Struct, kw_only=True, frozen=True):
    """One authorized key.

    Args:
        key: the key itself, in base64.
        enc: its type (`ssh-ed25519`).
        comment: the comment after the key.
        options: the options before the key, separated by commas.
    """

    key: str
    enc: str
    comment: str = ""
    options: str = ""

    def text(self) -> str:
        """Return the line of the key, without a line end."""
        return " ".join(part for part in (self.options, self.enc, self.key, self.comment) if part)


def read_line(line: str) -> KeyLine | None:
    """Parse a line; None if it is a comment or anything else that is not a key."""
    text = line.strip()
    match = None if text.startswith("#") else _LINE.match(text)
    if match is None:
        return None
    enc, key, *comment = match["rest"].split()
    return KeyLine(key=key, enc=enc, comment=" ".join(comment), options=match["options"])


def read_keys(text: str, hash_type: str | None = None) -> dict[str, KeyLine]:
    """Return the keys of a file by their base64; lines that are not valid base64 are left out."""
    lines = (read_line(line) for line in file_lines(text))
    return {each.key: each for each in lines if each and fingerprint(each.key, hash_type)}


def key_type(enc: str) -> str:
    """Return the full name of a key type.

    Raises:
        StateFailedError: the key type is unknown.
    """
    full = _SHORT_TYPES.get(enc, enc)
    if not _TYPE.fullmatch(full):
        raise StateFailedError(f"Incorrect encryption key type '{enc}'.")
    return full


def fingerprint(key: str, hash_type: str | None = None) -> str | None:
    """Return the fingerprint of a key, in hexadecimal with colons; None if the key is not valid base64.

    Raises:
        StateFailedError: the hash is unknown.
    """
    name = (hash_type or "sha256").lower()
    if name not in hashlib.algorithms_guaranteed or name.startswith("shake"):
        raise StateFailedError(f"The fingerprint_hash_type {name} is not supported.")
    try:
        raw = base64.b64decode(key, validate=True)
    except binascii.Error:
        return None
    digits = hashlib.new(name, raw, usedforsecurity=False).hexdigest()
    return ":".join(digits[place : place + 2] for place in range(0, len(digits), 2))
