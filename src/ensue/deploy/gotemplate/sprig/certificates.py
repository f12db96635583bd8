"""Certificates that a template creates: an authority, a self-signed one, and one that an authority signs.

Source: Sprig's documentation, "Cryptographic and Security Functions".
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.values import GoObject, to_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

    from ensue.deploy.gotemplate.surroundings import RenderingServices


class Certificate(GoObject):
    """A certificate and its key, both in PEM.

    Args:
        cert: the certificate.
        key: the private key.
    """

    type_name = "sprig.certificate"

    def __init__(self, cert: str, key: str) -> None:
        self.cert = cert
        self.key = key

    def __str__(self) -> str:
        return f"{{{self.cert} {self.key}}}"

    def field(self, name: str, arguments: list[Any]) -> Any:
        """Return `Cert` or `Key`."""
        fields = {"Cert": self.cert, "Key": self.key}
        return super().field(name, arguments) if name not in fields or arguments else fields[name]


class _CertificateRequest(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    days: int
    is_authority: bool
    alternatives: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


def _gen_ca(surroundings: RenderingServices, name: str, days: int) -> Certificate:
    return _signed(
        surroundings, _CertificateRequest(name=name, days=days, is_authority=True), _new_key(), None
    )


def _gen_ca_with_key(surroundings: RenderingServices, name: str, days: int, key: str) -> Certificate:
    return _signed(
        surroundings, _CertificateRequest(name=name, days=days, is_authority=True), _read_key(key), None
    )


def _gen_self_signed(
    surroundings: RenderingServices, name: str, addresses: list[Any], names: list[Any], days: int
) -> Certificate:
    return _signed(surroundings, _request(name, addresses, names, days), _new_key(), None)


def _gen_self_signed_with_key(  # noqa: PLR0917 -- Sprig's order
    surroundings: RenderingServices, name: str, addresses: list[Any], names: list[Any], days: int, key: str
) -> Certificate:
    return _signed(surroundings, _request(name, addresses, names, days), _read_key(key), None)


def _gen_signed(  # noqa: PLR0917 -- Sprig's order
    surroundings: RenderingServices,
    name: str,
    addresses: list[Any],
    names: list[Any],
    days: int,
    authority: GoObject,
) -> Certificate:
    return _signed(surroundings, _request(name, addresses, names, days), _new_key(), _checked(authority))


def _gen_signed_with_key(surroundings: RenderingServices, *values: Any) -> Certificate:
    name, addresses, names, days, authority, key = values
    request = _request(name, addresses, names, days)
    return _signed(surroundings, request, _read_key(key), _checked(authority))


def _build_custom(cert: str, key: str) -> Certificate:
    try:
        own = Certificate(
            base64.b64decode(cert, validate=True).decode(), base64.b64decode(key, validate=True).decode()
        )
    except (binascii.Error, ValueError):
        raise CallError(
            "the certificate or its key is not base64", help="Encode both with `b64enc`"
        ) from None
    _read_cert(own.cert)
    _read_key(own.key)
    return own


def _checked(authority: GoObject) -> Certificate:
    if isinstance(authority, Certificate):
        return authority
    raise CallError("the authority is not a certificate", help="Make one with `genCA` or `buildCustomCert`")


def _request(name: str, addresses: list[Any], names: list[Any], days: int) -> _CertificateRequest:
    for address in (*addresses, *names):
        if not isinstance(address, str):
            raise CallError("an alternative name is not a string")
    return _CertificateRequest(
        name=name, days=days, is_authority=False, alternatives=tuple(names), addresses=tuple(addresses)
    )


def _new_key() -> RSAPrivateKey:
    from cryptography.hazmat.primitives.asymmetric import rsa

    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def _read_key(text: str) -> Any:
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        return load_pem_private_key(to_bytes(text), None)
    except (ValueError, TypeError):
        raise CallError(
            "the private key cannot be read", help="Give it a key in PEM, without a password"
        ) from None


def _read_cert(text: str) -> x509.Certificate:
    from cryptography import x509

    try:
        return x509.load_pem_x509_certificate(to_bytes(text))
    except ValueError:
        raise CallError("the certificate cannot be read", help="Give it a certificate in PEM") from None


def _signed(
    surroundings: RenderingServices, request: _CertificateRequest, key: Any, authority: Certificate | None
) -> Certificate:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, request.name)])
    issuer = _read_cert(authority.cert).subject if authority else subject
    now = surroundings.now()
    builder = (
        x509.CertificateBuilder(issuer, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now)
        .not_valid_after(now + timedelta(days=request.days))
    )
    for extension, is_critical in _extensions(request):
        builder = builder.add_extension(extension, is_critical)
    signer = _read_key(authority.key) if authority else key
    digest = None if isinstance(signer, Ed25519PrivateKey) else hashes.SHA256()
    cert = builder.sign(signer, digest).public_bytes(serialization.Encoding.PEM).decode()
    kind = serialization.PrivateFormat
    encoding = kind.PKCS8 if isinstance(key, Ed25519PrivateKey) else kind.TraditionalOpenSSL
    return Certificate(
        cert, key.private_bytes(serialization.Encoding.PEM, encoding, serialization.NoEncryption()).decode()
    )


def _extensions(request: _CertificateRequest) -> list[tuple[x509.ExtensionType, bool]]:
    from cryptography import x509
    from cryptography.x509.oid import ExtendedKeyUsageOID

    usage = x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=True,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=request.is_authority,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    purposes = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    extensions: list[tuple[x509.ExtensionType, bool]] = [
        (usage, True),
        (purposes, False),
        (x509.BasicConstraints(ca=request.is_authority, path_length=None), True),
    ]
    try:
        names: list[x509.GeneralName] = [x509.DNSName(alternative) for alternative in request.alternatives]
        names += [x509.IPAddress(ipaddress.ip_address(address)) for address in request.addresses]
    except ValueError as error:
        raise CallError(f"an alternative name cannot be used: {error}") from None
    if names:
        extensions.append((x509.SubjectAlternativeName(names), False))
    return extensions


CERTIFICATE_FUNCTIONS: Final[Mapping[str, Function]] = {
    "buildCustomCert": function(_build_custom, "ss"),
    "genCA": function(_gen_ca, "@si"),
    "genCAWithKey": function(_gen_ca_with_key, "@sis"),
    "genSelfSignedCert": function(_gen_self_signed, "@sLLi"),
    "genSelfSignedCertWithKey": function(_gen_self_signed_with_key, "@sLLis"),
    "genSignedCert": function(_gen_signed, "@sLLio"),
    "genSignedCertWithKey": function(_gen_signed_with_key, "@sLLios"),
}
"""The functions by name."""
