"""Filters that query the machine through the execution functions of the template's target.

In Salt they query the rendering machine, which is the target there. Here the target may be a host behind SSH.

Source: Salt's `files`, `path`, `hashutils`, `user` and `http` utilities, 3008; results measured there.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, Final

from jinja2 import TemplateRuntimeError, pass_context

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jinja2.runtime import Context

_TEXT_BYTES: Final = frozenset([*range(32, 127), *b"\n\r\t\f\b"])
_MOST_OF_TEXT: Final = 0.30
_LOOK_UP: Final = r"""
for a in $(getent {database} {name} | sed -n 's/[[:space:]]\{{1,\}}STREAM.*//p'); do
  echo "$a"
  timeout 2 bash -c ': < /dev/tcp/'"$a/{port}" 2>/dev/null && {{ echo "$a is up"; break; }}
done
exit 0
"""
"""Prints the addresses of a name, in the resolver's order, up to the first that answers."""


@pass_context
def file_hashsum(context: Context, path: str, form: str = "sha256") -> str:
    """Return the checksum of a file."""
    return str(_call(context, "file.get_hash", path, form))


@pass_context
def is_empty(context: Context, path: str) -> bool:
    """Return whether a file exists and is empty."""
    there: bool = _call(context, "file.path_exists", path)
    return there and _call(context, "file.stats", path)["size"] == 0


@pass_context
def is_text_file(context: Context, path: str) -> bool:
    """Return whether a file exists and its first 512 bytes look like text."""
    return _is_file(context, path) and not _is_binary(_begin(context, path, 512))


@pass_context
def is_bin_file(context: Context, path: str) -> bool:
    """Return whether a file exists and its first 2048 bytes do not look like text."""
    return _is_file(context, path) and _is_binary(_begin(context, path, 2048))


@pass_context
def list_files(context: Context, folder: str) -> list[str]:
    """Return a folder and everything below it, sorted."""
    paths: list[str] = (
        _call(context, "file.find", folder) if _call(context, "file.path_exists", folder) else [folder]
    )
    return paths


@pass_context
def which(context: Context, program: str | None = None) -> str | None:
    """Return the path of a program; None if it is not found."""
    path: str | None = _call(context, "cmd.which", program) if program else None
    return path


@pass_context
def get_uid(context: Context, user: str | None = None) -> int | None:
    """Return a user's uid, or None if there is no such user; without a user, the uid of the connection."""
    if user is None:
        return int(_call(context, "cmd.run", "id -u"))
    uid: int | None = _call(context, "user.info", user).get("uid")
    return uid


@pass_context
def http_query(context: Context, url: str, *args: Any, **options: Any) -> Any:
    """Return the result of an HTTP request, as the execution function `http.query` does."""
    return _call(context, "http.query", url, *args, **options)


@pass_context
def dns_check(
    context: Context,
    addr: str,
    port: int,
    safe: bool = False,  # noqa: ARG001 (in Salt it decides which exception is raised)
    ipv6: bool | None = None,
) -> str:
    """Return a name's first address that answers on a port, else its first address; IPv6 in brackets.

    Args:
        context: the template's context.
        addr: the name.
        port: the port.
        safe: accepted for compatibility with Salt, without effect.
        ipv6: whether to require IPv6; None allows any. Without an IPv6 address, IPv4 is used.

    Raises:
        TemplateRuntimeError: the target's resolver knows no address.
    """
    databases = ["ahostsv6", "ahostsv4"] if ipv6 else ["ahostsv4"] if ipv6 is False else ["ahosts"]
    for database in databases:
        line = _LOOK_UP.format(database=database, name=shlex.quote(str(addr)), port=int(port))
        lines = str(_call(context, "cmd.run_stdout", line, python_shell=True)).splitlines()
        # An IPv4-mapped IPv6 address is not one that the resolver was asked for.
        addresses = [each for each in lines if not each.startswith("::ffff:")]
        if addresses:
            address = (
                addresses[-1].removesuffix(" is up") if addresses[-1].endswith(" is up") else addresses[0]
            )
            return f"[{address}]" if ":" in address else address
    raise TemplateRuntimeError(f"DNS lookup or connection check of '{addr}' failed.")


def _call(context: Context, function: str, *args: Any, **options: Any) -> Any:
    functions = context.parent.get("salt")
    if functions is None:
        raise TemplateRuntimeError(f"there is no `salt` here, and this filter calls {function}")
    return functions[function](*args, **options)


def _is_file(context: Context, path: str) -> bool:
    return bool(_call(context, "file.file_exists", path))


def _begin(context: Context, path: str, size_bytes: int) -> bytes:
    return bytes(_call(context, "file.seek_read", path, size_bytes, 0))


def _is_binary(data: bytes) -> bool:
    """Return whether data contains NUL, or more than 30 % of it is not text."""
    if not data:
        return False
    if 0 in data:
        return True
    wide = _is_utf8(data)
    strange = sum(1 for byte in data if byte not in _TEXT_BYTES and not (wide and 128 <= byte < 255))  # noqa: PLR2004 (the bytes of wide characters)
    return strange / len(data) > _MOST_OF_TEXT


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        # The part that was read may end inside a character.
        return error.reason == "unexpected end of data"
    return True


FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "dns_check": dns_check,
    "file_hashsum": file_hashsum,
    "get_uid": get_uid,
    "http_query": http_query,
    "is_bin_file": is_bin_file,
    "is_empty": is_empty,
    "is_text_file": is_text_file,
    "list_files": list_files,
    "which": which,
}
"""Filters by the name that templates use."""
