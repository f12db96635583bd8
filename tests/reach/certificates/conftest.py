"""An authority that the tests of `ensue.reach.certificates` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.reach.certificates.target import SECRET, done, key_at, openssl, target

from ensue.reach.certificates.encodings import encoded
from ensue.reach.certificates.making import certificate

if TYPE_CHECKING:
    from pathlib import Path

    from cryptography import x509

    from ensue.reach.certificates.openssl import TargetKey


class Authority(msgspec.Struct, frozen=True, kw_only=True):
    """An authority with an encrypted key.

    Args:
        folder: its folder.
        key: its private key.
        certificate: its certificate, signed by itself.
        path: the file with the certificate.
    """

    folder: Path
    key: TargetKey
    certificate: x509.Certificate
    path: Path

    @property
    def signing(self) -> dict[str, Any]:
        """The arguments with which it signs."""
        return {
            "signing_private_key": self.key.path,
            "signing_private_key_passphrase": self.key.passphrase,
            "signing_cert": str(self.path),
        }

    def issued(self, name: str, **given: Any) -> tuple[x509.Certificate, Path]:
        """Return a certificate that it signs for a new key, and its file."""
        key = key_at(self.folder / f"{name}.key")
        made = done(certificate(target(), {**self.signing, "private_key": key.path, "CN": name, **given}))
        path = self.folder / f"{name}.crt"
        path.write_bytes(encoded(made, (), "pem"))
        return made, path

    def verifies(self, path: Path, *words: str | Path) -> bool:
        """Return whether openssl follows a certificate to this authority."""
        return openssl("verify", "-CAfile", self.path, *words, path).endswith(": OK\n")


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    folder = tmp_path / "authority"
    folder.mkdir()
    key = key_at(folder / "ca.key", passphrase=SECRET)
    given = {
        "signing_private_key": key.path, "signing_private_key_passphrase": SECRET, "CN": "ca",
        "basicConstraints": "critical, CA:true", "keyUsage": "critical, cRLSign, keyCertSign",
        "subjectKeyIdentifier": "hash",
    }  # fmt: skip
    made = done(certificate(target(), given))
    path = folder / "ca.crt"
    path.write_bytes(encoded(made, (), "pem"))
    return Authority(folder=folder, key=key, certificate=made, path=path)
