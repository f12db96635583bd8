"""Describes names and extensions of certificates as data, in the form of Salt's functions.

Source: Salt's execution module `x509_v2`, 3008: keys and values; RFC 5280.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cryptography import x509

    from ensue.core.model.data import DataMap

TIME: Final = "%Y-%m-%d %H:%M:%S"
_ATTRIBUTES: Final = {
    "C": "2.5.4.6", "ST": "2.5.4.8", "L": "2.5.4.7", "STREET": "2.5.4.9", "O": "2.5.4.10", "OU": "2.5.4.11",
    "CN": "2.5.4.3", "MAIL": "1.2.840.113549.1.9.1", "SN": "2.5.4.4", "GN": "2.5.4.42",
    "UID": "0.9.2342.19200300.100.1.1", "SERIALNUMBER": "2.5.4.5",
}  # fmt: skip
_EXTENSIONS: Final = {
    "basicConstraints": "2.5.29.19", "keyUsage": "2.5.29.15", "extendedKeyUsage": "2.5.29.37",
    "subjectKeyIdentifier": "2.5.29.14", "authorityKeyIdentifier": "2.5.29.35", "issuerAltName": "2.5.29.18",
    "authorityInfoAccess": "1.3.6.1.5.5.7.1.1", "subjectAltName": "2.5.29.17",
    "crlDistributionPoints": "2.5.29.31", "issuingDistributionPoint": "2.5.29.28",
    "certificatePolicies": "2.5.29.32", "policyConstraints": "2.5.29.36", "inhibitAnyPolicy": "2.5.29.54",
    "nameConstraints": "2.5.29.30", "noCheck": "1.3.6.1.5.5.7.48.1.5", "tlsfeature": "1.3.6.1.5.5.7.1.24",
    "cRLNumber": "2.5.29.20", "deltaCRLIndicator": "2.5.29.27", "freshestCRL": "2.5.29.46",
    "certificateIssuer": "2.5.29.29", "CRLReason": "2.5.29.21", "invalidityDate": "2.5.29.24",
}  # fmt: skip
_NAMED: Final = {
    "1.2.840.113549.1.1.4": "md5WithRSAEncryption", "1.2.840.113549.1.1.5": "sha1WithRSAEncryption",
    "1.2.840.113549.1.1.14": "sha224WithRSAEncryption", "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
    "1.2.840.113549.1.1.12": "sha384WithRSAEncryption", "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
    "1.2.840.10045.4.1": "ecdsa-with-SHA1", "1.2.840.10045.4.3.1": "ecdsa-with-SHA224",
    "1.2.840.10045.4.3.2": "ecdsa-with-SHA256", "1.2.840.10045.4.3.3": "ecdsa-with-SHA384",
    "1.2.840.10045.4.3.4": "ecdsa-with-SHA512", "1.3.101.112": "ed25519", "1.3.101.113": "ed448",
    "1.3.6.1.5.5.7.3.1": "serverAuth", "1.3.6.1.5.5.7.3.2": "clientAuth", "1.3.6.1.5.5.7.3.3": "codeSigning",
    "1.3.6.1.5.5.7.3.4": "emailProtection", "1.3.6.1.5.5.7.3.8": "timeStamping",
    "1.3.6.1.5.5.7.3.9": "OCSPSigning", "1.3.6.1.5.5.7.48.1": "OCSP", "1.3.6.1.5.5.7.48.2": "caIssuers",
}  # fmt: skip


def named(identifier: x509.ObjectIdentifier) -> str:
    """Return the name of an object identifier, or its dotted numbers if it is unknown."""
    return _NAMED.get(identifier.dotted_string, identifier.dotted_string)


def name_data(name: x509.Name) -> DataMap:
    """Return the first value of each attribute of a name, by the attribute's short name."""
    values: dict[str, Any] = {}
    for attribute in name:
        values.setdefault(attribute.oid.dotted_string, attribute.value)
    return {word: values[oid] for word, oid in _ATTRIBUTES.items() if oid in values}


def name_hash(name: x509.Name) -> str:
    """Return the hash by which OpenSSL looks up a name."""
    # OpenSSL reads the first four bytes as a little-endian number.
    return hexadecimal(hashlib.sha1(name.public_bytes()).digest()[:4][::-1])  # noqa: S324 (a name, not a signature)


def hexadecimal(value: bytes | int) -> str:
    """Return bytes or a number as pairs of hexadecimal digits with colons between them."""
    digits = value.hex() if isinstance(value, bytes) else f"{value:X}"
    digits = "0" * (len(digits) % 2) + digits
    return ":".join(digits[place : place + 2] for place in range(0, len(digits), 2)).upper()


def extensions_data(extensions: x509.Extensions) -> DataMap:
    """Return the content of each known extension, by name."""
    by_oid = {each.oid.dotted_string: each for each in extensions}
    return {
        word: {"critical": by_oid[oid].critical, **_extension(by_oid[oid].value)}
        for word, oid in _EXTENSIONS.items()
        if oid in by_oid
    }


def _extension(value: Any) -> DataMap:  # noqa: C901, PLR0911, PLR0912 (one case per kind)
    from cryptography import x509

    match value:
        case x509.BasicConstraints():
            return {"ca": value.ca, "pathlen": value.path_length}
        case x509.KeyUsage():
            return _key_usage(value)
        case x509.ExtendedKeyUsage():
            return {"value": [named(each) for each in value]}
        case x509.SubjectKeyIdentifier():
            return {"value": hexadecimal(value.digest)}
        case x509.AuthorityKeyIdentifier():
            serial = value.authority_cert_serial_number
            return {
                "keyid": hexadecimal(value.key_identifier) if value.key_identifier else None,
                "issuer": _names(value.authority_cert_issuer) or None,
                "issuer_sn": hexadecimal(serial) if serial else None,
            }
        case x509.SubjectAlternativeName() | x509.IssuerAlternativeName() | x509.CertificateIssuer():
            return {"value": _names(value)}
        case x509.AuthorityInformationAccess():
            return {"value": [{named(each.access_method): str(each.access_location.value)} for each in value]}
        case x509.CRLDistributionPoints() | x509.FreshestCRL():
            return {"value": [_point(each) for each in value]}
        case x509.IssuingDistributionPoint():
            return _issuing_point(value)
        case x509.CertificatePolicies():
            return {"value": [_policy(each) for each in value]}
        case x509.NameConstraints():
            return {
                "excluded": _names(value.excluded_subtrees),
                "permitted": _names(value.permitted_subtrees),
            }
        case x509.PolicyConstraints():
            return {
                "inhibitPolicyMapping": value.inhibit_policy_mapping,
                "requireExplicitPolicy": value.require_explicit_policy,
            }
        case x509.InhibitAnyPolicy():
            return {"value": value.skip_certs}
        case x509.OCSPNoCheck():
            return {"value": True}
        case x509.TLSFeature():
            return {"value": [each.name for each in value]}
        case x509.CRLNumber() | x509.DeltaCRLIndicator():
            return {"value": value.crl_number}
        case x509.CRLReason():
            return {"value": value.reason.value}
        case x509.InvalidityDate():
            return {"value": value.invalidity_date_utc.strftime(TIME)}
        case _:
            return {"value": str(value)}


def _key_usage(value: x509.KeyUsage) -> DataMap:
    return {
        "cRLSign": value.crl_sign,
        "dataEncipherment": value.data_encipherment,
        "decipherOnly": value.key_agreement and value.decipher_only,
        "digitalSignature": value.digital_signature,
        "encipherOnly": value.key_agreement and value.encipher_only,
        "keyAgreement": value.key_agreement,
        "keyCertSign": value.key_cert_sign,
        "keyEncipherment": value.key_encipherment,
        "nonRepudiation": value.content_commitment,
    }


def _point(point: x509.DistributionPoint) -> DataMap:
    return {
        "crlissuer": _names(point.crl_issuer),
        "fullname": _names(point.full_name),
        "reasons": [*sorted(each.value for each in point.reasons or ())],
        "relativename": point.relative_name.rfc4514_string() if point.relative_name else None,
    }


def _issuing_point(value: x509.IssuingDistributionPoint) -> DataMap:
    return {
        "fullname": _names(value.full_name),
        "onysomereasons": [*sorted(each.value for each in value.only_some_reasons or ())],
        "relativename": value.relative_name.rfc4514_string() if value.relative_name else None,
        "onlyuser": value.only_contains_user_certs,
        "onlyCA": value.only_contains_ca_certs,
        "onlyAA": value.only_contains_attribute_certs,
        "indirectCRL": value.indirect_crl,
    }


def _policy(policy: x509.PolicyInformation) -> DataMap:
    qualifiers: list[Any] = []
    for each in policy.policy_qualifiers or ():
        if isinstance(each, str):
            qualifiers.append({"practice_statement": each})
            continue
        reference = each.notice_reference
        qualifiers.append({
            "organizataion": reference.organization if reference else None,
            "notice_numbers": [*reference.notice_numbers] if reference else None,
            "explicit_text": each.explicit_text,
        })  # fmt: skip
    return {named(policy.policy_identifier): qualifiers}


def _names(names: Iterable[x509.GeneralName] | None) -> list[Any]:
    return [_general_name(each) for each in names or ()]


def _general_name(name: x509.GeneralName) -> str:  # noqa: PLR0911 (one case per kind)
    from cryptography import x509

    match name:
        case x509.DNSName():
            return f"DNS:{name.value}"
        case x509.DirectoryName():
            return f"dirName:{name.value.rfc4514_string()}"
        case x509.IPAddress():
            return f"IP:{name.value.exploded}"
        case x509.RFC822Name():
            return f"mail:{name.value}"
        case x509.RegisteredID():
            return f"RID:{name.value.dotted_string}"
        case x509.UniformResourceIdentifier():
            return f"URI:{name.value}"
        case _:
            return str(name)
