"""Signs and seals what a minion sends to the coordinator, and opens what the coordinator sends to it.

`relay` loads this file on the minion as a part of its program, so that nothing here imports ensue: only the
standard library, and `cryptography`, which Salt requires. The coordinator imports it for the forms that both
sides share; `sealing` and `admission` have its side.

A report is a message, cut into frames. Each frame is one event: it is encrypted for the run, and signed
with the key of the minion, so that the coordinator needs to believe nothing that Salt says about an event.
The signature covers the run, the job, the minion, the number of the frame and the digest of its content.
"""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

FRAME_BYTES = 192 * 1024
"""The most content of one frame, which is a third longer as text; Salt cuts events of 1 MiB."""

MORE = b"+"
"""The first byte of a frame whose message goes on in the next frame."""

LAST = b"."
"""The first byte of a frame that ends its message."""

KEY_BYTES = 32
NONCE = bytes(12)
"""Constant, because no key encrypts more than one frame."""


class FrameSigner:
    """Makes the frames of one job.

    Args:
        given: the order.
        minion: the id of this minion.
        pki_dir: the folder that Salt keeps the minion's private key in.

    Attributes:
        count: how many frames were made.
    """

    def __init__(self, given: dict[str, Any], minion: str, pki_dir: str) -> None:
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        self.order = given
        self.minion = minion
        self.public = base64.b64decode(given["key"])
        self.private: Any = load_pem_private_key((Path(pki_dir) / "minion.pem").read_bytes(), None)
        self.count = 0

    def frame(self, content: bytes) -> dict[str, Any]:
        """Return the next frame."""
        name = frame_name(self.order["run_id"], self.order["jid"], self.minion, self.count)
        sealed = seal(self.public, content, name)
        signature = self.private.sign(signed_text(name, sealed), *signature_form())
        frame = {
            "minion": self.minion,
            "number": self.count,
            "sealed": base64.b64encode(sealed).decode(),
            "signature": base64.b64encode(signature).decode(),
        }
        self.count += 1
        return frame

    def frames(self, message: bytes) -> list[dict[str, Any]]:
        """Return the frames of a message."""
        pieces = [message[at : at + FRAME_BYTES] for at in range(0, len(message), FRAME_BYTES)]
        return [*(self.frame(MORE + piece) for piece in pieces[:-1]), self.frame(LAST + pieces[-1])]


def frame_name(run_id: str, jid: str, minion: str, number: int) -> str:
    """Return what a frame is sealed and signed with, so that it counts only once and only in its place."""
    return json.dumps([run_id, jid, minion, number])


def signed_text(name: str, sealed: bytes) -> bytes:
    """Return what the signature of a frame is for."""
    return f"ensue frame 1\n{name}\n{hashlib.sha256(sealed).hexdigest()}".encode()


def signature_form() -> tuple[Any, Any]:
    """Return the padding and the digest of signatures: RSA-PSS with SHA-256. Salt's keys are RSA keys."""
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.hashes import SHA256

    return padding.PSS(padding.MGF1(SHA256()), padding.PSS.DIGEST_LENGTH), SHA256()


def seal(public: bytes, content: bytes, about: str) -> bytes:
    """Encrypt a frame, so that only the coordinator of the run can read it (`sealing` has the other side).

    Args:
        public: the public key of the run.
        content: the frame.
        about: what the frame belongs to; it has to be the same when the frame is opened.
    """
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    ephemeral = X25519PrivateKey.generate()
    sender = ephemeral.public_key().public_bytes_raw()
    shared = ephemeral.exchange(X25519PublicKey.from_public_bytes(public))
    return sender + AESGCM(derived(shared, sender)).encrypt(NONCE, content, about.encode())


def message_name(run_id: str, jid: str, minion: str, name: str) -> str:
    """Return what a message to a minion is sealed with, so that it counts only for its job."""
    return json.dumps(["to", run_id, jid, minion, name])


def key_wrapping() -> Any:
    """Return how the key of a message is encrypted for a minion: RSA-OAEP with SHA-256."""
    from cryptography.hazmat.primitives.asymmetric import padding
    from cryptography.hazmat.primitives.hashes import SHA256

    return padding.OAEP(padding.MGF1(SHA256()), SHA256(), None)


def opened(private: Any, sealed: bytes, about: str) -> bytes:
    """Return the content of a message to this minion (`sealing` has the other side).

    Args:
        private: the key of this minion.
        sealed: the message.
        about: what it was sealed with.

    Raises:
        ValueError: it was altered, or it is for another minion or job.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    size = private.key_size // 8
    try:
        key = private.decrypt(sealed[:size], key_wrapping())
        return AESGCM(key).decrypt(NONCE, sealed[size:], about.encode())
    except InvalidTag as error:
        raise ValueError(str(error)) from error


def derived(shared: bytes, sender: bytes) -> bytes:
    """Return the key that a frame is encrypted with.

    Args:
        shared: what both sides have agreed on.
        sender: the ephemeral public key of the minion.
    """
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(algorithm=SHA256(), length=KEY_BYTES, salt=None, info=b"ensue fleet" + sender).derive(shared)
