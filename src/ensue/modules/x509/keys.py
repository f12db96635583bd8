"""Keys of the target: their public parts, their sizes, and what was signed with them.

A private key in a file is looked at by the target's `openssl`, and does not leave it.

Source: Salt's execution module `x509_v2`, 3008: arguments and what the functions return; openssl-pkey(1).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.modules._programs import ask, must
from ensue.modules.x509.public import key_data, public_pem
from ensue.modules.x509.sources import BEGIN, bytes_of, certificate_of, request_of, revocations_of

if TYPE_CHECKING:
    from ensue.contracts.context import FunctionContext

_CURVES: Final = {256: "P-256", 384: "P-384", 521: "P-521"}
_SIZES: Final = {"rsa": 2048, "ec": 256, "ed25519": None, "ed448": None}
_HEAD_BYTES: Final = 64


async def get_public_key(ctx: FunctionContext, key: str, passphrase: str | None = None) -> str:
    """Return a public key as PEM.

    Args:
        ctx: the target.
        key: a path of the target or PEM: a public or a private key, a certificate or a request.
        passphrase: what a private key is encrypted with.

    Raises:
        StateFailedError: there is no key in it.
    """
    if BEGIN not in key and key.startswith("/"):
        # Only as much as says what it is: a private key does not leave the target.
        head = (await must(ctx, "head", "-c", str(_HEAD_BYTES), "--", key, what=f"read {key}")).stdout
        if "PRIVATE KEY-----" in head or BEGIN not in head:
            answer = await _openssl_public(ctx, key, passphrase)
            if answer is not None:
                return answer
            if BEGIN in head:
                raise StateFailedError(f"the private key {key} cannot be read with this passphrase")
        text = (await bytes_of(ctx, key)).decode("utf-8", "replace") if BEGIN in head else head
    else:
        text = (await bytes_of(ctx, key)).decode("utf-8", "replace")
    kind = text.partition(BEGIN)[2].partition("-----")[0]
    if kind.endswith("PRIVATE KEY"):
        return _public_of_private(ctx, text, passphrase)
    if kind.endswith("CERTIFICATE REQUEST"):
        return public_pem((await request_of(ctx, key)).public_key())
    if kind.endswith("PUBLIC KEY"):
        return public_pem(_loaded_public(text))
    return public_pem((await certificate_of(ctx, key)).public_key())


async def get_private_key_size(
    ctx: FunctionContext, private_key: str, passphrase: str | None = None
) -> int | None:
    """Return the size of a private key in bits, None for one of an Edwards curve.

    Args:
        ctx: the target.
        private_key: its path, or PEM.
        passphrase: what it is encrypted with.

    Raises:
        StateFailedError: it cannot be read.
    """
    size = key_data(_loaded_public(await get_public_key(ctx, private_key, passphrase)))["key_size"]
    return size if isinstance(size, int) else None


async def verify_private_key(
    ctx: FunctionContext, private_key: str, public_key: str, passphrase: str | None = None
) -> bool:
    """Say whether a private key belongs to a public one.

    Args:
        ctx: the target.
        private_key: its path, or PEM.
        public_key: what has the public key, as `get_public_key` takes it.
        passphrase: what the private key is encrypted with.

    Raises:
        StateFailedError: one of them cannot be read.
    """
    return await get_public_key(ctx, private_key, passphrase) == await get_public_key(ctx, public_key)


async def verify_crl(ctx: FunctionContext, crl: str, cert: str) -> bool:
    """Say whether a list of revoked certificates was signed with the key of a certificate.

    Args:
        ctx: the target.
        crl: its path, or PEM.
        cert: what has the public key, as `get_public_key` takes it.

    Raises:
        StateFailedError: one of them cannot be read.
    """
    key: Any = _loaded_public(await get_public_key(ctx, cert))
    return (await revocations_of(ctx, crl)).is_signature_valid(key)


async def verify_signature(
    ctx: FunctionContext,
    certificate: str,
    signing_pub_key: str | None = None,
    signing_pub_key_passphrase: str | None = None,
) -> bool:
    """Say whether a certificate was signed with a key.

    Args:
        ctx: the target.
        certificate: its path, or PEM.
        signing_pub_key: what has the public key, as `get_public_key` takes it; its own without it.
        signing_pub_key_passphrase: what a private key is encrypted with.

    Raises:
        StateFailedError: one of them cannot be read.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, padding, rsa

    found = await certificate_of(ctx, certificate)
    key = _loaded_public(
        await get_public_key(ctx, signing_pub_key or certificate, signing_pub_key_passphrase)
    )
    digest = found.signature_hash_algorithm
    try:
        if isinstance(key, rsa.RSAPublicKey) and digest:
            key.verify(found.signature, found.tbs_certificate_bytes, padding.PKCS1v15(), digest)
        elif isinstance(key, ec.EllipticCurvePublicKey) and digest:
            key.verify(found.signature, found.tbs_certificate_bytes, ec.ECDSA(digest))
        elif isinstance(key, (ed25519.Ed25519PublicKey, ed448.Ed448PublicKey)):
            key.verify(found.signature, found.tbs_certificate_bytes)
        else:
            return False
    except InvalidSignature:
        return False
    return True


async def create_private_key(  # noqa: PLR0917 (Salt's order)
    ctx: FunctionContext,
    algo: str = "rsa",
    keysize: int | None = None,
    passphrase: str | None = None,
    encoding: str = "pem",
    path: str | None = None,
    bits: int | None = None,
) -> str:
    """Make a private key by the target's `openssl`.

    Args:
        ctx: the target.
        algo: `rsa`, `ec`, `ed25519` or `ed448`.
        keysize: in bits: of rsa 2048 without it, of ec 256, 384 or 521.
        passphrase: what it is encrypted with; masked.
        encoding: `pem`.
        path: where it goes, to a file that is its owner's alone; without it the key is returned, and masked.
        bits: Salt's older name of `keysize`.

    Raises:
        StateFailedError: there is no such algorithm, size or encoding, or openssl fails.
    """
    size = _SIZES.get(algo) if keysize is None and bits is None else int(keysize or bits or 0)
    if algo not in _SIZES or (algo == "ec" and size not in _CURVES) or encoding != "pem":
        raise StateFailedError(
            "Invalid algorithm specified for generating private key. Valid: rsa, ec (256, 384, 521), "
            "ed25519, ed448; encoding is pem"
        )
    words = ["genpkey", "-algorithm", algo.upper()]
    words += ["-pkeyopt", f"rsa_keygen_bits:{size}"] if algo == "rsa" else []
    words += ["-pkeyopt", f"ec_paramgen_curve:{_CURVES[size or 256]}"] if algo == "ec" else []
    words += ["-aes-256-cbc", "-pass", "stdin"] if passphrase else []
    stdin = f"{passphrase}\n".encode() if passphrase else b""
    if passphrase:
        ctx.masker.add(passphrase)
    if path is None:
        made = (await must(ctx, "openssl", *words, stdin=stdin, what="make a private key")).stdout
        ctx.masker.add(made)
        return made
    if not ctx.test:
        # The file is its owner's alone before there is a key in it.
        await ctx.connection.write(path, b"", mode=0o600)
        await must(ctx, "openssl", *words, "-out", path, stdin=stdin, what=f"make the private key {path}")
    return f"PEM written to {path}"


async def _openssl_public(ctx: FunctionContext, path: str, passphrase: str | None) -> str | None:
    if passphrase:
        ctx.masker.add(passphrase)
    source = "stdin" if passphrase else "pass:"
    stdin = f"{passphrase}\n".encode() if passphrase else b""
    answer = await ask(ctx, "openssl", "pkey", "-in", path, "-pubout", "-passin", source, stdin=stdin)
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `openssl`; install it there")
    return answer.stdout if answer.is_success else None


def _public_of_private(ctx: FunctionContext, text: str, passphrase: str | None) -> str:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    ctx.masker.add(text, *([passphrase] if passphrase else []))
    try:
        key = load_pem_private_key(text.encode(), passphrase.encode() if passphrase else None)
    except (ValueError, TypeError) as error:
        raise StateFailedError(f"the private key cannot be read: {error}") from None
    return public_pem(key.public_key())


def _loaded_public(text: str) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    try:
        return load_pem_public_key(text.encode())
    except ValueError as error:
        raise StateFailedError(f"the public key cannot be read: {error}") from None
