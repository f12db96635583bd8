"""Converts the arguments of a rule in an SLS to arguments of `iptables`.

No shell reads the text; it is split into words with quotes only.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.data import is_list
from ensue.library.modules.iptables.program import program

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FunctionContext

_NEGATION: Final = re.compile(r"(?:!|not\b)\s*")
_NOT_OF_THE_RULE: Final = frozenset(
    {"name", "state", "chain", "save", "table", "position", "family", "rules"}
)
_NAMED_MATCHES: Final = frozenset({"pknock", "quota2", "recent"})
_SHORT_COMMANDS: Final = "ACDIRLSFZNXPE"
_OF_TARGETS: Final = (
    "j", "jump", "add-set", "and-mark", "and-tos", "checksum-fill", "clamp-mss-to-pmtu", "clustermac",
    "ctevents", "ctmask", "del-set", "ecn-tcp-remove", "exist", "expevents", "gateway", "hash-init",
    "hashmode", "helper", "label", "local-node", "log-ip-options", "log-level", "log-prefix",
    "log-tcp-options", "log-tcp-sequence", "log-uid", "map-set", "mask", "mss", "new", "nfmask",
    "nflog-group", "nflog-prefix", "nflog-range", "nflog-threshold", "nodst", "notrack", "on-ip", "on-port",
    "or-mark", "or-tos", "persistent", "queue-balance", "queue-bypass", "queue-num", "random",
    "random-fully", "rateest-ewmalog", "rateest-interval", "rateest-name", "reject-with", "restore",
    "restore-mark", "sack-perm", "save-mark", "selctx", "set-class", "set-dscp", "set-dscp-class",
    "set-mark", "set-mss", "set-tos", "set-xmark", "strip-options", "timeout", "timestamp", "to",
    "to-destination", "to-ports", "to-source", "total-nodes", "tproxy-mark", "ttl-dec", "ttl-inc",
    "ttl-set", "type", "ulog-cprange", "ulog-nlgroup", "ulog-prefix", "ulog-qthreshold", "wscale",
    "xor-mark", "xor-tos", "zone", "zone-orig", "zone-reply", "dst-pfx", "hl-dec", "hl-inc", "hl-set",
    "hmark-dport-mask", "hmark-dst-prefix", "hmark-mod", "hmark-offset", "hmark-proto-mask", "hmark-rnd",
    "hmark-spi-mask", "hmark-sport-mask", "hmark-src-prefix", "hmark-tuple", "led-always-blink",
    "led-delay", "led-trigger-id", "queue-cpu-fanout", "src-pfx", "to-port", "addr", "and-mask", "delude",
    "honeypot", "or-mask", "prefix", "reset", "reuse", "set-mac", "shift", "static", "tarpit", "tname",
    "ttl",
)  # fmt: skip
"""Options of a rule's target in the order of writing; they are valid only after `--jump`."""


def build_rule(
    ctx: FunctionContext,
    table: str = "filter",
    chain: str | None = None,
    command: str | None = None,
    position: int | str = "",
    full: Any = None,
    family: str = "ipv4",
    **kwargs: Any,
) -> str:
    """Return a rule in the form of `iptables`.

    Args:
        command: the command for `full`: `A`, `I`, `D`, or a long name.
        position: the position in the chain.
        full: put program, table, command and chain in front of the rule.
        **kwargs: the rule's options without their hyphens (`dport`, `jump`, `match`), and `if`, `of`,
            `proto`, `connstate`, `target`; `!` or `not` before a value negates it.

    Raises:
        StateFailedError: a required part of the rule is missing.
    """
    rule = rule_text(kwargs)
    if not full:
        return rule
    for what, given in (("table", table), ("chain", chain), ("command", command)):
        if not given:
            raise StateFailedError(f"a full iptables command requires a {what}")
    flag = f"-{command}" if str(command) in _SHORT_COMMANDS else f"--{command}"
    words = (program(family), "--wait", "-t", table, flag, str(chain), str(position or ""), rule)
    return " ".join(word for word in words if word)


def rule_text(given: Mapping[str, Any]) -> str:
    """Return the options of a rule as text; see `build_rule`."""
    options = {key: value for key, value in given.items() if key not in _NOT_OF_THE_RULE}
    if "target" in options:
        options["jump"] = options.pop("target")
    words = [*_interfaces(options), *_matches(options), *_ports(options)]
    if "comment" in options:
        words += [*_once("-m comment", words), f"--comment {_quoted(options.pop('comment'), always=True)}"]
    if options.get("set"):
        words.append(_option("--match-set", options.pop("set")))
    after = [_of_target(name, options.pop(name)) for name in _OF_TARGETS if name in options]
    for name, value in options.items():
        words.append(_option(f"-{name}" if len(name) == 1 else f"--{name}", value))
    return " ".join([*words, *after])


def split_rule(rule: str) -> list[str]:
    """Return the words of a rule.

    Raises:
        StateFailedError: a quote is not closed.
    """
    try:
        return shlex.split(rule)
    except ValueError as error:
        raise StateFailedError(f"the rule `{rule}` cannot be read: {error}") from error


def _interfaces(options: dict[str, Any]) -> list[str]:
    """Remove and return the first options of a rule: interfaces and protocol."""
    words = [
        _option(flag, options.pop(name)) for name, flag in (("if", "-i"), ("of", "-o")) if name in options
    ]
    if "proto" in options and options.get("match") != "policy":
        options["protocol"] = options.pop("proto")
    if "protocol" in options:
        words.append(_option("-p", options.pop("protocol")))
    return words


def _matches(options: dict[str, Any]) -> list[str]:
    """Remove and return the matches that a rule loads."""
    given = options.pop("match", [])
    words: list[str] = []
    for each in given if is_list(given) else str(given).split(","):
        match = str(each).strip()
        words.append(f"-m {match}")
        if match in _NAMED_MATCHES and "name_" in options:
            words.append(f"--name {options.pop('name_')}")
    if given == "policy" and "proto" in options:
        words.append(_option("--proto", options.pop("proto")))
    sets = options.pop("match-set", [])
    several = [sets] if isinstance(sets, str) else sets
    words += [f"-m set {_option('--match-set', each)}" for each in several]
    if "connstate" in options:
        words += [*_once("-m state", words), _option("--state", options.pop("connstate"))]
    return words


def _ports(options: dict[str, Any]) -> list[str]:
    """Remove and return the ports, single ones and lists."""
    words = [_option(f"--{name}", options.pop(name)) for name in ("dport", "sport") if name in options]
    for name in ("dports", "sports"):
        if name not in options:
            continue
        given = options.pop(name)
        ports = [str(each) for each in given] if is_list(given) else [str(given)]
        bare = ",".join(_NEGATION.sub("", each, count=1) for each in ports)
        is_negated = any(_NEGATION.match(each) for each in ports)
        words += [*_once("-m multiport", words), f"{'! ' if is_negated else ''}--{name} {bare}"]
    return words


def _once(word: str, words: list[str]) -> list[str]:
    return [] if word in words else [word]


def _option(flag: str, value: Any) -> str:
    if value is None or value == "":
        return flag
    text = " ".join(map(str, value)) if is_list(value) else str(value)
    match = _NEGATION.match(text)
    return f"! {flag} {text[match.end() :]}" if match else f"{flag} {text}"


def _of_target(name: str, value: Any) -> str:
    return f"--{name}" if value is None or value == "" else f"--{name} {_quoted(value)}"


def _quoted(value: Any, *, always: bool = False) -> str:
    text = str(value)
    if any(sign in text for sign in '"\\'):
        return shlex.quote(text)
    return f'"{text}"' if always or any(sign.isspace() for sign in text) else shlex.quote(text)
