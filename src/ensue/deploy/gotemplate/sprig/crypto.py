"""Passwords, keys and encryption. `cryptography` and `bcrypt` are imported only when a template needs them.

Source: Sprig's documentation, "Cryptographic and Security Functions"; derived passwords: the algorithm of
Master Password.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import struct
from typing import TYPE_CHECKING, Final

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.values import from_bytes, to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

_SEED: Final = b"com.lyndir.masterpassword"
_TEMPLATES: Final = {
    "maximum": "anoxxxxxxxxxxxxxxxxx axxxxxxxxxxxxxxxxxno",
    "long": "CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno"
    " CvcvnoCvccCvcv CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno"
    " CvccnoCvccCvcv CvccCvccnoCvcv CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno"
    " CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno",
    "medium": "CvcnoCvc CvcCvcno",
    "short": "Cvcn",
    "basic": "aaanaaan aannaaan aaannaaa",
    "pin": "nnnn",
}
_LETTERS: Final = "AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz"
_CHARACTERS: Final = {
    "C": "BCDFGHJKLMNPQRSTVWXYZ",
    "v": "aeiou",
    "c": "bcdfghjklmnpqrstvwxyz",
    "a": _LETTERS,
    "n": "0123456789",
    "o": "@&%?,=[]_:-+*$#!'^~;()/.",
    "x": _LETTERS + "0123456789!@#$%^&*()",
}
_SCRYPT_BYTES: Final = 128 << 20
_BLOCK_BYTES: Final = 16
_KEY_BYTES: Final = 32
_MOST_PASSWORD_BYTES: Final = 72


def _bcrypt(password: str) -> str:
    import bcrypt

    raw = to_bytes(password)
    if len(raw) > _MOST_PASSWORD_BYTES:
        raise CallError(
            f"the password is longer than {_MOST_PASSWORD_BYTES} bytes", help="bcrypt accepts no longer ones"
        )
    return bcrypt.hashpw(raw, bcrypt.gensalt(10, prefix=b"2a")).decode()


def _htpasswd(user: str, password: str) -> str:
    if ":" in user:
        raise CallError(f"the user {user!r} has a colon in it")
    return f"{user}:{_bcrypt(password)}"


def _derive_password(counter: int, kind: str, password: str, user: str, site: str) -> str:
    if kind not in _TEMPLATES:
        raise CallError(f"there is no kind of password {kind!r}", help=f"Kinds are {', '.join(_TEMPLATES)}")
    name, place = to_bytes(user), to_bytes(site)
    salt = _SEED + struct.pack(">I", len(name)) + name
    key = hashlib.scrypt(to_bytes(password), salt=salt, n=32768, r=8, p=2, maxmem=_SCRYPT_BYTES, dklen=64)
    message = _SEED + struct.pack(">I", len(place)) + place + struct.pack(">I", counter & 0xFFFFFFFF)
    seed = hmac.new(key, message, "sha256").digest()
    templates = _TEMPLATES[kind].split(" ")
    template = templates[seed[0] % len(templates)]
    return "".join(
        [_CHARACTERS[kind][seed[index] % len(_CHARACTERS[kind])] for index, kind in enumerate(template, 1)]
    )


def _gen_private_key(kind: str) -> str:
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

    key: ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey | rsa.RSAPrivateKey
    encoding = serialization.PrivateFormat.TraditionalOpenSSL
    if kind in {"", "rsa"}:
        key = rsa.generate_private_key(public_exponent=65537, key_size=4096)
    elif kind == "ecdsa":
        key = ec.generate_private_key(ec.SECP256R1())
    elif kind == "ed25519":
        key, encoding = ed25519.Ed25519PrivateKey.generate(), serialization.PrivateFormat.PKCS8
    else:
        raise CallError(f"there are no keys of type {kind!r}", help="Types are rsa, ecdsa and ed25519")
    return key.private_bytes(serialization.Encoding.PEM, encoding, serialization.NoEncryption()).decode()


def _key_of(password: str) -> bytes:
    return to_bytes(password)[:_KEY_BYTES].ljust(_KEY_BYTES, b"\0")


def _encrypt_aes(password: str, text: str) -> str:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if not text:
        return ""
    raw = to_bytes(text)
    padding = _BLOCK_BYTES - len(raw) % _BLOCK_BYTES
    vector = secrets.token_bytes(_BLOCK_BYTES)
    encryptor = Cipher(algorithms.AES(_key_of(password)), modes.CBC(vector)).encryptor()
    encrypted = encryptor.update(raw + bytes([padding]) * padding) + encryptor.finalize()
    return base64.b64encode(vector + encrypted).decode()


def _decrypt_aes(password: str, text: str) -> str:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if not text:
        return ""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise CallError(f"this is not base64: {error}", help="Encrypt it with `encryptAES`") from None
    if len(raw) < 2 * _BLOCK_BYTES or len(raw) % _BLOCK_BYTES:
        raise CallError("this is not what `encryptAES` returned")
    decryptor = Cipher(algorithms.AES(_key_of(password)), modes.CBC(raw[:_BLOCK_BYTES])).decryptor()
    padded = decryptor.update(raw[_BLOCK_BYTES:]) + decryptor.finalize()
    if not 1 <= padded[-1] <= _BLOCK_BYTES:
        raise CallError("the password does not decrypt this")
    return from_bytes(padded[: -padded[-1]])


CRYPTO_FUNCTIONS: Final[Mapping[str, Function]] = {
    "bcrypt": function(_bcrypt, "s"),
    "decryptAES": function(_decrypt_aes, "ss"),
    "derivePassword": function(_derive_password, "issss"),
    "encryptAES": function(_encrypt_aes, "ss"),
    "genPrivateKey": function(_gen_private_key, "s"),
    "htpasswd": function(_htpasswd, "ss"),
}
"""The functions by name."""
