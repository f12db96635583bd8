"""`x509.csr_managed`: creates a certificate signing request.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.library.states.x509.comparing import differences
from ensue.library.states.x509.files import ABOUT_FILE, kept, outcome, split, written
from ensue.reach.certificates import making
from ensue.reach.certificates.encodings import check, pem_or_der
from ensue.reach.certificates.key_files import in_files
from ensue.reach.certificates.names import (
    ATTRIBUTES,
    EXTENSIONS,
    LONG_EXTENSIONS,
    attributes,
    extensions,
    name_of,
    with_short_names,
)
from ensue.reach.certificates.openssl import TargetKey

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import StateReturn


_OLD: Final = {"text": "", "version": "", "algorithm": "digest"}
_BEGIN: Final = b"-----BEGIN "


@also_takes(*ABOUT_FILE, *ATTRIBUTES, *EXTENSIONS, *LONG_EXTENSIONS, outdated=_OLD)
async def csr_managed(
    ctx: StateContext,
    name: str,
    private_key: str,
    *,
    private_key_passphrase: str | None = None,
    digest: str = "sha256",
    encoding: str = "pem",
    subject: Any = None,
    **kwargs: Any,
) -> StateReturn:
    """Create a certificate signing request; replace it if it differs.

    Args:
        name: path of the file.
        private_key: path of the private key.
        private_key_passphrase: passphrase of the private key; masked.
        digest: hash algorithm of the signature.
        encoding: `pem` or `der`.
        subject: the name in the form of RFC 4514, or a mapping of attributes.
        **kwargs: attributes of the name (`CN`, `C`, …), extensions (`subjectAltName`, …), and arguments of
            `file.managed`.

    Example:
        /etc/ssl/www.csr:
          x509.csr_managed:
            - private_key: /etc/ssl/www.key
            - CN: www.example.com

    Returns:
        `changes` has `created` or `replaced` with the path, or the differences; `new_state` has `path
        subject`.

    Raises:
        StateFailedError: an argument is invalid, or the key cannot be used.
    """
    check(encoding, ("der", "pem"))
    about_file, rest = split({word: value for word, value in kwargs.items() if word not in _OLD})
    others = with_short_names(rest)
    subject_name = name_of(subject, attributes(others))
    config = extensions(others)
    if others:
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(sorted(others))}")
    there = await ctx.connection.stat(name, follow=True)
    changes: DataMap = {"created": name}
    if there is None and ctx.test:
        file = await kept(ctx, name, None, about_file)
        return outcome(ctx, name, "certificate signing request", changes, file, None)
    async with in_files(ctx, {"private_key": private_key}) as placed:
        key = TargetKey(path=placed["private_key"], passphrase=private_key_passphrase)
        asked_digest = str(kwargs.get("algorithm") or digest)
        made = await making.request(ctx, key, subject_name, config, asked_digest)
        if there is not None:
            data = await ctx.connection.read(name)
            current = _loaded(data)
            changes = {"replaced": name}
            if current is not None:
                changes = differences(current, made, config)
                current_encoding = "pem" if _BEGIN in data else "der"
                changes |= {"encoding": encoding} if current_encoding != encoding else {}
                made = current if changes.keys() == {"encoding"} else made
        data = pem_or_der(made, encoding)
        is_text = encoding == "pem"
        file = await written(ctx, name, data if changes else None, about_file, is_text=is_text)
        new_state: DataMap = {"path": name, "subject": subject_name.rfc4514_string() if subject_name else ""}
        return outcome(ctx, name, "certificate signing request", changes, file, new_state)


def _loaded(data: bytes) -> x509.CertificateSigningRequest | None:
    from cryptography import x509

    try:
        return x509.load_pem_x509_csr(data) if _BEGIN in data else x509.load_der_x509_csr(data)
    except ValueError:
        return None
