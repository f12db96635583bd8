"""Certificate revocation lists: their desired content, and the files from which openssl creates one.

Source: Salt's state module `x509_v2`, 3008: the forms of `revoked`; openssl-ca(1): the database.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping
from ensue.reach.certificates.making import time_of
from ensue.reach.certificates.openssl import digest_name, must, parsed
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap
    from ensue.reach.certificates.openssl import TargetKey

_REASONS: Final = (
    "unspecified", "keyCompromise", "CACompromise", "affiliationChanged", "superseded",
    "cessationOfOperation", "certificateHold", "removeFromCRL",
)  # fmt: skip
_EXTENSIONS: Final = (
    "authorityKeyIdentifier", "issuerAltName", "cRLNumber", "authorityInfoAccess", "freshestCRL",
    "issuingDistributionPoint",
)  # fmt: skip
_OIDS: Final = {
    "2.5.29.35": "authorityKeyIdentifier",
    "2.5.29.18": "issuerAltName",
    "2.5.29.20": "cRLNumber",
    "1.3.6.1.5.5.7.1.1": "authorityInfoAccess",
    "2.5.29.46": "freshestCRL",
    "2.5.29.28": "issuingDistributionPoint",
}
_POINT: Final = "issuingDistributionPoint"
_COMPARED: Final = frozenset({"issuerAltName", "authorityInfoAccess", "freshestCRL", _POINT})
"""The extensions whose values are compared with those of a newly created list."""

_SHORT_YEARS: Final = range(1950, 2050)
"""The years that two digits tell (RFC 5280, 4.1.2.5.1)."""


class Revoked(msgspec.Struct, frozen=True, kw_only=True):
    """A revoked certificate.

    Args:
        serial: its serial number.
        date: when it was revoked; None for now.
        reason: the reason, as named in RFC 5280; may be empty.
        ends: when it expires; None if unknown.
    """

    serial: int
    date: dt.datetime | None = None
    reason: str = ""
    ends: dt.datetime | None = None

    def line(self, now: dt.datetime) -> str:
        """Return the line of openssl's database.

        Raises:
            StateFailedError: it has no place for the date, whose year it writes with two digits.
        """
        date = self.date or now
        if date.year not in _SHORT_YEARS:
            raise StateFailedError(f"revocation_date {date:%Y-%m-%d} is not between 1950 and 2049")
        ends = self.ends or now + dt.timedelta(days=1)
        digits = f"{self.serial:X}"
        reason = f",{self.reason}" if self.reason else ""
        year = "" if ends.year in _SHORT_YEARS else f"{ends.year // 100:02}"
        times = f"{year}{ends:%y%m%d%H%M%SZ}\t{date:%y%m%d%H%M%SZ}"
        return f"R\t{times}{reason}\t{'0' * (len(digits) % 2)}{digits}\tunknown\t/CN={digits}"


class Signer(msgspec.Struct, frozen=True):
    """The signer of a revocation list.

    Args:
        authority: the authority's certificate.
        key: its private key.
        digest: the hash algorithm of the signature.
        days_valid: how long the list is valid, in days.
    """

    authority: x509.Certificate
    key: TargetKey
    digest: str
    days_valid: int


def entry_data(entry: Any) -> dict[str, Any]:
    """Return an entry of `revoked` as a mapping; older trees nest it under a name, as a list.

    Raises:
        StateFailedError: it, or its `extensions`, is not a mapping.
    """
    if not is_mapping(entry):
        raise StateFailedError("each entry of revoked must be a mapping with serial_number or certificate")
    inner: Any = next(iter(entry.values()), None) if len(entry) == 1 else None
    parts: list[Any] = inner if is_list(inner) else [entry]
    data: dict[str, Any] = {word: value for part in parts if is_mapping(part) for word, value in part.items()}
    given: Any = data.get("extensions") or {}
    if not is_mapping(given):
        raise StateFailedError("the extensions of an entry of revoked must be a mapping with CRLReason")
    extensions = dict(given)
    if "reason" in data:
        extensions["CRLReason"] = data.pop("reason")
    return {**data, "extensions": extensions}


def revoked_of(data: Mapping[str, Any], certificate: x509.Certificate | None) -> Revoked:
    """Return the revoked certificate that an entry of the state's argument describes.

    Args:
        data: the entry.
        certificate: the certificate that it names, if any.

    Raises:
        StateFailedError: it has neither serial number nor certificate, or a value is invalid.
    """
    given: Mapping[str, Any] = data["extensions"]
    if unknown := sorted(given.keys() - {"CRLReason"}):
        raise StateFailedError(
            f"the only extension of a revoked certificate is CRLReason, not {', '.join(unknown)}"
        )
    reason = str(given.get("CRLReason") or "").removeprefix("critical").strip(", ")
    if reason and reason not in _REASONS:
        raise StateFailedError(f"unknown CRLReason {reason!r}; the reasons are {', '.join(_REASONS)}")
    serial = certificate.serial_number if certificate else serial_of(data.get("serial_number"))
    return Revoked(
        serial=serial,
        date=time_of(data.get("revocation_date")),
        # It means the same as no reason, and openssl omits it.
        reason="" if reason == "unspecified" else reason,
        ends=certificate.not_valid_after_utc if certificate else time_of(data.get("not_after")),
    )


def differences(
    current: x509.CertificateRevocationList,
    requested: Sequence[Revoked],
    extensions: Mapping[str, Any],
    changed: Sequence[str] = (),
) -> DataMap:
    """Return the differences in the revoked certificates and in the list's extensions.

    Args:
        current: the existing list.
        requested: the certificates to revoke.
        extensions: the requested extensions.
        changed: the extensions whose value differs.
    """
    there = {each.serial_number: _reason(each) for each in current}
    asked = {each.serial: each.reason for each in requested}
    revocations: DataMap = {
        "added": [_hexadecimal(serial) for serial in asked if serial not in there],
        "changed": [_hexadecimal(each) for each, why in asked.items() if there.get(each, why) != why],
        "removed": [_hexadecimal(serial) for serial in there if serial not in asked],
    }
    has = {
        _OIDS.get(each.oid.dotted_string, each.oid.dotted_string): each.value for each in current.extensions
    }
    number = getattr(has.get("cRLNumber"), "crl_number", None)
    wants_number = str(extensions.get("cRLNumber", "auto"))
    is_other = number is not None and wants_number not in {"auto", str(number)}
    about: DataMap = {
        "added": [word for word in extensions if word not in has],
        "changed": [*changed, *(["cRLNumber"] if is_other else [])],
        "removed": [word for word in has if word not in extensions],
    }
    changes: DataMap = {"revocations": revocations} if any(revocations.values()) else {}
    if any(about.values()):
        changes["extensions"] = about
    return changes


async def revoked_in(
    ctx: FunctionContext, revoked: Sequence[Any], now: dt.datetime, *, include_expired: bool
) -> list[Revoked]:
    """Return the revoked certificates that an argument `revoked` describes.

    Args:
        ctx: the target.
        revoked: the argument.
        now: the current time.
        include_expired: whether to include expired certificates.

    Raises:
        StateFailedError: an entry is invalid.
    """
    entries: list[Revoked] = []
    for each in revoked:
        data = entry_data(each)
        named = data.get("certificate")
        entries.append(revoked_of(data, await certificate_of(ctx, str(named)) if named else None))
    return [each for each in entries if include_expired or each.ends is None or each.ends >= now]


async def changed_extensions(
    ctx: FunctionContext,
    current: x509.CertificateRevocationList,
    extensions: Mapping[str, Any],
    signer: Signer,
    now: dt.datetime,
) -> list[str]:
    """Return the extensions of a list whose values differ from the requested ones.

    Args:
        ctx: the target.
        current: the existing list.
        extensions: the requested extensions.
        signer: the signer.
        now: the current time.

    Raises:
        StateFailedError: an extension is invalid, or the key cannot be used.
    """
    asked = {word: value for word, value in extensions.items() if word in _COMPARED}
    if not asked:
        return []
    candidate = await made(ctx, [], asked, signer, now)
    there = {each.oid: (each.critical, each.value) for each in current.extensions}
    return [
        _OIDS[each.oid.dotted_string]
        for each in candidate.extensions
        if there.get(each.oid, (each.critical, each.value)) != (each.critical, each.value)
    ]


async def made(
    ctx: FunctionContext,
    requested: Sequence[Revoked],
    extensions: Mapping[str, Any],
    signer: Signer,
    now: dt.datetime,
) -> x509.CertificateRevocationList:
    """Create a certificate revocation list, signed on the target.

    Args:
        ctx: the target.
        requested: the certificates to revoke.
        extensions: the extensions of the list; `cRLNumber` is a number.
        signer: the signer.
        now: the current time.

    Raises:
        StateFailedError: an extension is invalid, or key or digest cannot be used.
    """
    from cryptography import x509
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import Encoding

    number = serial_of(extensions["cRLNumber"]) if "cRLNumber" in extensions else None
    authority = signer.authority.public_bytes(Encoding.PEM).decode()
    texts = {**files(requested, extensions, number, now), "authority.pem": authority}
    key = signer.key
    what = f"create a revocation list with the key {key.path}"
    text = await must(
        ctx, "ca", "-gencrl", "-config", "@config", "-cert", "@authority.pem", "-keyfile", key.path,
        "-md", digest_name(signer.digest), "-crldays", str(signer.days_valid), *key.options(),
        passphrases=[key.passphrase], files=texts, what=what,
    )  # fmt: skip
    parsed_list = parsed(x509.load_pem_x509_crl, text, what)
    try:
        _ = parsed_list.signature_hash_algorithm
    except UnsupportedAlgorithm as error:
        raise StateFailedError(
            f"the digest {signer.digest} cannot be used with {key.path}: {error}"
        ) from None
    return parsed_list


def kept_dates(current: x509.CertificateRevocationList, requested: Sequence[Revoked]) -> list[Revoked]:
    """Return the certificates to revoke, with the existing list's dates where none were given."""
    dates = {each.serial_number: each.revocation_date_utc for each in current}
    return [msgspec.structs.replace(each, date=each.date or dates.get(each.serial)) for each in requested]


def number_after(current: x509.CertificateRevocationList | None, asked: Any) -> int:
    """Return the number of the next list: the requested one, or the existing number plus one."""
    if str(asked) != "auto":
        return serial_of(asked)
    from cryptography import x509

    for each in () if current is None else current.extensions:
        if isinstance(each.value, x509.CRLNumber):
            return each.value.crl_number + 1
    return 1


def files(
    requested: Sequence[Revoked], extensions: Mapping[str, Any], number: int | None, now: dt.datetime
) -> dict[str, str]:
    """Return the files from which `openssl ca -gencrl` creates a list.

    Args:
        requested: the certificates to revoke.
        extensions: the requested extensions.
        number: the number of the list, None for none.
        now: the current time.

    Raises:
        StateFailedError: an extension is not supported.
    """
    if unknown := sorted(extensions.keys() - {*_EXTENSIONS}):
        raise StateFailedError(
            f"unknown extension {', '.join(unknown)}; the extensions are {', '.join(_EXTENSIONS)}"
        )
    point = _point(extensions.get(_POINT))
    texts: dict[str, str] = {}
    for word, value in extensions.items():
        if word == _POINT:
            texts[word] = point.pop(0)
        elif word != "cRLNumber":
            texts[word] = ",".join(str(part) for part in value) if is_list(value) else str(value)
    if any("\n" in text for text in (*texts.values(), *point)):
        raise StateFailedError("the value of an extension must be one line")
    settings = ["[ca]", "default_ca = all", "[all]", "database = $ENV::d/index"]
    settings += ["crl_extensions = extensions"] if texts else []
    settings += ["crlnumber = $ENV::d/number"] if number is not None else []
    settings += ["[extensions]", *(f"{word} = {text}" for word, text in texts.items())]
    settings += ["[point]", *point]
    # openssl does not accept an empty line, which an empty file would contain.
    lines = ["# the revoked certificates", *(each.line(now) for each in requested)]
    contents = {"config": "\n".join(settings), "index": "\n".join(lines)}
    digits = f"{number or 0:X}"
    return contents | ({"number": "0" * (len(digits) % 2) + digits} if number is not None else {})


def _point(given: Any) -> list[str]:
    """Return the distribution point of the list: the extension's value, and the lines of its section."""
    if not is_mapping(given):
        return ["" if given is None else str(given)]
    lines: list[str] = []
    for word, value in given.items():
        text = "TRUE" if value is True else "FALSE" if value is False else None
        if word != "critical":
            parts = ",".join(str(part) for part in (value if is_list(value) else [value]))
            lines.append(f"{word} = {text or parts}")
    return ["critical,@point" if given.get("critical") else "@point", *lines]


def _reason(revoked: x509.RevokedCertificate) -> str:
    from cryptography import x509

    for each in revoked.extensions:
        if isinstance(each.value, x509.CRLReason):
            word = str(each.value.reason.value)
            return "CACompromise" if word == "cACompromise" else word
    return ""


def serial_of(value: Any) -> int:
    """Parse a serial number: a number, or hexadecimal digits.

    Raises:
        StateFailedError: it is neither.
    """
    text = str(value if value is not None else "")
    try:
        return int(text.replace(":", ""), 16) if not isinstance(value, int) else value
    except ValueError:
        raise StateFailedError(
            f"serial_number {text!r} is not a number; give a number, or a certificate"
        ) from None


def _hexadecimal(serial: int) -> str:
    digits = f"{serial:X}"
    digits = "0" * (len(digits) % 2) + digits
    return ":".join(digits[place : place + 2] for place in range(0, len(digits), 2))
