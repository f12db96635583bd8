"""Paths and URLs.

Source: Sprig's documentation, "Path and Filepath Functions" and "URL Functions"; on Linux both kinds of paths
are the same.
"""

from __future__ import annotations

import posixpath
import urllib.parse
from typing import TYPE_CHECKING, Any, Final

from ensue.deploy.gotemplate.failures import CallError
from ensue.deploy.gotemplate.function import Function, function
from ensue.deploy.gotemplate.values import type_of

if TYPE_CHECKING:
    from collections.abc import Mapping

_PARTS: Final = ("scheme", "host", "path", "query", "opaque", "fragment", "userinfo")


def _clean(path: str) -> str:
    cleaned = posixpath.normpath(path) if path else "."
    return cleaned[1:] if cleaned.startswith("//") else cleaned


def _base(path: str) -> str:
    if not path:
        return "."
    return path.rstrip("/").rpartition("/")[2] or "/"


def _ext(path: str) -> str:
    name = path.rpartition("/")[2]
    return f".{name.rpartition('.')[2]}" if "." in name else ""


def _url_parse(text: str) -> dict[str, str]:
    try:
        parts = urllib.parse.urlsplit(text)
        hostname = parts.netloc.rpartition("@")[2]
        if not hostname.endswith("]"):
            hostname = hostname.rpartition(":")[0] or hostname if ":" in hostname else hostname
    except ValueError as error:
        raise CallError(f"this is not a URL: {error}") from None
    userinfo, _, host = parts.netloc.rpartition("@")
    is_opaque = bool(parts.scheme) and not text[len(parts.scheme) + 1 :].startswith("/")
    return {
        "scheme": parts.scheme,
        "host": host,
        "hostname": hostname.strip("[]"),
        "path": "" if is_opaque else urllib.parse.unquote(parts.path),
        "query": parts.query,
        "opaque": parts.path if is_opaque else "",
        "fragment": urllib.parse.unquote(parts.fragment),
        "userinfo": userinfo,
    }


def _url_join(mapping: dict[str, Any]) -> str:
    parts = {name: mapping.get(name, "") for name in _PARTS}
    for name, value in parts.items():
        if not isinstance(value, str):
            raise CallError(f"{name} is {type_of(value)}", help="Parts of a URL are strings")
    text = f"{parts['scheme']}:" if parts["scheme"] else ""
    if parts["opaque"]:
        text += parts["opaque"]
    else:
        user = f"{parts['userinfo']}@" if parts["userinfo"] else ""
        has_host = parts["scheme"] or parts["host"] or user
        if has_host and (parts["host"] or parts["path"] or user):
            text += (
                f"//{user}{parts['host']}" if parts["host"] or user or parts["path"].startswith("//") else ""
            )
        path = urllib.parse.quote(parts["path"], safe="/:@!$&'()*+,;=~")
        text += f"/{path}" if path and not path.startswith("/") and parts["host"] else path
    text += f"?{parts['query']}" if parts["query"] else ""
    return text + (
        f"#{urllib.parse.quote(parts['fragment'], safe='/?:@!$&()*+,;=~')}" if parts["fragment"] else ""
    )


_PATHS: Final[Mapping[str, Function]] = {
    "base": function(_base, "s"),
    "clean": function(_clean, "s"),
    "dir": function(lambda path: _clean(path.rpartition("/")[0] + ("/" if "/" in path else "")), "s"),
    "ext": function(_ext, "s"),
    "isAbs": function(lambda path: path.startswith("/"), "s"),
}

PATH_FUNCTIONS: Final[Mapping[str, Function]] = {
    **_PATHS,
    **{f"os{name[0].upper()}{name[1:]}": value for name, value in _PATHS.items()},
    "urlJoin": function(_url_join, "d"),
    "urlParse": function(_url_parse, "s"),
}
"""The functions by name."""
