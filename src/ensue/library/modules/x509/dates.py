"""Expiration of certificates.

Source: Salt's execution module `x509_v2`, 3008: return values.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from ensue.library.modules.x509.describing import name_data
from ensue.reach.certificates.sources import certificate_of

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def expires(ctx: FunctionContext, certificate: str, days: int = 0) -> bool:
    """Return whether a certificate will have expired in some days.

    Args:
        days: the number of days; 0 for now.

    Example:
        ensue call '*' x509.expires /etc/ssl/www.crt

    Raises:
        StateFailedError: there is no certificate.
    """
    ends = (await certificate_of(ctx, certificate)).not_valid_after_utc
    return ends <= dt.datetime.now(tz=dt.UTC) + dt.timedelta(days=days)


async def expired(ctx: FunctionContext, certificate: str) -> DataMap:
    """Return `path`, `cn` and `expired` of a certificate; `path` only if it is in a file.

    Example:
        ensue call '*' x509.expired /etc/ssl/www.crt

    Raises:
        StateFailedError: there is no certificate.
    """
    return {**await _about(ctx, certificate), "expired": await expires(ctx, certificate)}


async def will_expire(ctx: FunctionContext, certificate: str, days: int) -> DataMap:
    """Return `check_days`, `path`, `cn` and `will_expire` of a certificate; `path` only if it is in a file.

    Args:
        days: the number of days.

    Example:
        ensue call '*' x509.will_expire /etc/ssl/www.crt 30

    Raises:
        StateFailedError: there is no certificate.
    """
    is_over = await expires(ctx, certificate, days)
    return {"check_days": days, **await _about(ctx, certificate), "will_expire": is_over}


async def _about(ctx: FunctionContext, certificate: str) -> DataMap:
    name = name_data((await certificate_of(ctx, certificate)).subject)
    path: DataMap = {"path": certificate} if certificate.startswith("/") else {}
    return {**path, **({"cn": name["CN"]} if "CN" in name else {})}
