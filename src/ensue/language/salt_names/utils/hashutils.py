"""`salt.utils.hashutils`: digests and base64."""

from __future__ import annotations

import base64
import hashlib
import hmac
from pathlib import Path

from ensue.language.salt_names.absent import not_there
from ensue.language.salt_names.utils.stringutils import to_bytes


def get_hash(path: str, form: str = "sha256", chunk_size: int = 65536) -> str:
    """Return the digest of a file.

    Args:
        path: the file.
        form: the algorithm.
        chunk_size: without effect.
    """
    del chunk_size
    with Path(path).open("rb") as opened:
        return hashlib.file_digest(opened, form).hexdigest()


def md5_digest(instr: str | bytes) -> str:
    """Return the MD5 digest of a text."""
    return hashlib.md5(to_bytes(instr), usedforsecurity=False).hexdigest()


def sha1_digest(instr: str | bytes) -> str:
    """Return the SHA-1 digest of a text."""
    return hashlib.sha1(to_bytes(instr), usedforsecurity=False).hexdigest()


def sha256_digest(instr: str | bytes) -> str:
    """Return the SHA-256 digest of a text."""
    return hashlib.sha256(to_bytes(instr)).hexdigest()


def sha512_digest(instr: str | bytes) -> str:
    """Return the SHA-512 digest of a text."""
    return hashlib.sha512(to_bytes(instr)).hexdigest()


def hmac_signature(string: str, shared_secret: str, challenge_hmac: str) -> bool:
    """Return whether a base64 HMAC signature matches a text."""
    made = hmac.new(to_bytes(shared_secret), to_bytes(string), hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(made), to_bytes(challenge_hmac))


def base64_b64encode(instr: str | bytes) -> str:
    """Encode a text as base64 without line ends."""
    return base64.b64encode(to_bytes(instr)).decode()


def base64_b64decode(instr: str | bytes) -> str | bytes:
    """Decode base64; returns bytes if the content is not text."""
    decoded = base64.b64decode(instr)
    try:
        return decoded.decode()
    except UnicodeDecodeError:
        return decoded


def base64_encodestring(instr: str | bytes) -> str:
    """Encode a text as base64 with line ends."""
    return base64.encodebytes(to_bytes(instr)).decode()


def base64_decodestring(instr: str | bytes) -> str | bytes:
    """Decode base64 with line ends."""
    return base64_b64decode(instr)


__getattr__ = not_there(__name__)
