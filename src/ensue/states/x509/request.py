"""`x509.csr_managed`.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.contracts.functions import also_takes
from ensue.errors import StateFailedError
from ensue.states.x509.comparing import differences
from ensue.states.x509.files import ABOUT_FILE, kept, outcome, split
from ensue.states.x509.names import ATTRIBUTES, EXTENSIONS, attributes, extensions, name_of
from ensue.states.x509.openssl import Key, must

if TYPE_CHECKING:
    from cryptography import x509

    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap
    from ensue.model.returns import StateReturn


_OLD: Final = {"text": "", "version": "", "algorithm": "digest"}


@also_takes(*ABOUT_FILE, *ATTRIBUTES, *EXTENSIONS, outdated=_OLD)
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
    """Have a request for a certificate.

    Args:
        ctx: the state's context.
        name: the path.
        private_key: the path of the private key.
        private_key_passphrase: what that is encrypted with; masked.
        digest: how it is signed.
        encoding: `pem`.
        subject: the name, as RFC 4514 writes it, or a mapping of attributes.
        **kwargs: attributes of the name (`CN`, `C`, …), extensions (`subjectAltName`, …), and arguments of
            `file.managed`.

    Returns:
        `changes` have `created` with the path, or what changes; `new_state` has `path subject`.

    Raises:
        StateFailedError: an argument makes no sense, or the key cannot be used.
    """
    from cryptography import x509

    about_file, others = split({word: value for word, value in kwargs.items() if word not in _OLD})
    wanted = name_of(subject, attributes(others))
    config = extensions(others)
    if others or encoding != "pem":
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(sorted(others)) or 'encoding'}")
    there = await ctx.connection.stat(name, follow=True)
    changes: DataMap = {"created": name}
    text = None
    if there is not None or not ctx.test:
        key = Key(path=private_key, passphrase=private_key_passphrase)
        text = await _made(ctx, key, wanted, config, digest)
    if there is not None and text is not None:
        try:
            current = x509.load_pem_x509_csr(await ctx.connection.read(name))
        except ValueError:
            changes = {"replaced": name}
        else:
            changes = differences(current, x509.load_pem_x509_csr(text.encode()), config)
    file = await kept(ctx, name, text if changes else None, about_file)
    new_state: DataMap = {"path": name, "subject": wanted.rfc4514_string() if wanted else ""}
    return outcome(ctx, name, "certificate signing request", changes, file, new_state)


async def _made(ctx: StateContext, key: Key, subject: x509.Name | None, config: str, digest: str) -> str:
    lines = ["[req]", "distinguished_name = name", "req_extensions = extensions", "prompt = no", "[name]"]
    if not config.partition("\n")[2]:
        lines.remove("req_extensions = extensions")
    for number, attribute in enumerate(subject or ()):
        value = str(attribute.value).replace("\\", "\\\\").replace("$", "\\$").replace("#", "\\#")
        lines.append(f"{number}.{attribute.oid.dotted_string} = {value}")
    words = ["req", "-new", "-utf8", "-key", key.path, f"-{digest}", "-config", "@config", *key.options()]
    files = {"config": "\n".join([*lines, config])}
    if subject is None:
        words += ["-subj", "/"]
    return await must(ctx, *words, key=key, files=files, what=f"make a request with the key {key.path}")
