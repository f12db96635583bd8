"""Certificate signing requests, with their keys.

Source: Salt's execution module `tls`, 3008: arguments, paths and messages.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, Final

from ensue.core.model.data import is_mapping
from ensue.library.modules.tls.places import authority_named, new_key, subject_of
from ensue.reach.certificates import making
from ensue.reach.certificates.names import attributes, extensions, name_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

_COMMON: Final = {
    "csr": {"basicConstraints": "CA:FALSE"},
    "cert": {"authorityKeyIdentifier": "keyid,issuer:always", "subjectKeyIdentifier": "hash"},
}
_BY_TYPE: Final = {
    "server": {"extendedKeyUsage": "serverAuth", "keyUsage": "digitalSignature, keyEncipherment"},
    "client": {
        "extendedKeyUsage": "clientAuth",
        "keyUsage": "nonRepudiation, digitalSignature, keyEncipherment",
    },
}


def get_extensions(ctx: FunctionContext, cert_type: str) -> dict[str, dict[str, Any]]:
    """Return the extensions of requests (`csr`) and certificates (`cert`) for a type.

    Args:
        cert_type: `server`, `client`, or another key of `tls.extensions` in pillar, whose mappings `csr` and
            `cert` replace those of `common` and of the type.

    Example:
        ensue call '*' tls.get_extensions server
    """
    kind = cert_type or "server"
    pillar: Any = ctx.pillar.get("tls.extensions")
    given: Any = pillar if is_mapping(pillar) else {}
    common: Any = given.get("common") or _COMMON
    own: Any = given.get(kind) or {"csr": _BY_TYPE.get(kind, {})}
    return {use: {**_part(common, use), **_part(own, use)} for use in ("csr", "cert")}


async def create_csr(
    ctx: FunctionContext,
    ca_name: str,
    bits: int = 2048,
    CN: str = "localhost",  # noqa: N803 (attributes of a name are written so)
    C: str = "US",  # noqa: N803
    ST: str = "Utah",  # noqa: N803
    L: str = "Salt Lake City",  # noqa: N803
    O: str = "SaltStack",  # noqa: N803, E741
    OU: str | None = None,  # noqa: N803
    emailAddress: str | None = None,  # noqa: N803
    subjectAltName: list[str] | str | None = None,  # noqa: N803
    cacert_path: str | None = None,
    ca_filename: str | None = None,
    csr_path: str | None = None,
    csr_filename: str | None = None,
    digest: str = "sha256",
    type_ext: bool = False,
    cert_type: str = "server",
    replace: bool = False,
) -> str:
    """Create a key and a certificate signing request for an authority; the key never leaves the target.

    Args:
        ca_name: the authority, which must exist.
        subjectAltName: alternative names: `DNS:www.example.com`.
        csr_path: the folder of both files; by default `certs` in the authority's folder.
        csr_filename: their name, without `.csr` and `.key`; by default `CN`.
        type_ext: add `_` and `cert_type` to the file names.
        cert_type: `server`, `client`, or another key of `tls.extensions` in pillar.
        replace: replace an existing request.

    Example:
        ensue call '*' tls.create_csr internal

    Returns:
        A message that it was created, or why not.

    Raises:
        StateFailedError: openssl is not installed, or fails.
    """
    authority = await authority_named(ctx, ca_name, cacert_path, ca_filename)
    if await ctx.connection.stat(authority.certificate, follow=True) is None:
        return f'Certificate for CA named "{ca_name}" does not exist, please create it first.'
    name = csr_filename or (f"{CN}_{cert_type}" if type_ext else CN)
    base = posixpath.join(csr_path or f"{authority.folder}/certs/", name)
    if not replace and await ctx.connection.stat(f"{base}.csr") is not None:
        return f'Certificate Request "{base}.csr" already exists'
    made = f'Private Key: "{base}.key" {{}}CSR for "{CN}": "{base}.csr"'
    if ctx.test:
        return f"Would create {made.format('and ')}"
    given = subject_of(C=C, ST=ST, L=L, O=O, OU=OU, CN=CN, emailAddress=emailAddress)
    subject = name_of(None, attributes(given))
    asked = get_extensions(ctx, cert_type)["csr"]
    config = extensions({**asked, **({"subjectAltName": subjectAltName} if subjectAltName else {})})
    key = await new_key(ctx, f"{base}.key", bits)
    request = await making.request(ctx, key, subject, config, digest)
    await ctx.connection.write(f"{base}.csr", _pem(request), mode=0o644)
    return f"Created {made.format('Created ')}"


def _part(given: Any, use: str) -> dict[str, Any]:
    values: Any = given.get(use) if is_mapping(given) else None
    return {**values} if is_mapping(values) else {}


def _pem(request: Any) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding

    return bytes(request.public_bytes(Encoding.PEM))
