"""Revokes certificates of an authority.

Source: Salt's execution module `tls`, 3008: arguments, paths and messages.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.library.modules.tls.places import IndexLine, authority_named, entries, write_entries
from ensue.reach.certificates.encodings import pem_or_der
from ensue.reach.certificates.making import checked_digest
from ensue.reach.certificates.revocations import Revoked, Signer, made
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext
    from ensue.library.modules.tls.places import Authority

_DAYS_VALID: Final = 36500


async def create_empty_crl(
    ctx: FunctionContext,
    ca_name: str,
    cacert_path: str | None = None,
    ca_filename: str | None = None,
    crl_file: str | None = None,
    digest: str = "sha256",
) -> str:
    """Create an empty certificate revocation list.

    Args:
        crl_file: its path; by default `crl.pem` in the authority's folder.

    Example:
        ensue call '*' tls.create_empty_crl internal

    Returns:
        A message that it was created, or why not.

    Raises:
        StateFailedError: openssl is not installed, or fails.
    """
    authority = await authority_named(ctx, ca_name, cacert_path, ca_filename)
    path = crl_file or f"{authority.folder}/crl.pem"
    if await ctx.connection.stat(path) is not None:
        return f'CRL "{path}" already exists'
    issuer = await authority.loaded(ctx)
    if issuer is None:
        return f'There is no CA named "{ca_name}"'
    if ctx.test:
        return f'Would create an empty CRL: "{path}"'
    await _write_list(ctx, authority, issuer, path, [], digest)
    return f'Created an empty CRL: "{path}"'


async def revoke_cert(
    ctx: FunctionContext,
    ca_name: str,
    CN: str,  # noqa: N803 (attributes of a name are written so)
    cacert_path: str | None = None,
    ca_filename: str | None = None,
    cert_path: str | None = None,
    cert_filename: str | None = None,
    crl_file: str | None = None,
    digest: str = "sha256",
) -> str | dict[str, Any]:
    """Revoke a certificate: mark it in the authority's index, and write the revocation list again.

    Args:
        CN: the name of the certificate's file, without `.crt`.
        cert_path: the folder of the certificate; by default `certs` in the authority's folder.
        cert_filename: overrides `CN`.
        crl_file: the revocation list; by default `crl.pem` in the authority's folder.

    Example:
        ensue call '*' tls.revoke_cert internal www.example.com

    Returns:
        A message with what was done, or why not; `retcode` 1 and a `comment` if the list is a folder.

    Raises:
        StateFailedError: openssl is not installed, or fails.
    """
    authority = await authority_named(ctx, ca_name, cacert_path, ca_filename)
    certificate = f"{cert_path or f'{authority.folder}/certs'}/{cert_filename or CN}.crt"
    issuer = await authority.loaded(ctx)
    if issuer is None:
        return f'There is no CA named "{ca_name}"'
    if await ctx.connection.stat(certificate, follow=True) is None:
        return f'There is no client certificate named "{CN}"'
    entry = IndexLine.of(await certificate_of(ctx, certificate))
    serial = f"{entry.serial:X}"
    lines = await entries(ctx, authority.index)
    if any(each.serial == entry.serial and each.revoked for each in lines):
        return f'"{certificate}" was already revoked, serial number: {serial}'
    path = crl_file or f"{authority.folder}/crl.pem"
    there = await ctx.connection.stat(path, follow=True)
    if there is not None and there.kind == "directory":
        return {"retcode": 1, "comment": f'crl_file "{path}" is an existing directory'}
    if ctx.test:
        return f'Would revoke Certificate: "{certificate}", serial number: {serial}'
    now = dt.datetime.now(tz=dt.UTC).replace(microsecond=0)
    others = [each for each in lines if each.serial != entry.serial]
    every = [*others, msgspec.structs.replace(entry, revoked=now)]
    await write_entries(ctx, authority.index, every)
    await _write_list(ctx, authority, issuer, path, [each for each in every if each.revoked], digest)
    return f'Revoked Certificate: "{certificate}", serial number: {serial}'


async def _write_list(
    ctx: FunctionContext,
    authority: Authority,
    issuer: x509.Certificate,
    path: str,
    revoked: list[IndexLine],
    digest: str,
) -> None:
    signer = Signer(issuer, authority.key, checked_digest(digest), _DAYS_VALID)
    revocations = [Revoked(serial=each.serial, date=each.revoked) for each in revoked]
    listed = await made(ctx, revocations, {}, signer, dt.datetime.now(tz=dt.UTC))
    await ctx.connection.write(path, pem_or_der(listed, "pem"))
