"""Compares an existing certificate with a newly made one.

Source: Salt's state module `x509_v2`, 3008: names of changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.names import extension_name
from ensue.reach.certificates.public import key_in

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.model.data import Data, DataMap

_KEY_IDENTIFIERS: Final = frozenset({"subjectKeyIdentifier", "authorityKeyIdentifier"})
"""OpenSSL 3 adds these by default, older versions do not: they are compared only if they were requested."""


def differences(
    current: x509.Certificate | x509.CertificateSigningRequest,
    candidate: x509.Certificate | x509.CertificateSigningRequest,
    config: str,
) -> DataMap:
    """Return the differences, except serial number, validity and signature.

    Args:
        current: the existing certificate or request.
        candidate: the newly made one.
        config: the requested extensions.
    """
    changes: DataMap = {}
    if current.subject != candidate.subject:
        changes["subject_name"] = candidate.subject.rfc4514_string()
    if _key(current) != key_in(candidate):
        changes["private_key"] = True
    if current.signature_algorithm_oid != candidate.signature_algorithm_oid:
        changes["digest"] = getattr(candidate.signature_hash_algorithm, "name", None)
    if extensions := _extensions(_by_name(current, config), _by_name(candidate, config)):
        changes["extensions"] = extensions
    return changes


def _key(current: x509.Certificate | x509.CertificateSigningRequest) -> Any:
    """Return the existing key; None, which no new one is, for one that cannot be read."""
    try:
        return key_in(current)
    except StateFailedError:
        return None


def _by_name(
    certificate: x509.Certificate | x509.CertificateSigningRequest, config: str
) -> dict[str, tuple[bool, Any]]:
    """Return, by name, whether each compared extension is critical, and its value."""
    extensions: dict[str, tuple[bool, Any]] = {
        extension_name(each.oid): (each.critical, _value(each.value)) for each in certificate.extensions
    }
    return {
        name: value
        for name, value in extensions.items()
        if name not in _KEY_IDENTIFIERS or f"{name} =" in config
    }


def _value(value: Any) -> Any:
    """Return a value to compare, without the issuer's serial number, which may be the certificate's own."""
    from cryptography import x509

    if isinstance(value, x509.AuthorityKeyIdentifier):
        return (value.key_identifier, tuple(value.authority_cert_issuer or ()))
    return value


def _extensions(old: dict[str, tuple[bool, Any]], new: dict[str, tuple[bool, Any]]) -> DataMap:
    added: list[Data] = [name for name in new if name not in old]
    changed: list[Data] = [name for name in new if name in old and new[name] != old[name]]
    removed: list[Data] = [name for name in old if name not in new]
    if not added and not changed and not removed:
        return {}
    return {"added": added, "changed": changed, "removed": removed}
