"""Execution module `sdb`: values of `sdb://PROFILE/KEY`, from the environment, YAML files or the keyring.

A profile is a mapping with a `driver`, in `ensue.yaml` or in pillar. Values are looked up on the managing
minion, for any target, and are secrets.

Source: Salt's execution module `sdb`, 3008, and its drivers `env`, `yaml` and `keyring_db`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.contracts.functions import by_name
from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_mapping
from ensue.core.model.sensitive_paths import values_at
from ensue.reach.processes.sdb_drivers import DRIVERS

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

SCHEME: Final = "sdb://"
"""The scheme of the URIs."""


async def get(ctx: FunctionContext, uri: Any, utils: Any = None, strict: bool = False) -> Any:
    """Return the value of an sdb URI; anything else is returned as it is.

    Args:
        uri: `sdb://PROFILE/KEY`.
        utils: accepted as by Salt, without effect.
        strict: fail if `uri` is not an sdb URI with a known profile.

    Example:
        ensue call '*' sdb.get sdb://passwords/db

    Raises:
        StateFailedError: the driver is unknown or cannot read the value, or `strict` applies.
    """
    profile, key = _found(ctx, uri)
    if not key:
        if strict:
            raise StateFailedError(f"{uri!r} is not sdb://PROFILE/KEY with a profile of ensue.yaml or pillar")
        return uri
    driver = DRIVERS.get(str(profile["driver"]))
    if driver is None:
        raise StateFailedError(
            f"there is no sdb driver {profile['driver']!r} (there are: {', '.join(DRIVERS)})"
        )
    value = await driver(ctx, key, profile)
    ctx.masker.add(*values_at(value, ("",)))
    return value


def _found(ctx: FunctionContext, uri: Any) -> tuple[dict[str, Any], str]:
    """Return the profile and the key of a URI; the key is empty if it is not an sdb URI."""
    if not isinstance(uri, str) or not uri.startswith(SCHEME):
        return {}, ""
    name, _, key = uri.removeprefix(SCHEME).partition("/")
    profile: Any = ctx.opts.get(name) or ctx.pillar.get(name)
    return (profile, key) if is_mapping(profile) and "driver" in profile else ({}, "")


FUNCTIONS: Final = by_name(get)
