"""Minions with real keys, for tests without Salt."""

from __future__ import annotations

import base64
from copy import copy
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from ensue.salt.fleet.signing import FrameSigner

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey


@cache
def private_key(minion: str) -> RSAPrivateKey:  # noqa: ARG001 -- the key of the cache
    """Return the key of a minion, of the size that Salt makes."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def public_pem(minion: str) -> bytes:
    """Return the public key of a minion as the master keeps it."""
    return private_key(minion).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def signer(minion: str, *, public: bytes, run_id: str = "run", jid: str = "1", key: str = "") -> FrameSigner:
    """Return what makes the frames of a minion.

    Args:
        minion: the name that the frames have.
        public: the public key of the run.
        run_id: the run.
        jid: the job.
        key: the minion whose key signs; empty: that of `minion`.
    """
    made = copy(_signer_with_the_key_of(key or minion))
    made.order = {"key": base64.b64encode(public).decode(), "run_id": run_id, "jid": jid}
    made.minion, made.public = minion, public
    return made


@cache
def _signer_with_the_key_of(minion: str) -> FrameSigner:
    """Return one that reads its key as a minion does, once: the check of a key's primes takes 0.1 s."""
    with TemporaryDirectory() as folder:
        pem = private_key(minion).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        (Path(folder) / "minion.pem").write_bytes(pem)
        return FrameSigner({"key": ""}, minion, folder)
