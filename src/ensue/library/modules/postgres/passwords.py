"""Password hashes as PostgreSQL stores them.

Source: Salt's execution module `postgres`, 3008; RFC 5802 and RFC 7677 (SCRAM); PostgreSQL's `pg_authid`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
from typing import Final

from ensue.core.errors import StateFailedError

_MD5: Final = "md5"
_SCRAM: Final = "SCRAM-SHA-256"
_VERIFIER: Final = re.compile(r"SCRAM-SHA-256\$(?P<rounds>\d+):(?P<salt>[^$]+)\$")
_ROUNDS: Final = 4096
_SALT_BYTES: Final = 16


def method_of(encrypted: bool | str | None) -> str:
    """Return how a password is stored: `md5`, `scram-sha-256`, or an empty string for unencrypted.

    Raises:
        StateFailedError: there is no such method.
    """
    if encrypted is None or encrypted is True:
        return _MD5
    if encrypted is False:
        return ""
    if encrypted not in {_MD5, _SCRAM.lower()}:
        raise StateFailedError(f"encrypted: expected md5, scram-sha-256, true or false, not {encrypted!r}")
    return encrypted


def kept_password(role: str, password: str, encrypted: bool | str | None) -> str:
    """Return a password in the form that goes to the server; a hash in that form stays as it is.

    Args:
        role: the role of the password, which the MD5 hash includes.
        password: the password.
        encrypted: see `method_of`.
    """
    method = method_of(encrypted)
    if method == _MD5 and not password.startswith(_MD5):
        return _md5(role, password)
    if method == _SCRAM.lower() and not password.startswith(_SCRAM):
        return _scram(password, secrets.token_bytes(_SALT_BYTES), _ROUNDS)
    return password


def is_kept(role: str, password: str, encrypted: bool | str | None, kept: str) -> bool:
    """Return whether a stored hash belongs to this password.

    Args:
        role: the role of the password.
        password: the password.
        encrypted: see `method_of`.
        kept: the hash that the server stores.
    """
    if method_of(encrypted) == _SCRAM.lower() and not password.startswith(_SCRAM):
        verifier = _VERIFIER.match(kept)
        if verifier is None:
            return False
        derived = _scram(password, base64.b64decode(verifier["salt"]), int(verifier["rounds"]))
    else:
        derived = kept_password(role, password, encrypted)
    return hmac.compare_digest(derived.encode(), kept.encode())


def _md5(role: str, password: str) -> str:
    return _MD5 + hashlib.md5(f"{password}{role}".encode(), usedforsecurity=False).hexdigest()


def _scram(password: str, salt: bytes, rounds: int) -> str:
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, rounds)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    shown = [base64.b64encode(each).decode() for each in (salt, stored, server)]
    return f"{_SCRAM}${rounds}:{shown[0]}${shown[1]}:{shown[2]}"
