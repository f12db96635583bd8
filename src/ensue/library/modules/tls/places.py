"""The paths of an authority's files, and the index of the certificates that it has signed.

Source: Salt's execution module `tls`, 3008: file names; openssl-ca(1): the lines of the index.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.keys import KeyKind, Storage, generate
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext

_BASE: Final = "/etc/pki"
_SHORT_TIME: Final = "%y%m%d%H%M%SZ"
_FIELDS: Final = 6
_NAMES: Final = {"1.2.840.113549.1.9.1": "emailAddress"}


class Authority(msgspec.Struct, frozen=True, kw_only=True):
    """The files of an authority.

    Args:
        folder: its folder.
        filename: the file name of certificate and key, without `.crt` and `.key`.
    """

    folder: str
    filename: str

    @property
    def certificate(self) -> str:
        """The path of its certificate."""
        return f"{self.folder}/{self.filename}.crt"

    @property
    def key(self) -> TargetKey:
        """Its private key."""
        return TargetKey(path=f"{self.folder}/{self.filename}.key")

    @property
    def index(self) -> str:
        """The path of the index."""
        return f"{self.folder}/index.txt"

    async def loaded(self, ctx: FunctionContext) -> x509.Certificate | None:
        """Return its certificate, None if the certificate or the key does not exist."""
        for path in (self.certificate, self.key.path):
            if await ctx.connection.stat(path, follow=True) is None:
                return None
        return await certificate_of(ctx, self.certificate)


class IndexLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the index.

    Args:
        ends: when the certificate expires.
        revoked: when it was revoked, None if it was not.
        serial: its serial number.
        subject: its subject, `/C=US/CN=x`.
    """

    ends: str
    revoked: dt.datetime | None
    serial: int
    subject: str

    @classmethod
    def of(cls, certificate: x509.Certificate) -> IndexLine:
        """Return the line for a certificate that is not revoked."""
        parts = [
            f"{_NAMES.get(each.oid.dotted_string, each.rfc4514_attribute_name)}={each.value!s}"
            for each in certificate.subject
        ]
        subject = "/" + "/".join(parts).replace("\n", " ").replace("\t", " ")
        ends = certificate.not_valid_after_utc.strftime(_SHORT_TIME)
        return cls(ends=ends, revoked=None, serial=certificate.serial_number, subject=subject)

    def line(self) -> str:
        """Return the line as OpenSSL writes it."""
        date = self.revoked.strftime(_SHORT_TIME) if self.revoked else ""
        digits = f"{self.serial:X}"
        padded = "0" * (len(digits) % 2) + digits
        return "\t".join(["R" if self.revoked else "V", self.ends, date, padded, "unknown", self.subject])


async def cert_base_path(ctx: FunctionContext, cacert_path: str | None = None) -> str:
    """Return the folder of all authorities: the option `ca.cert_base_path`, by default `/etc/pki`."""
    return str(cacert_path or await ctx.call("config.option", "ca.cert_base_path") or _BASE)


async def authority_named(
    ctx: FunctionContext, ca_name: str, cacert_path: str | None, ca_filename: str | None = None
) -> Authority:
    """Return the paths of an authority's files, whether they exist or not."""
    folder = f"{await cert_base_path(ctx, cacert_path)}/{ca_name}"
    return Authority(folder=folder, filename=ca_filename or f"{ca_name}_ca_cert")


async def new_key(ctx: FunctionContext, path: str, bits: int) -> TargetKey:
    """Create an RSA key in a file that only its owner can read, with missing folders."""
    await ctx.connection.make_directory(path.rpartition("/")[0], parents=True)
    # Only the owner can read the file before the key is written to it.
    await ctx.connection.write(path, b"", mode=0o600)
    await generate(ctx, path, KeyKind.wanted("rsa", bits), Storage())
    return TargetKey(path=path)


def subject_of(**words: str | None) -> dict[str, Any]:
    """Return the attributes of a subject that are given, by their short names."""
    return {word: value for word, value in words.items() if value}


async def write_certificate(ctx: FunctionContext, path: str, made: x509.Certificate, index: str) -> None:
    """Write a certificate that everybody can read, and add it to an index."""
    from cryptography.hazmat.primitives.serialization import Encoding

    await ctx.connection.write(path, made.public_bytes(Encoding.PEM), mode=0o644)
    await write_entries(ctx, index, [*await entries(ctx, index), IndexLine.of(made)])


async def entries(ctx: FunctionContext, index: str) -> list[IndexLine]:
    """Return the entries of an index, none if it does not exist.

    Raises:
        StateFailedError: a line is malformed.
    """
    if await ctx.connection.stat(index, follow=True) is None:
        return []
    text = (await ctx.connection.read(index)).decode("utf-8", "replace")
    return [_entry(line, index) for line in text.splitlines() if line.strip()]


async def write_entries(ctx: FunctionContext, index: str, lines: list[IndexLine]) -> None:
    """Write the entries of an index."""
    await ctx.connection.write(index, "".join(f"{each.line()}\n" for each in lines).encode())


def _entry(line: str, index: str) -> IndexLine:
    fields = line.split("\t", _FIELDS - 1)
    try:
        _, ends, date, serial, _, subject = fields
        when = (
            dt.datetime.strptime(date.partition(",")[0], _SHORT_TIME).replace(tzinfo=dt.UTC) if date else None
        )
        return IndexLine(ends=ends, revoked=when, serial=int(serial, 16), subject=subject)
    except ValueError:
        raise StateFailedError(f"{index}: {line!r} is not a line of an index") from None
