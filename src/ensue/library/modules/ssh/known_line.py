"""A line of a `known_hosts` file: its hosts and the key.

Names may be patterns, also negated, or hashed. The caller keeps lines that are not keys.

Source: sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
"""

from __future__ import annotations

import base64
import binascii
import fnmatch
import hashlib
import hmac
import os
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.library.modules.ssh.key_line import fingerprint

if TYPE_CHECKING:
    from ensue.core.model.data import DataMap

DEFAULT_PORT: Final = 22
_HASHED: Final = "|1|"
_FIELDS: Final = 3


class KnownHost(msgspec.Struct, kw_only=True, frozen=True):
    """One key of a host.

    Args:
        hostname: the first field: names joined by commas, or a hash.
        enc: the key's type.
        key: the key, in base64.
    """

    hostname: str
    enc: str
    key: str

    def text(self) -> str:
        """Return the line of the key, without a line end."""
        return f"{self.hostname} {self.enc} {self.key}"

    def is_for(self, host: str) -> bool:
        """Return whether it is a key of the host, written as `host` or `[host]:port`."""
        names = self.hostname.split(",")
        if any(name.startswith("!") and fnmatch.fnmatchcase(host, _glob(name[1:])) for name in names):
            return False
        return any(_is_name_of(name, host) for name in names)

    def as_data(self, hash_type: str | None = None) -> DataMap:
        """Return it in the form of Salt's functions."""
        return {
            "hostname": self.hostname,
            "key": self.key,
            "enc": self.enc,
            "fingerprint": fingerprint(self.key, hash_type),
        }

    def hashed(self) -> KnownHost:
        """Return it with hashed names."""
        if self.hostname.startswith(_HASHED):
            return self
        salt = os.urandom(20)
        parts = (base64.b64encode(part).decode() for part in (salt, _digest(salt, self.hostname)))
        return KnownHost(hostname=_HASHED + "|".join(parts), enc=self.enc, key=self.key)


def read_line(line: str) -> KnownHost | None:
    """Parse a line; None for a comment, a marked line (`@revoked`) and anything else."""
    fields = line.split()
    if len(fields) < _FIELDS or fields[0][0] in "#@":
        return None
    hostname, enc, key, *_ = fields
    return KnownHost(hostname=hostname, enc=enc, key=key) if fingerprint(key) else None


def host_with_port(host: str, port: int | str | None) -> str:
    """Return a host as written in the file: `host` or `[host]:port`."""
    return host if port is None or int(port) == DEFAULT_PORT else f"[{host}]:{port}"


def _is_name_of(name: str, host: str) -> bool:
    if not name.startswith(_HASHED):
        return fnmatch.fnmatchcase(host, _glob(name))
    salt, _, digest = name.removeprefix(_HASHED).partition("|")
    try:
        return hmac.compare_digest(_digest(base64.b64decode(salt), host), base64.b64decode(digest))
    except binascii.Error:
        return False


def _digest(salt: bytes, host: str) -> bytes:
    return hmac.new(salt, host.encode(), hashlib.sha1).digest()


def _glob(pattern: str) -> str:
    # Brackets enclose a host with a port; they are not part of the pattern.
    return pattern.replace("[", "[[]")
