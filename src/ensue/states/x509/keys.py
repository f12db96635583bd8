"""Private keys: what one is like, and making one. The key itself stays on the target.

Source: openssl-genpkey(1), openssl-pkey(1).
"""

from __future__ import annotations

import posixpath
import secrets
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.contracts.connection import Command
from ensue.errors import StateFailedError
from ensue.states.x509.openssl import Key, must, run

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext

ALGORITHMS: Final = ("rsa", "ec", "ed25519", "ed448")
_CURVES: Final = {256: "P-256", 384: "P-384", 521: "P-521"}
_DEFAULT_SIZE: Final = {"rsa": 2048, "ec": 256}
_HEAD: Final = "-----BEGIN ENCRYPTED PRIVATE KEY-----"


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """What a key is like.

    Args:
        algo: one of `ALGORITHMS`, or another word for one that is of none of these.
        keysize: its size in bits, of an elliptic curve that of its field; None where there is one alone.
    """

    algo: str
    keysize: int | None

    @classmethod
    def wanted(cls, algo: str, keysize: int | None) -> Kind:
        """Check what a user asks for.

        Raises:
            StateFailedError: there is no such algorithm or size.
        """
        if algo not in ALGORITHMS:
            raise StateFailedError(f"there is no algo {algo}; there are {', '.join(ALGORITHMS)}")
        if keysize is not None and algo not in _DEFAULT_SIZE:
            raise StateFailedError(f"keysize is an invalid parameter for {algo}")
        size = int(keysize) if keysize is not None else _DEFAULT_SIZE.get(algo)
        if algo == "ec" and size not in _CURVES:
            raise StateFailedError(f"keysize {size}: for ec there are {', '.join(map(str, _CURVES))}")
        return cls(algo=algo, keysize=size)


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """A key that is there.

    Args:
        kind: what it is like; None when it cannot be read with the passphrase.
        encoding: `pem` or `der`.
        is_encrypted: whether it needs a passphrase.
    """

    kind: Kind | None
    encoding: str
    is_encrypted: bool


async def look(ctx: StateContext, key: Key) -> Found:
    """Say what is at a key's path. Only its first line and the public part leave the target."""
    command = Command(argv=["head", "-c", str(len(_HEAD)), "--", key.path], cwd="/")
    head = (await ctx.connection.run(command)).stdout.decode("utf-8", "replace")
    is_encrypted = head == _HEAD
    encoding = "pem" if head.startswith("-----BEGIN ") else "der"
    readable = key if is_encrypted else Key(path=key.path)
    done = await run(ctx, "pkey", "-in", key.path, "-pubout", *readable.options(), key=readable)
    kind = kind_of(done.stdout) if not done.returncode else None
    return Found(kind=kind, encoding=encoding, is_encrypted=is_encrypted)


async def public_key(ctx: StateContext, key: Key) -> str:
    """Return the public part of a private key, PEM.

    Raises:
        StateFailedError: it cannot be read.
    """
    return await must(
        ctx,
        "pkey",
        "-in",
        key.path,
        "-pubout",
        *key.options(),
        key=key,
        what=f"read the private key {key.path}",
    )


async def generate(ctx: StateContext, path: str, kind: Kind, passphrase: str | None, encoding: str) -> None:
    """Make a key at a path, with the owner and mode of the file that is there.

    Args:
        ctx: the state's context.
        path: where it is to be; a file is there already.
        kind: what it is to be like.
        passphrase: what it is encrypted with.
        encoding: `pem` or `der`.
    """
    words = ["genpkey", "-algorithm", kind.algo.upper()]
    if kind.algo == "rsa":
        words += ["-pkeyopt", f"rsa_keygen_bits:{kind.keysize}"]
    elif kind.algo == "ec":
        curve = _CURVES[kind.keysize or 256]
        words += ["-pkeyopt", f"ec_paramgen_curve:{curve}", "-pkeyopt", "ec_param_enc:named_curve"]
    words += ["-outform", encoding.upper(), *(["-aes-256-cbc", "-pass", "stdin"] if passphrase else [])]
    await _replace(ctx, path, words, Key(path=path, passphrase=passphrase))


async def encode(ctx: StateContext, path: str, passphrase: str | None, encoding: str) -> None:
    """Write the key at a path, which is not encrypted, in another form; see `generate`."""
    words = ["pkey", "-in", path, "-outform", encoding.upper()]
    words += ["-aes-256-cbc", "-passout", "stdin"] if passphrase else []
    await _replace(ctx, path, words, Key(path=path, passphrase=passphrase))


def kind_of(public_pem: bytes) -> Kind:
    """Say what a key is like, by its public part."""
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    key = load_pem_public_key(public_pem)
    if isinstance(key, rsa.RSAPublicKey):
        return Kind(algo="rsa", keysize=key.key_size)
    if isinstance(key, ec.EllipticCurvePublicKey):
        return Kind(algo="ec", keysize=key.curve.key_size)
    if isinstance(key, ed25519.Ed25519PublicKey):
        return Kind(algo="ed25519", keysize=None)
    return Kind(algo="ed448" if isinstance(key, ed448.Ed448PublicKey) else "other", keysize=None)


async def _replace(ctx: StateContext, path: str, words: list[str], key: Key) -> None:
    there = await ctx.connection.stat(path)
    if there is None:
        raise StateFailedError(f"{path} is not there any more")
    temporary = posixpath.join(posixpath.dirname(path), f".ensue-{secrets.token_hex(8)}")
    await ctx.connection.write(temporary, b"", mode=0o600)
    try:
        await must(ctx, *words, "-out", temporary, key=key, what=f"make the private key {path}")
        await ctx.connection.set_owner(temporary, user=there.user, group=there.group)
        await ctx.connection.set_mode(temporary, there.mode)
        await ctx.connection.rename(temporary, path)
    except BaseException:
        await ctx.connection.remove(temporary)
        raise
