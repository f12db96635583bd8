"""Configurations and watched grains as bytes: one form for equal values, so that they can be compared.

MessagePack with sorted keys: unlike JSON it keeps bytes apart from text. Encryption is elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import msgspec

from ensue.core.errors import ResourceError, TamperedError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.data import Data, DataMap
    from ensue.core.model.srn import Srn


class _NotStorableError(Exception):
    """A value that cannot be stored; carries the name of its type, never the value."""


def encode(data: Data | Mapping[str, Data], *, srn: Srn) -> bytes:
    """Return data as bytes, the same for equal data whatever the order of its keys.

    Args:
        data: a configuration, or watched grains.
        srn: the resource it belongs to, for the message.

    Raises:
        ResourceError: it holds something that is not data (an object, a number of more than 64 bits).
    """
    try:
        return msgspec.msgpack.encode(data, enc_hook=_plain, order="deterministic")
    except (_NotStorableError, OverflowError, UnicodeEncodeError, TypeError, RecursionError) as error:
        # Some of these errors quote the value, which may be a secret: only their kind is reported.
        kind = str(error) if isinstance(error, _NotStorableError) else type(error).__name__
        raise ResourceError(
            f"{srn}: its configuration holds a value that cannot be stored ({kind})"
            " (write text, numbers, booleans, lists and mappings)"
        ) from None


def decode(encoded: bytes, *, srn: Srn) -> DataMap:
    """Return the data that was encoded.

    Raises:
        TamperedError: these are not the bytes of a mapping.
    """
    try:
        return msgspec.msgpack.decode(encoded, type=dict[str, Any])
    except msgspec.MsgspecError as error:
        msg = f"{srn}: what is stored under its name is not a configuration (forget it and register it again)"
        raise TamperedError(msg) from error


def watched_part(grains: Mapping[str, Data], watch: Sequence[str]) -> dict[str, Data]:
    """Return the watched grains that exist.

    Args:
        grains: the source's grains.
        watch: keys; a key that does not exist as such may be a colon path (`network:address`).
    """
    values = ((key, _grain(grains, key)) for key in watch)
    return {key: value[0] for key, value in values if value}


def _grain(grains: Mapping[str, Data], key: str) -> tuple[Data, ...]:
    if key in grains:
        return (grains[key],)
    here: Any = grains
    for part in key.split(":"):
        if not isinstance(here, Mapping) or part not in here:
            return ()
        here = here[part]  # pyright: ignore[reportUnknownVariableType]  # any data
    return (cast("Data", here),)


def _plain(value: Any) -> Any:
    match value:
        case str():
            return str.__str__(value)
        case Mapping():
            return dict(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]  # any data
        case _:
            raise _NotStorableError(type(value).__name__)
