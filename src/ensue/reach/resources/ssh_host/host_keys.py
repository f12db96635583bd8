"""Decides which key a host must show, and builds the error for any other: an unknown key is never accepted.

The keys come from the configuration (`host_key`) or from a known_hosts file. asyncssh verifies
the key; this module tells it what to expect, and keeps the key that was shown for the message.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import asyncssh

from ensue.core.errors import HostKeyError

if TYPE_CHECKING:
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.ssh_host.settings import SshSettings

_USUAL_PORT: Final = 22
"""Entries of known_hosts for this port name no port."""


@dataclass(slots=True)
class Expectation:
    """The keys that a host is expected to show.

    Args:
        keys: public keys.
        authorities: keys of authorities whose certificates are trusted.
        revoked: keys that are never accepted.
        fingerprints: `SHA256:…` of accepted keys.
        origin: where the expectation comes from, for messages.
    """

    keys: list[asyncssh.SSHKey] = field(default_factory=list[asyncssh.SSHKey])
    authorities: list[asyncssh.SSHKey] = field(default_factory=list[asyncssh.SSHKey])
    revoked: list[asyncssh.SSHKey] = field(default_factory=list[asyncssh.SSHKey])
    fingerprints: list[str] = field(default_factory=list[str])
    origin: str = ""

    def algorithms(self) -> list[str]:
        """Return algorithms in the order to ask for: those of the expected keys first.

        The others follow, to distinguish a host with another kind of key from a broken one.
        """
        first = [name.decode() for key in self.keys for name in key.sig_algorithms]
        others = ["ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"]
        return list(dict.fromkeys([*first, *others, "rsa-sha2-512", "rsa-sha2-256"]))


class Witness(asyncssh.SSHClient):
    """Remembers the key that a host showed.

    Args:
        expectation: the expected keys.
    """

    def __init__(self, expectation: Expectation) -> None:
        self._expectation = expectation
        self.seen: asyncssh.SSHKey | None = None

    def validate_host_public_key(
        self,
        host: str,  # noqa: ARG002 (asyncssh's signature)
        addr: str,  # noqa: ARG002 (same)
        port: int,  # noqa: ARG002 (same)
        key: asyncssh.SSHKey,
    ) -> bool:
        """Return whether a key, which is not one of the expected ones, has an expected fingerprint."""
        self.seen = key
        return key.get_fingerprint() in self._expectation.fingerprints


def expectation_for(srn: Srn, settings: SshSettings) -> Expectation:
    """Return the keys that a host is expected to show; reads the known_hosts file.

    Raises:
        HostKeyError: a pinned key or the known_hosts file cannot be read.
    """
    if settings.host_keys:
        return _pinned(srn, settings)
    path = settings.known_hosts
    expectation = Expectation(origin=path)
    try:
        known = _known_hosts(path, Path(path).stat().st_mtime_ns)
    except FileNotFoundError:
        return expectation
    except (OSError, ValueError) as fault:
        message = f"{srn} ({settings.place}): {path} cannot be read: {fault} (mend it, or give `host_key`)"
        raise HostKeyError(message, target=str(srn)) from fault
    port = None if settings.port == _USUAL_PORT else settings.port
    keys, authorities, revoked, *_ = known.match(settings.host, "", port)
    expectation.keys += keys
    expectation.authorities += authorities
    expectation.revoked += revoked
    return expectation


def host_key_error(
    srn: Srn, settings: SshSettings, expectation: Expectation, witness: Witness
) -> HostKeyError:
    """Build the error of a host that showed no key, or not the expected one."""
    seen = witness.seen
    where = f"{srn} ({settings.place})"
    if seen is None or seen in expectation.revoked:
        message = f"{where} shows a host key that is revoked, or of a kind that is not accepted"
        return HostKeyError(f"{message} (see {expectation.origin})", target=str(srn))
    shown = f"{_name(seen)} {seen.get_fingerprint()}"
    line = seen.export_public_key("openssh").decode().strip()
    expected = [
        f"{_name(key)} {key.get_fingerprint()}" for key in expectation.keys
    ] + expectation.fingerprints
    check = "compare it on the host itself: ssh-keygen -lf /etc/ssh/ssh_host_*_key.pub"
    if expected:
        message = (
            f"{where} shows the host key {shown}, but expected is {' or '.join(expected)} "
            f"(from {expectation.origin}): the host was reinstalled, or somebody intercepts the connection. "
            f'If the new key is right ({check}), set `host_key: "{line}"`'
        )
    else:
        message = (
            f"{where} shows the host key {shown}, which is unknown: there is no `host_key`, and "
            f'{expectation.origin} has none for it. If it is right ({check}), add `host_key: "{line}"`'
        )
    return HostKeyError(message, target=str(srn))


def _pinned(srn: Srn, settings: SshSettings) -> Expectation:
    expectation = Expectation(origin="host_key")
    for line in settings.host_keys:
        if line.startswith("SHA256:"):
            expectation.fingerprints.append(line.rstrip("="))
            continue
        key = _public_key(line)
        if key is None:
            message = (
                f"{srn} ({settings.place}): `host_key` is not a public key in OpenSSH's form: {line[:40]!r}"
            )
            raise HostKeyError(message, target=str(srn))
        expectation.keys.append(key)
    return expectation


def _public_key(line: str) -> asyncssh.SSHKey | None:
    """Read a key; a line of known_hosts, with the host's name before it, is accepted too."""
    for text in (line, line.partition(" ")[2]):
        with contextlib.suppress(asyncssh.KeyImportError):
            return asyncssh.import_public_key(text)
    return None


def _name(key: asyncssh.SSHKey) -> str:
    return key.algorithm.decode()


@lru_cache(maxsize=8)
def _known_hosts(path: str, _changed_ns: int) -> asyncssh.SSHKnownHosts:
    """Read a file once for all hosts, until it changes."""
    return asyncssh.import_known_hosts(Path(path).read_text(encoding="utf-8", errors="replace"))
