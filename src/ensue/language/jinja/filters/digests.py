"""Filters that encode, hash and sign, and that return random values.

Source: Salt's `hashutils`, `stringutils` and `network` utilities, 3008; results measured there, code our own.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import uuid
from typing import TYPE_CHECKING, Any, Final

from ensue.language.jinja.filters.kinds import as_bytes, not_folded

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_SALTS_NAMESPACE: Final = uuid.UUID("91633EBF-1C86-5E33-935A-28061F4B480E")
_MAC_DIGITS: Final = 12


def base64_encode(text: Any) -> str:
    """Return text or bytes in base64."""
    return base64.b64encode(as_bytes(text)).decode()


def base64_decode(text: Any) -> str | bytes:
    """Return the decoded value of base64, as text if it is UTF-8."""
    decoded = base64.b64decode(as_bytes(text))
    try:
        return decoded.decode()
    except UnicodeDecodeError:
        return decoded


def hmac_compute(text: Any, shared_secret: Any) -> str:
    """Return a text's signature: HMAC with SHA-256, hexadecimal."""
    return hmac.new(as_bytes(shared_secret), as_bytes(text), hashlib.sha256).hexdigest()


def hmac_verify(text: Any, shared_secret: Any, challenge_hmac: Any) -> bool:
    """Return whether a signature, in base64, is that of a text."""
    signature = hmac.new(as_bytes(shared_secret), as_bytes(text), hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(signature), as_bytes(challenge_hmac))


def to_uuid(text: Any) -> str:
    """Return the UUID of a text (version 5, in Salt's namespace)."""
    return str(uuid.uuid5(_SALTS_NAMESPACE, as_bytes(text).decode()))


def random_str(size: int = 32) -> str:
    """Return a random text of `size` characters of base64."""
    import secrets

    return base64.b64encode(secrets.token_bytes(size)).decode()[:size]


def random_hash(size: int = 9_999_999_999, hash_type: str | None = None) -> str:
    """Return the hash of a random number from 0 to `size`."""
    import secrets

    return hashlib.new(hash_type or "md5", str(secrets.randbelow(size + 1)).encode()).hexdigest()


def gen_mac(prefix: str = "AC:DE:48") -> str:
    """Return a random MAC address with a manufacturer's prefix."""
    import secrets

    return ":".join([prefix, *(f"{byte:02X}" for byte in secrets.token_bytes(3))])


def mac_str_to_bytes(text: str) -> bytes:
    """Return the bytes of a MAC address, with or without separators.

    Raises:
        ValueError: it is not a MAC address.
    """
    separated = len(text) == _MAC_DIGITS + 5
    digits = text.replace(text[2], "") if separated else text
    if len(digits) != _MAC_DIGITS:
        raise ValueError(f"{text!r} is not a MAC address")
    return bytes.fromhex(digits)


def _digest(name: str) -> Callable[[Any], str]:
    def digest(value: Any) -> str:
        return hashlib.new(name, as_bytes(value), usedforsecurity=False).hexdigest()

    return digest


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "base64_decode": base64_decode,
    "base64_encode": base64_encode,
    "gen_mac": not_folded(gen_mac),
    "hmac": hmac_verify,
    "hmac_compute": hmac_compute,
    "mac_str_to_bytes": mac_str_to_bytes,
    "md5": _digest("md5"),
    "rand_str": not_folded(random_hash),
    "random_hash": not_folded(random_hash),
    "random_str": not_folded(random_str),
    "sha1": _digest("sha1"),
    "sha256": _digest("sha256"),
    "sha512": _digest("sha512"),
    "uuid": to_uuid,
}
"""Filters by the name that templates use."""
