"""`salt.utils.url`: `salt://` and other URLs."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlparse, urlsplit, urlunparse

from ensue.language.salt_names.absent import not_there

_SALT = "salt://"


def parse(url: str) -> tuple[str, str | None]:
    """Return the path and the environment of a `salt://` URL."""
    if not url.startswith(_SALT):
        return url, None
    path, _, query = url.removeprefix(_SALT).partition("?")
    return path, parse_qs(query).get("saltenv", [None])[0]


def create(path: str, saltenv: str | None = None) -> str:
    """Return the `salt://` URL of a path."""
    query = f"?{urlencode({'saltenv': saltenv})}" if saltenv else ""
    return f"{_SALT}{path.replace(chr(92), '/')}{query}"


def validate(url: str, protos: list[str]) -> tuple[bool, str]:
    """Return whether a URL has one of some schemes, and a message."""
    scheme = urlsplit(url).scheme
    if scheme in protos or (not scheme and "" in protos):
        return True, f"Valid URI: {url}"
    return False, f"URL protocol must be one of {', '.join(protos)}, not {scheme or 'none'}"


def split_env(url: str) -> tuple[str, str | None]:
    """Return a URL without its environment, and the environment."""
    if not url.startswith(_SALT):
        return url, None
    path, saltenv = parse(url)
    return create(path), saltenv


def redact_http_basic_auth(output: str) -> str:
    """Return a text with the passwords in URLs redacted."""
    import re

    return re.sub(r"(https?://)[^/\s@]+@", r"\1<redacted>@", output)


__all__ = [
    "create", "parse", "redact_http_basic_auth", "split_env", "urlparse", "urlunparse", "validate",
]  # fmt: skip

__getattr__ = not_there(__name__)
