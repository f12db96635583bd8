"""Which values of a configuration are secrets, by the names of their keys.

Used to tell a `Masker` what to hide and to show a configuration without its secrets. A value that
stands under a secret key is a secret whole, whatever its shape. Secrets that no key gives away
are not found here: whoever opens one tells the masker.

Source: derived-resources document, "Secret storage"; Salt's roster spells `passwd`, `priv_passwd`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from ensue.masking import MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

SECRET_CONFIG_KEYS: Final = frozenset(
    {
        "access_key",
        "api_key",
        "client_key",
        "credentials",
        "enable_password",
        "key_data",
        "passphrase",
        "passwd",
        "password",
        "priv_passwd",
        "private_key",
        "secret",
        "secret_key",
        "secrets",
        "sudo_password",
        "token",
    }
)
"""Keys whose values are secrets, at any depth; lower case, with underscores."""

SECRET_KEY_ENDINGS: Final = (
    "_password",
    "_passwd",
    "_passphrase",
    "_secret",
    "_token",
    "_private_key",
    "_api_key",
    "_secret_key",
    "_access_key",
)
"""The same for keys that end so (`db_password`)."""


def is_secret_key(key: object) -> bool:
    """Say whether a key's value is a secret; case and the kind of dash do not matter."""
    name = str(key).lower().replace("-", "_")
    return name in SECRET_CONFIG_KEYS or name.endswith(SECRET_KEY_ENDINGS)


def secret_values(config: Mapping[str, Any]) -> list[str]:
    """Return every secret of a configuration as text, for a `Masker`.

    Args:
        config: nested data.
    """
    return list(_secrets_in(config, inside_secret=False))


def mask_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a configuration with `(sensitive)` in the place of every secret.

    Args:
        config: nested data.
    """
    return {key: _masked(key, value) for key, value in config.items()}


def _secrets_in(data: Any, *, inside_secret: bool) -> Iterator[str]:
    match data:
        case Mapping():
            for key, value in data.items():  # pyright: ignore[reportUnknownVariableType]  # any data
                yield from _secrets_in(value, inside_secret=inside_secret or is_secret_key(key))  # pyright: ignore[reportUnknownArgumentType]  # same
        case list() | tuple():
            for item in data:  # pyright: ignore[reportUnknownVariableType]  # any data
                yield from _secrets_in(item, inside_secret=inside_secret)
        case None | bool() | "":
            return
        case bytes() if inside_secret:
            yield data.decode("utf-8", "backslashreplace")
        case _ if inside_secret:
            yield str(data)
        case _:
            return


def _masked(key: object, value: Any) -> Any:
    match value:
        case None | bool() | "":
            return value
        case _ if is_secret_key(key):
            return MASK
        case Mapping():
            return mask_config(value)  # pyright: ignore[reportUnknownArgumentType]  # any data
        case list() | tuple():
            return [_masked("", item) for item in value]  # pyright: ignore[reportUnknownVariableType]  # any data
        case _:
            return value
