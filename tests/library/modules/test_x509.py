"""Execution module `x509` with a real openssl; the shapes are those of Salt 3008.5 for the same files."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
from tests.library.states.system_states import context, execute

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl: apt-get install openssl"
)
CONFIG = """
[req]
distinguished_name = name
prompt = no
[name]
C = DE
O = Ex, Inc
CN = www.example.com
[certificate]
basicConstraints = critical, CA:TRUE, pathlen:1
keyUsage = critical, keyCertSign, cRLSign
extendedKeyUsage = serverAuth, 1.2.3.4
subjectKeyIdentifier = hash
subjectAltName = DNS:a.example, IP:1.2.3.4, URI:http://x/, email:a@b.example, RID:1.2.3, dirName:directory
authorityInfoAccess = OCSP;URI:http://o/, caIssuers;URI:http://c/
crlDistributionPoints = URI:http://l/
nameConstraints = permitted;DNS:.example
certificatePolicies = 1.2.3.4
inhibitAnyPolicy = 2
policyConstraints = requireExplicitPolicy:3
tlsfeature = status_request
[request]
subjectAltName = DNS:q.example
[directory]
CN = dir
[ca]
default_ca = all
[all]
database = index
crlnumber = number
default_md = sha256
default_crl_days = 5
"""


def openssl(folder: Path, *words: str) -> None:
    subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A key, its certificate in both encodings, a request, and another certificate, which is revoked."""
    (tmp_path / "config").write_text(CONFIG)
    (tmp_path / "index").write_text("")
    (tmp_path / "number").write_text("0A\n")
    made = execute("x509.create_private_key", context(), algo="ec", path=str(tmp_path / "key.pem"))
    assert made == f"PEM written to {tmp_path}/key.pem"
    common = ("-key", "key.pem", "-config", "config", "-days", "20", "-set_serial", "0x0abc")
    extended = ("-extensions", "certificate")
    openssl(tmp_path, "req", "-x509", "-new", *common, *extended, "-out", "a.crt")
    openssl(
        tmp_path, "req", "-x509", "-new", "-key", "key.pem", "-subj", "/CN=b", "-days", "400", "-out", "b.crt"
    )
    openssl(tmp_path, "x509", "-in", "a.crt", "-outform", "der", "-out", "a.der")
    openssl(tmp_path, "req", "-new", *common[:4], "-reqexts", "request", "-out", "a.csr")
    signer = ("-config", "config", "-cert", "a.crt", "-keyfile", "key.pem")
    openssl(tmp_path, "ca", *signer, "-revoke", "b.crt", "-crl_reason", "keyCompromise")
    openssl(tmp_path, "ca", *signer, "-gencrl", "-out", "a.crl")
    return tmp_path


def test_a_certificate_is_data(folder: Path) -> None:
    """Names, dates, key and every extension are in the form of Salt's function."""
    certificate: dict[str, Any] = execute("x509.read_certificate", context(), str(folder / "a.crt"))
    assert certificate == execute("x509.read_certificate", context(), str(folder / "a.der"))
    assert certificate == execute("x509.read_certificate", context(), (folder / "a.crt").read_text())
    about = ("version", "key_size", "key_type", "serial_number", "subject")
    assert {word: certificate[word] for word in about} == {
        "version": 3, "key_size": 256, "key_type": "ec", "serial_number": "0A:BC",
        "subject": {"C": "DE", "O": "Ex, Inc", "CN": "www.example.com"},
    }  # fmt: skip
    assert (certificate["subject_str"], certificate["signature_algorithm"]) == (
        "CN=www.example.com,O=Ex\\, Inc,C=DE", "ecdsa-with-SHA256",
    )  # fmt: skip
    assert (certificate["subject_hash"], certificate["issuer_hash"]) == ("A9:2E:2D:69", "A9:2E:2D:69")
    extensions = certificate["extensions"]
    assert extensions.pop("subjectKeyIdentifier")["value"].count(":") == 19
    assert extensions.pop("keyUsage")["cRLSign"] is True
    point = {"crlissuer": [], "fullname": ["URI:http://l/"], "reasons": [], "relativename": None}
    names = [
        "DNS:a.example",
        "IP:1.2.3.4",
        "URI:http://x/",
        "mail:a@b.example",
        "RID:1.2.3",
        "dirName:CN=dir",
    ]
    assert {word: {**each, "critical": None} for word, each in extensions.items()} == {
        "basicConstraints": {"critical": None, "ca": True, "pathlen": 1},
        "extendedKeyUsage": {"critical": None, "value": ["serverAuth", "1.2.3.4"]},
        "subjectAltName": {"critical": None, "value": names},
        "authorityInfoAccess": {
            "critical": None,
            "value": [
                {"OCSP": extensions["authorityInfoAccess"]["value"][0]["OCSP"]},
                {"caIssuers": "http://c/"},
            ],
        },
        "crlDistributionPoints": {"critical": None, "value": [point]},
        "certificatePolicies": {"critical": None, "value": [{"1.2.3.4": []}]},
        "policyConstraints": {"critical": None, "inhibitPolicyMapping": None, "requireExplicitPolicy": 3},
        "inhibitAnyPolicy": {"critical": None, "value": 2},
        "nameConstraints": {"critical": None, "excluded": [], "permitted": ["DNS:.example"]},
        "tlsfeature": {"critical": None, "value": ["status_request"]},
    }
    several = execute("x509.read_certificates", context(), f"{folder}/*.crt")
    assert [*several] == [f"{folder}/a.crt", f"{folder}/b.crt"]


def test_a_request_and_a_list_are_data(folder: Path) -> None:
    """A request has its name and extensions; a list of revoked certificates each with its date and reason."""
    request = execute("x509.read_csr", context(), str(folder / "a.csr"))
    assert (request["key_type"], request["extensions"]) == (
        "ec", {"subjectAltName": {"critical": False, "value": ["DNS:q.example"]}},
    )  # fmt: skip
    crl = execute("x509.read_crl", context(), str(folder / "a.crl"))
    (revoked,) = crl["revoked_certificates"].values()
    assert revoked["extensions"] == {"CRLReason": {"critical": False, "value": "keyCompromise"}}
    assert (crl["issuer"]["CN"], crl["extensions"]["cRLNumber"]["value"]) == ("www.example.com", 10)
    assert execute("x509.verify_crl", context(), str(folder / "a.crl"), str(folder / "a.crt")) is True


def test_keys_are_found_and_compared(folder: Path) -> None:
    """The public part of a key, a certificate and a request is the same; another key belongs not to it."""
    ctx = context()
    public = execute("x509.get_public_key", ctx, str(folder / "key.pem"))
    for name in ("a.crt", "a.der", "a.csr"):
        assert execute("x509.get_public_key", ctx, str(folder / name)) == public
    assert execute("x509.get_public_key", ctx, public) == public
    assert execute("x509.get_private_key_size", ctx, str(folder / "key.pem")) == 256
    assert execute("x509.verify_private_key", ctx, str(folder / "key.pem"), str(folder / "a.crt")) is True
    other = execute("x509.create_private_key", ctx, algo="rsa", passphrase="hunter22")
    assert other.startswith("-----BEGIN ENCRYPTED PRIVATE KEY")
    assert other.splitlines()[1] not in ctx.masker.text(other)
    assert (
        execute("x509.verify_private_key", ctx, other, str(folder / "a.crt"), passphrase="hunter22") is False
    )
    assert execute("x509.verify_signature", ctx, str(folder / "a.crt")) is True
    (folder / "other.pem").write_text(other)
    with pytest.raises(StateFailedError, match="cannot be read with this passphrase"):
        execute("x509.get_public_key", ctx, str(folder / "other.pem"), passphrase="wrong-one")
    assert execute("x509.verify_signature", ctx, str(folder / "a.crt"), other, "hunter22") is False


def test_what_expires(folder: Path) -> None:
    """A certificate of 20 days is valid now, and not in 30 days."""
    path = str(folder / "a.crt")
    assert execute("x509.expires", context(), path) is False
    assert execute("x509.will_expire", context(), path, 30) == {
        "check_days": 30, "path": path, "cn": "www.example.com", "will_expire": True,
    }  # fmt: skip
    assert execute("x509.expired", context(), path) == {
        "path": path,
        "cn": "www.example.com",
        "expired": False,
    }


def test_pem_gets_its_lines_back(folder: Path) -> None:
    """PEM on one line, as a pillar has it, comes back as it was, and is written so."""
    whole = (folder / "a.crt").read_text()
    for text in (whole.replace("\n", " ").strip(), whole.replace("\n", ""), whole.replace("\n", "\\n")):
        assert execute("x509.get_pem_entry", context(), text, "CERTIFICATE") == whole
    assert execute("x509.get_pem_entries", context(), f"{folder}/a.c?x") == {}
    assert execute("x509.get_pem_entries", context(), f"{folder}/a.cr[t]") == {f"{folder}/a.crt": whole}
    target = folder / "both.pem"
    target.write_text((folder / "key.pem").read_text())
    key = execute("x509.get_pem_entry", context(), str(target), "PRIVATE KEY")
    execute("x509.write_pem", context(), whole, str(target), overwrite=False, pem_type="CERTIFICATE")
    assert target.read_text() == key + whole
    with pytest.raises(StateFailedError, match="does not contain a single entry of type DH"):
        execute("x509.get_pem_entry", context(), whole, "DH PARAMETERS")
    with pytest.raises(StateFailedError, match="not a path of the target"):
        execute("x509.read_certificate", context(), "not a certificate")


def test_a_key_that_only_openssl_knows_is_an_error(tmp_path: Path) -> None:
    """Among the files of a folder it is left out, as what is no certificate."""
    key, path = tmp_path / "a.key", tmp_path / "a.crt"
    curve = "ec_paramgen_curve:wap-wsg-idm-ecid-wtls8"
    for words in (
        ("genpkey", "-algorithm", "EC", "-pkeyopt", curve, "-out", key),
        ("req", "-x509", "-new", "-key", key, "-subj", "/CN=a", "-out", path),
    ):
        subprocess.run(["openssl", *words], check=True, capture_output=True)
    with pytest.raises(StateFailedError, match="public key of CN=a cannot be read"):
        execute("x509.read_certificate", context(), str(path))
    assert execute("x509.read_certificates", context(), f"{tmp_path}/*") == {}
