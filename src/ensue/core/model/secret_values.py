"""Find secret values of pillar or a configuration by the names of their keys, or by their form.

A `Masker` hides these values, and configurations are shown without them. Everything below a secret key is a
secret, whatever its shape. A private key and the password of a URL are secrets under any key. Text that is a
document with keys (JSON, an `.env` file) is searched, too. docs/secrets.md lists the rules.

Source: derived-resources document, "Secret storage"; Salt's roster spells `passwd`, `priv_passwd`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ensue.core.masking import (
    MASK,
    credentials,
    header_credentials,
    literal_part,
    mask_credentials,
    url_passwords,
)
from ensue.core.model.data import is_list, is_mapping
from ensue.core.model.declared_secrets import SENSITIVE, declared_paths, hide_declared

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

SECRET_CONFIG_KEYS: Final = frozenset({
    "access_key", "api_key", "apikey", "client_key", "credentials", "enable_password", "key_data",
    "passphrase", "passwd", "password", "priv_passwd", "private_key", "secret", "secret_key", "secrets",
    "sudo_password", "token",
})  # fmt: skip
"""Keys whose values are secrets, at any depth; lower case, with underscores."""

IDENTITY_KEYS: Final = frozenset({"class", "id", "name", "type"})
"""Keys that say what a resource is: one whose name is `secret` still shows its type."""

SECRET_KEY_ENDINGS: Final = (
    "_password", "_passwd", "_passphrase", "_secret", "_token", "_private_key", "_api_key", "_secret_key",
    "_access_key",
)  # fmt: skip
"""Endings of keys whose values are secrets (`db_password`)."""


_PRIVATE_KEY: Final = "PRIVATE KEY"
_ASSIGNMENT: Final = (
    r"^[ \t]*(?:export[ \t]+|-[ \t]+)?[\"']?(?P<name>[\w.-]+)[\"']?"
    r"[ \t]*(?:=|:[ \t])[ \t]*(?P<value>\S.*?)[ \t]*,?$"
)
_NO_VALUES: Final = frozenset({"|", ">", "|-", ">-", "null", "none", "true", "false", "yes", "no", "{", "["})


@lru_cache(maxsize=4096)
def _is_secret_name(name: str) -> bool:
    plain = name.lower().replace("-", "_")
    return plain in SECRET_CONFIG_KEYS or plain.endswith(SECRET_KEY_ENDINGS)


def is_secret_key(key: object) -> bool:
    """Return whether a key's value is a secret; case and the kind of dash do not matter."""
    return _is_secret_name(str(key))


def is_private_key(value: object) -> bool:
    """Return whether a value is the text of a private key, in PEM or in a form like it (OpenSSH's, PGP's)."""
    return isinstance(value, str) and _PRIVATE_KEY in value and "-----BEGIN " in value


def secret_values(config: Mapping[str, Any]) -> list[str]:
    """Return every secret of a configuration as text, for a `Masker`.

    Args:
        config: nested data.
    """
    return list(_secrets_in(config, inside_secret=False))


def secret_text(line: str) -> str | None:
    """Return the value of a line such as `DB_PASSWORD=abc` or `token: abc` if its key is a secret key.

    Args:
        line: a line of an `.env` file, of INI, YAML or pretty-printed JSON.

    Returns:
        The value; None also for one that consists of references and template expressions (`${one.stdout}`).
    """
    match = re.match(_ASSIGNMENT, line)
    if match is None or not _is_secret_name(match["name"].rpartition(".")[2]):
        return None
    value = match["value"]
    if value[0] in "\"'" and value[-1] == value[0]:
        value = value[1:-1]
    return None if value.lower() in _NO_VALUES or not literal_part(value).strip() else value


def mask_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a configuration with every secret replaced by `(sensitive)`.

    Args:
        config: nested data.
    """
    return {key: _masked(key, value) for key, value in config.items()}


def hide_named(data: Any, *, is_secret: bool = False, shown: Collection[str] = ()) -> Any:
    """Return data of a deployment with `(sensitive)` for each text and number at or below a secret key.

    A placeholder (`${resources.db.outputs.password}`) is no secret, and stays.

    Args:
        data: inputs or outputs.
        is_secret: whether they are below a secret key.
        shown: keys whose texts are no secrets even below a secret key.
    """
    if is_mapping(data):
        return {
            key: value
            if key in shown and isinstance(value, str)
            else hide_named(value, is_secret=is_secret or is_secret_key(key), shown=shown)
            for key, value in data.items()
        }
    if is_list(data):
        return [hide_named(item, is_secret=is_secret, shown=shown) for item in data]
    if not is_secret or data is None or isinstance(data, bool):
        return data
    return MASK if not isinstance(data, str) or literal_part(data) else data


def mask_arguments(data: Any) -> Any:
    """Return a copy of states with `(sensitive)` for the texts and numbers of secret keys.

    Unlike in a configuration, a key may be an ID, whose content is not secret: lists and mappings stay.

    Args:
        data: high data, or low chunks.
    """
    if is_mapping(data):
        if SENSITIVE in data:
            data = hide_declared(data, declared_paths(data))
        return {
            key: MASK
            if (is_secret_key(key) and _is_text_or_number(value)) or any(header_credentials(key, value))
            else mask_arguments(value)
            for key, value in data.items()
        }
    if is_list(data):
        if any(is_mapping(item) and [*item] == [SENSITIVE] for item in data):
            # In high data, each argument is a mapping of its own.
            arguments = {word: value for item in data if is_mapping(item) for word, value in item.items()}
            hidden = hide_declared(arguments, declared_paths(arguments))
            data = [{word: hidden[word] for word in item} if is_mapping(item) else item for item in data]
        return [*map(mask_arguments, data)]
    return mask_credentials(data) if isinstance(data, str) else data


def _is_text_or_number(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def _secrets_in(data: Any, *, inside_secret: bool) -> Iterator[str]:
    match data:
        case Mapping():
            for key, value in data.items():  # pyright: ignore[reportUnknownVariableType]  # any data
                yield from header_credentials(key, value)  # pyright: ignore[reportUnknownArgumentType]  # same
                yield from _secrets_in(value, inside_secret=inside_secret or is_secret_key(key))  # pyright: ignore[reportUnknownArgumentType]  # same
        case list() | tuple():
            for item in data:  # pyright: ignore[reportUnknownVariableType]  # any data
                yield from _secrets_in(item, inside_secret=inside_secret)
        case None | bool() | "":
            return
        case bytes() if inside_secret:
            yield data.decode("utf-8", "backslashreplace")
        case str():
            if inside_secret or is_private_key(data):
                yield data
            yield from _secrets_within(data)
        case _ if inside_secret:
            yield str(data)
        case _:
            return


def _secrets_within(text: str) -> Iterator[str]:
    """Yield the secrets in a text: passwords of URLs, and values of secret keys in a document."""
    yield from url_passwords(text)
    yield from credentials(text)
    if text[:1] in "{[" and text.rstrip()[-1:] in "}]":
        import json

        try:
            yield from _secrets_in(json.loads(text), inside_secret=False)
        except (ValueError, RecursionError):
            pass
        else:
            return
    if "\n" in text or "=" in text:
        for line in text.splitlines():
            if (value := secret_text(line)) is not None:
                yield value


def _masked(key: object, value: Any) -> Any:
    match value:
        case None | bool() | "":
            return value
        case _ if is_secret_key(key) or is_private_key(value) or any(header_credentials(key, value)):
            return MASK
        case Mapping():
            return mask_config(value)  # pyright: ignore[reportUnknownArgumentType]  # any data
        case list() | tuple():
            return [_masked("", item) for item in value]  # pyright: ignore[reportUnknownVariableType]  # any data
        case _:
            return value
