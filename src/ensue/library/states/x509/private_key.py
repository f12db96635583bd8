"""`x509.private_key_managed`: creates a private key.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import also_takes
from ensue.core.errors import StateFailedError
from ensue.core.model.returns import StateReturn
from ensue.library.states.x509.files import ABOUT_FILE, kept, outcome, real_path, split
from ensue.reach.certificates.encodings import check
from ensue.reach.certificates.keys import ENCODINGS, KeyKind, Storage, encode, generate, look
from ensue.reach.certificates.openssl import TargetKey

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext
    from ensue.core.model.data import DataMap

_OLD: Final = {"cipher": "", "verbose": "", "text": ""}


@also_takes(*ABOUT_FILE, outdated=_OLD)
async def private_key_managed(
    ctx: StateContext,
    name: str,
    *,
    algo: str = "rsa",
    keysize: int | None = None,
    passphrase: str | None = None,
    encoding: str = "pem",
    new: bool = False,
    overwrite: bool = False,
    pkcs12_encryption_compat: bool = False,
    bits: int | None = None,
    **kwargs: Any,
) -> StateReturn:
    """Create a private key on the target, which never leaves it.

    Args:
        name: path of the file.
        algo: `rsa`, `ec`, `ed25519` or `ed448`.
        keysize: size in bits: for `rsa` at least 2048, for `ec` 256, 384 or 521.
        passphrase: passphrase of the key; masked.
        encoding: `pem`, `der` or `pkcs12`.
        new: create a new key in each run.
        overwrite: replace an existing file that cannot be read as a key.
        pkcs12_encryption_compat: encrypt PKCS#12 so that old programs can read it.
        bits: the same as `keysize`.
        **kwargs: arguments of `file.managed`; the default mode is 0400.

    Example:
        /etc/ssl/www.key:
          x509.private_key_managed:
            - algo: ec
            - keysize: 256

    Returns:
        `changes` has `created` or `replaced` with the path, or the differences (`algo keysize encoding
        passphrase`); `new_state` has `path algo keysize`.

    Raises:
        StateFailedError: an argument is invalid, or the existing file is not such a key.
    """
    about_file, others = split(kwargs)
    if unknown := sorted(others.keys() - _OLD):
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(unknown)}")
    check(encoding, ENCODINGS)
    about_file.setdefault("mode", "0400")
    secret = str(passphrase) if passphrase else None
    storage = Storage(encoding=encoding, passphrase=secret, is_compatible=bool(pkcs12_encryption_compat))
    kind = KeyKind.wanted(algo, keysize if keysize is not None else bits)
    path = await real_path(ctx, name)
    there = await ctx.connection.stat(path, follow=True)
    if there is None and about_file.get("create") is False:
        comment = f"File {name} is not present and is not set for creation"
        return StateReturn.unchanged(name, comment, {"path": name, "exists": False})
    changes: DataMap = {"created": name} if there is None else {"replaced": name} if new else {}
    if there is not None and not new:
        changes = await _differences(
            ctx, TargetKey(path=path, passphrase=secret), kind, encoding, overwrite=overwrite
        )
    file = await kept(ctx, name, None, about_file)
    if changes and not ctx.test:
        try:
            if changes.keys() <= {"encoding", "passphrase"}:
                await encode(ctx, path, TargetKey(path=path, passphrase=secret), storage)
            else:
                await generate(ctx, path, kind, storage)
        except StateFailedError:
            if there is None:
                await ctx.connection.remove(path)
            raise
    new_state: DataMap = {"path": name, "algo": kind.algo, "keysize": kind.keysize}
    return outcome(ctx, name, "private key", changes, file, new_state)


async def _differences(
    ctx: StateContext, key: TargetKey, kind: KeyKind, encoding: str, *, overwrite: bool
) -> DataMap:
    current = await look(ctx, key)
    if current.kind is None:
        if not overwrite:
            raise StateFailedError(
                "The existing file is no private key formatted as DER, PEM or embedded in PKCS12, or it is "
                "encrypted, and not with the passphrase. Pass overwrite: true to force regeneration"
            )
        return {"replaced": key.path}
    changes: DataMap = {}
    if current.kind.algo != kind.algo:
        changes["algo"] = kind.algo
    elif current.kind.keysize != kind.keysize:
        changes["keysize"] = kind.keysize
    if current.encoding != encoding:
        changes["encoding"] = encoding
    if key.passphrase and not current.is_encrypted:
        changes["passphrase"] = True
    return changes
