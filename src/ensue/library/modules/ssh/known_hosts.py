"""Known hosts, of a user or of the system: reads and edits `known_hosts`.

The file is parsed and written here; the target requires `ssh-keyscan` only to fetch the keys of a host.

Args:
    hostname: the host name or address.
    config: the path of another file.
    port: the host's port.
    fingerprint_hash_type: `sha256`, `md5`, …

Source: Salt's execution module `ssh`, 3008: names, return values, and when a key is replaced.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules._programs import ask
from ensue.library.modules._text_files import text_of
from ensue.library.modules.ssh.key_line import fingerprint as fingerprint_of
from ensue.library.modules.ssh.known_line import DEFAULT_PORT, KnownHost, host_with_port, read_line
from ensue.library.modules.ssh.places import known_hosts_path, write_user_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.context import FunctionContext
    from ensue.core.model.data import DataMap


async def get_known_host_entries(
    ctx: FunctionContext,
    user: str | None,
    hostname: str,
    config: str | None = None,
    port: int | None = None,
    fingerprint_hash_type: str | None = None,
) -> list[DataMap] | None:
    """Return the known keys of a host, None if there are none.

    Args:
        user: the user whose file to read; None for the system's file.

    Example:
        ensue call '*' ssh.get_known_host_entries deploy git.example.com
    """
    text = await text_of(ctx, await known_hosts_path(ctx, user, config)) or ""
    entries = _entries(text, host_with_port(hostname, port))
    return [each.as_data(fingerprint_hash_type) for each in entries] or None


async def recv_known_host_entries(
    ctx: FunctionContext,
    hostname: str,
    enc: str | None = None,
    port: int | None = None,
    hash_known_hosts: bool = True,
    timeout: int = 5,  # noqa: ASYNC109 (Salt's argument, for ssh-keyscan)
    fingerprint_hash_type: str | None = None,
) -> list[DataMap] | None:
    """Fetch a host's keys from the target; None if the host does not answer.

    Args:
        enc: only keys of this type.
        hash_known_hosts: return the host name as a hash.
        timeout: how long to wait for the host, in seconds.

    Example:
        ensue call '*' ssh.recv_known_host_entries git.example.com
    """
    words = ["-H"] if hash_known_hosts else []
    words += ["-p", str(port)] if port else []
    words += ["-t", enc] if enc else []
    answer = await ask(ctx, "ssh-keyscan", *words, "-T", str(timeout), "--", hostname)
    if answer.is_missing:
        raise StateFailedError(f"{ctx.srn} has no program `ssh-keyscan`; install it there, or give the key")
    entries = [entry for line in answer.stdout.splitlines() if (entry := read_line(line))]
    return [each.as_data(fingerprint_hash_type) for each in entries] or None


async def check_known_host(
    ctx: FunctionContext,
    user: str | None = None,
    hostname: str = "",
    key: str | None = None,
    fingerprint: str | None = None,
    config: str | None = None,
    port: int | None = None,
    fingerprint_hash_type: str | None = None,
) -> str | DataMap:
    """Return what is needed to make a host known: `add`, `update`, or `exists` for nothing.

    Args:
        user: the user whose file it is; None for the system's file.
        key: the key, in base64.
        fingerprint: the required fingerprint of the given or fetched key.

    Returns:
        That word; a mapping with `status` and `error` if the key does not have the fingerprint.
    """
    if fault := _mismatch(key, fingerprint, fingerprint_hash_type):
        return _error(fault)
    known = await get_known_host_entries(ctx, user, hostname, config, port, fingerprint_hash_type)
    if not known:
        return "add"
    if key:
        return "exists" if key in _all(known, "key") else "update"
    if fingerprint:
        return "exists" if fingerprint in _all(known, "fingerprint") else "update"
    return "exists"


async def set_known_host(
    ctx: FunctionContext,
    user: str | None = None,
    hostname: str = "",
    fingerprint: str | None = None,
    key: str | None = None,
    port: int | None = None,
    enc: str | None = None,
    config: str | None = None,
    hash_known_hosts: bool = True,
    timeout: int = 5,  # noqa: ASYNC109 (Salt's argument, for ssh-keyscan)
    fingerprint_hash_type: str | None = None,
) -> DataMap:
    """Add a host's key to the known hosts. Without a key, fetch the host's keys and check the fingerprint.

    Args:
        user: the user whose file to change; None for the system's file.
        fingerprint: the required fingerprint of the given or fetched key.
        key: the host's key; None fetches it from the host.
        enc: the key's type; keys of other types are not touched.
        hash_known_hosts: write the host name as a hash.
        timeout: how long to wait for the host, in seconds.

    Returns:
        `status`: `exists`, `updated` with `old` and `new`, or `error` with the reason.

    Raises:
        StateFailedError: the target has no ssh-keyscan.
        RemoteFileError: the file cannot be read or written.
    """
    fault = _mismatch(key, fingerprint, fingerprint_hash_type)
    if port is not None and int(port) != DEFAULT_PORT and hash_known_hosts:
        fault = "argument port can not be used in conjunction with argument hash_known_hosts"
    if fault:
        return _error(fault)
    stored = await get_known_host_entries(ctx, user, hostname, config, port, fingerprint_hash_type) or []
    same_type = [str(entry["key"]) for entry in stored if enc is None or entry["enc"] == enc]
    if stored and (key or fingerprint):
        is_known = not fingerprint or fingerprint in _all(stored, "fingerprint")
        if is_known and (not key or key in same_type):
            return {"status": "exists", "keys": [*same_type]}
    host = host_with_port(hostname, port)
    if key:
        shown: list[DataMap] = [{"hostname": hostname, "enc": enc, "key": key}]
    else:
        shown = await recv_known_host_entries(
            ctx, hostname, enc, port, hash_known_hosts, timeout, fingerprint_hash_type
        ) or []  # fmt: skip
        if not shown:
            return _error("Unable to receive remote host keys")
        if fingerprint and fingerprint not in _all(shown, "fingerprint"):
            return _error(
                "Remote host public keys found but none of their fingerprints match the one you have provided"
            )
        if stored and not fingerprint and {*same_type} == {*_all(shown, "key")}:
            return {"status": "exists", "keys": [*same_type]}
    lines = [_new_line(entry, host, hash_known_hosts=hash_known_hosts) for entry in shown]
    await _rewrite(ctx, user, config, lambda old: old.is_for(host) and enc in {None, old.enc}, lines)
    return {"status": "updated", "old": [*stored] or None, "new": [*shown]}


async def rm_known_host(
    ctx: FunctionContext,
    user: str | None = None,
    hostname: str = "",
    config: str | None = None,
    port: int | None = None,
) -> DataMap:
    """Remove a host from the known hosts; returns `status`, and what was done.

    Args:
        user: the user whose file it is; None for the system's file.
    """
    path = await known_hosts_path(ctx, user, config)
    if await text_of(ctx, path) is None:
        return _error(f"Known hosts file {path} does not exist")
    host = host_with_port(hostname, port)
    count = await _rewrite(ctx, user, config, lambda old: old.is_for(host), [])
    return {"status": "removed", "comment": f"{count} of the keys of {host} removed from {path}"}


async def hash_known_hosts(
    ctx: FunctionContext, user: str | None = None, config: str | None = None
) -> DataMap:
    """Hash all host names in a file; patterns stay as they are.

    Args:
        user: the user whose file it is; None for the system's file.
    """
    path = await known_hosts_path(ctx, user, config)
    text = await text_of(ctx, path)
    if text is None:
        return _error(f"Known hosts file {path} does not exist")
    lines: list[str] = []
    for line in file_lines(text):
        entry = read_line(line)
        lines.append(line if entry is None or set(entry.hostname) & set("*?!,") else entry.hashed().text())
    await write_user_file(ctx, path, "".join(f"{line}\n" for line in lines), user)
    return {"status": "updated", "comment": f"{path} updated"}


async def _rewrite(
    ctx: FunctionContext,
    user: str | None,
    config: str | None,
    goes: Callable[[KnownHost], bool],
    new: Sequence[str],
) -> int:
    path = await known_hosts_path(ctx, user, config)
    before = file_lines(await text_of(ctx, path) or "")
    kept = [line for line in before if (entry := read_line(line)) is None or not goes(entry)]
    await write_user_file(ctx, path, "".join(f"{line}\n" for line in [*kept, *new]), user)
    return len(before) - len(kept)


def _new_line(entry: DataMap, host: str, *, hash_known_hosts: bool) -> str:
    name = str(entry["hostname"])
    shown = name if name.startswith(("|", "[")) else host
    known_host = KnownHost(hostname=shown, enc=str(entry["enc"]), key=str(entry["key"]))
    return (known_host.hashed() if hash_known_hosts else known_host).text()


def _entries(text: str, host: str) -> list[KnownHost]:
    lines = (read_line(line) for line in file_lines(text))
    return [entry for entry in lines if entry and entry.is_for(host)]


def _mismatch(key: str | None, expected: str | None, hash_type: str | None) -> str:
    """Return an error message if a key does not have the given fingerprint, empty if it has."""
    if not key or not expected:
        return ""
    actual = fingerprint_of(key, hash_type)
    return "" if actual == expected else f"The key has the fingerprint {actual or '(none)'}, not {expected}"


def _all(entries: Sequence[DataMap], key: str) -> list[str]:
    return [str(entry.get(key)) for entry in entries]


def _error(text: str) -> DataMap:
    return {"status": "error", "error": text}
