"""User name and password in the URL of a remote."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit, urlunsplit

from ensue.core.errors import StateFailedError

if TYPE_CHECKING:
    from ensue.core.contracts.context import StateContext


def with_login(ctx: StateContext, url: str, user: str | None, password: str | None) -> str:
    """Return a URL with user name and password, and register passwords as secrets.

    Args:
        url: URL of the remote.
        user: the user name; None leaves the URL unchanged.
        password: the password.

    Raises:
        StateFailedError: a user name is given, and the URL is not an HTTPS URL.
    """
    parts = urlsplit(url) if "://" in url else None
    if parts and parts.password:
        ctx.masker.add(parts.password)
    if user is None and password is None:
        return url
    if parts is None or parts.scheme != "https":
        raise StateFailedError("https_user and https_pass are for URLs that begin with https://")
    secret = quote(password or "", safe="")
    ctx.masker.add(password or "", secret)
    login = f"{quote(user or '', safe='')}:{secret}" if password is not None else quote(user or "", safe="")
    return urlunsplit(parts._replace(netloc=f"{login}@{parts.netloc.rpartition('@')[2]}"))


def password_of(url: str) -> str | None:
    """Return the password in a URL."""
    return urlsplit(url).password if "://" in url else None
