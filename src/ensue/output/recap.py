"""The outcome of a run per host, of a run with states on more than one: `PLAY RECAP`, as Ansible calls it.

The counts come first, so that a long name of a host never moves them, however narrow the terminal is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from ensue.output.colours import on_one_line
from ensue.output.outcome import outcomes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.model.report import RunReport
    from ensue.output.colours import Palette

_HEADINGS: Final = {
    "ok": "ok",
    "changed": "changed",
    "failed": "failed",
    "handled": "handled",
    "unreachable": "unreachable",
    "not_run": "not run",
    "later": "later",
}
_NAMES: Final = {"unchanged": "ok", "unknown": "later"}
"""Outcomes that have other names here."""

_MOST_HOSTS: Final = 200
"""The most hosts without a failure that are listed; JSON has all of them."""


class HostCounts(msgspec.Struct, kw_only=True):
    """The states of one host, counted by their outcome; a state is in one of the counts.

    Args:
        ok: were already in the desired state.
        changed: changed something; in a plan, would change something.
        failed: were called, and failed.
        handled: failed, and an `onfail` state with `onfail_stop: false` handled that.
        unreachable: failed because the host cannot be reached.
        not_run: were not called, because something they require failed or the run ended before.
        later: in a plan, can be known only after an apply.
    """

    ok: int = 0
    changed: int = 0
    failed: int = 0
    handled: int = 0
    unreachable: int = 0
    not_run: int = 0
    later: int = 0


def recap_of(report: RunReport) -> dict[str, HostCounts]:
    """Count the states of a run by the SRN of their target, in the order of the targets' first states.

    Hosts without a state that ran come last.
    """
    hosts: dict[str, HostCounts] = {}
    for target, _, outcome in outcomes(report):
        if target:
            counts, name = hosts.setdefault(target, HostCounts()), _NAMES.get(outcome, outcome)
            setattr(counts, name, getattr(counts, name) + 1)
    for target, states in report.not_run_on.items():
        hosts.setdefault(target, HostCounts()).not_run += states
    return {target: counts for target, counts in hosts.items() if counts != HostCounts()}


def recap_data(report: RunReport) -> dict[str, dict[str, int]]:
    """Return the counts per host, by the SRN of the host, as `--out json` shows them.

    `later` is there in a plan only, and `handled` only if there is a handled failure.
    """
    hosts = recap_of(report)
    left_out = {"later"} if not report.test else set[str]()
    if not any(counts.handled for counts in hosts.values()):
        left_out.add("handled")
    keys = [key for key in HostCounts.__struct_fields__ if key not in left_out]
    return {target: {key: getattr(counts, key) for key in keys} for target, counts in hosts.items()}


def recap_lines(report: RunReport, palette: Palette) -> list[str]:
    """Return the table, and above it an empty line; nothing for a run with states on one host.

    Args:
        report: the run.
        palette: the colours.
    """
    hosts = recap_data(report)
    return ["", *_table(hosts, palette)] if len(hosts) > 1 else []


def recap_text(report: RunReport, palette: Palette) -> str:
    """Return the table of a run on any number of hosts, with a line end."""
    return "\n".join(_table(recap_data(report), palette)) + "\n"


def _table(hosts: Mapping[str, Mapping[str, int]], palette: Palette) -> list[str]:
    keys = list(next(iter(hosts.values()), dict[str, int]()))
    headings = [_HEADINGS[key] for key in keys]
    widths = [
        max([len(heading), *(len(str(counts[key])) for counts in hosts.values())])
        for heading, key in zip(headings, keys, strict=True)
    ]
    head = "  ".join(heading.rjust(width) for heading, width in zip(headings, widths, strict=True))
    lines = [palette.paint(palette.cyan, f"{head}  host")]
    shown = _shown(hosts)
    for target in shown:
        row = "  ".join(str(n).rjust(width) for n, width in zip(hosts[target].values(), widths, strict=True))
        lines.append(palette.paint(_colour(hosts[target], palette), f"{row}  {on_one_line(target)}"))
    if len(shown) < len(hosts):
        lines.append(f"and {len(hosts) - len(shown)} more hosts without a failure (--out json)")
    return lines


def _shown(hosts: Mapping[str, Mapping[str, int]]) -> list[str]:
    """Return the hosts to list: all with a failure, and the first of the others."""
    good = [target for target, counts in hosts.items() if not _is_bad(counts)]
    left_out = set(good[_MOST_HOSTS:])
    return [target for target in hosts if target not in left_out]


def _is_bad(counts: Mapping[str, int]) -> bool:
    return bool(counts["failed"] or counts["unreachable"] or counts["not_run"])


def _colour(counts: Mapping[str, int], palette: Palette) -> str:
    if _is_bad(counts):
        return palette.red
    return palette.light_yellow if counts["changed"] else palette.green
