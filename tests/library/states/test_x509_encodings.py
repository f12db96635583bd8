"""State module `x509` with a real openssl: the encodings of keys, requests and certificates."""

from __future__ import annotations

import asyncio
import datetime as dt
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    load_der_private_key,
    load_pem_private_key,
    pkcs7,
    pkcs12,
)
from tests.library.states.system_states import HERE, context, execute, state, thrice

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.key_files import in_files
from ensue.reach.resources.minion.connection import MinionConnection

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl"
)
SECRET = "hunter2x y$z'"


def here() -> MinionConnection:
    return MinionConnection(HERE)


@pytest.fixture
def authority(tmp_path: Path) -> dict[str, str]:
    """An authority, and a key that it is to certify; both keys are encrypted."""
    folder = tmp_path / "authority"
    folder.mkdir()
    for name in ("ca", "own"):
        path = str(folder / f"{name}.key")
        made = state("x509.private_key_managed", context(here()), path, algo="ec", passphrase=SECRET)
        assert made.result is True, made.comment
    signing = {
        "signing_private_key": str(folder / "ca.key"),
        "signing_private_key_passphrase": SECRET,
    }
    path = str(folder / "ca.crt")
    made = state("x509.certificate_managed", context(here()), path, CN="ca", **signing,
                 basicConstraints="critical CA:true")  # fmt: skip
    assert made.result is True, made.comment
    own = {"private_key": str(folder / "own.key"), "private_key_passphrase": SECRET}
    return {**signing, **own, "signing_cert": path, "CN": "own", "days_valid": "300"}


def certificates_in(path: Path, encoding: str, passphrase: str | None) -> list[x509.Certificate]:
    """What the library `cryptography`, which Salt uses, finds in a file; the own certificate is the first."""
    data = path.read_bytes()
    match encoding:
        case "pem":
            return x509.load_pem_x509_certificates(data)
        case "der":
            return [x509.load_der_x509_certificate(data)]
        case "pkcs7_pem" | "pkcs7_der":
            load = pkcs7.load_pem_pkcs7_certificates
            certificates = (load if encoding.endswith("pem") else pkcs7.load_der_pkcs7_certificates)(data)
            return sorted(certificates, key=lambda each: "CN=own" not in each.subject.rfc4514_string())
        case _:
            container = pkcs12.load_pkcs12(data, passphrase.encode() if passphrase else None)
            assert container.cert is not None
            assert container.key is not None
            assert container.key.public_key() == container.cert.certificate.public_key()
            return [container.cert.certificate, *(each.certificate for each in container.additional_certs)]


@pytest.mark.parametrize("encoding", ["der", "pkcs7_pem", "pkcs7_der", "pkcs12"])
def test_a_certificate_has_the_encoding_that_is_asked_for(
    tmp_path: Path, authority: dict[str, str], encoding: str
) -> None:
    """It is made once; in another encoding it stays the same certificate."""
    path = tmp_path / "own.crt"
    chain = {} if encoding == "der" else {"append_certs": [authority["signing_cert"]]}
    given: dict[str, Any] = {**authority, **chain, "encoding": encoding}
    planned, done = thrice("x509.certificate_managed", here(), str(path), **given)
    assert (planned.result, done.changes) == (None, {"created": str(path)})
    certificates = certificates_in(path, encoding, None)
    assert [each.subject.rfc4514_string() for each in certificates] == ["CN=own", "CN=ca"][
        : len(certificates)
    ]
    assert len(certificates) == 1 + len(chain)
    _, again = thrice("x509.certificate_managed", here(), str(path), **given | {"encoding": "pem"})
    assert again.changes == {"encoding": "pem"}
    assert certificates_in(path, "pem", None) == certificates
    _, again = thrice("x509.certificate_managed", here(), str(path), **given)
    assert again.changes == {"encoding": encoding}
    assert certificates_in(path, encoding, None) == certificates
    _, again = thrice("x509.certificate_managed", here(), str(path), **{**given, "append_certs": []})
    assert again.changes == ({"additional_certs": True} if chain else {})


def test_a_container_has_a_passphrase_and_a_name(tmp_path: Path, authority: dict[str, str]) -> None:
    """Both are compared; nobody else may read it; what differs keeps the certificate where it can."""
    path = tmp_path / "own.p12"
    given: dict[str, Any] = {**authority, "encoding": "pkcs12", "pkcs12_passphrase": "s3cret pass"}
    given |= {"append_certs": [authority["signing_cert"]], "pkcs12_friendlyname": "Ä name"}
    _, done = thrice("x509.certificate_managed", here(), str(path), **given)
    assert (done.changes, path.stat().st_mode & 0o777) == ({"created": str(path)}, 0o600)
    own = certificates_in(path, "pkcs12", "s3cret pass")
    loaded = pkcs12.load_pkcs12(path.read_bytes(), b"s3cret pass")
    assert loaded.cert is not None
    assert loaded.cert.friendly_name == "Ä name".encode()
    _, done = thrice("x509.certificate_managed", here(), str(path), **given | {"pkcs12_friendlyname": "b"})
    assert done.changes == {"pkcs12_friendlyname": "b"}
    assert certificates_in(path, "pkcs12", "s3cret pass") == own
    for passphrase in ("an other", None, "again"):
        other = given | {"pkcs12_friendlyname": "b", "pkcs12_passphrase": passphrase}
        _, done = thrice("x509.certificate_managed", here(), str(path), **other)
        assert done.changes == {"pkcs12_passphrase": True}
        certificates_in(path, "pkcs12", passphrase)
    compatible = tmp_path / "old.p12"
    thrice("x509.certificate_managed", here(), str(compatible), pkcs12_encryption_compat=True, **given)
    about = subprocess.run(
        ["openssl", "pkcs12", "-in", compatible, "-info", "-noout", "-passin", "pass:s3cret pass"],
        capture_output=True, check=True,
    ).stderr  # fmt: skip
    assert b"pbeWithSHA1And3-KeyTripleDES-CBC, Iteration 50000" in about
    refused = state("x509.certificate_managed", context(here()), str(tmp_path / "new.p12"),
                    **{**given, "private_key": None, "public_key": authority["private_key"]})  # fmt: skip
    assert "without embedded private key" in refused.comment
    assert not (tmp_path / "new.p12").exists()


def test_dates_and_extensions_of_a_request_are_in_the_certificate(
    tmp_path: Path, authority: dict[str, str]
) -> None:
    """A fixed end stays what it is, however near it is; who signs decides on some extensions alone."""
    request, path = tmp_path / "own.csr", tmp_path / "own.crt"
    key = {word: authority[word] for word in ("private_key", "private_key_passphrase")}
    asked = {"subjectAltName": "DNS:own.example", "keyUsage": "critical, digitalSignature"}
    planned, done = thrice("x509.csr_managed", here(), str(request), CN="own", encoding="der", **key, **asked)
    assert (planned.result, done.changes) == (None, {"created": str(request)})
    assert x509.load_der_x509_csr(request.read_bytes()).is_signature_valid
    given = {word: value for word, value in authority.items() if word not in {*key, "days_valid"}}
    given |= {"csr": str(request), "keyUsage": "keyAgreement"}
    soon = (dt.datetime.now(tz=dt.UTC) + dt.timedelta(days=3)).replace(microsecond=0)
    dates = {"not_before": "2025-01-31 12:00:00", "not_after": f"{soon:%Y-%m-%d %H:%M:%S}"}
    thrice("x509.certificate_managed", here(), str(path), **given, **dates)
    certificate = x509.load_pem_x509_certificate(path.read_bytes())
    assert (certificate.not_valid_before_utc.year, certificate.not_valid_after_utc) == (2025, soon)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert names.get_values_for_type(x509.DNSName) == ["own.example"]
    usage = certificate.extensions.get_extension_for_class(x509.KeyUsage)
    assert (usage.critical, usage.value.key_agreement, usage.value.digital_signature) == (False, True, False)
    subprocess.run(
        ["openssl", "verify", "-CAfile", authority["signing_cert"], path], check=True, capture_output=True
    )
    later = {**dates, "not_after": f"{soon + dt.timedelta(days=1):%Y-%m-%d %H:%M:%S}"}
    _, done = thrice("x509.certificate_managed", here(), str(path), **given, **later)
    assert done.changes == {"expiration": True}
    _, done = thrice("x509.csr_managed", here(), str(request), CN="own", **key, **asked)
    assert done.changes == {"encoding": "pem"}


@pytest.mark.parametrize("algo", ["rsa", "ed25519", "ed448"])
def test_every_kind_of_key_signs_what_was_put_together_here(tmp_path: Path, algo: str) -> None:
    """The signature of a certificate with a fixed end verifies."""
    key, path = tmp_path / "a.key", tmp_path / "a.crt"
    state("x509.private_key_managed", context(here()), str(key), algo=algo)
    done = state("x509.certificate_managed", context(here()), str(path), CN="a",
                 signing_private_key=str(key), not_after="2040-01-01 00:00:00")  # fmt: skip
    assert done.result is True, done.comment
    made = x509.load_pem_x509_certificate(path.read_bytes())
    made.verify_directly_issued_by(made)
    assert made.not_valid_after_utc.year == 2040


@pytest.mark.parametrize("encoding", ["der", "pkcs12"])
@pytest.mark.parametrize("passphrase", [None, SECRET])
def test_a_key_keeps_its_numbers_in_another_encoding(
    tmp_path: Path, encoding: str, passphrase: str | None
) -> None:
    """With and without a passphrase, there and back; that it is encrypted is seen."""
    path = tmp_path / "a.key"
    given: dict[str, Any] = {"algo": "ec", "passphrase": passphrase}
    _, done = thrice("x509.private_key_managed", here(), str(path), encoding=encoding, **given)
    assert (done.changes, path.stat().st_mode & 0o777) == ({"created": str(path)}, 0o400)
    password = passphrase.encode() if passphrase else None

    def loaded() -> Any:
        data = path.read_bytes()
        if data.startswith(b"-----"):
            return load_pem_private_key(data, password)
        return (
            load_der_private_key(data, password)
            if encoding == "der"
            else pkcs12.load_pkcs12(data, password).key
        )

    numbers = loaded().private_numbers()
    for each in ("pem", encoding):
        _, done = thrice("x509.private_key_managed", here(), str(path), encoding=each, **given)
        assert done.changes == {"encoding": each}
        assert loaded().private_numbers() == numbers
    if passphrase:
        refused = state("x509.private_key_managed", context(here()), str(path), algo="ec", encoding=encoding)
        assert "overwrite: true" in refused.comment
    else:
        _, done = thrice("x509.private_key_managed", here(), str(path), algo="ec", encoding=encoding,
                         passphrase="new one")  # fmt: skip
        assert done.changes == {"passphrase": True}
        password = b"new one"
        assert loaded().private_numbers() == numbers


def test_a_key_may_be_given_as_text(tmp_path: Path) -> None:
    """It is masked, and in a file only while it is used."""
    path = tmp_path / "a.key"
    state("x509.private_key_managed", context(here()), str(path), algo="ec")
    text = path.read_text(encoding="utf-8")
    for function, given in (
        ("certificate_managed", {"signing_private_key": text, "CN": "a", "encoding": "pkcs12"}),
        ("csr_managed", {"private_key": text, "CN": "a"}),
    ):
        ctx = context(here())
        done = state(f"x509.{function}", ctx, str(tmp_path / function), **given)
        assert (done.result, ctx.masker.text(text).strip()) == (True, "(sensitive)"), done.comment
        _, again = thrice(f"x509.{function}", here(), str(tmp_path / function), **given)
        assert again.changes == {}
    ctx = context(here())
    made = execute("x509.encode_private_key", ctx, text, "pem")
    assert execute("x509.verify_private_key", ctx, made, str(path)) is True


def test_the_file_of_a_key_that_is_given_as_text_is_short_lived() -> None:
    """Nobody else may read it, and an error removes it as well."""
    paths: list[Path] = []

    async def use() -> None:
        async with in_files(context(here()), {"private_key": "-----BEGIN PRIVATE KEY-----"}) as placed:
            paths.append(Path(placed["private_key"]))
            assert paths[0].stat().st_mode & 0o777 == 0o600
            raise StateFailedError("it cannot be used")

    with pytest.raises(StateFailedError):
        asyncio.run(use())
    assert not paths[0].exists()
