"""Reads and writes certificates in the encodings without secrets: PEM, DER and PKCS#7.

Source: Salt's execution module `x509_v2`, 3008: names of encodings; RFC 2315, RFC 7468.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.forms import Form, form_of_head

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography import x509

ENCODINGS: Final = ("der", "pem", "pkcs7_der", "pkcs7_pem", "pkcs12")
"""The encodings of a certificate."""

TEXTS: Final = frozenset({"pem", "pkcs7_pem"})
"""The encodings that are text."""

_PKCS7: Final = b"-----BEGIN PKCS7"


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """The certificates of a file.

    Args:
        encoding: one of `ENCODINGS`.
        certificate: the first certificate.
        chain: the following certificates; PKCS#7 does not define an order.
    """

    encoding: str
    certificate: x509.Certificate
    chain: tuple[x509.Certificate, ...] = ()

    def beside(self, chain: Sequence[x509.Certificate]) -> Held:
        """Return this content with the certificate before those of a chain, since PKCS#7 has no order."""
        if not self.encoding.startswith("pkcs7"):
            return self
        every = [self.certificate, *self.chain]
        own = next((each for each in every if each not in chain), self.certificate)
        rest = tuple(each for each in chain if each in every and each != own)
        others = tuple(each for each in every if each != own and each not in rest)
        return Held(encoding=self.encoding, certificate=own, chain=(*rest, *others))


def check(encoding: str, known: Sequence[str] = ENCODINGS) -> None:
    """Check the encoding that a user requests.

    Raises:
        StateFailedError: the encoding is unknown.
    """
    if encoding not in known:
        raise StateFailedError(f"Invalid value '{encoding}' for encoding. Valid: {', '.join(known)}")


def held_in(data: bytes) -> Held | None:
    """Return the certificates in a file's content, None if there are none; PKCS#12 is not opened."""
    from cryptography import x509
    from cryptography.hazmat.primitives.serialization import pkcs7

    form = form_of_head(data)
    try:
        if form is Form.PEM and _PKCS7 in data:
            return _held("pkcs7_pem", pkcs7.load_pem_pkcs7_certificates(data))
        if form is Form.PEM:
            return _held("pem", x509.load_pem_x509_certificates(data))
        if form is Form.PKCS7:
            return _held("pkcs7_der", pkcs7.load_der_pkcs7_certificates(data))
        return _held("der", [x509.load_der_x509_certificate(data)])
    except ValueError:
        return None


def encoded(certificate: x509.Certificate, chain: Sequence[x509.Certificate], encoding: str) -> bytes:
    """Encode certificates, except as PKCS#12.

    Args:
        certificate: the first certificate.
        chain: the following certificates.
        encoding: one of `ENCODINGS`.

    Raises:
        StateFailedError: several certificates are requested in DER.
    """
    from cryptography.hazmat.primitives.serialization import Encoding, pkcs7

    if encoding.startswith("pkcs7"):
        form = Encoding.PEM if encoding in TEXTS else Encoding.DER
        return pkcs7.serialize_certificates([certificate, *chain], form)
    if encoding == "der":
        if chain:
            raise StateFailedError("Cannot encode a certificate chain in DER")
        return certificate.public_bytes(Encoding.DER)
    return b"".join(each.public_bytes(Encoding.PEM) for each in (certificate, *chain))


def pem_or_der(
    document: x509.CertificateRevocationList | x509.CertificateSigningRequest, encoding: str
) -> bytes:
    """Return a revocation list or a request as `pem` or `der`."""
    from cryptography.hazmat.primitives.serialization import Encoding

    return document.public_bytes(Encoding.PEM if encoding == "pem" else Encoding.DER)


def _held(encoding: str, certificates: list[x509.Certificate]) -> Held | None:
    return (
        Held(encoding=encoding, certificate=certificates[0], chain=tuple(certificates[1:]))
        if certificates
        else None
    )
