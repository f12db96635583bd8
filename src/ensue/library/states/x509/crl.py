"""`x509.crl_managed`: creates and renews a certificate revocation list.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.library.states.x509.files import ABOUT_FILE, kept, outcome, split, written
from ensue.reach.certificates import making
from ensue.reach.certificates.encodings import pem_or_der
from ensue.reach.certificates.key_files import in_files
from ensue.reach.certificates.keys import public_key
from ensue.reach.certificates.openssl import TargetKey
from ensue.reach.certificates.public import loaded_public
from ensue.reach.certificates.revocations import (
    Signer,
    changed_extensions,
    differences,
    kept_dates,
    made,
    number_after,
    revoked_in,
)
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import StateReturn

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
    """Create a certificate revocation list, signed on the target; replace it if it differs or expires soon.

    Args:
        name: path of the file.
        signing_private_key: path of the authority's private key.
        revoked: mappings with `serial_number` or `certificate`, and `revocation_date`, `not_after` and
            `extensions` with `CRLReason`.
        days_remaining: replace the list if it is valid for fewer days; 0 never does.
        signing_cert: the authority's certificate: a path of the target, or PEM.
        signing_private_key_passphrase: passphrase of the key; masked.
        include_expired: also list expired certificates.
        days_valid: how long the list is valid.
        digest: hash algorithm of the signature.
        encoding: `pem` or `der`.
        extensions: `authorityKeyIdentifier`, `issuerAltName`, `authorityInfoAccess`, `freshestCRL`,
            `issuingDistributionPoint`, and `cRLNumber` (a number, or `auto` to count up).
        **kwargs: arguments of `file.managed`.

    Example:
        /etc/ssl/ca.crl:
          x509.crl_managed:
            - signing_private_key: /etc/ssl/ca.key
            - signing_cert: /etc/ssl/ca.crt
            - revoked: [{certificate: /etc/ssl/old.crt, reason: superseded}]

    Returns:
        `changes` has `created` or `replaced` with the path, or the differences (`revocations extensions
        expiration digest encoding issuer_name public_key`); `new_state` has `path issuer revoked`.

    Raises:
        StateFailedError: an argument is invalid, or the key cannot be used.
    """
    about_file, others = split(kwargs)
    if unknown := sorted(others.keys() - {"text"}):
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(unknown)}")
    if encoding not in {"pem", "der"} or not signing_cert:
        raise StateFailedError("encoding is pem or der, and signing_cert names the authority's certificate")
    asked = dict(extensions or {})
    now = dt.datetime.now(tz=dt.UTC)
    entries = await revoked_in(ctx, revoked, now, include_expired=include_expired)
    there = await ctx.connection.stat(name, follow=True)
    if there is None and ctx.test:
        return outcome(ctx, name, _WHAT, {"created": name}, await kept(ctx, name, None, about_file), None)
    authority = await certificate_of(ctx, signing_cert)
    async with in_files(ctx, {"signing_private_key": signing_private_key}) as placed:
        key = TargetKey(path=placed["signing_private_key"], passphrase=signing_private_key_passphrase)
        digest = making.checked_digest(digest)
        signer = Signer(authority, key, digest, int(days_valid))
        changes: DataMap = {"created": name}
        current = None
        if there is not None:
            data = await ctx.connection.read(name)
            current = _loaded(data)
            changes = {"replaced": name}
            if current is not None:
                changes = await _changes(ctx, current, authority, key, digest)
                changes |= differences(
                    current, entries, asked, await changed_extensions(ctx, current, asked, signer, now)
                )
                changes |= {"encoding": encoding} if (encoding == "pem") != (_BEGIN in data) else {}
                left = (current.next_update_utc or now) - now
                changes |= (
                    {"expiration": True}
                    if days_remaining and left < dt.timedelta(days=days_remaining)
                    else {}
                )
                entries = kept_dates(current, entries)
        content = None
        if changes and not ctx.test:
            if current is None or changes.keys() != {"encoding"}:
                if "cRLNumber" in asked:
                    asked["cRLNumber"] = number_after(current, asked["cRLNumber"])
                current = await made(ctx, entries, asked, signer, now)
            content = pem_or_der(current, encoding)
        file = await written(ctx, name, content, about_file, is_text=encoding == "pem")
        new_state: DataMap = {
            "path": name,
            "issuer": authority.subject.rfc4514_string(),
            "revoked": [f"{each.serial:X}" for each in entries],
        }
        return outcome(ctx, name, _WHAT, changes, file, new_state)


async def _changes(
    ctx: StateContext,
    current: x509.CertificateRevocationList,
    authority: x509.Certificate,
    key: TargetKey,
    digest: str,
) -> DataMap:
    """Return the differences in issuer, key and digest."""
    from cryptography.exceptions import UnsupportedAlgorithm

    changes: DataMap = {}
    if current.issuer != authority.subject:
        changes["issuer_name"] = authority.subject.rfc4514_string()
    signer: Any = loaded_public(await public_key(ctx, key))
    try:
        signed = current.signature_hash_algorithm
        if signed is not None and signed.name.replace("-", "_") != digest:
            changes["digest"] = digest
        if not current.is_signature_valid(signer):
            changes["public_key"] = True
    except UnsupportedAlgorithm:
        changes["digest"] = digest
    return changes


def _loaded(data: bytes) -> x509.CertificateRevocationList | None:
    from cryptography import x509

    try:
        return x509.load_pem_x509_crl(data) if _BEGIN in data else x509.load_der_x509_crl(data)
    except ValueError:
        return None
