"""A line of an `authorized_keys` file: options, type, key and comment.

Source: sshd(8), "AUTHORIZED_KEYS FILE FORMAT"; Salt's execution module `ssh`, 3008, for what
it takes for a key.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from typing import Final

import msgspec

from ensue.errors import StateFailedError

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
    """One key.

    Args:
        key: the key itself, base64.
        enc: its type (`ssh-ed25519`).
        comment: what stands behind it.
        options: what stands before it, joined by commas.
    """

    key: str
    enc: str
    comment: str = ""
    options: str = ""

    def text(self) -> str:
        """Return it as it is written, without a line end."""
        return " ".join(part for part in (self.options, self.enc, self.key, self.comment) if part)


def read_line(line: str) -> KeyLine | None:
    """Return the key of a line, None for a comment or anything else."""
    text = line.strip()
    match = None if text.startswith("#") else _LINE.match(text)
    if match is None:
        return None
    enc, key, *comment = match["rest"].split()
    return KeyLine(key=key, enc=enc, comment=" ".join(comment), options=match["options"])


def read_keys(text: str, hash_type: str | None = None) -> dict[str, KeyLine]:
    """Return the keys of a file by themselves; what is no base64 is left out."""
    found = (read_line(line) for line in text.splitlines())
    return {each.key: each for each in found if each and fingerprint(each.key, hash_type)}


def key_type(enc: str) -> str:
    """Return a type's full name.

    Raises:
        StateFailedError: there is no such type.
    """
    full = _SHORT_TYPES.get(enc, enc)
    if not _TYPE.fullmatch(full):
        raise StateFailedError(f"Incorrect encryption key type '{enc}'.")
    return full


def fingerprint(key: str, hash_type: str | None = None) -> str | None:
    """Return the hash of a key, hexadecimal with colons; None when it is no base64.

    Raises:
        StateFailedError: there is no such hash.
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
