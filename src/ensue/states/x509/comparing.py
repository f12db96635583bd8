"""What differs between a certificate that is there and one that was made just now to compare with.

Source: Salt's state module `x509_v2`, 3008: names of changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.model.data import Data, DataMap

_KEY_IDENTIFIERS: Final = {"2.5.29.14": "subjectKeyIdentifier", "2.5.29.35": "authorityKeyIdentifier"}
"""OpenSSL 3 adds these unasked, and older ones do not; so they count where they were asked for alone."""


def differences(
    current: x509.Certificate | x509.CertificateSigningRequest,
    candidate: x509.Certificate | x509.CertificateSigningRequest,
    config: str,
) -> DataMap:
    """Return what differs, but for serial number, validity and signature.

    Args:
        current: what is there.
        candidate: what would be made.
        config: the extensions that were asked for.
    """
    changes: DataMap = {}
    if current.subject != candidate.subject:
        changes["subject_name"] = candidate.subject.rfc4514_string()
    if current.public_key() != candidate.public_key():
        changes["private_key"] = True
    if current.signature_algorithm_oid != candidate.signature_algorithm_oid:
        changes["digest"] = getattr(candidate.signature_hash_algorithm, "name", None)
    if extensions := _extensions(_by_number(current, config), _by_number(candidate, config)):
        changes["extensions"] = extensions
    return changes


def _by_number(
    certificate: x509.Certificate | x509.CertificateSigningRequest, config: str
) -> dict[str, tuple[bool, Any]]:
    """Return each extension that counts: whether it is critical, and its value."""
    found = {each.oid.dotted_string: (each.critical, _value(each.value)) for each in certificate.extensions}
    return {
        number: value
        for number, value in found.items()
        if number not in _KEY_IDENTIFIERS or _KEY_IDENTIFIERS[number] in config
    }


def _value(value: Any) -> Any:
    """Return a value to compare, without the issuer's serial number, which may be the certificate's own."""
    from cryptography import x509

    if isinstance(value, x509.AuthorityKeyIdentifier):
        return (value.key_identifier, tuple(value.authority_cert_issuer or ()))
    return value


def _extensions(old: dict[str, tuple[bool, Any]], new: dict[str, tuple[bool, Any]]) -> DataMap:
    listed: dict[str, list[Data]] = {
        "added": [number for number in new if number not in old],
        "changed": [number for number in new if number in old and new[number] != old[number]],
        "removed": [number for number in old if number not in new],
    }
    return {word: [*numbers] for word, numbers in listed.items() if numbers}
