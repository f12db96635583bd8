"""Probes of containers: as in Score and Kubernetes, or with a `type` as in Humanitec's workload profiles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from ensue.workload_output.fields import PROBE_HANDLERS, PROBE_TIMING

if TYPE_CHECKING:
    from ensue.workload_output.findings import Findings
    from ensue.workload_output.pointers import Path

_TYPES: Final = ("http", "command", "tcp")
_OF_TYPES: Final = frozenset({"type", "path", "port", "headers", "command", "host", "scheme"})
_TIMING_ALIASES: Final = {
    re.sub(r"([A-Z])", lambda m: f"_{m[1].lower()}", name): name for name in PROBE_TIMING
}


def read_probe(given: Any, path: Path, findings: Findings) -> dict[str, Any]:
    """Return a probe in Kubernetes' form.

    Args:
        given: the probe in the module.
        path: its place in the module.
        findings: receives the problems.
    """
    probe = findings.mapping(given, path)
    timing = {
        name: probe[key]
        for key, name in sorted((*_TIMING_ALIASES.items(), *((name, name) for name in PROBE_TIMING)))
        if probe.get(key) is not None
    }
    known = {*PROBE_TIMING, *_TIMING_ALIASES, *(_OF_TYPES if "type" in probe else PROBE_HANDLERS)}
    for key in sorted(probe.keys() - known):
        findings.unknown((*path, key), known)
    return {
        **(_typed(probe, path, findings) if "type" in probe else _handler(probe, path, findings)),
        **timing,
    }


def _handler(probe: dict[str, Any], path: Path, findings: Findings) -> dict[str, Any]:
    handlers = [name for name in PROBE_HANDLERS if probe.get(name) is not None]
    if not handlers:
        findings.wrong("says nothing that is tried", path, f"add one of {', '.join(PROBE_HANDLERS)}")
        return {}
    for name in handlers[1:]:
        findings.left_out(f"{name} of a probe", f"a probe tries one thing, which is {handlers[0]}")
    return {handlers[0]: findings.mapping(probe[handlers[0]], (*path, handlers[0]))}


def _typed(probe: dict[str, Any], path: Path, findings: Findings) -> dict[str, Any]:
    kind = probe["type"]
    if kind == "command":
        return {"exec": {"command": findings.words(probe.get("command"), (*path, "command"))}}
    if kind == "tcp":
        return {"tcpSocket": {"port": probe.get("port")}}
    if kind != "http":
        findings.wrong(f"is none of {', '.join(_TYPES)}", (*path, "type"))
        return {}
    action = {key: probe[key] for key in ("path", "port", "host", "scheme") if probe.get(key) is not None}
    headers = findings.texts(probe.get("headers"), (*path, "headers"))
    if headers:
        action["httpHeaders"] = [{"name": name, "value": headers[name]} for name in headers]
    return {"httpGet": action}
