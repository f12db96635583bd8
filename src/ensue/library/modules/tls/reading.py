"""Reads and validates certificates.

Source: Salt's execution module `tls`, 3008: keys and values.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

from ensue.library.modules.tls.places import authority_named, entries
from ensue.library.modules.x509.describing import named
from ensue.reach.certificates.names import extension_name
from ensue.reach.certificates.openssl import must
from ensue.reach.certificates.public import key_in
from ensue.reach.certificates.sources import certificate_of, revocations_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap

_SHORT: Final = {
    "2.5.4.6": "C", "2.5.4.8": "ST", "2.5.4.7": "L", "2.5.4.10": "O", "2.5.4.11": "OU", "2.5.4.3": "CN",
    "1.2.840.113549.1.9.1": "emailAddress", "2.5.4.4": "SN", "2.5.4.42": "GN", "2.5.4.9": "street",
    "2.5.4.5": "serialNumber", "0.9.2342.19200300.100.1.1": "UID", "0.9.2342.19200300.100.1.25": "DC",
}  # fmt: skip

_EXTENSIONS_ALONE: Final = (
    "no_header,no_version,no_serial,no_signame,no_validity,no_subject,no_issuer,no_pubkey,no_sigdump,no_aux"
)
_TITLE_INDENT: Final = " " * 12
"""The indentation of an extension's title; its other lines are indented further."""


async def cert_info(ctx: FunctionContext, cert: str, digest: str = "sha256") -> DataMap:
    """Return the fields of a certificate.

    Args:
        digest: the hash algorithm of the fingerprint.

    Example:
        ensue call '*' tls.cert_info /etc/pki/www.crt

    Returns:
        `fingerprint`, `subject`, `issuer`, `serial_number`, `not_before`, `not_after`, `extensions`,
        `signature_algorithm`, and `subject_alt_names` if there are any. Times are in seconds since 1970,
        extensions as openssl shows them.

    Raises:
        StateFailedError: there is no certificate.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    certificate = await certificate_of(ctx, cert)
    algorithm: Any = getattr(hashes, digest.upper(), hashes.SHA256)
    data: DataMap = {
        "fingerprint": certificate.fingerprint(algorithm()).hex(":").upper(),
        "subject": _name(certificate.subject),
        "issuer": _name(certificate.issuer),
        "serial_number": certificate.serial_number,
        "not_before": int(certificate.not_valid_before_utc.timestamp()),
        "not_after": int(certificate.not_valid_after_utc.timestamp()),
        "extensions": {**await _extensions(ctx, certificate)},
        "signature_algorithm": named(certificate.signature_algorithm_oid),
    }
    for each in certificate.extensions:
        if isinstance(each.value, x509.SubjectAlternativeName):
            kinds = (x509.DNSName, x509.IPAddress)
            data["subject_alt_names"] = [str(name.value) for name in each.value if isinstance(name, kinds)]
    return data


async def get_expiration_date(ctx: FunctionContext, cert: str, date_format: str = "%Y-%m-%d") -> str:
    """Return the expiration date of a certificate, in UTC.

    Args:
        date_format: a format for strftime(3).

    Example:
        ensue call '*' tls.get_expiration_date /etc/pki/www.crt

    Raises:
        StateFailedError: there is no certificate.
    """
    return (await certificate_of(ctx, cert)).not_valid_after_utc.strftime(date_format)


async def validate(
    ctx: FunctionContext, cert: str, ca_name: str, crl_file: str | None, cacert_path: str | None = None
) -> DataMap:
    """Return whether a certificate is issued by an authority, valid now, and not revoked.

    Args:
        crl_file: the certificate revocation list; None uses the authority's index.

    Returns:
        `valid`, and `error` if it is not.

    Example:
        ensue call '*' tls.validate /etc/ssl/web.crt example /etc/ssl/ca.crl

    Raises:
        StateFailedError: certificate, authority or list cannot be read.
    """
    certificate = await certificate_of(ctx, cert)
    authority = await authority_named(ctx, ca_name, cacert_path)
    issuer = await certificate_of(ctx, authority.certificate)
    if crl_file is None:
        revoked = {each.serial for each in await entries(ctx, authority.index) if each.revoked}
    else:
        there = await revocations_of(ctx, crl_file)
        key: Any = key_in(issuer)
        if not there.is_signature_valid(key):
            return {"valid": False, "error": "CRL signature failure"}
        revoked = {each.serial_number for each in there}
    error = _error(certificate, issuer, revoked)
    return {"valid": False, "error": error} if error else {"valid": True}


def _error(certificate: x509.Certificate, issuer: x509.Certificate, revoked: set[int]) -> str | None:
    from cryptography.exceptions import InvalidSignature

    now = dt.datetime.now(tz=dt.UTC)
    if certificate.serial_number in revoked:
        return "certificate revoked"
    if certificate.issuer != issuer.subject:
        return "unable to get local issuer certificate"
    try:
        certificate.verify_directly_issued_by(issuer)
    except (InvalidSignature, ValueError, TypeError):
        return "certificate signature failure"
    if any(each.not_valid_before_utc > now for each in (certificate, issuer)):
        return "certificate is not yet valid"
    if any(each.not_valid_after_utc < now for each in (certificate, issuer)):
        return "certificate has expired"
    return None


def _name(name: x509.Name) -> DataMap:
    return {_SHORT.get(each.oid.dotted_string, each.oid.dotted_string): str(each.value) for each in name}


async def _extensions(ctx: FunctionContext, certificate: x509.Certificate) -> dict[str, str]:
    """Return the extensions as openssl shows them, by name."""
    from cryptography.hazmat.primitives.serialization import Encoding

    names = [extension_name(each.oid) for each in certificate.extensions]
    if not names:
        return {}
    files = {"shown.pem": certificate.public_bytes(Encoding.PEM).decode()}
    words = ["x509", "-in", "@shown.pem", "-noout", "-text", "-certopt", _EXTENSIONS_ALONE]
    shown = (await must(ctx, *words, files=files, what="show a certificate")).decode("utf-8", "replace")
    values: list[list[str]] = []
    for line in shown.splitlines():
        if line.startswith(_TITLE_INDENT) and not line.startswith(f"{_TITLE_INDENT} "):
            values.append([])
        elif values:
            values[-1].append(line.strip())
    return {name: "\n".join(lines).strip() for name, lines in zip(names, values, strict=False)}
