"""PKCS#12: a private key with its certificate and others. The target's `openssl` makes and opens it.

Source: openssl-pkcs12(1); RFC 7292; Salt's execution module `x509_v2`, 3008: arguments.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from ensue.certificates.encodings import Held
from ensue.certificates.keys import pkcs12_options
from ensue.certificates.openssl import must, run
from ensue.certificates.replacing import replaced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from cryptography import x509

    from ensue.certificates.openssl import Key
    from ensue.contracts.context import FunctionContext

_ENTRY: Final = re.compile(
    rb"(?P<about>.*?)(?P<pem>-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----)", re.DOTALL
)
_NAME: Final = re.compile(rb"^    friendlyName: (?P<name>.*)$", re.MULTILINE)


class Packing(msgspec.Struct, frozen=True, kw_only=True):
    """How a container is written.

    Args:
        passphrase: what it is encrypted with; None: not at all.
        friendly_name: what the certificate is called in it.
        is_compatible: whether it is encrypted as old programs can read it.
    """

    passphrase: str | None = None
    friendly_name: str | None = None
    is_compatible: bool = False


class Container(msgspec.Struct, frozen=True, kw_only=True):
    """What a container holds.

    Args:
        held: its certificates, the key's own first.
        shown_name: what that is called, as openssl shows it.
        is_encrypted: whether it needs a passphrase.
    """

    held: Held
    shown_name: bytes | None
    is_encrypted: bool

    def is_called(self, name: str | None) -> bool:
        """Return whether the certificate has a name, as far as openssl shows it."""
        if name is None or self.shown_name is None:
            return name is None and self.shown_name is None
        # Some versions show the second byte of each character of UTF-16 alone, up to a byte that is 0.
        shown = name.encode("utf-16-be")[1::2].partition(b"\0")[0]
        return self.shown_name in {name.encode(), shown}


async def opened(ctx: FunctionContext, path: str, passphrase: str | None) -> Container | None:
    """Return what a container of the target holds; the private key stays there.

    Args:
        ctx: the target.
        path: where it is.
        passphrase: what it is encrypted with.

    Returns:
        None when it cannot be opened with this passphrase, or has no certificate.
    """
    for given in (None, passphrase) if passphrase else (None,):
        words = ["pkcs12", "-in", path, "-nokeys", "-passin", "stdin" if given else "pass:"]
        done = await run(ctx, *words, passphrases=[given])
        if not done.returncode:
            return _parsed(done.stdout, is_encrypted=given is not None)
    return None


async def pack(
    ctx: FunctionContext,
    path: str,
    certificates: Sequence[x509.Certificate],
    key: Key,
    packing: Packing,
) -> None:
    """Write a container, with the owner and mode of the file that is there.

    Args:
        ctx: the target.
        path: where it is to be; a file is there already.
        certificates: the key's own first.
        key: the private key.
        packing: how it is written.

    Raises:
        StateFailedError: the key cannot be read, or is not the certificate's.
    """
    async with replaced(ctx, path) as temporary:
        await _exported(ctx, certificates, key, packing, "-out", temporary)


async def packed(
    ctx: FunctionContext, certificates: Sequence[x509.Certificate], key: Key, packing: Packing
) -> bytes:
    """Return a container; the private key leaves the target in it. See `pack`."""
    return await _exported(ctx, certificates, key, packing)


async def _exported(
    ctx: FunctionContext, certificates: Sequence[x509.Certificate], key: Key, packing: Packing, *more: str
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


def _parsed(text: bytes, *, is_encrypted: bool) -> Container | None:
    from cryptography import x509

    entries = [(each["about"], each["pem"]) for each in _ENTRY.finditer(text)]
    # What belongs to the key has its identifier.
    entries.sort(key=lambda entry: b"localKeyID" not in entry[0])
    if not entries:
        return None
    name = _NAME.search(entries[0][0])
    own, *chain = [x509.load_pem_x509_certificate(pem) for _, pem in entries]
    return Container(
        held=Held(encoding="pkcs12", certificate=own, chain=tuple(chain)),
        shown_name=name["name"] if name else None,
        is_encrypted=is_encrypted,
    )
