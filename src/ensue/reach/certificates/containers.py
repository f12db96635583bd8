"""PKCS#12: a private key with its certificate and others. The target's `openssl` creates and opens it.

Source: openssl-pkcs12(1); RFC 7292; Salt's execution module `x509_v2`, 3008: arguments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.encodings import Held
from ensue.reach.certificates.keys import pkcs12_options
from ensue.reach.certificates.openssl import must, run
from ensue.reach.certificates.replacing import replaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext
    from ensue.reach.certificates.openssl import TargetKey

_ENTRY: Final = re.compile(
    rb"(?P<about>.*?)(?P<pem>-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----)", re.DOTALL
)
_NAME: Final = re.compile(rb"^    friendlyName: (?P<name>.*)$", re.MULTILINE)


class Packing(msgspec.Struct, frozen=True, kw_only=True):
    """Options for writing a PKCS#12 container.

    Args:
        passphrase: encrypts it; None for no encryption.
        friendly_name: the friendly name of the certificate.
        is_compatible: whether to encrypt it so that old programs can read it.
    """

    passphrase: str | None = None
    friendly_name: str | None = None
    is_compatible: bool = False


class Pkcs12Container(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a PKCS#12 container.

    Args:
        held: its certificates, that of the key first.
        shown_name: the friendly name of that certificate, as openssl shows it.
        is_encrypted: whether it requires a passphrase.
    """

    held: Held
    shown_name: bytes | None
    is_encrypted: bool

    def is_called(self, name: str | None) -> bool:
        """Return whether the certificate has this friendly name, as far as openssl shows it."""
        if name is None or self.shown_name is None:
            return name is None and self.shown_name is None
        # Some versions show only the second byte of each UTF-16 character, up to a zero byte.
        shown = name.encode("utf-16-be")[1::2].partition(b"\0")[0]
        return self.shown_name in {name.encode(), shown}


async def opened(ctx: FunctionContext, path: str, passphrase: str | None) -> Pkcs12Container | None:
    """Return the content of a container on the target, except for the private key.

    Args:
        ctx: the target.
        path: the file.
        passphrase: its passphrase.

    Returns:
        None if the passphrase does not open it, or it has no certificate.

    Raises:
        StateFailedError: a certificate in it cannot be read.
    """
    for given in (None, passphrase) if passphrase else (None,):
        words = ["pkcs12", "-in", path, "-nokeys", "-passin", "stdin" if given else "pass:"]
        done = await run(ctx, *words, passphrases=[given])
        if not done.returncode:
            return _parsed(path, done.stdout, is_encrypted=given is not None)
    return None


async def pack(
    ctx: FunctionContext,
    path: str,
    certificates: Sequence[x509.Certificate],
    key: TargetKey,
    packing: Packing,
) -> None:
    """Write a container to an existing file, whose owner and mode stay.

    Args:
        ctx: the target.
        path: the file, which must exist.
        certificates: the certificates, that of the key first.
        key: the private key.
        packing: options for writing it.

    Raises:
        StateFailedError: the key cannot be read, or does not match the certificate.
    """
    async with replaced(ctx, path) as temporary:
        await _exported(ctx, certificates, key, packing, "-out", temporary)


async def packed(
    ctx: FunctionContext, certificates: Sequence[x509.Certificate], key: TargetKey, packing: Packing
) -> bytes:
    """Return a container. The private key leaves the target in it."""
    return await _exported(ctx, certificates, key, packing)


async def _exported(
    ctx: FunctionContext,
    certificates: Sequence[x509.Certificate],
    key: TargetKey,
    packing: Packing,
    *more: str,
) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    own, *chain = [each.public_bytes(Encoding.PEM).decode() for each in certificates]
    words = ["pkcs12", "-export", "-inkey", key.path, "-in", "@own.pem", *key.options()]
    words += pkcs12_options(is_encrypted=bool(packing.passphrase), is_compatible=packing.is_compatible)
    words += ["-passout", "stdin" if packing.passphrase else "pass:"]
    words += ["-name", packing.friendly_name] if packing.friendly_name else []
    words += ["-certfile", "@chain.pem"] if chain else []
    files = {"own.pem": own, "chain.pem": "".join(chain)}
    passphrases = [key.passphrase, packing.passphrase]
    what = f"pack the private key {key.path} with its certificate"
    return await must(ctx, *words, *more, passphrases=passphrases, files=files, what=what)


def _parsed(path: str, text: bytes, *, is_encrypted: bool) -> Pkcs12Container | None:
    from cryptography import x509

    entries = [(each["about"], each["pem"]) for each in _ENTRY.finditer(text)]
    # The key's certificate has the same identifier as the key.
    entries.sort(key=lambda entry: b"localKeyID" not in entry[0])
    if not entries:
        return None
    name = _NAME.search(entries[0][0])
    try:
        own, *chain = [x509.load_pem_x509_certificate(pem) for _, pem in entries]
    except ValueError as error:
        raise StateFailedError(f"a certificate in {path} cannot be read: {error}") from None
    return Pkcs12Container(
        held=Held(encoding="pkcs12", certificate=own, chain=tuple(chain)),
        shown_name=name["name"] if name else None,
        is_encrypted=is_encrypted,
    )
