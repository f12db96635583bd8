"""Parses distinguished names and the extensions that a user requests.

Source: Salt's utility `x509`, 3008: names of attributes and their order; x509v3_config(5).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterable

    from cryptography import x509

_ATTRIBUTES: Final = {
    "C": "COUNTRY_NAME", "ST": "STATE_OR_PROVINCE_NAME", "L": "LOCALITY_NAME", "STREET": "STREET_ADDRESS",
    "O": "ORGANIZATION_NAME", "OU": "ORGANIZATIONAL_UNIT_NAME", "CN": "COMMON_NAME", "MAIL": "EMAIL_ADDRESS",
    "SN": "SURNAME", "GN": "GIVEN_NAME", "UID": "USER_ID", "SERIALNUMBER": "SERIAL_NUMBER",
}  # fmt: skip
_SAME: Final = {
    "Email": "MAIL", "emailAddress": "MAIL", "street": "STREET", "serialNumber": "SERIALNUMBER",
    "commonName": "CN", "localityName": "L", "stateOrProvinceName": "ST", "organizationName": "O",
    "organizationUnitName": "OU", "surname": "SN",
}  # fmt: skip
ATTRIBUTES: Final = (*_ATTRIBUTES, *_SAME)
"""The short names of a name's attributes."""

_ESCAPES: Final = {
    **{each: f"\\{each}" for each in "\\$#\"'`"},
    "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b",
}  # fmt: skip
"""The characters that mean something in OpenSSL's configuration."""

EXTENSIONS: Final = (
    "basicConstraints", "keyUsage", "extendedKeyUsage", "subjectKeyIdentifier", "authorityKeyIdentifier",
    "issuerAltName", "authorityInfoAccess", "subjectAltName", "crlDistributionPoints",
    "issuingDistributionPoint", "certificatePolicies", "policyConstraints", "inhibitAnyPolicy",
    "nameConstraints", "noCheck", "tlsfeature", "nsComment", "nsCertType",
)  # fmt: skip
_LONG: Final = {
    "X509v3 Basic Constraints": "basicConstraints", "X509v3 Key Usage": "keyUsage",
    "X509v3 Extended Key Usage": "extendedKeyUsage", "X509v3 Subject Key Identifier": "subjectKeyIdentifier",
    "X509v3 Authority Key Identifier": "authorityKeyIdentifier",
    "X509v3 Issuer Alternative Name": "issuerAltName", "issuserAltName": "issuerAltName",
    "Authority Information Access": "authorityInfoAccess",
    "X509v3 Subject Alternative Name": "subjectAltName",
    "X509v3 CRL Distribution Points": "crlDistributionPoints",
    "X509v3 Issuing Distribution Point": "issuingDistributionPoint",
    "X509v3 Certificate Policies": "certificatePolicies", "X509v3 Policy Constraints": "policyConstraints",
    "X509v3 Inhibit Any Policy": "inhibitAnyPolicy", "X509v3 Name Constraints": "nameConstraints",
    "OCSP No Check": "noCheck", "TLS Feature": "tlsfeature", "Netscape Comment": "nsComment",
    "Netscape Certificate Type": "nsCertType",
}  # fmt: skip
LONG_EXTENSIONS: Final = tuple(_LONG)
"""Salt's older names of extensions."""


def with_short_names(given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments with attributes and extensions under their short names."""
    words = {**_SAME, **_LONG, "algorithm": "digest"}
    return {words.get(word, word): value for word, value in given.items()}


_NAMES: Final[dict[str, str]] = {
    "1.3.6.1.5.5.7.1.1": "authorityInfoAccess", "1.3.6.1.5.5.7.1.24": "tlsfeature",
    "1.3.6.1.5.5.7.48.1.5": "noCheck", "2.5.29.14": "subjectKeyIdentifier", "2.5.29.15": "keyUsage",
    "2.5.29.17": "subjectAltName", "2.5.29.18": "issuerAltName", "2.5.29.19": "basicConstraints",
    "2.5.29.28": "issuingDistributionPoint", "2.5.29.30": "nameConstraints",
    "2.5.29.31": "cRLDistributionPoints", "2.5.29.32": "certificatePolicies",
    "2.5.29.35": "authorityKeyIdentifier", "2.5.29.36": "policyConstraints", "2.5.29.37": "extendedKeyUsage",
    "2.5.29.54": "inhibitAnyPolicy",
}  # fmt: skip
"""Extensions by object identifier, as RFC 5280 names them."""


def extension_name(number: x509.ObjectIdentifier) -> str:
    """Return RFC 5280's name of an extension, or its dotted numbers if it is unknown."""
    return _NAMES.get(number.dotted_string, number.dotted_string)


def attributes(given: dict[str, Any]) -> dict[str, str]:
    """Remove the attributes of a name from the arguments and return them."""
    words = [word for word in given if word in _ATTRIBUTES or word in _SAME]
    return {_SAME.get(word, word): str(given.pop(word)) for word in words}


def name_of(subject: Any, plain: dict[str, str]) -> x509.Name | None:
    """Return a distinguished name.

    Args:
        subject: a string in the form of RFC 4514, a mapping of attributes, or a list of
            `CN=x`; None for `plain`.
        plain: attributes that were given as separate arguments.

    Raises:
        StateFailedError: it is not a valid name.
    """
    from cryptography import x509
    from cryptography.x509.oid import NameOID

    try:
        if isinstance(subject, str) and subject:
            return x509.Name.from_rfc4514_string(subject)
        if is_list(subject):
            return x509.Name.from_rfc4514_string(",".join(str(part) for part in reversed(subject)))
        values = attributes({**subject}) if is_mapping(subject) else plain
        return (
            x509.Name(
                [
                    x509.NameAttribute(getattr(NameOID, oid), values[word])
                    for word, oid in _ATTRIBUTES.items()
                    if values.get(word)
                ]
            )
            if values
            else None
        )
    except ValueError as error:
        raise StateFailedError(f"the name of the certificate is invalid: {error}") from None


def name_lines(name: Iterable[x509.RelativeDistinguishedName]) -> list[str]:
    """Return the lines of an OpenSSL configuration section with a name; no value has a meaning of its own.

    Args:
        name: the parts of the name; those after the first attribute of a part are marked by `+`.

    Raises:
        StateFailedError: a value contains a zero byte, which no configuration can.
    """
    lines: list[str] = []
    for part in name:
        for place, attribute in enumerate(part):
            joined = "+" if place else ""
            value = _escaped(str(attribute.value))
            lines.append(f"{len(lines)}.{joined}{attribute.oid.dotted_string} = {value}")
    return lines


def _escaped(text: str) -> str:
    """Return a value that OpenSSL's configuration reads as this text."""
    if "\0" in text:
        raise StateFailedError("the name of the certificate is invalid: it contains a zero byte")
    escaped = "".join(_ESCAPES.get(each, each) for each in text)
    # Blanks at both ends count only within quotes.
    inner = escaped.strip(" ")
    start, _, end = escaped.partition(inner) if inner else (escaped, "", "")
    return "".join((f'"{start}"' if start else "", inner, f'"{end}"' if end else ""))


def extensions(given: dict[str, Any]) -> str:
    """Remove the extensions from the arguments and return them as an OpenSSL configuration section.

    Args:
        given: the arguments; `critical` may precede the first value, followed by a comma or a space.
    """
    asked = [word for word in EXTENSIONS if word in given]
    return "\n".join(["[extensions]", *(f"{word} = {_value(word, given.pop(word))}" for word in asked)])


def _value(word: str, value: Any) -> str:
    if is_mapping(value):
        critical = ["critical"] if value.get("critical") else []
        rest = [f"{key}:{_plain(each)}" for key, each in value.items() if key not in {"critical", "value"}]
        parts = [*critical, *([_plain(value["value"])] if "value" in value else []), *rest]
    else:
        parts = [_plain(part) for part in (value if is_list(value) else [value])]
    text = ",".join(parts)
    if text.startswith("critical "):
        text = f"critical,{text.removeprefix('critical ').lstrip()}"
    if "\n" in text:
        raise StateFailedError(f"{word} must be one line")
    return text


def _plain(value: Any) -> str:
    if is_mapping(value):
        return ",".join(f"{key}:{_plain(each)}" for key, each in value.items())
    return str(value).lower() if isinstance(value, bool) else str(value).strip()
