"""The identity of a sandbox: host key, user and password, created once and stored encrypted.

The password is never written in plain text and never passed to a process: the server gets a hash of it. What
a later apply needs is in `identity.sealed`, encrypted with the project's key.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ensue.core.files.private_files import replace_whole

if TYPE_CHECKING:
    from ensue.core.contracts.provider import EnvironmentRequest

SANDBOX_USER: Final = "worker"
IDENTITY_NAME: Final = "identity.sealed"
_PASSWORD_BYTES: Final = 24
_SALT_BYTES: Final = 16
_HASH_COST: Final = 2**14


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SandboxIdentity:
    """The lasting identity of a sandbox; the first two are secrets.

    Args:
        password: the user's password.
        host_private_key: the host key in OpenSSH format.
        host_key: its public half, `ssh-ed25519 AAAA…`.
        fingerprint: the same as `SHA256:…`.
        user: who may log in.
    """

    password: str
    host_private_key: str
    host_key: str
    fingerprint: str
    user: str = SANDBOX_USER


def load_identity(request: EnvironmentRequest) -> SandboxIdentity | None:
    """Return the stored identity, None if there is none, and register its secrets with the masker.

    Raises:
        StoreError: the stored identity cannot be decrypted with the project's key.
    """
    try:
        sealed = (request.directory / IDENTITY_NAME).read_bytes()
    except FileNotFoundError:
        return None
    fields: dict[str, str] = json.loads(request.vault.open(sealed, context=_context(request)))
    identity = SandboxIdentity(**fields)
    _mask(request, identity)
    return identity


def create_identity(request: EnvironmentRequest) -> SandboxIdentity:
    """Create and store a new identity; its secrets are registered with the masker first."""
    import asyncssh

    key = asyncssh.generate_private_key("ssh-ed25519")  # pyright: ignore[reportUnknownMemberType] - asyncssh leaves a parameter open
    identity = SandboxIdentity(
        password=secrets.token_urlsafe(_PASSWORD_BYTES),
        host_private_key=key.export_private_key("openssh").decode(),
        host_key=key.export_public_key("openssh").decode().strip(),
        fingerprint=key.get_fingerprint(),
    )
    _mask(request, identity)
    fields = {name: getattr(identity, name) for name in SandboxIdentity.__slots__}
    sealed = request.vault.seal(json.dumps(fields).encode(), context=_context(request))
    replace_whole(request.directory / IDENTITY_NAME, sealed)
    return identity


def hash_password(password: str, salt: bytes) -> bytes:
    """Return the hash that a server keeps of a password; slow on purpose (tens of milliseconds)."""
    return hashlib.scrypt(password.encode(), salt=salt, n=_HASH_COST, r=8, p=1, maxmem=2**26)


def new_salt() -> bytes:
    """Return a fresh salt for `hash_password`."""
    return secrets.token_bytes(_SALT_BYTES)


def _mask(request: EnvironmentRequest, identity: SandboxIdentity) -> None:
    request.masker.add(identity.password, identity.host_private_key)


def _context(request: EnvironmentRequest) -> str:
    return f"sandbox:{request.name}"
