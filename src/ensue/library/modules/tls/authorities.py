"""Certificate authorities: creates and looks them up.

Source: Salt's execution module `tls`, 3008: arguments, paths and messages.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.library.modules.tls.places import authority_named, new_key, subject_of, write_certificate
from ensue.reach.certificates import making
from ensue.reach.certificates.keys import look
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext


async def create_ca(
    ctx: FunctionContext,
    ca_name: str,
    bits: int = 2048,
    days: int = 365,
    CN: str = "localhost",  # noqa: N803 (attributes of a name are written so)
    C: str = "US",  # noqa: N803
    ST: str = "Utah",  # noqa: N803
    L: str = "Salt Lake City",  # noqa: N803
    O: str = "SaltStack",  # noqa: N803, E741
    OU: str | None = None,  # noqa: N803
    emailAddress: str | None = None,  # noqa: N803
    fixmode: bool = False,
    cacert_path: str | None = None,
    ca_filename: str | None = None,
    digest: str = "sha256",
    onlyif: Any = None,
    unless: Any = None,
    replace: bool = False,
) -> str | None:
    """Create a certificate authority: a key that never leaves the target, and a self-signed certificate.

    An existing key is kept; one that cannot be read is renamed.

    Args:
        ca_name: its name, also of its folder below `cert_base_path`.
        fixmode: replace the certificate, which must exist.
        ca_filename: the name of both files, without `.crt` and `.key`; by default `<ca_name>_ca_cert`.
        onlyif: a command that must succeed, or a boolean; otherwise nothing is done.
        unless: a command that must fail, or a boolean; otherwise nothing is done.
        replace: replace an existing authority.

    Example:
        ensue call '*' tls.create_ca internal

    Returns:
        A message that it was created or already exists; None if a condition is not met.

    Raises:
        StateFailedError: openssl is not installed, or fails.
    """
    if not await _holds(ctx, onlyif, default=True) or await _holds(ctx, unless, default=False):
        return None
    authority = await authority_named(ctx, ca_name, cacert_path, ca_filename)
    is_there = await ctx.connection.stat(authority.certificate, follow=True) is not None
    if is_there and not replace and not fixmode:
        return f'Certificate for CA named "{ca_name}" already exists'
    if fixmode and not is_there:
        raise StateFailedError(f"{authority.certificate} does not exists, can't fix")
    made = f'Private Key: "{authority.key.path}" {{}}CA "{ca_name}": "{authority.certificate}"'
    if ctx.test:
        return f"Would create {made.format('and ')}"
    if not await _has_key(ctx, authority.key.path):
        await new_key(ctx, authority.key.path, bits)
    given = subject_of(C=C, ST=ST, L=L, O=O, OU=OU, CN=CN, emailAddress=emailAddress)
    certificate = await making.certificate(
        ctx,
        given
        | {
            "signing_private_key": authority.key.path,
            "days_valid": int(days),
            "digest": digest,
            "basicConstraints": "critical,CA:TRUE,pathlen:0",
            "keyUsage": "critical,keyCertSign,cRLSign",
            "subjectKeyIdentifier": "hash",
            "authorityKeyIdentifier": "keyid:always,issuer:always",
        },
    )
    await write_certificate(ctx, authority.certificate, certificate, authority.index)
    return f"Created {made.format('Created ')}"


async def ca_exists(
    ctx: FunctionContext, ca_name: str, cacert_path: str | None = None, ca_filename: str | None = None
) -> bool:
    """Return whether an authority has a certificate.

    Args:
        ca_name: its name.
        ca_filename: the name of its files, without `.crt` and `.key`.

    Example:
        ensue call '*' tls.ca_exists internal
    """
    authority = await authority_named(ctx, ca_name, cacert_path, ca_filename)
    return await ctx.connection.stat(authority.certificate, follow=True) is not None


async def get_ca(
    ctx: FunctionContext, ca_name: str, as_text: bool = False, cacert_path: str | None = None
) -> str:
    """Return the path of an authority's certificate, or the certificate itself.

    Args:
        ca_name: its name.
        as_text: return the certificate itself.

    Example:
        ensue call '*' tls.get_ca internal

    Raises:
        StateFailedError: there is no such certificate.
    """
    path = (await authority_named(ctx, ca_name, cacert_path)).certificate
    if await ctx.connection.stat(path, follow=True) is None:
        raise StateFailedError(f"Certificate does not exist for {ca_name}")
    return (await ctx.connection.read(path)).decode("utf-8", "replace") if as_text else path


async def maybe_fix_ssl_version(
    ctx: FunctionContext, ca_name: str, cacert_path: str | None = None, ca_filename: str | None = None
) -> None:
    """Check that an authority's certificate has a version that exists, which old versions of Salt got wrong.

    Args:
        ca_name: its name.
        ca_filename: the name of its files, without `.crt` and `.key`.

    Example:
        ensue call '*' tls.maybe_fix_ssl_version internal

    Raises:
        StateFailedError: it does not; `tls.create_ca` with `fixmode` replaces it.
    """
    from cryptography.x509 import InvalidVersion

    path = (await authority_named(ctx, ca_name, cacert_path, ca_filename)).certificate
    try:
        await certificate_of(ctx, path)
    except InvalidVersion:
        raise StateFailedError(
            f"{path} has a version that does not exist; replace it: tls.create_ca with fixmode=True"
        ) from None


async def _has_key(ctx: FunctionContext, path: str) -> bool:
    from ensue.reach.certificates.openssl import TargetKey

    if await ctx.connection.stat(path, follow=True) is None:
        return False
    if (await look(ctx, TargetKey(path=path))).kind is not None:
        return True
    await ctx.connection.rename(path, f"{path}.unloadable.{dt.datetime.now(tz=dt.UTC):%Y%m%d%H%M%S}")
    return False


async def _holds(ctx: FunctionContext, condition: Any, *, default: bool) -> bool:
    if condition is None:
        return default
    if not isinstance(condition, str):
        return bool(condition)
    return bool(await ctx.call("cmd.retcode", condition, python_shell=True) == 0)
