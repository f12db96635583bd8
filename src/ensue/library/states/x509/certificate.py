"""`x509.certificate_managed`: creates and renews a certificate.

In each run, openssl makes a certificate from the arguments. It is compared with the existing one and
written only if they differ.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import msgspec

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.library.states.x509.comparing import differences
from ensue.library.states.x509.files import ABOUT_FILE, kept, outcome, real_path, split, written
from ensue.reach.certificates import encodings, making
from ensue.reach.certificates.containers import Packing, Pkcs12Container, opened, pack
from ensue.reach.certificates.encodings import Held, held_in
from ensue.reach.certificates.forms import Form, form_of
from ensue.reach.certificates.key_files import in_files
from ensue.reach.certificates.names import (
    ATTRIBUTES,
    EXTENSIONS,
    LONG_EXTENSIONS,
    extensions,
    with_short_names,
)
from ensue.reach.certificates.policies import merged, policy_named
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import StateReturn

_DAYS_REMAINING: Final = 90
_ABOUT_FORM: Final = frozenset({"additional_certs", "encoding", "pkcs12_friendlyname"})
"""The changes that keep the existing certificate."""


class _RequestedCertificate(msgspec.Struct, frozen=True, kw_only=True):
    given: dict[str, Any]
    candidate: x509.Certificate
    chain: list[x509.Certificate]
    encoding: str
    packing: Packing
    days: int


@also_takes(*ABOUT_FILE, *ATTRIBUTES, *EXTENSIONS, *LONG_EXTENSIONS, *making.SIGNING, outdated=making.OLD)
async def certificate_managed(
    ctx: StateContext,
    name: str,
    *,
    days_remaining: int | None = None,
    ca_server: str | None = None,
    signing_policy: str | None = None,
    encoding: str = "pem",
    append_certs: list[str] | str | None = None,
    pkcs12_passphrase: str | None = None,
    pkcs12_encryption_compat: bool = False,
    pkcs12_friendlyname: str | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Create a certificate, signed on the target; replace it if it differs or expires soon.

    Args:
        name: path of the file.
        days_remaining: replace the certificate if it is valid for fewer days (90); 0 never does.
        ca_server: refused, because ensue does not ask another minion to sign.
        signing_policy: key of `x509_signing_policies` in options or pillar, whose arguments take precedence.
        encoding: `pem`, `der`, `pkcs7_pem`, `pkcs7_der`, or `pkcs12`, which also contains the private key.
        append_certs: certificates to add to the file: paths of the target, or PEM.
        pkcs12_passphrase: passphrase of a PKCS#12 file; masked.
        pkcs12_encryption_compat: encrypt PKCS#12 so that old programs can read it.
        pkcs12_friendlyname: name of the certificate in the PKCS#12 file.
        **kwargs: `signing_private_key`, `signing_private_key_passphrase`, `signing_cert` (without it the
            certificate is self-signed); `private_key`, `private_key_passphrase`, `public_key` or `csr`;
            `digest`, `serial_number`, `days_valid` (365), `not_before`, `not_after`, `subject`; attributes of
            the name (`CN`, …), extensions (`basicConstraints`, …), and arguments of `file.managed`.

    Example:
        /etc/ssl/www.crt:
          x509.certificate_managed:
            - private_key: /etc/ssl/www.key
            - signing_private_key: /etc/ssl/ca.key
            - signing_cert: /etc/ssl/ca.crt
            - CN: www.example.com
            - days_valid: 90

    Returns:
        `changes` has `created` or `replaced` with the path, or the differences (`expiration`, `subject_name`,
        `extensions`, …); `new_state` has `path subject issuer serial_number not_after`.

    Raises:
        StateFailedError: an argument is invalid, or the key cannot be used.
    """
    if ca_server:
        raise StateFailedError(
            "x509.certificate_managed: ca_server is not supported: ensue asks no other minion to sign; run "
            "the state on that machine, with its `tgt`, and fetch the certificate by `ssh_host.fetch_file`"
        )
    encodings.check(encoding)
    about_file, others = split(kwargs)
    named = {word: value for word, value in others.items() if word not in making.OLD}
    policy = await policy_named(ctx, signing_policy)
    given = merged({word: value for word, value in policy.items() if word not in making.OLD},
                   with_short_names(named))  # fmt: skip
    there = await ctx.connection.stat(name, follow=True)
    if there is None and encoding == "pkcs12":
        # PKCS#12 contains a private key, so by default only the owner may read the file.
        about_file.setdefault("mode", "0600")
    if there is None and ctx.test:
        file = await kept(ctx, name, None, about_file)
        return outcome(ctx, name, "certificate", {"created": name}, file, None)
    async with in_files(ctx, given) as placed:
        requested = _RequestedCertificate(
            given=placed,
            candidate=await making.certificate(ctx, placed),
            chain=await _chain(ctx, append_certs),
            encoding=encoding,
            packing=Packing(
                passphrase=str(pkcs12_passphrase) if pkcs12_passphrase else None,
                friendly_name=str(pkcs12_friendlyname) if pkcs12_friendlyname else None,
                is_compatible=bool(pkcs12_encryption_compat),
            ),
            days=_DAYS_REMAINING if days_remaining is None else int(days_remaining),
        )
        changes: DataMap = {"created": name}
        now = requested.candidate
        if there is not None:
            changes, held = await _changes(ctx, name, requested)
            if held is not None and changes.keys() <= _ABOUT_FORM:
                now = held.certificate
        file = await _kept(ctx, name, now, requested, about_file, is_written=bool(changes))
        return outcome(ctx, name, "certificate", changes, file, _state(name, now))


async def _kept(
    ctx: StateContext,
    name: str,
    certificate: x509.Certificate,
    requested: _RequestedCertificate,
    about_file: dict[str, Any],
    *,
    is_written: bool,
) -> StateReturn:
    """Manage the file; write the content only if `is_written`."""
    if requested.encoding != "pkcs12":
        data = encodings.encoded(certificate, requested.chain, requested.encoding)
        is_text = requested.encoding in encodings.TEXTS
        return await written(ctx, name, data if is_written else None, about_file, is_text=is_text)
    key = making.embedded_key(requested.given)
    if key is None:
        raise StateFailedError(
            "Creating a PKCS12-encoded certificate without embedded private key is unsupported: private_key "
            "is the path of the certificate's own key"
        )
    is_new = await ctx.connection.stat(name, follow=True) is None
    file = await kept(ctx, name, None, about_file)
    if is_written and not ctx.test:
        path = await real_path(ctx, name)
        try:
            await pack(ctx, path, [certificate, *requested.chain], key, requested.packing)
        except StateFailedError:
            if is_new:
                await ctx.connection.remove(path)
            raise
    return file


async def _chain(ctx: StateContext, append_certs: list[str] | str | None) -> list[x509.Certificate]:
    sources = [append_certs] if isinstance(append_certs, str) else append_certs or []
    return [await certificate_of(ctx, str(each)) for each in sources]


async def _changes(
    ctx: StateContext, name: str, requested: _RequestedCertificate
) -> tuple[DataMap, Held | None]:
    """Return the differences from the existing file, and the certificates in it."""
    container = None
    if await form_of(ctx, name) is Form.PKCS12:
        container = await opened(ctx, name, requested.packing.passphrase)
        if container is None:
            return {"pkcs12_passphrase": True}, None
        held = container.held
    else:
        held_ = held_in(await ctx.connection.read(name))
        if held_ is None:
            return {"replaced": name}, None
        held = held_.beside(requested.chain)
    changes = await _differences(ctx, held.certificate, requested)
    if held.encoding != requested.encoding:
        changes["encoding"] = requested.encoding
    elif container is not None:
        changes |= _container_differences(container, requested.packing)
    if [*held.chain] != requested.chain:
        changes["additional_certs"] = True
    return changes, held


def _container_differences(container: Pkcs12Container, packing: Packing) -> DataMap:
    changes: DataMap = {}
    if not container.is_called(packing.friendly_name):
        changes["pkcs12_friendlyname"] = packing.friendly_name
    if container.is_encrypted != bool(packing.passphrase):
        changes["pkcs12_passphrase"] = True
    return changes


async def _differences(
    ctx: StateContext, current: x509.Certificate, requested: _RequestedCertificate
) -> DataMap:
    from cryptography.exceptions import InvalidSignature

    given, candidate = requested.given, requested.candidate
    changes = differences(current, candidate, extensions(dict(given)))
    if _is_over(current, requested):
        changes["expiration"] = True
    serial = given.get("serial_number")
    if serial is not None and making.serial_of(serial) != current.serial_number:
        changes["serial_number"] = str(serial)
    if current.issuer != candidate.issuer:
        changes["issuer_name"] = candidate.issuer.rfc4514_string()
    else:
        authority = candidate
        if given.get("signing_cert"):
            authority = await certificate_of(ctx, str(given["signing_cert"]))
        try:
            current.verify_directly_issued_by(authority)
        except (InvalidSignature, ValueError, TypeError):
            changes["signing_private_key"] = True
    return changes


def _is_over(current: x509.Certificate, requested: _RequestedCertificate) -> bool:
    """Return whether a certificate expires too soon; with `not_after`, whether its end differs."""
    if requested.given.get("not_after"):
        return current.not_valid_after_utc != requested.candidate.not_valid_after_utc
    left = current.not_valid_after_utc - dt.datetime.now(tz=dt.UTC)
    return bool(requested.days) and left < dt.timedelta(days=requested.days)


def _state(name: str, certificate: x509.Certificate) -> DataMap:
    return {
        "path": name,
        "subject": certificate.subject.rfc4514_string(),
        "issuer": certificate.issuer.rfc4514_string(),
        "serial_number": f"{certificate.serial_number:X}",
        "not_after": certificate.not_valid_after_utc.strftime("%Y-%m-%d %H:%M:%S"),
    }
