"""Certificate revocation lists that the target's openssl makes, and `openssl verify` follows."""

from __future__ import annotations

import datetime as dt
import re
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from tests.reach.certificates.target import (
    done,
    key_at,
    needs_openssl,
    openssl,
    path_with_openssl,
    programs_without_openssl,
    target,
)

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.encodings import encoded as certificate_bytes
from ensue.reach.certificates.encodings import pem_or_der
from ensue.reach.certificates.making import DIGESTS, certificate
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.revocations import (
    Revoked,
    Signer,
    changed_extensions,
    differences,
    entry_data,
    files,
    kept_dates,
    made,
    number_after,
    revoked_in,
    revoked_of,
    serial_of,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.reach.certificates.conftest import Authority

pytestmark = needs_openssl
NOW = dt.datetime.now(tz=dt.UTC).replace(microsecond=0)
DAY = dt.timedelta(days=1)
X = {"serial_number": 1, "extensions": {"CRLReason": "x"}}
REASONS = (
    "keyCompromise", "CACompromise", "affiliationChanged", "superseded", "cessationOfOperation",
    "certificateHold", "removeFromCRL",
)  # fmt: skip


def signer(authority: Authority, **fields: Any) -> Signer:
    whole = {"authority": authority.certificate, "key": authority.key, "digest": "sha256", "days_valid": 7}
    return Signer(**{**whole, **fields})


def list_of(
    authority: Authority, revoked: list[Revoked], extensions: dict[str, Any] | None = None, **fields: Any
) -> x509.CertificateRevocationList:
    """Create a list, and check that openssl accepts its signature."""
    crl = done(made(target(), revoked, extensions or {}, signer(authority, **fields), NOW))
    path = authority.folder / "list.crl"
    path.write_bytes(pem_or_der(crl, "pem"))
    assert "verify OK" in openssl("crl", "-in", path, "-noout", "-CAfile", authority.path)
    assert crl.is_signature_valid(authority.certificate.public_key())  # type: ignore[arg-type] # a curve's
    return crl


def test_a_list_revokes_certificates(authority: Authority) -> None:
    """Openssl refuses those that are on it, and no other."""
    own, path = authority.issued("own")
    _, other = authority.issued("other")
    crl = list_of(authority, [Revoked(serial=own.serial_number, reason="keyCompromise")])
    assert crl.issuer == authority.certificate.subject
    assert crl.next_update_utc is not None
    assert crl.next_update_utc - crl.last_update_utc == 7 * DAY
    assert [*crl.extensions] == []
    words = ("-crl_check", "-CRLfile", authority.folder / "list.crl")
    assert authority.verifies(other, *words)
    with pytest.raises(AssertionError, match="certificate revoked"):
        authority.verifies(path, *words)


def test_each_entry_is_what_is_asked_for(authority: Authority) -> None:
    """Serial number, date and each reason, which then differ in nothing; an empty list is one as well."""
    revoked = [
        Revoked(serial=0xFFF + number, date=NOW - number * DAY, reason=reason, ends=NOW + DAY)
        for number, reason in enumerate(("", *REASONS))
    ]
    crl = list_of(authority, revoked)
    assert [(each.serial_number, each.revocation_date_utc) for each in crl] == [
        (each.serial, each.date) for each in revoked
    ]
    assert differences(crl, revoked, {}) == {}
    empty = list_of(authority, [])
    assert [*empty] == []
    assert differences(empty, [], {}) == {}


@pytest.mark.parametrize("digest", [digest for digest in DIGESTS if not digest.startswith("sha512_")])
def test_a_list_has_the_digest_that_is_asked_for(tmp_path: Path, digest: str) -> None:
    """By the names that a user may write; openssl verifies each."""
    key = key_at(tmp_path / "a.key", "rsa")
    given = {"signing_private_key": key.path, "CN": "a", "basicConstraints": "critical,CA:true"}
    authority = done(certificate(target(), given))
    (tmp_path / "a.crt").write_bytes(certificate_bytes(authority, (), "pem"))
    crl = done(made(target(), [], {}, Signer(authority, key, digest, 1), NOW))
    (tmp_path / "list.crl").write_bytes(pem_or_der(crl, "pem"))
    printed = openssl("crl", "-in", tmp_path / "list.crl", "-noout", "-text", "-CAfile", tmp_path / "a.crt")
    assert "verify OK" in printed
    plain = re.sub(r"[ _-]|rsa(?=-)", "", printed.lower())
    assert f"signaturealgorithm:{digest.replace('_', '')}" in plain


@pytest.mark.parametrize("digest", ["sha512_224", "sha512_256"])
def test_a_list_that_nobody_can_verify_is_refused(authority: Authority, digest: str) -> None:
    """Neither the library nor openssl itself knows the signature that openssl makes with it."""
    with pytest.raises(StateFailedError, match=f"{digest}|cannot create a revocation list with the key"):
        done(made(target(), [], {}, signer(authority, digest=digest), NOW))


@pytest.mark.parametrize("algo", ["rsa", "ed25519", "ed448"])
def test_every_kind_of_key_signs(tmp_path: Path, algo: str) -> None:
    """An authority with such a key."""
    key = key_at(tmp_path / "a.key", algo)
    given = {"signing_private_key": key.path, "CN": "a", "basicConstraints": "critical,CA:true"}
    authority = done(certificate(target(), given))
    crl = done(made(target(), [], {}, Signer(authority, key, "sha256", 1), NOW))
    assert crl.is_signature_valid(authority.public_key())  # type: ignore[arg-type] # such a key


def test_the_extensions_of_a_list(authority: Authority) -> None:
    """Each of those that are offered; compared, they differ in nothing, and another value is seen."""
    extensions: dict[str, Any] = {
        "authorityKeyIdentifier": "keyid:always",
        "issuerAltName": ["DNS:a.example", "email:a@a.example"],
        "cRLNumber": 10,
        "authorityInfoAccess": "OCSP;URI:http://a.example",
        "freshestCRL": "URI:http://a.example/delta",
        "issuingDistributionPoint": {
            "critical": True, "fullname": ["URI:http://a.example"], "onlyuser": True, "indirectCRL": False,
        },
    }  # fmt: skip
    crl = list_of(authority, [], extensions)
    number = crl.extensions.get_extension_for_class(x509.CRLNumber)
    assert (number.critical, number.value.crl_number) == (False, 10)
    point = crl.extensions.get_extension_for_class(x509.IssuingDistributionPoint)
    assert (point.critical, point.value.only_contains_user_certs, point.value.indirect_crl) == (
        True,
        True,
        False,
    )
    names = crl.extensions.get_extension_for_class(x509.IssuerAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["a.example"]
    assert len([*crl.extensions]) == 6
    who = signer(authority)
    assert done(changed_extensions(target(), crl, extensions, who, NOW)) == []
    assert differences(crl, [], extensions) == differences(crl, [], {**extensions, "cRLNumber": "auto"}) == {}
    other = {**extensions, "issuerAltName": "DNS:b.example", "cRLNumber": 11}
    changed = done(changed_extensions(target(), crl, other, who, NOW))
    assert changed == ["issuerAltName"]
    assert differences(crl, [], other, changed) == {
        "extensions": {"added": [], "changed": ["issuerAltName", "cRLNumber"], "removed": []}
    }
    assert done(changed_extensions(target(), crl, {"cRLNumber": 5}, who, NOW)) == []


def test_a_distribution_point_as_text() -> None:
    """In openssl's own words, without the section of a mapping."""
    texts = files([], {"issuingDistributionPoint": "critical,onlyuser:TRUE"}, None, NOW)
    assert "issuingDistributionPoint = critical,onlyuser:TRUE\n" in texts["config"]
    assert texts["config"].endswith("[point]")
    assert "number" not in texts
    assert files([], {}, 255, NOW)["number"] == "FF"
    assert files([], {}, 4095, NOW)["number"] == "0FFF"


def test_differences_are_named() -> None:
    """What is added, changed and removed, by serial number as openssl shows it, and by extension."""
    extension = x509.CRLNumber(5)
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec

    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "a")])
    builder = x509.CertificateRevocationListBuilder(name, NOW, NOW + DAY).add_extension(
        extension, critical=False
    )
    for serial in (1, 0x0ABC):
        entry = x509.RevokedCertificateBuilder(serial, NOW).add_extension(
            x509.CRLReason(x509.ReasonFlags.ca_compromise), critical=False
        )
        builder = builder.add_revoked_certificate(entry.build())
    current = builder.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    revoked = [Revoked(serial=0x0ABC, reason="superseded"), Revoked(serial=0x12)]
    assert differences(current, revoked, {"freshestCRL": "URI:http://a"}) == {
        "revocations": {"added": ["12"], "changed": ["0A:BC"], "removed": ["01"]},
        "extensions": {"added": ["freshestCRL"], "changed": [], "removed": ["cRLNumber"]},
    }
    assert kept_dates(current, revoked) == [
        Revoked(serial=0x0ABC, reason="superseded", date=NOW), Revoked(serial=0x12),
    ]  # fmt: skip
    earlier = Revoked(serial=1, date=NOW - DAY)
    assert kept_dates(current, [earlier]) == [earlier]
    assert number_after(current, "auto") == 6
    assert number_after(None, "auto") == 1
    assert [number_after(current, each) for each in (17, "11")] == [17, 17]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"serial_number": 1}, {"serial_number": 1, "extensions": {}}),
        ({"serial_number": 1, "extensions": {"CRLReason": "x"}}, X),
        ({"name": [{"serial_number": 1}, {"reason": "x"}]}, X),
        ({"name": [{"serial_number": 1}, "text"]}, {"serial_number": 1, "extensions": {}}),
    ],
)  # fmt: skip
def test_an_entry_as_data(entry: dict[str, Any], expected: dict[str, Any]) -> None:
    """A mapping, or Salt's older list below a name."""
    assert entry_data(entry) == expected


@pytest.mark.parametrize("entry", [5, "text", None, ["a"], {"serial_number": 1, "extensions": "text"}])
def test_an_entry_of_another_shape_is_refused(entry: Any) -> None:
    """Whatever it is."""
    with pytest.raises(StateFailedError, match="must be a mapping"):
        entry_data(entry)


def test_an_entry_is_read(authority: Authority) -> None:
    """Its numbers, dates and reason; those of a certificate that it names come from there."""
    data = {"serial_number": "0A:FF", "revocation_date": "2026-01-31 12:00:00", "not_after": NOW,
            "extensions": {"CRLReason": "critical, keyCompromise"}}  # fmt: skip
    assert revoked_of(data, None) == Revoked(
        serial=0x0AFF, date=dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC), reason="keyCompromise", ends=NOW
    )
    unspecified = {"extensions": {"CRLReason": "unspecified"}}
    ca = authority.certificate
    assert revoked_of(unspecified, ca) == Revoked(serial=ca.serial_number, ends=ca.not_valid_after_utc)
    for wrong, why in (
        ({"extensions": {}}, "serial_number '' is not a number; give a number, or a certificate"),
        ({"serial_number": "x", "extensions": {}}, "serial_number 'x' is not a number"),
        (
            {"serial_number": 1, "extensions": {"CRLReason": "bored"}},
            "unknown CRLReason 'bored'; the reasons are",
        ),
        ({"serial_number": 1, "extensions": {"a": 1, "b": 2}}, "certificate is CRLReason, not a, b"),
        ({"serial_number": 1, "revocation_date": "soon", "extensions": {}}, "'soon' is not a time"),
    ):
        with pytest.raises(StateFailedError, match=why):
            revoked_of(wrong, None)


def test_expired_certificates_are_left_out(authority: Authority) -> None:
    """Unless they are asked for; one whose end is not known stays."""
    own, path = authority.issued("own", not_before="2020-01-01 00:00:00", not_after="2020-02-01 00:00:00")
    ca = authority.certificate
    revoked = [
        {"certificate": str(path)}, {"certificate": authority.path.read_text()}, {"serial_number": 5},
        {"serial_number": 6, "not_after": "2020-02-01 00:00:00"},
    ]  # fmt: skip
    entries = done(revoked_in(target(), revoked, NOW, include_expired=False))
    assert [each.serial for each in entries] == [ca.serial_number, 5]
    entries = done(revoked_in(target(), revoked, NOW, include_expired=True))
    assert [each.serial for each in entries] == [own.serial_number, ca.serial_number, 5, 6]
    with pytest.raises(StateFailedError, match="cannot be read"):
        done(revoked_in(target(), [{"certificate": "00"}], NOW, include_expired=True))


@pytest.mark.parametrize(
    ("revoked", "extensions", "fields", "why"),
    [
        (
            [],
            {"keyUsage": "x"},
            {},
            "unknown extension keyUsage; the extensions are authorityKeyIdentifier, iss",
        ),
        ([], {"issuerAltName": "a\n[b]"}, {}, "the value of an extension must be one line"),
        ([], {"issuingDistributionPoint": {"a": "b\nc"}}, {}, "the value of an extension must be one line"),
        ([], {"cRLNumber": "x"}, {}, "'x' is not a number"),
        ([], {"issuerAltName": "nothing"}, {}, "cannot create a revocation list with the key "),
        ([], {}, {"days_valid": -1}, "cannot create a revocation list with the key "),
        ([], {}, {"digest": "sha9"}, "cannot create a revocation list with the key "),
        (
            [],
            {},
            {"key": TargetKey(path="/nonexistent")},
            "cannot create a revocation list with the key /nonexistent",
        ),
        ([Revoked(serial=-1)], {}, {}, "cannot create a revocation list with the key "),
        ([Revoked(serial=1, date=dt.datetime(2055, 1, 1, tzinfo=dt.UTC))], {}, {}, "revocation_date 2055"),
        ([Revoked(serial=1, date=dt.datetime(1949, 1, 1, tzinfo=dt.UTC))], {}, {}, "revocation_date 1949"),
    ],
)
def test_what_is_refused(
    authority: Authority, revoked: list[Revoked], extensions: dict[str, Any], fields: dict[str, Any], why: str
) -> None:
    """The error says what is wrong; no date is taken for one that is a century away."""
    with pytest.raises(StateFailedError) as refused:
        done(made(target(), revoked, extensions, signer(authority, **fields), NOW))
    assert why in str(refused.value)


def test_a_certificate_that_ends_late_is_revoked(authority: Authority) -> None:
    """Its end is after the years that a date of two digits can have."""
    crl = list_of(authority, [Revoked(serial=1, ends=dt.datetime(2060, 1, 1, tzinfo=dt.UTC))])
    assert [each.serial_number for each in crl] == [1]


def test_a_key_that_is_not_the_authoritys_is_refused(tmp_path: Path, authority: Authority) -> None:
    """As is one that the passphrase does not open."""
    for key in (
        key_at(tmp_path / "a.key"),
        TargetKey(path=authority.key.path, passphrase="wrong"),
        TargetKey(path=authority.key.path),
    ):
        with pytest.raises(StateFailedError, match="cannot create a revocation list with the key"):
            done(made(target(), [], {}, signer(authority, key=key), NOW))


@pytest.mark.parametrize(
    "printed", ["", "noise", "\\377", "-----BEGIN X509 CRL-----\\nAAAA\\n-----END X509 CRL-----"]
)
def test_an_answer_that_is_none_is_refused(
    tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch, printed: str
) -> None:
    """Whatever a target's openssl prints in place of a list."""
    monkeypatch.setenv("PATH", path_with_openssl(tmp_path / "bin", f"printf -- '{printed}'"))
    with pytest.raises(StateFailedError, match=r"create a revocation list with the key .*ca\.key"):
        done(made(target(), [], {}, signer(authority), NOW))


def test_a_target_without_openssl_is_named(
    tmp_path: Path, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No list is made."""
    monkeypatch.setenv("PATH", programs_without_openssl(tmp_path / "bin"))
    with pytest.raises(StateFailedError, match="has no program `openssl`"):
        done(made(target(), [], {}, signer(authority), NOW))


def test_an_encoding_and_a_serial_number(authority: Authority) -> None:
    """DER is what openssl reads as DER; a number stays one, text is hexadecimal."""
    crl = list_of(authority, [])
    assert "CN = ca" in openssl("crl", "-inform", "DER", "-noout", "-issuer", stdin=pem_or_der(crl, "der"))
    assert pem_or_der(crl, "pem").startswith(b"-----BEGIN X509 CRL-----")
    assert [serial_of(each) for each in (11, "11", "0A:ff")] == [11, 17, 0x0AFF]
