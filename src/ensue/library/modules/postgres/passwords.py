"""Password hashes as PostgreSQL stores them.

Source: Salt's execution module `postgres`, 3008; RFC 5802 and RFC 7677 (SCRAM); RFC 4013
(SASLprep); PostgreSQL's `pg_authid`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import secrets
import stringprep
import unicodedata
from typing import Final

from ensue.core.errors import StateFailedError

_MD5: Final = "md5"
_SCRAM: Final = "SCRAM-SHA-256"
_VERIFIER: Final = re.compile(
    r"SCRAM-SHA-256\$(?P<rounds>[0-9]+):(?P<salt>[0-9A-Za-z+/=]+)\$[0-9A-Za-z+/=]+:[0-9A-Za-z+/=]+"
)
_HASH: Final = re.compile(r"md5[0-9a-f]{32}")
_REFUSED: Final = (
    stringprep.in_table_a1, stringprep.in_table_c12, stringprep.in_table_c21_c22, stringprep.in_table_c3,
    stringprep.in_table_c4, stringprep.in_table_c5, stringprep.in_table_c6, stringprep.in_table_c7,
    stringprep.in_table_c8, stringprep.in_table_c9,
)  # fmt: skip
"""What SASLprep refuses; PostgreSQL also refuses characters that Unicode 3.2 did not have."""
_ROUNDS: Final = 4096
_SALT_BYTES: Final = 16


def method_of(encrypted: bool | str | None) -> str | None:
    """Return how a password is stored: `md5` or `scram-sha-256`; None: as the server is set to.

    Args:
        encrypted: one of these, or true for `md5`; false: the server gets the password itself.

    Raises:
        StateFailedError: there is no such method.
    """
    if encrypted is None or encrypted is False:
        return None
    if encrypted is True:
        return _MD5
    if encrypted not in {_MD5, _SCRAM.lower()}:
        raise StateFailedError(f"encrypted: expected md5, scram-sha-256, true or false, not {encrypted!r}")
    return encrypted


def kept_password(role: str, password: str, method: str) -> str:
    """Return a password as the server stores it; what is in the form of a stored one stays as it is.

    Args:
        role: the role of the password, which the MD5 hash includes.
        password: the password.
        method: `scram-sha-256`; everything else that a server may be set to means `md5`.
    """
    if _is_stored_form(password):
        return password
    if method == _SCRAM.lower():
        return _scram(password, secrets.token_bytes(_SALT_BYTES), _ROUNDS)
    return _md5(role, password)


def is_kept(role: str, password: str, encrypted: bool | str | None, kept: str) -> bool:
    """Return whether a stored password is this one, in the form that is asked for.

    Args:
        role: the role of the password.
        password: the password.
        encrypted: see `method_of`; without a method every form will do.
        kept: what the server stores.
    """
    method, verifier = method_of(encrypted), _VERIFIER.fullmatch(kept)
    derived = password
    if verifier is not None and not _is_stored_form(password):
        if method == _MD5:
            return False
        derived = _scram(password, base64.b64decode(verifier["salt"]), int(verifier["rounds"]))
    elif _HASH.fullmatch(kept) and not _is_stored_form(password):
        if method == _SCRAM.lower():
            return False
        derived = _md5(role, password)
    return hmac.compare_digest(derived.encode(), kept.encode())


def _is_stored_form(password: str) -> bool:
    """Return whether a server takes this for a password that is hashed already."""
    return bool(_HASH.fullmatch(password) or _VERIFIER.fullmatch(password))


def _md5(role: str, password: str) -> str:
    return _MD5 + hashlib.md5(f"{password}{role}".encode(), usedforsecurity=False).hexdigest()


def _scram(password: str, salt: bytes, rounds: int) -> str:
    salted = hashlib.pbkdf2_hmac("sha256", _prepared(password).encode(), salt, rounds)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    server = hmac.digest(salted, b"Server Key", "sha256")
    shown = [base64.b64encode(each).decode() for each in (salt, stored, server)]
    return f"{_SCRAM}${rounds}:{shown[0]}${shown[1]}:{shown[2]}"


def _prepared(password: str) -> str:
    """Return a password as clients of PostgreSQL prepare it: by SASLprep, or as it is if that refuses it."""
    if password.isascii():
        return password
    kept = (character for character in password if not stringprep.in_table_b1(character))
    mapped = "".join(" " if stringprep.in_table_c12(character) else character for character in kept)
    prepared = unicodedata.normalize("NFKC", mapped)
    is_refused = any(is_in(character) for character in prepared for is_in in _REFUSED)
    from_right = [stringprep.in_table_d1(character) for character in prepared]
    if any(from_right):
        has_both = any(map(stringprep.in_table_d2, prepared))
        is_refused |= has_both or not (from_right[0] and from_right[-1])
    return password if is_refused or not prepared else prepared
