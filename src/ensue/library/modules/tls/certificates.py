"""Certificates with keys of the target: self-signed ones, and those that an authority signs.

Source: Salt's execution module `tls`, 3008: arguments, paths and messages.
"""

from __future__ import annotations

import datetime as dt
import posixpath
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.library.modules.tls.places import (
    authority_named,
    cert_base_path,
    new_key,
    subject_of,
    write_certificate,
)
from ensue.reach.certificates import making
from ensue.reach.certificates.containers import Packing, pack
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.public import key_in
from ensue.reach.certificates.signing import signed_certificate
from ensue.reach.certificates.sources import certificate_of, request_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext


async def create_self_signed_cert(
    ctx: FunctionContext,
    tls_dir: str = "tls",
    bits: int = 2048,
    days: int = 365,
    CN: str = "localhost",  # noqa: N803 (attributes of a name are written so)
    C: str = "US",  # noqa: N803
    ST: str = "Utah",  # noqa: N803
    L: str = "Salt Lake City",  # noqa: N803
    O: str = "SaltStack",  # noqa: N803, E741
    OU: str | None = None,  # noqa: N803
    emailAddress: str | None = None,  # noqa: N803
    cacert_path: str | None = None,
    cert_filename: str | None = None,
    digest: str = "sha256",
    replace: bool = False,
) -> str:
    """Create a key and a self-signed certificate; the key never leaves the target.

    Args:
        tls_dir: a folder below `cert_base_path`; both files go to its subfolder `certs`.
        cert_filename: the name of both files, without `.crt` and `.key`; by default `CN`.
        replace: replace an existing certificate.

    Returns:
        A message that it was created or already exists.

    Raises:
        StateFailedError: openssl is not installed, or fails.
    """
    name = cert_filename or CN
    folder = f"{await cert_base_path(ctx, cacert_path)}/{tls_dir}"
    certificate, key = f"{folder}/certs/{name}.crt", f"{folder}/certs/{name}.key"
    if not replace and await ctx.connection.stat(certificate) is not None:
        return f'Certificate "{name}" already exists'
    if ctx.test:
        return f'Would create Private Key: "{key}" and Certificate: "{certificate}"'
    given = subject_of(C=C, ST=ST, L=L, O=O, OU=OU, CN=CN, emailAddress=emailAddress)
    await new_key(ctx, key, bits)
    signing = {"signing_private_key": key, "days_valid": int(days), "digest": digest}
    made = await making.certificate(ctx, given | signing)
    await write_certificate(ctx, certificate, made, f"{folder}/index.txt")
    return f'Created Private Key: "{key}" Created Certificate: "{certificate}"'


async def create_ca_signed_cert(
    ctx: FunctionContext,
    ca_name: str,
    CN: str,  # noqa: N803 (attributes of a name are written so)
    days: int = 365,
    cacert_path: str | None = None,
    ca_filename: str | None = None,
    cert_path: str | None = None,
    cert_filename: str | None = None,
    digest: str = "sha256",
    cert_type: str | None = None,
    type_ext: bool = False,
    replace: bool = False,
) -> str | dict[str, Any]:
    """Create the certificate for a signing request, with all its extensions, signed by an authority.

    Args:
        CN: the name of the request's file, without `.csr`.
        cert_path: the folder of request and certificate; by default `certs` in the authority's folder.
        cert_filename: the name of the certificate's file, without `.crt`; by default that of the request.
        cert_type: with `type_ext`, the suffix of the file names after `CN` and `_`.
        type_ext: add `cert_type` to the file names.
        replace: replace an existing certificate.

    Example:
        ensue call '*' tls.create_ca_signed_cert internal www.example.com

    Returns:
        A message that it was created or already exists; `retcode` 1 and a `comment` if the authority or the
        request does not exist.

    Raises:
        StateFailedError: openssl is not installed, or fails.
    """
    if type_ext and not cert_type:
        return {}
    asked = f"{CN}_{cert_type}" if type_ext else CN
    authority = await authority_named(ctx, ca_name, cacert_path, ca_filename)
    folder = cert_path or f"{authority.folder}/certs"
    name = cert_filename or asked
    certificate, csr = posixpath.join(folder, f"{name}.crt"), posixpath.join(folder, f"{asked}.csr")
    if not replace and await ctx.connection.stat(certificate) is not None:
        return f'Certificate "{name}" already exists'
    issuer = await authority.loaded(ctx)
    if issuer is None:
        return {"retcode": 1, "comment": f'There is no CA named "{ca_name}"'}
    if await ctx.connection.stat(csr, follow=True) is None:
        return {"retcode": 1, "comment": f'There is no CSR that matches the CN "{name}"'}
    if ctx.test:
        return f'Would create Certificate for "{CN}": "{certificate}"'
    builder = _asked_for(await request_of(ctx, csr), issuer, int(days))
    made = await signed_certificate(ctx, builder, authority.key, making.checked_digest(digest))
    await write_certificate(ctx, certificate, made, authority.index)
    return f'Created Certificate for "{CN}": "{certificate}"'


async def create_pkcs12(
    ctx: FunctionContext,
    ca_name: str,
    CN: str,  # noqa: N803 (attributes of a name are written so)
    passphrase: str = "",
    cacert_path: str | None = None,
    replace: bool = False,
) -> str:
    """Put a certificate, its key and the certificate of its authority into a PKCS#12 file.

    Args:
        CN: the name of the certificate's files, without `.crt` and `.key`.
        passphrase: the passphrase that encrypts it; masked.
        replace: replace an existing file.

    Example:
        ensue call '*' tls.create_pkcs12 internal www.example.com

    Returns:
        A message that it was created, or why not.

    Raises:
        StateFailedError: openssl is not installed, or fails.
    """
    authority = await authority_named(ctx, ca_name, cacert_path)
    base = f"{authority.folder}/certs/{CN}"
    path = f"{base}.p12"
    if not replace and await ctx.connection.stat(path) is not None:
        return f'Certificate "{CN}" already exists'
    if await ctx.connection.stat(authority.certificate, follow=True) is None:
        return f'There is no CA named "{ca_name}"'
    if None in [await ctx.connection.stat(f"{base}.{each}", follow=True) for each in ("crt", "key")]:
        return f'There is no certificate that matches the CN "{CN}"'
    made = f'PKCS#12 Certificate for "{CN}": "{path}"'
    if ctx.test:
        return f"Would create {made}"
    certificates = [await certificate_of(ctx, each) for each in (f"{base}.crt", authority.certificate)]
    await ctx.connection.write(path, b"", mode=0o600)
    packing = Packing(passphrase=passphrase or None, friendly_name=CN)
    await pack(ctx, path, certificates, TargetKey(path=f"{base}.key"), packing)
    return f"Created {made}"


async def get_ca_signed_cert(
    ctx: FunctionContext,
    ca_name: str,
    CN: str = "localhost",  # noqa: N803 (attributes of a name are written so)
    as_text: bool = False,
    cacert_path: str | None = None,
    cert_filename: str | None = None,
) -> str:
    """Return the path of a certificate that an authority has signed, or the certificate itself.

    Args:
        CN: the name of its file, without `.crt`.
        as_text: return the certificate itself.
        cert_filename: overrides `CN`.

    Example:
        ensue call '*' tls.get_ca_signed_cert internal

    Raises:
        StateFailedError: there is no such certificate.
    """
    return await _kept(ctx, ca_name, f"{cert_filename or CN}.crt", cacert_path, as_text=as_text)


async def get_ca_signed_key(
    ctx: FunctionContext,
    ca_name: str,
    CN: str = "localhost",  # noqa: N803 (attributes of a name are written so)
    as_text: bool = False,
    cacert_path: str | None = None,
    key_filename: str | None = None,
) -> str:
    """Return the path of the private key of an authority-signed certificate, or the key itself, masked.

    Args:
        CN: the name of its file, without `.key`.
        as_text: return the key itself.
        key_filename: overrides `CN`.

    Example:
        ensue call '*' tls.get_ca_signed_key internal

    Raises:
        StateFailedError: there is no such key.
    """
    key = await _kept(ctx, ca_name, f"{key_filename or CN}.key", cacert_path, as_text=as_text)
    if as_text:
        ctx.masker.add(key)
    return key


async def _kept(
    ctx: FunctionContext, ca_name: str, name: str, cacert_path: str | None, *, as_text: bool
) -> str:
    path = f"{(await authority_named(ctx, ca_name, cacert_path)).folder}/certs/{name}"
    if await ctx.connection.stat(path, follow=True) is None:
        raise StateFailedError(f"Certificate does not exists for {name.rpartition('.')[0]}")
    return (await ctx.connection.read(path)).decode("utf-8", "replace") if as_text else path


def _asked_for(
    request: x509.CertificateSigningRequest, issuer: x509.Certificate, days: int
) -> x509.CertificateBuilder:
    from cryptography import x509

    now = dt.datetime.now(tz=dt.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(request.subject)
        .issuer_name(issuer.subject)
        .public_key(key_in(request))
        .serial_number(making.serial_of(None))
        .not_valid_before(now)
        .not_valid_after(now + dt.timedelta(days=days))
    )
    for each in request.extensions:
        builder = builder.add_extension(each.value, each.critical)
    return builder
