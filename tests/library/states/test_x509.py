"""State module `x509` with a real openssl: keys, requests and certificates."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from cryptography import x509
from tests.library.states.system_states import HERE, context, state, thrice

from ensue.reach.resources.minion.connection import MinionConnection
from ensue.testing.connection import FakeConnection

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl"
)
CA = {
    "CN": "ca.example.com", "C": "DE", "O": "Ä / b, c", "basicConstraints": "critical CA:true",
    "keyUsage": "critical cRLSign, keyCertSign", "subjectKeyIdentifier": "hash",
    "authorityKeyIdentifier": "keyid,issuer:always", "days_valid": 3650, "days_remaining": 0,
}  # fmt: skip


def here() -> MinionConnection:
    return MinionConnection(HERE)


def key_at(path: Path, **arguments: Any) -> Path:
    given = {"algo": "ec", **arguments}
    made = state("x509.private_key_managed", context(here()), str(path), **given)
    assert made.result is True, made.comment
    return path


@pytest.mark.parametrize(
    ("arguments", "head"),
    [
        ({"bits": 2048}, "-----BEGIN PRIVATE KEY"),
        ({"algo": "ec", "keysize": 384, "passphrase": "hunter2x"}, "-----BEGIN ENCRYPTED PRIVATE KEY"),
        ({"algo": "ed25519", "makedirs": True}, "-----BEGIN PRIVATE KEY"),
        ({"algo": "ec", "encoding": "der", "mode": "0440"}, "0"),
    ],
)
def test_a_key_is_made_once(tmp_path: Path, arguments: dict[str, Any], head: str) -> None:
    """Of each algorithm and encoding; nobody else may read it."""
    path = tmp_path / "new" / "a.key"
    if "makedirs" not in arguments:
        path.parent.mkdir()
    planned, done = thrice("x509.private_key_managed", here(), str(path), **arguments)
    assert (planned.result, planned.changes) == (None, {"created": str(path)})
    assert (done.changes, done.comment) == ({"created": str(path)}, "The private key has been created")
    assert path.read_bytes().startswith(head.encode())
    assert oct(path.stat().st_mode & 0o777) == ("0o440" if "mode" in arguments else "0o400")
    assert [each.name for each in path.parent.iterdir()] == ["a.key"]


def test_a_key_that_is_other_than_wanted_is_made_anew(tmp_path: Path) -> None:
    """Size and algorithm make another key, a passphrase keeps it; one that cannot be read stays as it was."""
    path = key_at(tmp_path / "a.key")
    _, done = thrice("x509.private_key_managed", here(), str(path), algo="ec", keysize=384)
    assert done.changes == {"keysize": 384}
    _, done = thrice("x509.private_key_managed", here(), str(path), algo="ed25519")
    assert done.changes == {"algo": "ed25519"}
    public = subprocess.run(
        ["openssl", "pkey", "-in", path, "-pubout"], capture_output=True, check=True
    ).stdout
    ctx = context(here())
    done = state("x509.private_key_managed", ctx, str(path), algo="ed25519", passphrase="hunter2x")
    assert (done.changes, ctx.masker.text("hunter2x")) == ({"passphrase": True}, "(sensitive)")
    kept = subprocess.run(
        ["openssl", "pkey", "-in", path, "-pubout", "-passin", "pass:hunter2x"],
        capture_output=True,
        check=True,
    )
    assert kept.stdout == public
    for wrong in ({}, {"passphrase": "other"}):
        refused = state("x509.private_key_managed", context(here()), str(path), algo="ed25519", **wrong)
        assert (refused.result, "overwrite: true" in refused.comment) == (False, True)
    _, done = thrice("x509.private_key_managed", here(), str(path), algo="ed25519", overwrite=True)
    assert done.changes == {"replaced": str(path)}
    again = state("x509.private_key_managed", context(here()), str(path), algo="ed25519", new=True)
    assert again.changes == {"replaced": str(path)}


def test_a_certificate_signs_itself_and_others(tmp_path: Path) -> None:
    """An authority, and a certificate for a key's public part and for a request; OpenSSL verifies them."""
    authority, ca_key = tmp_path / "ca.crt", key_at(tmp_path / "ca.key", passphrase="hunter2x")
    signing = {"signing_private_key": str(ca_key), "signing_private_key_passphrase": "hunter2x"}
    planned, done = thrice("x509.certificate_managed", here(), str(authority), **signing, **CA)
    assert (planned.result, done.changes) == (None, {"created": str(authority)})
    assert done.comment == "The certificate has been created"
    assert done.new_state == {
        "path": str(authority), "subject": "CN=ca.example.com,O=Ä / b\\, c,C=DE",
        "issuer": "CN=ca.example.com,O=Ä / b\\, c,C=DE",
        "serial_number": (done.new_state or {})["serial_number"],  # type: ignore[call-overload, index] # a mapping
        "not_after": (done.new_state or {})["not_after"],  # type: ignore[call-overload, index] # a mapping
    }  # fmt: skip
    leaf, key = tmp_path / "leaf.crt", key_at(tmp_path / "leaf.key")
    given = {**signing, "signing_cert": str(authority), "public_key": str(key), "CN": "www.example.com"}
    names = {"subjectAltName": ["DNS:www.example.com", "IP:127.0.0.1"], "extendedKeyUsage": "serverAuth"}
    thrice("x509.certificate_managed", here(), str(leaf), append_certs=str(authority), **given, **names)
    subprocess.run(["openssl", "verify", "-CAfile", authority, leaf], check=True, capture_output=True)
    assert len(x509.load_pem_x509_certificates(leaf.read_bytes())) == 2
    request = tmp_path / "leaf.csr"
    planned, done = thrice(
        "x509.csr_managed", here(), str(request), private_key=str(key), CN="ä $x #y", subjectAltName="DNS:a"
    )
    assert (planned.result, done.changes) == (None, {"created": str(request)})
    changed = state("x509.csr_managed", context(here()), str(request), private_key=str(key), CN="b")
    assert changed.changes == {
        "subject_name": "CN=b",
        "extensions": {"added": [], "changed": [], "removed": ["subjectAltName"]},
    }
    asked = tmp_path / "asked.crt"
    by_request = {**signing, "signing_cert": str(authority), "csr": str(request)}
    _, done = thrice("x509.certificate_managed", here(), str(asked), **by_request)
    assert isinstance(done.new_state, dict)
    assert done.new_state["subject"] == "CN=b"


def test_a_certificate_that_differs_is_made_anew(tmp_path: Path) -> None:
    """Name, extensions, digest, key, serial number and the days that are left are looked at."""
    path, key = tmp_path / "a.crt", key_at(tmp_path / "a.key")
    given: dict[str, Any] = {"signing_private_key": str(key), "CN": "a", "days_valid": 100}

    def changes(**more: Any) -> Any:
        _, done = thrice("x509.certificate_managed", here(), str(path), **given | more)
        return done.changes

    assert changes() == {"created": str(path)}
    assert changes(CN="b") == {"subject_name": "CN=b", "issuer_name": "CN=b"}
    assert changes(CN="b", keyUsage="digitalSignature") == {
        "extensions": {"added": ["keyUsage"], "changed": [], "removed": []}
    }
    assert changes(CN="b", keyUsage="critical, cRLSign") == {
        "extensions": {"added": [], "changed": ["keyUsage"], "removed": []}
    }
    assert changes(CN="b", digest="sha512") == {
        "digest": "sha512", "extensions": {"added": [], "changed": [], "removed": ["keyUsage"]},
    }  # fmt: skip
    assert changes(CN="b", digest="sha512", serial_number="0A:FF") == {"serial_number": "0A:FF"}
    key_at(key, new=True)
    assert changes(CN="b", digest="sha512") == {"private_key": True, "signing_private_key": True}
    soon = state("x509.certificate_managed", context(here(), test=True), str(path),
                 **given | {"CN": "b", "digest": "sha512", "days_remaining": 101})  # fmt: skip
    assert (soon.result, soon.changes) == (None, {"expiration": True})
    path.write_text("no certificate", encoding="utf-8")
    assert changes() == {"replaced": str(path)}


def test_a_signing_policy_wins(tmp_path: Path) -> None:
    """What the option or pillar says of it comes before the arguments of the state."""
    path, key = tmp_path / "a.crt", key_at(tmp_path / "a.key")
    ctx = context(here())
    policy = [{"minions": "*"}, {"signing_private_key": str(key)}, {"O": "us"}]
    ctx.pillar = {"x509_signing_policies": {"www": policy}}
    done = state("x509.certificate_managed", ctx, str(path), signing_policy="www", CN="a", O="them")
    assert isinstance(done.new_state, dict), done.comment
    assert done.new_state["subject"] == "CN=a,O=us"
    unknown = state("x509.certificate_managed", ctx, str(path), signing_policy="nosuch", CN="a")
    assert "has no policy nosuch" in unknown.comment


@pytest.mark.parametrize(("algo", "encoding"), [("ec", "pem"), ("rsa", "der")])
def test_a_list_of_revoked_certificates(tmp_path: Path, algo: str, encoding: str) -> None:
    """It is made once, again when what is revoked changes, and its number grows by one each time."""
    key = key_at(tmp_path / "ca.key", algo=algo, passphrase="hunter2x")
    common = {"signing_private_key": str(key), "signing_private_key_passphrase": "hunter2x"}
    authority = tmp_path / "ca.crt"
    made = state("x509.certificate_managed", context(here()), str(authority), **common, **CA)
    assert made.result is True, made.comment
    path = tmp_path / "ca.crl"

    def changes(*revoked: dict[str, Any], **more: Any) -> Any:
        given: dict[str, Any] = {**common, "signing_cert": str(authority), "encoding": encoding}
        given["extensions"] = {"authorityKeyIdentifier": "keyid:always", "cRLNumber": "auto"}
        _, done = thrice("x509.crl_managed", here(), str(path), revoked=[*revoked], **given | more)
        return done.changes

    load = x509.load_pem_x509_crl if encoding == "pem" else x509.load_der_x509_crl
    why = {"CRLReason": "superseded"}
    old = {"serial_number": "0A:FF", "revocation_date": "2026-01-31 12:00:00", "extensions": why}
    assert changes(old) == {"created": str(path)}
    (entry,) = load(path.read_bytes())
    assert (entry.serial_number, entry.revocation_date_utc.hour) == (0x0AFF, 12)
    assert [*changes(old, {"certificate": str(authority)})] == ["revocations"]
    older = {"x": [{"serial_number": "0A:FF"}, {"reason": "keyCompromise"}]}
    assert changes(older)["revocations"]["changed"] == ["0A:FF"]
    gone = {"serial_number": 12, "not_after": "2020-01-01 00:00:00"}
    assert changes(gone)["revocations"] == {"added": [], "changed": [], "removed": ["0A:FF"]}
    crl = load(path.read_bytes())
    assert [*crl] == []
    assert crl.extensions.get_extension_for_class(x509.CRLNumber).value.crl_number == 4
    assert changes(gone, include_expired=True)["revocations"]["added"] == ["0C"]
    assert changes(gone, include_expired=True, digest="sha512", extensions={}) == {
        "digest": "sha512",
        "extensions": {"added": [], "changed": [], "removed": ["authorityKeyIdentifier", "cRLNumber"]},
    }
    point: dict[str, Any] = {
        "critical": True,
        "fullname": ["URI:http://a/", "URI:http://b/"],
        "onlyuser": True,
    }
    about: dict[str, Any] = {
        "issuingDistributionPoint": point,
        "authorityInfoAccess": "caIssuers;URI:http://c/",
    }
    assert changes(gone, extensions=about)["extensions"]["added"] == [*about]
    issuing = load(path.read_bytes()).extensions.get_extension_for_class(x509.IssuingDistributionPoint)
    assert (issuing.critical, issuing.value.only_contains_user_certs) == (True, True)
    about["issuingDistributionPoint"] = {**point, "fullname": "URI:http://d/"}
    assert changes(gone, extensions=about) == {
        "extensions": {"added": [], "changed": ["issuingDistributionPoint"], "removed": []},
    }  # fmt: skip
    path.write_text("no list", encoding="utf-8")
    assert changes() == {"replaced": str(path)}
    for digest in ("SHA384", "sha3_256"):
        assert changes(digest=digest) == {"digest": digest.lower()}


def test_pem_of_one_line_is_written_as_it_should_be(tmp_path: Path) -> None:
    """Also of several entries; a text without PEM is refused."""
    path = key_at(tmp_path / "a.key")
    pem = path.read_text(encoding="utf-8")
    copy = tmp_path / "copy.pem"
    thrice("x509.pem_managed", here(), str(copy), text=pem.replace("\n", "") * 2, mode="0600")
    assert copy.read_text(encoding="utf-8") == pem * 2
    assert state("x509.pem_managed", context(here()), str(copy), text="x").result is False


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    """Arguments that make no sense, and a target without openssl; nothing is left behind."""
    path = str(tmp_path / "a")
    for wrong, why in (
        ({"algo": "dsa"}, "unknown algo dsa"), ({"algo": "ed25519", "keysize": 256}, "invalid parameter"),
        ({"algo": "ec", "keysize": 100}, "for ec the sizes are"),
        ({"encoding": "jks"}, "Invalid value 'jks' for encoding"),
        ({"colour": "red"}, "Unrecognized keyword arguments: colour"),
    ):  # fmt: skip
        refused = state("x509.private_key_managed", context(here()), path, **wrong)
        assert (refused.result, why in refused.comment) == (False, True), refused.comment
    key = key_at(tmp_path / "k")
    for wrong, why in (
        ({"ca_server": "x"}, "run the state on that machine"), ({}, "signing_private_key is required"),
        ({"signing_private_key": str(key), "color": 1}, "Unrecognized keyword arguments: color"),
        ({"signing_private_key": str(key), "serial_number": "x y"}, "is not a number"),
        ({"signing_private_key": str(key), "keyUsage": "flying"}, "cannot sign with the key"),
        ({"signing_private_key": str(key), "not_after": "tomorrow"}, "is not a time"),
        ({"signing_private_key": str(key), "not_after": "1999-01-01 00:00:00"}, "cannot create the cert"),
        ({"signing_private_key": str(key), "signing_cert": str(key)}, "needs public_key, private_key or csr"),
        ({"signing_private_key": f"{key}x"}, "cannot sign with the key"),
        ({"encoding": "jks"}, "Invalid value 'jks' for encoding"),
        ({"signing_private_key": str(key), "digest": "md5"}, "Invalid value 'md5' for digest"),
        ({"signing_private_key": str(key), "subject": "flying"}, "name of the certificate is invalid"),
    ):  # fmt: skip
        refused = state("x509.certificate_managed", context(here()), path, **wrong)
        assert (refused.result, why in refused.comment) == (False, True), refused.comment
    for entry, why in (
        ({}, "is not a number"), ("0A", "must be a mapping"),
        ({"serial_number": 1, "reason": "bored"}, "CRLReason 'bored'"),
        ({"serial_number": 1, "revocation_date": "yesterday"}, "is not a time"),
        ({"serial_number": 1, "extensions": {"certificateIssuer": "x"}}, "is CRLReason, not"),
    ):  # fmt: skip
        given = {"signing_private_key": str(key), "signing_cert": str(key), "revoked": [entry]}
        refused = state("x509.crl_managed", context(here()), path, **given)
        assert (refused.result, why in refused.comment) == (False, True), refused.comment
    fake = FakeConnection(files={"/etc/x": b""})
    fake.on_run("*", returncode=127)
    missing = state("x509.private_key_managed", context(fake), "/etc/a.key")
    assert "no program `openssl`" in missing.comment
    assert "/etc/a.key" not in fake.tree.nodes
    assert [each.name for each in tmp_path.iterdir()] == ["k"]
