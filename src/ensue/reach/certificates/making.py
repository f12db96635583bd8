"""Creates certificates and signing requests from users' arguments, signed on the target.

The target's openssl parses the extensions in the syntax of its configuration. Dates and extensions of a
request, which not all versions support, are added afterwards, and the certificate is signed again.

Source: Salt's execution module `x509_v2`, 3008: arguments, precedence; openssl-x509(1), openssl-req(1).
"""

from __future__ import annotations

import datetime as dt
import secrets
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.reach.certificates.names import attributes, extension_name, extensions, name_lines, name_of
from ensue.reach.certificates.openssl import TargetKey, digest_name, must, parsed, run
from ensue.reach.certificates.public import key_in, public_pem
from ensue.reach.certificates.signing import signed_certificate
from ensue.reach.certificates.sources import certificate_of, public_key_of, request_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import FunctionContext

DIGESTS: Final = (
    "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_224", "sha512_256", "sha3_224", "sha3_256",
    "sha3_384", "sha3_512",
)  # fmt: skip
OLD: Final = {"verbose": "", "text": "", "version": "", "serial_bits": "", "copypath": "", "prepend_cn": ""}
"""Arguments of Salt's older module, without effect."""

SIGNING: Final = (
    "algorithm", "csr", "days_valid", "digest", "not_after", "not_before", "private_key",
    "private_key_passphrase", "public_key", "serial_number", "signing_cert", "signing_private_key",
    "signing_private_key_passphrase", "subject",
)  # fmt: skip
"""The arguments about subject and signer."""

TIME: Final = "%Y-%m-%d %H:%M:%S"
_DAYS_VALID: Final = 365
_IDENTIFIERS: Final = ("subjectKeyIdentifier", "authorityKeyIdentifier")
_NOT_COPIED: Final = frozenset({
    "1.3.6.1.5.5.7.1.1",  # authorityInfoAccess
    "2.5.29.35",  # authorityKeyIdentifier
    "2.5.29.18",  # issuerAltName
    "2.5.29.31",  # crlDistributionPoints
})  # fmt: skip
"""The extensions that the signer determines."""


async def certificate(ctx: FunctionContext, given: dict[str, Any]) -> x509.Certificate:
    """Create a certificate.

    Args:
        ctx: the target.
        given: the arguments in `SIGNING`, attributes of the name and extensions, by their short names.

    Raises:
        StateFailedError: an argument is invalid, or the key cannot be used.
    """
    from cryptography import x509

    left = dict(given)
    if not left.get("signing_private_key"):
        raise StateFailedError("signing_private_key is required: the path of the signing key")
    key = signing_key(left)
    dates = tuple(time_of(left.pop(word, None)) for word in ("not_before", "not_after"))
    digest = checked_digest(str(left.pop("digest", None) or "sha256"))
    request = await request_of(ctx, str(left["csr"])) if left.get("csr") else None
    words, files = await _words(ctx, left, key, request, digest)
    asked = files["extensions.cnf"]
    made = await _printed(ctx, words, key, files)
    try:
        more = [] if request is None else _copied(made, request, asked)
        builder = _anew(made, dates, more) if more or any(dates) else None
    except (ValueError, x509.DuplicateExtension, x509.UnsupportedGeneralNameType) as error:
        raise StateFailedError(f"cannot create the certificate: {error}") from None
    return made if builder is None else await signed_certificate(ctx, builder, key, digest)


async def request(
    ctx: FunctionContext, key: TargetKey, subject: x509.Name | None, config: str, digest: str
) -> x509.CertificateSigningRequest:
    """Create a certificate signing request.

    Args:
        ctx: the target.
        key: the private key of the request.
        subject: the subject's name.
        config: an OpenSSL configuration section `extensions`.
        digest: the hash algorithm of the signature.

    Raises:
        StateFailedError: an extension is invalid, or the key cannot be used.
    """
    from cryptography import x509

    lines = ["[req]", "distinguished_name = name", "req_extensions = extensions", "prompt = no", "[name]"]
    if not config.partition("\n")[2]:
        lines.remove("req_extensions = extensions")
    lines += name_lines(subject.rdns if subject else ())
    words = ["req", "-new", "-utf8", "-key", key.path, f"-{digest_name(checked_digest(digest))}"]
    words += ["-config", "@config", *key.options(), *([] if subject else ["-subj", "/"])]
    files = {"config": "\n".join([*lines, config])}
    what = f"create a request with the key {key.path}"
    printed = await must(ctx, *words, passphrases=[key.passphrase], files=files, what=what)
    return parsed(x509.load_pem_x509_csr, printed, what)


def signing_key(given: dict[str, Any]) -> TargetKey:
    """Remove the signing key from the arguments and return it."""
    passphrase = given.pop("signing_private_key_passphrase", None)
    return _key(given.pop("signing_private_key"), passphrase)


def embedded_key(given: dict[str, Any]) -> TargetKey | None:
    """Return the private key that belongs to a certificate, None if the arguments do not name it."""
    if not given.get("signing_cert"):
        return signing_key(dict(given))
    if not given.get("private_key"):
        return None
    return _key(given["private_key"], given.get("private_key_passphrase"))


def serial_of(given: Any) -> int:
    """Parse a serial number, decimal or hexadecimal with colons; without one, return 20 random bytes.

    Raises:
        StateFailedError: it is not a number.
    """
    if given is None:
        return secrets.randbits(158) | 1
    text = str(given)
    try:
        return int(text.replace(":", ""), 16) if ":" in text or not text.isdecimal() else int(text)
    except ValueError:
        raise StateFailedError(f"serial_number {text!r} is not a number") from None


def time_of(given: Any) -> dt.datetime | None:
    """Parse a time, in UTC.

    Raises:
        StateFailedError: it is not written as `2026-01-31 12:00:00`.
    """
    if given is None or isinstance(given, dt.datetime):
        return given and (given.astimezone(dt.UTC) if given.tzinfo else given.replace(tzinfo=dt.UTC))
    try:
        return dt.datetime.strptime(str(given), TIME).replace(tzinfo=dt.UTC)
    except ValueError:
        raise StateFailedError(f"{given!r} is not a time; write it as 2026-01-31 12:00:00") from None


def checked_digest(digest: str) -> str:
    """Return the name of a digest in lower case.

    Raises:
        StateFailedError: the digest is unknown.
    """
    if digest.lower() not in DIGESTS:
        raise StateFailedError(f"Invalid value '{digest}' for digest. Valid: {', '.join(DIGESTS)}")
    return digest.lower()


def _key(path: Any, passphrase: Any) -> TargetKey:
    return TargetKey(path=str(path), passphrase=None if passphrase is None else str(passphrase))


async def _printed(
    ctx: FunctionContext, words: list[str], key: TargetKey, files: dict[str, str]
) -> x509.Certificate:
    """Run openssl and return the certificate, without key identifiers that the arguments do not request.

    OpenSSL 3 adds these unless they are `none`. Older versions never add them and refuse that word.
    """
    from cryptography import x509

    what = f"sign with the key {key.path}"
    asked = files["extensions.cnf"]
    unasked = [f"{word} = none" for word in _IDENTIFIERS if f"\n{word} =" not in asked]
    without = files | {"extensions.cnf": "\n".join([asked, *unasked])}
    if unasked:
        done = await run(ctx, *words, passphrases=[key.passphrase], files=without)
        if not done.returncode:
            return parsed(x509.load_pem_x509_certificate, done.stdout, what)
    printed = await must(ctx, *words, passphrases=[key.passphrase], files=files, what=what)
    return parsed(x509.load_pem_x509_certificate, printed, what)


async def _words(
    ctx: FunctionContext,
    left: dict[str, Any],
    key: TargetKey,
    request: x509.CertificateSigningRequest | None,
    digest: str,
) -> tuple[list[str], dict[str, str]]:
    """Return the arguments and input files for openssl to create the certificate."""
    authority = left.pop("signing_cert", None)
    public = await _public(ctx, left, request, is_signed=bool(authority))
    name = name_of(left.pop("subject", None), attributes(left)) or (request.subject if request else None)
    files = {"request.pem": _carrier(name), "extensions.cnf": extensions(left)}
    days = str(left.pop("days_valid", None) or _DAYS_VALID)
    words = ["x509", "-req", "-in", "@request.pem", "-days", days, "-set_serial"]
    words += [f"0x{serial_of(left.pop('serial_number', None)):x}", f"-{digest_name(digest)}"]
    words += ["-extfile", "@extensions.cnf", "-extensions", "extensions", *key.options()]
    if left:
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(sorted(left))}")
    if not authority:
        return [*words, "-signkey", key.path], files
    signer = _pem(await certificate_of(ctx, str(authority)))
    words += ["-CA", "@authority.pem", "-CAkey", key.path, "-force_pubkey", "@public.pem"]
    return words, {**files, "public.pem": public, "authority.pem": signer}


async def _public(
    ctx: FunctionContext,
    left: dict[str, Any],
    request: x509.CertificateSigningRequest | None,
    *,
    is_signed: bool,
) -> str:
    """Remove the arguments that identify the certificate's key; return the public key, as PEM."""
    private, public, passphrase, csr = (
        left.pop(word, None) for word in ("private_key", "public_key", "private_key_passphrase", "csr")
    )
    if not is_signed:
        return ""
    if private or public:
        return await public_key_of(ctx, str(private or public), passphrase and str(passphrase))
    if csr and request is not None:
        return public_pem(key_in(request))
    raise StateFailedError(
        "This certificate is not self-signed (signing_cert is set) and thus needs public_key, private_key or "
        "csr to derive public key to sign"
    )


def _copied(
    made: x509.Certificate, request: x509.CertificateSigningRequest, asked: str
) -> list[x509.Extension[Any]]:
    """Return the extensions of a request that the certificate inherits."""
    has = {each.oid for each in made.extensions if f"\n{extension_name(each.oid)} =" in asked}
    return [
        each for each in request.extensions
        if each.oid not in has and each.oid.dotted_string not in _NOT_COPIED
    ]  # fmt: skip


def _anew(
    made: x509.Certificate, dates: tuple[dt.datetime | None, ...], more: list[x509.Extension[Any]]
) -> x509.CertificateBuilder:
    from cryptography import x509

    since, until = dates
    builder = (
        x509.CertificateBuilder()
        .subject_name(made.subject)
        .issuer_name(made.issuer)
        .public_key(key_in(made))
        .serial_number(made.serial_number)
        .not_valid_before(since or made.not_valid_before_utc)
        .not_valid_after(until or made.not_valid_after_utc)
    )
    replaced = {each.oid for each in more}
    for each in [*(each for each in made.extensions if each.oid not in replaced), *more]:
        builder = builder.add_extension(each.value, each.critical)
    return builder


def _carrier(subject: x509.Name | None) -> str:
    """Return a request, signed with a throwaway key, that conveys the subject to openssl."""
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256
    from cryptography.hazmat.primitives.serialization import Encoding

    builder = x509.CertificateSigningRequestBuilder().subject_name(subject or x509.Name([]))
    made = builder.sign(ec.generate_private_key(ec.SECP256R1()), SHA256())
    return made.public_bytes(Encoding.PEM).decode()


def _pem(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM).decode()
