"""Reads and saves rules: those of the kernel, and those of the file that is loaded at boot.

Args:
    conf_file: the file; None for the distribution's.
    filename: the file; None for the distribution's.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import StateFailedError
from ensue.core.model.file_lines import file_lines
from ensue.library.modules.iptables.program import dump

if TYPE_CHECKING:
    from ensue.core.contracts.context import FunctionContext

    Tables = dict[str, dict[str, dict[str, Any]]]

_FILES: Final = {
    "RedHat": ("/etc/sysconfig/iptables", "/etc/sysconfig/ip6tables"),
    "Arch": ("/etc/iptables/iptables.rules", "/etc/iptables/ip6tables.rules"),
    "Debian": ("/etc/iptables/rules.v4", "/etc/iptables/rules.v6"),
    "Gentoo": ("/var/lib/iptables/rules-save", "/var/lib/ip6tables/rules-save"),
    "Suse": ("/etc/sysconfig/scripts/SuSEfirewall2-custom", "/etc/sysconfig/scripts/SuSEfirewall2-custom"),
    "Void": ("/etc/iptables/iptables.rules", "/etc/iptables/ip6tables.rules"),
    "Alpine": ("/etc/iptables/rules-save", "/etc/iptables/rules6-save"),
}
_LONG: Final = {
    "p": "protocol", "s": "source", "d": "destination", "i": "in-interface", "o": "out-interface",
    "j": "jump", "g": "goto", "m": "match", "f": "fragment",
}  # fmt: skip
_COUNTERS: Final = re.compile(r"\[\d+:\d+\]")


async def get_rules(ctx: FunctionContext, family: str = "ipv4") -> Tables:
    """Return the kernel's rules.

    Returns:
        For each table and chain `policy`, `packet count`, `byte count`, `rules` and `rules_comment`.
    """
    return _parsed(await dump(ctx, family))


async def get_saved_rules(ctx: FunctionContext, conf_file: str | None = None, family: str = "ipv4") -> Tables:
    """Return the rules of the file that is loaded at boot, or of another file, in the form of `get_rules`."""
    content = await ctx.connection.read(conf_file or await _file(ctx, family))
    return _parsed(content.decode("utf-8", "replace"))


async def get_saved_policy(
    ctx: FunctionContext,
    table: str = "filter",
    chain: str = "",
    conf_file: str | None = None,
    family: str = "ipv4",
) -> str | None:
    """Return a chain's policy from the file that is loaded at boot."""
    return (await get_saved_rules(ctx, conf_file, family)).get(table, {}).get(chain, {}).get("policy")


async def save(ctx: FunctionContext, filename: str | None = None, family: str = "ipv4") -> str:
    """Save the kernel's rules to the file that is loaded at boot.

    Returns:
        A message with what was done.

    Raises:
        StateFailedError: the file of this distribution is unknown.
    """
    path = filename or await _file(ctx, family)
    written = await _kept(ctx, family)
    await ctx.connection.make_directory(posixpath.dirname(path), parents=True)
    await ctx.connection.write(path, written.encode())
    return f'Wrote {len(file_lines(written))} lines to "{path}"'


async def is_saved(ctx: FunctionContext, filename: str | None = None, family: str = "ipv4") -> bool:
    """Return whether the file that is loaded at boot has the kernel's rules; Salt has no such function.

    Comments and counters are ignored.
    """
    path = filename or await _file(ctx, family)
    if await ctx.connection.stat(path, follow=True) is None:
        return False
    saved = (await ctx.connection.read(path)).decode("utf-8", "replace")
    return _bare(saved) == _bare(await _kept(ctx, family))


async def _kept(ctx: FunctionContext, family: str) -> str:
    """Return the rules to save, without the lines that match the option `iptables.save_filters`."""
    filters: Any = ctx.opts.get("iptables.save_filters") or ctx.pillar.get("iptables.save_filters") or []
    patterns = [re.compile(str(each)) for each in filters]
    lines = file_lines(await dump(ctx, family), keepends=True)
    return "".join(line for line in lines if not any(pattern.search(line) for pattern in patterns))


async def _file(ctx: FunctionContext, family: str) -> str:
    grains = await ctx.grains()
    for key in (grains.get("os"), grains.get("os_family")):
        if key in _FILES:
            return _FILES[str(key)][family == "ipv6"]
    raise StateFailedError(
        f"ensue does not know where {grains.get('os', 'this system')!s} stores iptables rules; name the file"
    )


def _bare(text: str) -> list[str]:
    lines = (line.strip() for line in file_lines(text))
    return [_COUNTERS.sub("", line) for line in lines if line and not line.startswith("#")]


def _parsed(text: str) -> Tables:
    tables: Tables = {}
    table: dict[str, dict[str, Any]] = {}
    for line in file_lines(text):
        if line.startswith("*"):
            table = tables.setdefault(line[1:].strip(), {})
        elif line.startswith(":"):
            name, policy, counters = [*line[1:].split(), "[0:0]"][:3]
            packets, _, octets = counters.strip("[]").partition(":")
            table[name] = {
                "policy": policy, "packet count": packets, "byte count": octets,
                "rules": [], "rules_comment": {},
            }  # fmt: skip
        elif line.startswith("-A"):
            _, chain, *words = shlex.split(line)
            rule = _options(words)
            entry = table.setdefault(chain, {"policy": "-", "rules": [], "rules_comment": {}})
            entry["rules"].append(rule)
            if "comment" in rule:
                entry["rules_comment"][rule["comment"][0]] = rule
    return tables


def _options(words: list[str]) -> dict[str, list[str]]:
    """Return the options of a rule by long name, each with its values; a negated value begins with `!`."""
    options: dict[str, list[str]] = {}
    negation, current = "", ""
    for word in words:
        if word == "!":
            negation = "! "
        elif word.startswith("-"):
            bare = word.lstrip("-")
            current = _LONG.get(bare, bare) if not word.startswith("--") else bare
            options.setdefault(current, []).append(negation)
            negation = ""
        elif current:
            values = options[current]
            values[-1] += word if values[-1] in {"", "! "} else f" {word}"
    return options
