"""Converts the values of a container's options: lists, pairs, ports, limits.

Source: Salt's extension `saltext-dockermod`, 0.1: the accepted forms, including those of the Python library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator


def words(value: Any) -> list[Any]:
    """Return the items of a list, or of a text with commas; items that are mappings are not converted."""
    if is_list(value):
        return [entry if is_mapping(entry) else str(entry) for entry in value]
    if is_mapping(value):
        return [value]
    return [word.strip() for word in str(value).split(",") if word.strip()]


def pairs(value: Any, between: str, option: str, *, default: str | None = None) -> dict[str, str]:
    """Return the pairs of a mapping, of a list of mappings with one key each, or of texts such as `a=b`.

    Args:
        value: what the user wrote.
        between: the separator between key and value of a text.
        option: the option's name, for messages.
        default: the value for a text without one; None makes that an error.

    Raises:
        StateFailedError: a text is not a pair.
    """
    result: dict[str, str] = {}
    for entry in words(value):
        if is_mapping(entry):
            result |= {str(key): "" if text is None else str(text) for key, text in entry.items()}
            continue
        key, middle, text = entry.partition(between)
        if not middle and default is None:
            raise StateFailedError(f"{option}: '{entry}' is not a key{between}value pair")
        result[key.strip()] = text.strip() if middle else default or ""
    return result


def published(value: Any) -> list[str]:
    """Return port bindings in the form of `docker create --publish`.

    Args:
        value: texts (`80`, `8080:80`, `127.0.0.1:8080:80/tcp`, ranges), or a mapping from a port of the
            container to a port of the host, to an address and a port, or to a list of these.

    Raises:
        StateFailedError: it is neither.
    """
    if is_list(value) and any(is_mapping(entry) for entry in value):
        return [text for entry in value for text in (published(entry) if is_mapping(entry) else [str(entry)])]
    if is_mapping(value):
        return [text for port, host in value.items() for text in _bindings(str(port), host)]
    published_ports = words(value)
    wrong = [text for text in published_ports if not text.replace("[", "").strip(":")]
    if wrong:
        raise StateFailedError(f"port_bindings: {wrong[0]!r} is not a port")
    return published_ports


def _bindings(port: str, host: Any) -> Iterator[str]:
    is_address_and_port = is_list(host) and len(host) in {1, 2} and "." in str(host[0])
    if host is None:
        yield port
    elif is_address_and_port:
        yield f"{host[0]}:{host[1] if len(host) > 1 else ''}:{port}"
    elif is_list(host):
        for entry in host:
            yield from _bindings(port, entry)
    else:
        yield f"{host}:{port}"


def restart_of(value: Any) -> str:
    """Return a restart policy as text: `on-failure:5`, `always`."""
    if not is_mapping(value):
        return str(value[0]) if is_list(value) and value else str(value)
    count = value.get("MaximumRetryCount")
    return f"{value.get('Name', 'no')}:{count}" if count else str(value.get("Name", "no"))


def ulimit_of(value: Any) -> str:
    """Return a limit as text: `nofile=1024:2048`."""
    if not is_mapping(value):
        return str(value)
    low = {str(key).lower(): entry for key, entry in value.items()}
    if "name" not in low:
        return ",".join(f"{key}={entry}" for key, entry in value.items())
    soft = low.get("soft", low.get("hard"))
    return f"{low['name']}={soft}:{low.get('hard', soft)}"


def rate_of(value: Any) -> str:
    """Return the rate or weight of a device as text: `/dev/sda:1mb`."""
    if not is_mapping(value):
        return str(value)
    if "Path" in value:
        return f"{value['Path']}:{value.get('Rate', value.get('Weight'))}"
    return ",".join(f"{path}:{rate}" for path, rate in value.items())


def mount_of(value: Any) -> str:
    """Return a mount as text: `type=bind,source=/a,target=/b,readonly`."""
    if not is_mapping(value):
        return str(value)
    low = {str(key).lower(): entry for key, entry in value.items()}
    parts = [f"{key}={low[key]}" for key in ("type", "source", "target") if low.get(key)]
    return ",".join([*parts, "readonly"] if low.get("readonly") or low.get("read_only") else parts)
