"""`x509.private_key_managed`.

Source: Salt's state module `x509_v2`, 3008.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.certificates.encodings import check
from ensue.certificates.keys import ENCODINGS, Kind, Storage, encode, generate, look
from ensue.certificates.openssl import Key
from ensue.contracts.functions import also_takes
from ensue.errors import StateFailedError
from ensue.model.returns import StateReturn
from ensue.states.x509.files import ABOUT_FILE, kept, outcome, real_path, split

if TYPE_CHECKING:
    from ensue.contracts.context import StateContext
    from ensue.model.data import DataMap

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
    """Have a private key, made on the target; it never leaves it.

    Args:
        ctx: the state's context.
        name: the path.
        algo: `rsa`, `ec`, `ed25519` or `ed448`.
        keysize: in bits: for rsa 2048 and more, for ec 256, 384 or 521.
        passphrase: what it is encrypted with; masked.
        encoding: `pem`, `der` or `pkcs12`.
        new: make another one each time.
        overwrite: replace what is there and cannot be read.
        pkcs12_encryption_compat: encrypt PKCS#12 as old programs can read it.
        bits: Salt's older name of `keysize`.
        **kwargs: those of `file.managed`; the mode is 0400 without one.

    Returns:
        `changes` have `created` or `replaced` with the path, or what changes (`algo keysize encoding
        passphrase`); `new_state` has `path algo keysize`.

    Raises:
        StateFailedError: an argument makes no sense, or what is there is no such key.
    """
    about_file, others = split(kwargs)
    if unknown := sorted(others.keys() - _OLD):
        raise StateFailedError(f"Unrecognized keyword arguments: {', '.join(unknown)}")
    check(encoding, ENCODINGS)
    about_file.setdefault("mode", "0400")
    secret = str(passphrase) if passphrase else None
    storage = Storage(encoding=encoding, passphrase=secret, is_compatible=bool(pkcs12_encryption_compat))
    kind = Kind.wanted(algo, keysize if keysize is not None else bits)
    path = await real_path(ctx, name)
    there = await ctx.connection.stat(path, follow=True)
    if there is None and about_file.get("create") is False:
        comment = f"File {name} is not present and is not set for creation"
        return StateReturn(name=name, result=True, comment=comment, new_state={"path": name, "exists": False})
    changes: DataMap = {"created": name} if there is None else {"replaced": name} if new else {}
    if there is not None and not new:
        changes = await _differences(
            ctx, Key(path=path, passphrase=secret), kind, encoding, overwrite=overwrite
        )
    file = await kept(ctx, name, None, about_file)
    if changes and not ctx.test:
        try:
            if changes.keys() <= {"encoding", "passphrase"}:
                await encode(ctx, path, Key(path=path, passphrase=secret), storage)
            else:
                await generate(ctx, path, kind, storage)
        except StateFailedError:
            if there is None:
                await ctx.connection.remove(path)
            raise
    new_state: DataMap = {"path": name, "algo": kind.algo, "keysize": kind.keysize}
    return outcome(ctx, name, "private key", changes, file, new_state)


async def _differences(ctx: StateContext, key: Key, kind: Kind, encoding: str, *, overwrite: bool) -> DataMap:
    found = await look(ctx, key)
    if found.kind is None:
        if not overwrite:
            raise StateFailedError(
                "The existing file is no private key formatted as DER, PEM or embedded in PKCS12, or it is "
                "encrypted, and not with the passphrase. Pass overwrite: true to force regeneration"
            )
        return {"replaced": key.path}
    changes: DataMap = {}
    if found.kind.algo != kind.algo:
        changes["algo"] = kind.algo
    elif found.kind.keysize != kind.keysize:
        changes["keysize"] = kind.keysize
    if found.encoding != encoding:
        changes["encoding"] = encoding
    if key.passphrase and not found.is_encrypted:
        changes["passphrase"] = True
    return changes
