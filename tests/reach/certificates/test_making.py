"""Certificates and requests that the target's openssl signs, and `openssl verify` accepts."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, load_pem_public_key
from tests.reach.certificates.target import (
    SECRET,
    done,
    key_at,
    needs_openssl,
    openssl,
    path_with_openssl,
    programs_without_openssl,
    target,
)

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.encodings import encoded
from ensue.reach.certificates.keys import public_key
from ensue.reach.certificates.making import (
    DIGESTS,
    certificate,
    checked_digest,
    embedded_key,
    request,
    serial_of,
    signing_key,
    time_of,
)
from ensue.reach.certificates.names import name_of
from ensue.reach.certificates.openssl import TargetKey

if TYPE_CHECKING:
    from pathlib import Path

    from tests.reach.certificates.conftest import Authority

pytestmark = needs_openssl


def request_at(
    path: Path, key: TargetKey, subject: Any, config: str = "[extensions]", digest: str = "sha256"
) -> str:
    """Create a request, check that openssl reads it, and return its path."""
    made = done(request(target(), key, name_of(subject, {}), config, digest))
    path.write_bytes(made.public_bytes(Encoding.PEM))
    assert "verify OK" in openssl("req", "-in", path, "-noout", "-verify")
    return str(path)


def test_a_certificate_signs_itself(tmp_path: Path) -> None:
    """With name, extensions, serial number and days as they are asked for, and nothing besides."""
    key = key_at(tmp_path / "a.key", passphrase=SECRET)
    given = {
        "signing_private_key": key.path, "signing_private_key_passphrase": SECRET,
        "CN": "Ä / b, c", "C": "DE", "serial_number": "0a:ff", "days_valid": 10, "digest": "SHA384",
        "basicConstraints": "critical, CA:true, pathlen:1",
    }  # fmt: skip
    made = done(certificate(target(), given))
    made.verify_directly_issued_by(made)
    assert made.subject.rfc4514_string() == "CN=Ä / b\\, c,C=DE"
    assert (made.serial_number, made.not_valid_after_utc - made.not_valid_before_utc) == (
        0x0AFF, dt.timedelta(days=10),
    )  # fmt: skip
    assert made.signature_hash_algorithm is not None
    assert made.signature_hash_algorithm.name == "sha384"
    assert [(each.critical, each.value) for each in made.extensions] == [
        (True, x509.BasicConstraints(ca=True, path_length=1))
    ]
    path = tmp_path / "a.crt"
    path.write_bytes(encoded(made, (), "pem"))
    assert openssl("verify", "-CAfile", path, path).endswith(": OK\n")


@pytest.mark.parametrize("word", ["private_key", "public_key", "csr", "csr without a name"])
def test_an_authority_signs_for_others(tmp_path: Path, authority: Authority, word: str) -> None:
    """For the key that a private key, a public key or a request has; openssl follows the chain."""
    key = key_at(tmp_path / "own.key", passphrase=SECRET)
    given = {**authority.signing, "CN": "own", "keyUsage": "digitalSignature"}
    match word:
        case "private_key":
            given |= {"private_key": key.path, "private_key_passphrase": SECRET}
        case "public_key":
            given |= {"public_key": done(public_key(target(), key))}
        case "csr":
            given |= {"csr": request_at(tmp_path / "own.csr", key, "CN=other")}
        case _:
            del given["CN"]
            given |= {"csr": request_at(tmp_path / "own.csr", key, "CN=own")}
    made = done(certificate(target(), given))
    made.verify_directly_issued_by(authority.certificate)
    assert made.subject.rfc4514_string() == "CN=own"
    assert made.public_key() == load_pem_public_key(done(public_key(target(), key)).encode())
    path = tmp_path / "own.crt"
    path.write_bytes(encoded(made, (), "pem"))
    assert authority.verifies(path)


def test_dates_are_kept_to_the_second(authority: Authority) -> None:
    """One that is over is made as well, and openssl says that it has expired."""
    made, path = authority.issued("own", not_before="2020-01-31 12:00:00", not_after="2020-02-01 12:00:00")
    assert made.not_valid_before_utc == dt.datetime(2020, 1, 31, 12, tzinfo=dt.UTC)
    assert made.not_valid_after_utc == dt.datetime(2020, 2, 1, 12, tzinfo=dt.UTC)
    made.verify_directly_issued_by(authority.certificate)
    assert openssl("x509", "-in", path, "-noout", "-enddate") == "notAfter=Feb  1 12:00:00 2020 GMT\n"
    with pytest.raises(AssertionError, match="certificate has expired"):
        authority.verifies(path)
    assert authority.verifies(path, "-no_check_time")
    far, path = authority.issued("far", not_after="2060-01-01 00:00:00")
    assert far.not_valid_after_utc == dt.datetime(2060, 1, 1, tzinfo=dt.UTC)
    assert authority.verifies(path)


def test_extensions_of_a_request_are_inherited(tmp_path: Path, authority: Authority) -> None:
    """Except those that are asked for, and those that the signer determines."""
    config = (
        "[extensions]\nsubjectAltName = DNS:own.example\nkeyUsage = critical,digitalSignature\n"
        "authorityInfoAccess = OCSP;URI:http://a"
    )
    csr = request_at(tmp_path / "own.csr", key_at(tmp_path / "a.key"), "CN=own", config)
    made = done(certificate(target(), {**authority.signing, "csr": csr, "keyUsage": "keyAgreement"}))
    made.verify_directly_issued_by(authority.certificate)
    extensions = {each.value.__class__: (each.critical, each.value) for each in made.extensions}
    assert extensions.keys() == {x509.SubjectAlternativeName, x509.KeyUsage}
    usage = made.extensions.get_extension_for_class(x509.KeyUsage)
    assert (usage.critical, usage.value.key_agreement, usage.value.digital_signature) == (False, True, False)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"signing_private_key": None}, "signing_private_key is required"),
        ({"digest": "md5"}, "Invalid value 'md5' for digest. Valid: sha1, sha224"),
        ({"serial_number": "x"}, "serial_number 'x' is not a number"),
        ({"not_after": "soon"}, "'soon' is not a time; write it as 2026-01-31 12:00:00"),
        (
            {"not_before": "2026-01-31 12:00:00", "not_after": "2025-01-31 12:00:00"},
            "cannot create the certif",
        ),
        ({"days_valid": "many"}, "cannot sign with the key "),
        ({"subject": "no name"}, "the name of the certificate is invalid"),
        ({"keyUsage": "to sign"}, "cannot sign with the key "),
        ({"keyUsage": "a\nb"}, "keyUsage must be one line"),
        ({"signing_private_key_passphrase": "wrong"}, "cannot sign with the key "),
        ({"signing_private_key": "/nonexistent/a.key"}, "cannot sign with the key /nonexistent/a.key: "),
        ({"private_key": None}, "thus needs public_key, private_key or csr to derive public key"),
        ({"private_key_passphrase": "wrong", "private_key": "CA"}, "cannot be read with this passphrase"),
        ({"usage": "server", "for": "x"}, "Unrecognized keyword arguments: for, usage"),
    ],
)
def test_what_is_refused(tmp_path: Path, authority: Authority, given: dict[str, Any], why: str) -> None:
    """Each by a sentence about what is wrong."""
    own = key_at(tmp_path / "a.key").path
    whole = {**authority.signing, "private_key": own, "CN": "own", **given}
    whole |= {"private_key": authority.key.path} if given.get("private_key") == "CA" else {}
    with pytest.raises(StateFailedError) as refused:
        done(certificate(target(), whole))
    assert why in str(refused.value)


def test_a_key_that_is_not_the_authoritys_is_refused(tmp_path: Path, authority: Authority) -> None:
    """A certificate with its name, signed by another key, would verify nowhere."""
    own = key_at(tmp_path / "a.key").path
    given = {"signing_private_key": own, "signing_cert": str(authority.path), "private_key": own, "CN": "own"}
    with pytest.raises(StateFailedError, match="cannot sign with the key"):
        done(certificate(target(), given))


def test_a_request_has_what_is_asked_for(tmp_path: Path) -> None:
    """Name and extensions, signed with an encrypted key; without a name it has none."""
    key = key_at(tmp_path / "a.key", passphrase=SECRET)
    path = request_at(
        tmp_path / "a.csr", key, ["C=DE", "CN=Ä"], "[extensions]\nsubjectAltName = DNS:a", "sha512"
    )
    made = x509.load_pem_x509_csr((tmp_path / "a.csr").read_bytes())
    assert made.is_signature_valid
    assert made.subject.rfc4514_string() == "CN=Ä,C=DE"
    assert made.signature_hash_algorithm is not None
    assert made.signature_hash_algorithm.name == "sha512"
    names = made.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["a"]
    empty = done(request(target(), key, None, "[extensions]", "sha256"))
    assert (empty.subject, [*empty.extensions]) == (x509.Name([]), [])
    assert path


def test_a_name_keeps_its_parts(tmp_path: Path) -> None:
    """A part may have several attributes, and that is another name than one of several parts."""
    subject = x509.Name.from_rfc4514_string("CN=a+OU=b,O=c+L=d,C=DE")
    made = done(request(target(), key_at(tmp_path / "a.key"), subject, "[extensions]", "sha256"))
    assert made.subject == subject


@pytest.mark.parametrize(
    "value",
    [
        "O'Brien", 'a "b" c', "back\\slash", "$HOME ${x}", "a # b", " ends in blanks ", "a;b=c,d+e",
        "a\n[extensions]\nbasicConstraints = critical,CA:true", "tab\tend", "\\n", "critical", "Ä", "a\rb",
    ],
)  # fmt: skip
def test_a_name_is_the_text_that_is_given(tmp_path: Path, value: str) -> None:
    """Nothing in it has a meaning for openssl's configuration: the value of a name is data."""
    key = key_at(tmp_path / "a.key")
    subject = x509.Name(
        [
            x509.NameAttribute(x509.NameOID.ORGANIZATION_NAME, value),
            x509.NameAttribute(x509.NameOID.COMMON_NAME, "a"),
        ]
    )
    made = done(request(target(), key, subject, "[extensions]", "sha256"))
    assert [attribute.value for attribute in made.subject] == [value, "a"]
    assert [*made.extensions] == []
    given = {"signing_private_key": key.path, "O": value, "CN": "a"}
    itself = done(certificate(target(), given))
    assert {attribute.value for attribute in itself.subject} == {value, "a"}
    assert [*itself.extensions] == []


@pytest.mark.parametrize(
    ("key", "config", "digest", "why"),
    [
        ("right", "[extensions]", "md5", "Invalid value 'md5' for digest"),
        ("right", "[extensions]\nkeyUsage = to sign", "sha256", "cannot create a request with the key "),
        ("wrong", "[extensions]", "sha256", "cannot create a request with the key "),
        ("absent", "[extensions]", "sha256", "cannot create a request with the key "),
    ],
)
def test_a_request_that_cannot_be_made(tmp_path: Path, key: str, config: str, digest: str, why: str) -> None:
    """A digest, an extension and a key that openssl refuses."""
    path = key_at(tmp_path / "a.key", passphrase=SECRET).path
    given = TargetKey(
        path=path if key != "absent" else "/nonexistent", passphrase=SECRET if key == "right" else None
    )
    with pytest.raises(StateFailedError) as refused:
        done(request(target(), given, None, config, digest))
    assert why in str(refused.value)


@pytest.mark.parametrize(
    "printed", ["", "noise", "\\377\\000", "-----BEGIN CERTIFICATE-----\\nAAAA\\n-----END CERTIFICATE-----"]
)
def test_an_answer_that_is_none_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    """Whatever a target's openssl prints in place of a certificate or a request."""
    monkeypatch.setenv("PATH", path_with_openssl(tmp_path / "bin", f"printf -- '{printed}'"))
    with pytest.raises(StateFailedError, match=r"sign with the key /a\.key"):
        done(certificate(target(), {"signing_private_key": "/a.key", "CN": "a"}))
    with pytest.raises(StateFailedError, match=r"create a request with the key /a\.key"):
        done(request(target(), TargetKey(path="/a.key"), None, "[extensions]", "sha256"))


def test_a_target_without_openssl_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By both functions."""
    monkeypatch.setenv("PATH", programs_without_openssl(tmp_path / "bin"))
    with pytest.raises(StateFailedError, match="has no program `openssl`"):
        done(certificate(target(), {"signing_private_key": "/a.key", "CN": "a"}))
    with pytest.raises(StateFailedError, match="has no program `openssl`"):
        done(request(target(), TargetKey(path="/a.key"), None, "[extensions]", "sha256"))


def test_the_keys_among_the_arguments() -> None:
    """The signing key is taken out; the key of a certificate is that one, or the named one, or unknown."""
    given: dict[str, Any] = {"signing_private_key": "/ca", "signing_private_key_passphrase": 5, "CN": "a"}
    assert embedded_key(given) == TargetKey(path="/ca", passphrase="5")
    assert signing_key(given) == TargetKey(path="/ca", passphrase="5")
    assert given == {"CN": "a"}
    signed = {"signing_cert": "/ca.crt", "signing_private_key": "/ca"}
    assert embedded_key(signed) is None
    assert embedded_key({**signed, "private_key": "/a"}) == TargetKey(path="/a")
    assert embedded_key({**signed, "private_key": "/a", "private_key_passphrase": "x"}) == (
        TargetKey(path="/a", passphrase="x")
    )


def test_a_serial_number() -> None:
    """Decimal, hexadecimal with or without colons, or a random one of 20 bytes at most."""
    assert [serial_of(each) for each in (10, "10", "0a:FF", "ff")] == [10, 10, 0x0AFF, 255]
    assert 0 < serial_of(None) < 2**158
    assert serial_of(None) != serial_of(None)
    for wrong in ("", "x", "0x"):
        with pytest.raises(StateFailedError, match="is not a number"):
            serial_of(wrong)


def test_a_time() -> None:
    """Text and the value of a template, in UTC; one with a zone of its own is the same moment."""
    noon = dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC)
    assert time_of(None) is None
    assert time_of("2026-01-31 12:00:00") == noon
    assert time_of(dt.datetime(2026, 1, 31, 12)) == noon  # noqa: DTZ001 (without a zone)
    assert time_of(noon.astimezone(dt.timezone(dt.timedelta(hours=2)))) == noon
    for wrong in ("2026-01-31", "", 5, dt.date(2026, 1, 31)):
        with pytest.raises(StateFailedError, match="is not a time"):
            time_of(wrong)


def test_a_digest() -> None:
    """In lower case; MD5 is none."""
    assert checked_digest("SHA512_256") == "sha512_256"
    assert [checked_digest(each) for each in DIGESTS] == [*DIGESTS]
    with pytest.raises(StateFailedError, match="Invalid value 'md5' for digest"):
        checked_digest("md5")
