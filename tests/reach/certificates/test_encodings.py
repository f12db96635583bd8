"""Certificates as PEM, DER and PKCS#7, both ways, and as openssl reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from tests.reach.certificates.target import needs_openssl, openssl

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.encodings import ENCODINGS, TEXTS, Held, check, encoded, held_in

if TYPE_CHECKING:
    from tests.reach.certificates.conftest import Authority

pytestmark = needs_openssl


@pytest.mark.parametrize("encoding", ["pem", "pkcs7_pem", "pkcs7_der"])
def test_a_chain_comes_back(authority: Authority, encoding: str) -> None:
    """As the certificate and those after it, in the order of the chain; openssl reads the same."""
    own, _ = authority.issued("own")
    data = encoded(own, [authority.certificate], encoding)
    held = held_in(data)
    assert held is not None
    assert held.encoding == encoding
    assert held.beside([authority.certificate]) == Held(
        encoding=encoding, certificate=own, chain=(authority.certificate,)
    )
    form = "PEM" if encoding in TEXTS else "DER"
    if encoding != "pem":
        printed = openssl("pkcs7", "-inform", form, "-print_certs", stdin=data)
        assert {*x509.load_pem_x509_certificates(printed.encode())} == {own, authority.certificate}


def test_a_certificate_alone_in_der(authority: Authority) -> None:
    """A chain cannot be encoded as that."""
    data = encoded(authority.certificate, (), "der")
    assert held_in(data) == Held(encoding="der", certificate=authority.certificate)
    assert x509.load_pem_x509_certificate(openssl("x509", "-inform", "DER", stdin=data).encode()) == (
        authority.certificate
    )
    with pytest.raises(StateFailedError, match="Cannot encode a certificate chain in DER"):
        encoded(authority.certificate, [authority.certificate], "der")


def test_text_before_a_certificate_is_passed_over(authority: Authority) -> None:
    """As openssl writes it with `-text`."""
    held = held_in(openssl("x509", "-in", authority.path, "-text").encode())
    assert held == Held(encoding="pem", certificate=authority.certificate)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\xff\x00",
        b"no certificate",
        b"0\x03\x02\x01\x03",
        b"0\x82\x01\x00\x06\x09\x2a\x86\x48",
        b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        b"-----BEGIN CERTIFICATE-----\nnot base64\n",
        b"-----BEGIN PKCS7-----\nAAAA\n-----END PKCS7-----\n",
        b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
    ],
)
def test_what_holds_no_certificate_is_none(data: bytes) -> None:
    """Malformed and foreign content is no error here: the caller reports what is missing."""
    assert held_in(data) is None


def test_pkcs7_without_certificates_is_none() -> None:
    """Such a file is well formed and holds nothing."""
    empty = "300b06092a864886f70d010702a01ca11a"  # cut off
    assert held_in(bytes.fromhex(empty)) is None
    whole = "302306092a864886f70d010702a0163014020101310030 0b06092a864886f70d0107013100".replace(" ", "")
    assert held_in(bytes.fromhex(whole)) is None


def test_the_order_of_a_chain(authority: Authority) -> None:
    """That of PEM counts. PKCS#7 has none: those of the chain come in its order, others after them."""
    own, _ = authority.issued("own")
    other, _ = authority.issued("other")
    ca = authority.certificate
    pem = Held(encoding="pem", certificate=ca, chain=(own,))
    assert pem.beside([ca]) is pem
    pkcs7 = Held(encoding="pkcs7_der", certificate=ca, chain=(other, own))
    assert pkcs7.beside([ca]) == Held(encoding="pkcs7_der", certificate=other, chain=(ca, own))
    assert pkcs7.beside([other, ca]) == Held(encoding="pkcs7_der", certificate=own, chain=(other, ca))
    assert pkcs7.beside([ca, other, own]) == Held(encoding="pkcs7_der", certificate=ca, chain=(other, own))


def test_an_unknown_encoding_is_refused() -> None:
    """With the ones that there are, which depend on what is encoded."""
    for encoding in ENCODINGS:
        check(encoding)
    check("b64", ["b64"])
    with pytest.raises(StateFailedError) as refused:
        check("jks")
    assert str(refused.value) == (
        "Invalid value 'jks' for encoding. Valid: der, pem, pkcs7_der, pkcs7_pem, pkcs12"
    )
    with pytest.raises(StateFailedError, match="Valid: pem, der"):
        check("pkcs12", ("pem", "der"))
