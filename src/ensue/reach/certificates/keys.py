"""Inspects, creates and re-encodes private keys. The key stays on the target.

Source: openssl-genpkey(1), openssl-pkey(1), openssl-pkcs8(1), openssl-pkcs12(1); RFC 5208, RFC 7292.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.forms import Form, form_of
from ensue.reach.certificates.openssl import TargetKey, pipe, run, succeeded
from ensue.reach.certificates.replacing import replaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.contracts.context import FunctionContext

ALGORITHMS: Final = ("rsa", "ec", "ed25519", "ed448")
ENCODINGS: Final = ("pem", "der", "pkcs12")
_CURVES: Final = {256: "P-256", 384: "P-384", 521: "P-521"}
_DEFAULT_SIZE: Final = {"rsa": 2048, "ec": 256}
_CIPHER: Final = ("-topk8", "-v2", "aes-256-cbc")
_STRONG: Final = ("-keypbe", "AES-256-CBC", "-certpbe", "AES-256-CBC", "-macalg", "sha256", "-iter", "20000")
_OLD: Final = (
    "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-3DES", "-macalg", "sha1", "-iter", "50000",
)  # fmt: skip
_OPEN: Final = ("-keypbe", "NONE", "-certpbe", "NONE", "-nomac")


class KeyKind(msgspec.Struct, frozen=True, kw_only=True):
    """Algorithm and size of a key.

    Args:
        algo: one of `ALGORITHMS`, or another word for any other algorithm.
        keysize: its size in bits, for an elliptic curve that of its field; None if there is only one.
    """

    algo: str
    keysize: int | None

    @classmethod
    def wanted(cls, algo: str, keysize: int | None) -> KeyKind:
        """Check the algorithm and size that a user requests.

        Raises:
            StateFailedError: the algorithm or size is not supported.
        """
        if algo not in ALGORITHMS:
            raise StateFailedError(f"unknown algo {algo}; the algorithms are {', '.join(ALGORITHMS)}")
        if keysize is not None and algo not in _DEFAULT_SIZE:
            raise StateFailedError(f"keysize is an invalid parameter for {algo}")
        size = int(keysize) if keysize is not None else _DEFAULT_SIZE.get(algo)
        if algo == "ec" and size not in _CURVES:
            raise StateFailedError(f"keysize {size}: for ec the sizes are {', '.join(map(str, _CURVES))}")
        return cls(algo=algo, keysize=size)


class Storage(msgspec.Struct, frozen=True, kw_only=True):
    """Options for writing a private key.

    Args:
        encoding: one of `ENCODINGS`.
        passphrase: encrypts it.
        is_compatible: whether to encrypt PKCS#12 so that old programs can read it.
    """

    encoding: str = "pem"
    passphrase: str | None = None
    is_compatible: bool = False

    def sink(self) -> list[str]:
        """Return the arguments of openssl to read an unencrypted key and write it with these options."""
        if self.encoding == "pkcs12":
            words = pkcs12_options(is_encrypted=bool(self.passphrase), is_compatible=self.is_compatible)
            source = "fd:3" if self.passphrase else "pass:"
            return ["pkcs12", "-export", "-nocerts", *words, "-passout", source]
        form = ["-outform", self.encoding.upper()]
        return ["pkcs8", *_CIPHER, "-passout", "fd:3", *form] if self.passphrase else ["pkey", *form]


class ExistingKey(msgspec.Struct, frozen=True, kw_only=True):
    """An existing key.

    Args:
        kind: algorithm and size; None if the passphrase does not open it.
        encoding: one of `ENCODINGS`.
        is_encrypted: whether it requires a passphrase.
        public: the public key, as PEM.
    """

    kind: KeyKind | None
    encoding: str
    is_encrypted: bool
    public: str | None = None


def pkcs12_options(*, is_encrypted: bool, is_compatible: bool) -> Sequence[str]:
    """Return openssl's options for encrypting PKCS#12, the same for every version of openssl."""
    return (_OLD if is_compatible else _STRONG) if is_encrypted else _OPEN


async def look(ctx: FunctionContext, key: TargetKey) -> ExistingKey:
    """Inspect the file at a key's path. Only its first bytes and the public key leave the target.

    Raises:
        StateFailedError: openssl is missing, or prints no public key.
    """
    form = await form_of(ctx, key.path)
    encoding = {Form.PEM: "pem", Form.PKCS12: "pkcs12"}.get(form, "der")
    for each in (TargetKey(path=key.path), key) if key.passphrase else (key,):
        words = ["pkey", "-pubout"]
        if encoding == "pkcs12":
            done = await pipe(ctx, _source(each, encoding), words, passphrases=(each.passphrase, None))
        else:
            opening = ["-in", each.path, "-inform", encoding.upper(), *each.options()]
            done = await run(ctx, *words, *opening, passphrases=[each.passphrase])
        if not done.returncode:
            is_encrypted = each.passphrase is not None
            public = done.stdout.decode("utf-8", "replace")
            return ExistingKey(
                kind=kind_of(done.stdout), encoding=encoding, is_encrypted=is_encrypted, public=public
            )
    return ExistingKey(kind=None, encoding=encoding, is_encrypted=False)


async def public_key(ctx: FunctionContext, key: TargetKey) -> str:
    """Return the public key of a private key, as PEM.

    Raises:
        StateFailedError: the key cannot be read.
    """
    existing = await look(ctx, key)
    if existing.public is None:
        is_there = await ctx.connection.stat(key.path, follow=True) is not None
        why = "cannot be read with this passphrase" if is_there else "does not exist"
        raise StateFailedError(f"the private key {key.path} {why}")
    return existing.public


async def generate(ctx: FunctionContext, path: str, kind: KeyKind, storage: Storage) -> None:
    """Create a key in an existing file, whose owner and mode stay.

    Args:
        ctx: the target.
        path: the file, which must exist.
        kind: algorithm and size.
        storage: options for writing it.
    """
    await _write(ctx, path, _generating(kind), storage, None)


async def generated(ctx: FunctionContext, kind: KeyKind, storage: Storage) -> bytes:
    """Create a key and return it. It leaves the target."""
    done = await pipe(ctx, _generating(kind), storage.sink(), passphrases=(None, storage.passphrase))
    return succeeded(done, "create a private key")


async def encode(ctx: FunctionContext, path: str, key: TargetKey, storage: Storage) -> None:
    """Re-encode a key into an existing file, whose owner and mode stay.

    Args:
        ctx: the target.
        path: the file, which must exist.
        key: the key to read.
        storage: options for writing it.

    Raises:
        StateFailedError: the key cannot be read.
    """
    await _write(ctx, path, await _reading(ctx, key), storage, key.passphrase)


async def encoded(ctx: FunctionContext, key: TargetKey, storage: Storage) -> bytes:
    """Re-encode a key and return it. It leaves the target."""
    passphrases = (key.passphrase, storage.passphrase)
    done = await pipe(ctx, await _reading(ctx, key), storage.sink(), passphrases=passphrases)
    return succeeded(done, f"read the private key {key.path}")


def kind_of(public_pem: bytes) -> KeyKind:
    """Return algorithm and size of a key, by its public key.

    Raises:
        StateFailedError: it is not a public key.
    """
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        key = load_pem_public_key(public_pem)
    except UnsupportedAlgorithm:
        return KeyKind(algo="other", keysize=None)
    except ValueError as error:
        raise StateFailedError(f"the public key that openssl printed cannot be read: {error}") from None
    if isinstance(key, rsa.RSAPublicKey):
        return KeyKind(algo="rsa", keysize=key.key_size)
    if isinstance(key, ec.EllipticCurvePublicKey):
        return KeyKind(algo="ec", keysize=key.curve.key_size)
    if isinstance(key, ed25519.Ed25519PublicKey):
        return KeyKind(algo="ed25519", keysize=None)
    return KeyKind(algo="ed448" if isinstance(key, ed448.Ed448PublicKey) else "other", keysize=None)


def _generating(kind: KeyKind) -> list[str]:
    words = ["genpkey", "-algorithm", kind.algo.upper()]
    if kind.algo == "rsa":
        words += ["-pkeyopt", f"rsa_keygen_bits:{kind.keysize}"]
    elif kind.algo == "ec":
        curve = _CURVES[kind.keysize or 256]
        words += ["-pkeyopt", f"ec_paramgen_curve:{curve}", "-pkeyopt", "ec_param_enc:named_curve"]
    return words


async def _reading(ctx: FunctionContext, key: TargetKey) -> list[str]:
    form = await form_of(ctx, key.path)
    return _source(key, {Form.PEM: "pem", Form.PKCS12: "pkcs12"}.get(form, "der"))


def _source(key: TargetKey, encoding: str) -> list[str]:
    """Return the arguments of openssl to write a key unencrypted."""
    if encoding == "pkcs12":
        return ["pkcs12", "-in", key.path, "-nocerts", "-nodes", *key.options()]
    return ["pkey", "-in", key.path, "-inform", encoding.upper(), *key.options()]


async def _write(
    ctx: FunctionContext, path: str, source: list[str], storage: Storage, passphrase: str | None
) -> None:
    async with replaced(ctx, path) as temporary:
        sink = [*storage.sink(), "-out", temporary]
        done = await pipe(ctx, source, sink, passphrases=(passphrase, storage.passphrase))
        succeeded(done, f"create the private key {path}")
