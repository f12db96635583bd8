"""Creates keys, signing requests, certificates and revocation lists, in files or as return values.

Source: Salt's execution module `x509_v2`, 3008: arguments and return values.
"""

from __future__ import annotations

import datetime as dt
import posixpath
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.library.modules.x509.encoding import certificate_bytes, returned, text_or_base64
from ensue.library.modules.x509.pem import write_pem
from ensue.reach.certificates import encodings, making, revocations
from ensue.reach.certificates.containers import Packing
from ensue.reach.certificates.key_files import in_files
from ensue.reach.certificates.keys import ENCODINGS, KeyKind, Storage, generate, generated
from ensue.reach.certificates.names import attributes, extensions, name_of, with_short_names
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.policies import merged, policy_named
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_ONE = {"der", "pem"}


async def create_certificate(
    ctx: FunctionContext,
    ca_server: str | None = None,
    signing_policy: str | None = None,
    encoding: str = "pem",
    append_certs: list[str] | str | None = None,
    pkcs12_passphrase: str | None = None,
    pkcs12_encryption_compat: bool = False,
    pkcs12_friendlyname: str | None = None,
    path: str | None = None,
    overwrite: bool = True,
    copypath: str | None = None,
    prepend_cn: bool = False,
    **kwargs: Any,
) -> str:
    """Create a certificate, signed on the target.

    Args:
        ca_server: refused, since ensue does not ask other minions to sign.
        signing_policy: a key of `x509_signing_policies` in options or pillar; its arguments take precedence.
        encoding: `pem`, `der`, `pkcs7_pem`, `pkcs7_der` or `pkcs12`.
        append_certs: certificates to append: paths of the target, or PEM.
        pkcs12_passphrase: the passphrase that encrypts a PKCS#12; masked.
        pkcs12_encryption_compat: encrypt it so that old programs can read it.
        pkcs12_friendlyname: the friendly name of the certificate in it.
        path: the file to write; None returns the certificate.
        overwrite: whether to overwrite an existing file.
        copypath: a folder for a PEM copy, named after the serial number.
        prepend_cn: prefix the name of the copy with the common name.
        **kwargs: as for the state `x509.certificate_managed`.

    Returns:
        Text, or base64 for binary encodings; with `path` a message.

    Raises:
        StateFailedError: an argument is invalid, or the key cannot be used.
    """
    encodings.check(encoding)
    if ca_server:
        raise StateFailedError("ca_server: no other minion is asked to sign")
    if encoding == "der" and append_certs:
        raise StateFailedError("Cannot encode a certificate chain in DER")
    if path and not overwrite and await ctx.connection.stat(path) is not None:
        return f"The file at {path} exists and overwrite was set to false"
    policy = await policy_named(ctx, signing_policy)
    own = {word: value for word, value in kwargs.items() if word not in making.OLD}
    given = merged(policy, with_short_names(own))
    copypath = given.pop("copypath", copypath)
    prepend_cn = given.pop("prepend_cn", prepend_cn)
    async with in_files(ctx, given) as placed:
        key = (
            making.embedded_key(placed) if encoding == "pkcs12" and "signing_private_key" in placed else None
        )
        made = await making.certificate(ctx, placed)
        packing = Packing(
            passphrase=str(pkcs12_passphrase) if pkcs12_passphrase else None,
            friendly_name=pkcs12_friendlyname,
            is_compatible=pkcs12_encryption_compat,
        )
        if copypath and not ctx.test:
            await ctx.connection.write(
                _copy(made, copypath, has_name=bool(prepend_cn)), _pem(made), mode=0o600
            )
        data = await certificate_bytes(ctx, made, append_certs, encoding, key, packing)
        if path and encoding == "pem":
            return await write_pem(ctx, data.decode(), path, overwrite, "CERTIFICATE")
        return await returned(ctx, data, encoding, path, what="Certificate")


async def create_csr(
    ctx: FunctionContext,
    private_key: str,
    private_key_passphrase: str | None = None,
    digest: str = "sha256",
    encoding: str = "pem",
    path: str | None = None,
    subject: Any = None,
    algorithm: str | None = None,
    **kwargs: Any,
) -> str:
    """Create a certificate signing request.

    Args:
        private_key: the path of the private key.
        private_key_passphrase: the passphrase of the private key; masked.
        digest: the hash algorithm of the signature.
        path: the file to write; None returns the request.
        subject: the subject, in the form of RFC 4514 or as a mapping of attributes.
        algorithm: Salt's older name for `digest`.
        **kwargs: attributes of the name (`CN`, `C`, …) and extensions (`subjectAltName`, …).

    Example:
        ensue call '*' x509.create_csr /etc/ssl/www.key

    Raises:
        StateFailedError: an argument is invalid, or the key cannot be used.
    """
    encodings.check(encoding, sorted(_ONE))
    given = with_short_names({word: value for word, value in kwargs.items() if word not in making.OLD})
    name, config = name_of(subject, attributes(given)), extensions(given)
    if given:
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(sorted(given))}")
    async with in_files(ctx, {"private_key": private_key}) as placed:
        key = TargetKey(path=placed["private_key"], passphrase=private_key_passphrase)
        made = await making.request(ctx, key, name, config, algorithm or digest)
    return await returned(ctx, encodings.pem_or_der(made, encoding), encoding, path, what="CSR")


async def create_crl(
    ctx: FunctionContext,
    signing_private_key: str,
    revoked: list[Any],
    signing_cert: str | None = None,
    signing_private_key_passphrase: str | None = None,
    include_expired: bool = False,
    days_valid: int = 100,
    digest: str = "sha256",
    encoding: str = "pem",
    extensions: DataMap | None = None,
    path: str | None = None,
    text: bool = False,
) -> str:
    """Create a certificate revocation list, signed on the target.

    Args:
        signing_private_key: the path of the authority's private key.
        revoked: as for the state `x509.crl_managed`.
        signing_cert: the authority's certificate: a path of the target, or PEM.
        signing_private_key_passphrase: the passphrase of the key; masked.
        include_expired: include expired certificates.
        days_valid: how long it is valid, in days.
        digest: the hash algorithm of the signature.
        extensions: as for the state `x509.crl_managed`; `cRLNumber` is a number.
        path: the file to write; None returns the list.
        text: accepted as by Salt's older module, without effect.

    Example:
        ensue call '*' x509.create_crl /etc/ssl/ca.key '[{serial_number: 17}]' /etc/ssl/ca.crt

    Raises:
        StateFailedError: an argument is invalid, or the key cannot be used.
    """
    encodings.check(encoding, sorted(_ONE))
    if not signing_cert:
        raise StateFailedError("signing_cert is required: the certificate of the list's authority")
    del text
    now = dt.datetime.now(tz=dt.UTC)
    entries = await revocations.revoked_in(ctx, revoked, now, include_expired=include_expired)
    authority = await certificate_of(ctx, signing_cert)
    async with in_files(ctx, {"signing_private_key": signing_private_key}) as placed:
        key = TargetKey(path=placed["signing_private_key"], passphrase=signing_private_key_passphrase)
        signer = revocations.Signer(authority, key, making.checked_digest(digest), int(days_valid))
        made = await revocations.made(ctx, entries, extensions or {}, signer, now)
    return await returned(ctx, encodings.pem_or_der(made, encoding), encoding, path, what="CRL")


async def create_private_key(
    ctx: FunctionContext,
    algo: str = "rsa",
    keysize: int | None = None,
    passphrase: str | None = None,
    encoding: str = "pem",
    pkcs12_encryption_compat: bool = False,
    path: str | None = None,
    bits: int | None = None,
) -> str | None:
    """Create a private key with the target's `openssl`.

    Args:
        algo: `rsa`, `ec`, `ed25519` or `ed448`.
        keysize: the size in bits; for `rsa` by default 2048, for `ec` 256, 384 or 521.
        passphrase: the passphrase that encrypts it; masked.
        encoding: `pem`, `der` or `pkcs12`.
        pkcs12_encryption_compat: encrypt PKCS#12 so that old programs can read it.
        path: the file to write, readable by its owner only; None returns the key, masked.
        bits: Salt's older name for `keysize`.

    Returns:
        Text, or base64 for binary encodings; with `path` a message, or None for binary encodings.

    Raises:
        StateFailedError: the algorithm, size or encoding is unknown, or openssl fails.
    """
    encodings.check(encoding, ENCODINGS)
    kind = KeyKind.wanted(algo, keysize if keysize is not None else bits)
    storage = Storage(encoding=encoding, passphrase=passphrase, is_compatible=pkcs12_encryption_compat)
    if path is None:
        made = text_or_base64(await generated(ctx, kind, storage), encoding)
        ctx.masker.add(made)
        return made
    if not ctx.test:
        # Only the owner can read the file before the key is written to it.
        await ctx.connection.write(path, b"", mode=0o600)
        await generate(ctx, path, kind, storage)
    return f"PEM written to {path}" if encoding == "pem" else None


async def get_signing_policy(
    ctx: FunctionContext, signing_policy: str, ca_server: str | None = None
) -> dict[str, Any]:
    """Return the arguments that a signing policy sets, by their short names.

    Args:
        signing_policy: a key of `x509_signing_policies` in options or pillar.
        ca_server: refused, since ensue does not ask other minions.

    Example:
        ensue call '*' x509.get_signing_policy web

    Raises:
        StateFailedError: there is no such policy.
    """
    if ca_server:
        raise StateFailedError("ca_server: no other minion is asked for its policies")
    return await policy_named(ctx, signing_policy)


def _copy(made: x509.Certificate, folder: str, *, has_name: bool) -> str:
    from cryptography.x509.oid import NameOID

    names = made.subject.get_attributes_for_oid(NameOID.COMMON_NAME) if has_name else []
    before = f"{str(names[0].value).replace('/', '_')}-" if names else ""
    return posixpath.join(folder, f"{before}{made.serial_number:x}.crt")


def _pem(made: x509.Certificate) -> bytes:
    return encodings.encoded(made, (), "pem")
