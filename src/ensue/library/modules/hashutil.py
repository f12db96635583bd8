"""Execution module `hashutil`: digests and base64.

Args:
    checksum: `md5`, `sha256`, `sha512`, …
    string: the text.
    shared_secret: the secret key of the signature.

Source: Salt's execution module `hashutil`, 3008: names and return values.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.contracts.context import FunctionContext


def digest(ctx: FunctionContext, instr: str, checksum: str = "md5") -> str:
    """Return the digest of a text, hexadecimal.

    Args:
        instr: the text.

    Example:
        ensue call '*' hashutil.digest hello

    Raises:
        StateFailedError: there is no such digest.
    """
    return _hash(checksum, instr.encode())


async def digest_file(ctx: FunctionContext, infile: str, checksum: str = "md5") -> str:
    """Return the digest of a file of the target; see `digest`.

    Args:
        infile: the path of the file.

    Example:
        ensue call '*' hashutil.digest_file /etc/motd
    """
    _need_digest(checksum)
    hexdigest = await ctx.connection.checksum(infile, checksum)
    if hexdigest is None:
        raise StateFailedError(f"Path not found: {infile}")
    return hexdigest


def _digest(checksum: str, title: str) -> Callable[[FunctionContext, str], str]:
    def digest_of(ctx: FunctionContext, instr: str) -> str:
        return digest(ctx, instr, checksum)

    digest_of.__doc__ = f"""Return the {title} of a text.

    Args:
        instr: the text.

    Example:
        ensue call '*' hashutil.{checksum}_digest hello
    """
    return digest_of


def base64_b64encode(ctx: FunctionContext, instr: str) -> str:
    """Return a text as base64.

    Args:
        instr: the text.

    Example:
        ensue call '*' hashutil.base64_b64encode hello
    """
    return base64.b64encode(instr.encode()).decode()


def base64_b64decode(ctx: FunctionContext, instr: str) -> str:
    """Return the text that base64 encodes.

    Args:
        instr: the base64.

    Example:
        ensue call '*' hashutil.base64_b64decode aGVsbG8h
    """
    return base64.b64decode(instr).decode()


def base64_encodestring(ctx: FunctionContext, instr: str) -> str:
    """Return a text as base64 in lines of 76 characters.

    Args:
        instr: the text.

    Example:
        ensue call '*' hashutil.base64_encodestring hello
    """
    return base64.encodebytes(instr.encode()).decode()


async def base64_encodefile(ctx: FunctionContext, fname: str) -> str:
    """Return a file of the target as base64 in lines of 76 characters.

    Args:
        fname: the path of the file.

    Example:
        ensue call '*' hashutil.base64_encodefile /etc/motd
    """
    return base64.encodebytes(await ctx.connection.read(fname)).decode()


def hmac_signature(ctx: FunctionContext, string: str, shared_secret: str, challenge_hmac: str) -> bool:
    """Return whether a text has this signature (HMAC-SHA256 as base64).

    Args:
        challenge_hmac: the signature to compare with.

    Example:
        ensue call '*' hashutil.hmac_signature text key 'avqQRqlXnK0UOjhMG1ZLmiUNJ9b2pj+fIL86dZTJ4sY='
    """
    made = hmac.new(shared_secret.encode(), string.encode(), hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(made).decode(), challenge_hmac)


def hmac_compute(ctx: FunctionContext, string: str, shared_secret: str) -> str:
    """Return the signature of a text (HMAC-SHA256, hexadecimal).

    Example:
        ensue call '*' hashutil.hmac_compute 'some text' 'shared secret'
    """
    return hmac.new(shared_secret.encode(), string.encode(), hashlib.sha256).hexdigest()


def _need_digest(name: str) -> None:
    if name not in hashlib.algorithms_guaranteed or name.startswith("shake"):
        raise StateFailedError(f"{name!r} is not a digest")


def _hash(name: str, content: bytes) -> str:
    _need_digest(name)
    return hashlib.new(name, content, usedforsecurity=False).hexdigest()


FUNCTIONS: Final = by_name(
    base64_b64decode, base64_b64encode, base64_encodefile, base64_encodestring, digest, digest_file,
    hmac_compute, hmac_signature, base64_decodestring=base64_b64decode, md5_digest=_digest("md5", "MD5"),
    sha256_digest=_digest("sha256", "SHA-256"), sha512_digest=_digest("sha512", "SHA-512"),
)  # fmt: skip
