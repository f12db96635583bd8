"""`x509.crl_managed`.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

import base64
import datetime as dt
from typing import TYPE_CHECKING, Any, Final

from ensue.contracts.functions import also_takes
from ensue.errors import StateFailedError
from ensue.states.x509.files import ABOUT_FILE, kept, outcome, real_path, split
from ensue.states.x509.keys import public_key
from ensue.states.x509.openssl import Key, must
from ensue.states.x509.revocations import (
    differences,
    entry_data,
    files,
    kept_dates,
    number_after,
    revoked_of,
)

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap
    from ensue.model.returns import StateReturn
    from ensue.states.x509.revocations import Revoked

_BEGIN: Final = b"-----BEGIN "
_WHAT: Final = "certificate revocation list"


@also_takes(*ABOUT_FILE, outdated={"text": ""})
async def crl_managed(
    ctx: StateContext,
    name: str,
    signing_private_key: str,
    revoked: list[Any],
    *,
    days_remaining: int = 30,
    signing_cert: str | None = None,
    signing_private_key_passphrase: str | None = None,
    include_expired: bool = False,
    days_valid: int = 100,
    digest: str = "sha256",
    encoding: str = "pem",
    extensions: dict[str, Any] | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Have a list of revoked certificates, signed on the target.

    Args:
        ctx: the state's context.
        name: the path.
        signing_private_key: the path of the authority's private key.
        revoked: mappings with `serial_number` or `certificate`, and `revocation_date`, `not_after` and
            `extensions` with `CRLReason`.
        days_remaining: it is made anew when it is valid for fewer days; 0 never.
        signing_cert: the authority's certificate: a path of the target, or PEM.
        signing_private_key_passphrase: what the key is encrypted with; masked.
        include_expired: certificates that have expired are in it, too.
        days_valid: how long it is valid.
        digest: how it is signed.
        encoding: `pem` or `der`.
        extensions: `authorityKeyIdentifier`, `issuerAltName`, and `cRLNumber` (a number, or `auto`: one more
            each time).
        **kwargs: those of `file.managed`.

    Returns:
        `changes` have `created` or `replaced` with the path, or what changes (`revocations extensions
        expiration digest encoding issuer_name public_key`); `new_state` has `path issuer revoked`.

    Raises:
        StateFailedError: an argument makes no sense, or the key cannot be used.
    """
    about_file, others = split(kwargs)
    if unknown := sorted(others.keys() - {"text"}):
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(unknown)}")
    if encoding not in {"pem", "der"} or not signing_cert:
        raise StateFailedError("encoding is pem or der, and signing_cert names the authority's certificate")
    asked = dict(extensions or {})
    now = dt.datetime.now(tz=dt.UTC)
    wanted = [await _entry(ctx, each) for each in revoked]
    wanted = [each for each in wanted if include_expired or each.ends is None or each.ends >= now]
    key = Key(path=signing_private_key, passphrase=signing_private_key_passphrase)
    there = await ctx.connection.stat(name, follow=True)
    if there is None and ctx.test:
        return outcome(ctx, name, _WHAT, {"created": name}, await kept(ctx, name, None, about_file), None)
    authority = await _certificate(ctx, signing_cert)
    changes: DataMap = {"created": name}
    current = None
    if there is not None:
        data = await ctx.connection.read(name)
        current = _loaded(data)
        changes = {"replaced": name}
        if current is not None:
            changes = await _changes(ctx, current, authority, key, digest)
            changes |= differences(current, wanted, asked)
            changes |= {"encoding": encoding} if (encoding == "pem") != (_BEGIN in data) else {}
            left = (current.next_update_utc or now) - now
            changes |= (
                {"expiration": True} if days_remaining and left < dt.timedelta(days=days_remaining) else {}
            )
            wanted = kept_dates(current, wanted)
    text = None
    if changes and not ctx.test:
        number = number_after(current, asked["cRLNumber"]) if "cRLNumber" in asked else None
        sources = {**files(wanted, asked, number, now), "authority.pem": _pem(authority)}
        text = await must(
            ctx, "ca", "-gencrl", "-config", "@config", "-cert", "@authority.pem", "-keyfile", key.path,
            "-md", digest, "-crldays", str(days_valid), *key.options(), key=key, files=sources,
            what=f"make the list {name}",
        )  # fmt: skip
    file = await kept(ctx, name, text if encoding == "pem" else None, about_file)
    if text is not None and encoding == "der":
        body = "".join(line for line in text.splitlines() if not line.startswith("-----"))
        await ctx.connection.write(await real_path(ctx, name), base64.b64decode(body))
    new_state: DataMap = {
        "path": name,
        "issuer": authority.subject.rfc4514_string(),
        "revoked": [f"{each.serial:X}" for each in wanted],
    }
    return outcome(ctx, name, _WHAT, changes, file, new_state)


async def _entry(ctx: StateContext, entry: Any) -> Revoked:
    data = entry_data(entry)
    named = data.get("certificate")
    return revoked_of(data, await _certificate(ctx, str(named)) if named else None)


async def _changes(
    ctx: StateContext,
    current: x509.CertificateRevocationList,
    authority: x509.Certificate,
    key: Key,
    digest: str,
) -> DataMap:
    """Return what differs in who signs it, and how."""
    from cryptography.hazmat.primitives.serialization import load_pem_public_key

    changes: DataMap = {}
    signed = current.signature_hash_algorithm
    if signed is not None and signed.name != digest:
        changes["digest"] = digest
    if current.issuer != authority.subject:
        changes["issuer_name"] = authority.subject.rfc4514_string()
    signer: Any = load_pem_public_key((await public_key(ctx, key)).encode())
    if not current.is_signature_valid(signer):
        changes["public_key"] = True
    return changes


async def _certificate(ctx: StateContext, source: str) -> x509.Certificate:
    from cryptography import x509

    data = source.encode() if _BEGIN.decode() in source else await ctx.connection.read(source)
    try:
        return (
            x509.load_pem_x509_certificate(data) if _BEGIN in data else x509.load_der_x509_certificate(data)
        )
    except ValueError as error:
        raise StateFailedError(
            f"the certificate {source.partition(chr(10))[0]} cannot be read: {error}"
        ) from None


def _loaded(data: bytes) -> x509.CertificateRevocationList | None:
    from cryptography import x509

    try:
        return x509.load_pem_x509_crl(data) if _BEGIN in data else x509.load_der_x509_crl(data)
    except ValueError:
        return None


def _pem(certificate: x509.Certificate) -> str:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM).decode()
