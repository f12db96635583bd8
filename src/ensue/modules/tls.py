"""Execution module `tls`: a key with a certificate that it signs itself, made by the target's `openssl`.

Authorities of their own, which Salt's module keeps as well, are left out; the states of `x509` make those.

Source: Salt's execution module `tls`, 3008: arguments, places and texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.errors import StateFailedError
from ensue.modules._programs import must

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.contracts.context import FunctionContext

_BASE: Final = "/etc/pki"


async def cert_base_path(ctx: FunctionContext, cacert_path: str | None = None) -> str:
    """Return the folder below which keys and certificates are: the option `ca.cert_base_path`, `/etc/pki`."""
    return str(cacert_path or await ctx.call("config.option", "ca.cert_base_path") or _BASE)


async def create_self_signed_cert(  # noqa: PLR0917 (Salt's order)
    ctx: FunctionContext,
    tls_dir: str = "tls",
    bits: int = 2048,
    days: int = 365,
    CN: str = "localhost",  # noqa: N803 (attributes of a name are written so)
    C: str = "US",  # noqa: N803
    ST: str = "Utah",  # noqa: N803
    L: str = "Salt Lake City",  # noqa: N803
    O: str = "SaltStack",  # noqa: N803, E741
    OU: str | None = None,  # noqa: N803
    emailAddress: str | None = None,  # noqa: N803
    cacert_path: str | None = None,
    cert_filename: str | None = None,
    digest: str = "sha256",
    replace: bool = False,
) -> str:
    """Make a key and a certificate that it signs itself; the key does not leave the target.

    Args:
        ctx: the target.
        tls_dir: a folder below that of `cert_base_path`; they are in its folder `certs`.
        bits: the size of the RSA key.
        days: how long the certificate is valid.
        CN: whose it is.
        C: the country.
        ST: the state.
        L: the place.
        O: the organization.
        OU: its unit.
        emailAddress: an address of mail.
        cacert_path: another folder than that of `cert_base_path`.
        cert_filename: the name of both files, without `.crt` and `.key`; `CN` without it.
        digest: how it is signed.
        replace: also when there is one.

    Returns:
        What was made, or that there is one already.

    Raises:
        StateFailedError: openssl is not there, or refuses.
    """
    name = cert_filename or CN
    base = f"{await cert_base_path(ctx, cacert_path)}/{tls_dir}/certs/{name}"
    certificate, key = f"{base}.crt", f"{base}.key"
    if not replace and await ctx.connection.stat(certificate) is not None:
        return f'Certificate "{name}" already exists'
    if ctx.test:
        return f'Would create Private Key: "{key}" and Certificate: "{certificate}"'
    words = {"C": C, "ST": ST, "L": L, "O": O, "OU": OU, "CN": CN, "emailAddress": emailAddress}
    subject = "".join(f"/{word}={_escaped(str(value))}" for word, value in words.items() if value)
    await ctx.connection.make_directory(base.rpartition("/")[0], parents=True)
    # The file is there, for its owner alone, before there is a key in it.
    await ctx.connection.write(key, b"", mode=0o600)
    await must(
        ctx, "openssl", "req", "-x509", "-utf8", "-newkey", f"rsa:{int(bits)}", "-nodes", "-keyout", key,
        "-out", certificate, "-days", str(int(days)), f"-{digest}", "-subj", subject,
        what=f"make the certificate {certificate}",
    )  # fmt: skip
    return f'Created Private Key: "{key}" Created Certificate: "{certificate}"'


def _escaped(value: str) -> str:
    if "\n" in value:
        raise StateFailedError("a name of a certificate has one line")
    return value.replace("\\", "\\\\").replace("/", "\\/").replace("+", "\\+")


FUNCTIONS: Final[dict[str, Callable[..., Any]]] = {
    "cert_base_path": cert_base_path,
    "create_self_signed_cert": create_self_signed_cert,
}
