"""Reads certificates, signing requests and revocation lists as data.

Source: Salt's execution module `x509_v2`, 3008: keys and values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.library.modules.x509.describing import (
    TIME,
    extensions_data,
    hexadecimal,
    name_data,
    name_hash,
    named,
)
from ensue.library.modules.x509.finding import matching
from ensue.reach.certificates.public import key_data, key_in, public_pem
from ensue.reach.certificates.sources import certificate_of, request_of, revocations_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def read_certificate(ctx: FunctionContext, certificate: str) -> DataMap:
    """Return the fields of a certificate.

    Example:
        ensue call '*' x509.read_certificate /etc/ssl/www.crt

    Returns:
        `version`, `key_size`, `key_type`, `serial_number`, `fingerprints`, `subject`, `subject_hash`,
        `subject_str`, `issuer`, `issuer_hash`, `issuer_str`, `not_before`, `not_after`, `public_key`,
        `extensions` and `signature_algorithm`.

    Raises:
        StateFailedError: there is no certificate.
    """
    from cryptography.hazmat.primitives import hashes

    parsed = await certificate_of(ctx, certificate)
    digests = {"sha1": hashes.SHA1(), "sha256": hashes.SHA256(), "md5": hashes.MD5()}  # noqa: S303 (told to people)
    return {
        "version": parsed.version.value + 1,
        **key_data(key_in(parsed)),
        "serial_number": hexadecimal(parsed.serial_number),
        "fingerprints": {word: hexadecimal(parsed.fingerprint(digest)) for word, digest in digests.items()},
        "subject": name_data(parsed.subject),
        "subject_hash": name_hash(parsed.subject),
        "subject_str": parsed.subject.rfc4514_string(),
        "issuer": name_data(parsed.issuer),
        "issuer_hash": name_hash(parsed.issuer),
        "issuer_str": parsed.issuer.rfc4514_string(),
        "not_before": parsed.not_valid_before_utc.strftime(TIME),
        "not_after": parsed.not_valid_after_utc.strftime(TIME),
        "public_key": public_pem(key_in(parsed)),
        "extensions": extensions_data(parsed.extensions),
        "signature_algorithm": named(parsed.signature_algorithm_oid),
    }


async def read_certificates(ctx: FunctionContext, glob_path: str) -> dict[str, DataMap]:
    """Return the fields of the certificates that match a pattern, by path; other files are left out.

    Args:
        glob_path: a path with `*`, `?` and `[…]`.

    Example:
        ensue call '*' x509.read_certificates '/etc/ssl/*.crt'
    """
    certificates: dict[str, DataMap] = {}
    for path in await matching(ctx, glob_path):
        try:
            certificates[path] = await read_certificate(ctx, path)
        except StateFailedError:
            continue
    return certificates


async def read_csr(ctx: FunctionContext, csr: str) -> DataMap:
    """Return the fields of a certificate signing request.

    Args:
        csr: its path, or PEM.

    Example:
        ensue call '*' x509.read_csr /etc/ssl/www.csr

    Returns:
        `key_size`, `key_type`, `subject`, `subject_hash`, `subject_str`, `public_key_hash` and `extensions`.

    Raises:
        StateFailedError: there is no request.
    """
    from cryptography import x509

    request = await request_of(ctx, csr)
    key = key_in(request)
    return {
        **key_data(key),
        "subject": name_data(request.subject),
        "subject_hash": name_hash(request.subject),
        "subject_str": request.subject.rfc4514_string(),
        "public_key_hash": hexadecimal(x509.SubjectKeyIdentifier.from_public_key(key).digest),
        "extensions": extensions_data(request.extensions),
    }


async def read_crl(ctx: FunctionContext, crl: str) -> DataMap:
    """Return the fields of a certificate revocation list.

    Example:
        ensue call '*' x509.read_crl /etc/ssl/ca.crl

    Returns:
        `issuer`, `last_update`, `next_update`, `revoked_certificates`, `extensions` and
        `signature_algorithm`; `revoked_certificates` has `revocation_date` and `extensions` by serial number.

    Raises:
        StateFailedError: there is no list.
    """
    revocations = await revocations_of(ctx, crl)
    ends = revocations.next_update_utc
    return {
        "issuer": name_data(revocations.issuer),
        "last_update": revocations.last_update_utc.strftime(TIME),
        "next_update": ends.strftime(TIME) if ends else None,
        "revoked_certificates": {
            hexadecimal(each.serial_number).replace(":", ""): {
                "revocation_date": each.revocation_date_utc.strftime(TIME),
                "extensions": extensions_data(each.extensions),
            }
            for each in revocations
        },
        "extensions": extensions_data(revocations.extensions),
        "signature_algorithm": named(revocations.signature_algorithm_oid),
    }
