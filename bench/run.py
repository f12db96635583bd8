"""Measure ensue beside Salt, Idem and Terraform, and over SSH beside pyinfra and Ansible: `make bench`.

The programs of a case take turns (A B A B …), so that a machine that becomes slower affects all of them; the
figures are medians of whole processes. Once Salt and Idem are installed, it contacts only this machine. A
missing peer is left out, and the table says so.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import long_files
import ssh_hosts
from cases import NOTHING, REAL, WITHOUT_STATES, Case, all_cases, write_tree
from deploys import deploy_cases, write_deployments
from derived import derived_cases
from measure import MeasurementError, Sample, middle, run_once
from peers import IDEM_VERSION, prepare_idem, prepare_terraform
from programs import SALT_VERSION, Program, count_succeeded, prepare_ensue, prepare_salt
from realistic import realistic_cases
from resources import REGISTRY, lookup_note, resource_cases, write_projects

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

CHECKOUT = Path(__file__).resolve().parent.parent
_SIGNALLED: Final = 128
"""This plus a signal's number is the exit code of a process that the signal ended."""


@dataclass(slots=True)
class Outcome:
    """What one program did with one case.

    Args:
        samples: the timed runs.
        fault: why there are none; empty when there are.
    """

    samples: list[Sample] = field(default_factory=list[Sample])
    fault: str = ""

    @property
    def middle(self) -> Sample | None:
        """The medians, None if there are no samples."""
        return middle(self.samples) if self.samples else None


def main() -> int:
    """Run the requested cases and print the table.

    Returns:
        1 if ensue failed a case, else 0: a missed goal is shown but is not a failure.
    """
    options = _arguments()
    leave_on_sigterm()
    ensue_command = Path(sys.executable).with_name("ensue")
    with TemporaryDirectory(prefix="ensue-bench-") as folder:
        root = Path(folder)
        managed = root / "managed"
        cases = [
            *realistic_cases(managed),
            *all_cases(managed),
            *resource_cases(),
            *derived_cases(),
            *deploy_cases(),
        ]
        cases = [case for case in cases if options.only in case.name]
        write_tree(root, [case for case in cases if not case.project])
        notes = write_projects(root, [case for case in cases if not case.deploys])
        write_deployments(root, cases)
        peers, missing = _peers(cases, root, options)
        missing += notes
        programs: list[Program] = [prepare_ensue(ensue_command, root), *peers]
        results = {case.name: _measure(case, programs, root, options) for case in cases}
        if any(case.project == REGISTRY for case in cases):
            missing.append(lookup_note(root))
    if cases:
        names = [program.name for program in programs]
        print(report(cases, names, results, options.out), *missing, sep="\n")
    if ssh_table := ssh_hosts.measured(CHECKOUT, options):
        print(ssh_table)
    if long_table := long_files.measured(options):
        print(long_table)
    if options.json:
        options.json.write_text(json.dumps(_as_data(results), indent=2) + "\n")
    return int(any(outcomes["ensue"].fault for outcomes in results.values()))


def leave_on_sigterm() -> None:
    """Let SIGTERM raise SystemExit(143): the servers end and the folders are removed, as after Ctrl-C."""
    signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, _: FrameType | None) -> None:
    # A second signal must not interrupt ending the servers.
    signal.signal(number, signal.SIG_IGN)
    sys.exit(_SIGNALLED + number)


def _peers(cases: list[Case], root: Path, options: argparse.Namespace) -> tuple[list[Program], list[str]]:
    """Return the peers that run some of the cases, and the reason for each missing peer."""
    ready: dict[str, Callable[[], Program | None]] = {
        "salt": lambda: prepare_salt(CHECKOUT / ".bench" / "salt", root),
        "idem": lambda: prepare_idem(CHECKOUT / ".bench" / "idem", root),
        "terraform": lambda: prepare_terraform(root, cases),
    }
    asked = {peer for case in cases for peer in (*case.peers, *(["terraform"] if case.terraform else []))}
    peers: list[Program] = []
    missing: list[str] = []
    for name in (name for name in ready if name in asked):
        if name in options.without:
            missing.append(f"{name}: left out, by --without")
            continue
        try:
            found = ready[name]()
        except (OSError, subprocess.CalledProcessError) as fault:
            missing.append(f"{name}: left out, it cannot be prepared: {fault}")
            continue
        if found:
            peers.append(found)
        else:
            missing.append(f"{name}: left out, it is not installed")
    return peers, missing


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name holds this text")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="timed runs of each (default 5)")
    parser.add_argument(
        "--budget",
        type=float,
        default=60.0,
        metavar="S",
        help="seconds after which a program\nis not repeated in a case (default 60)",
    )
    parser.add_argument(
        "--timeout", type=float, default=300.0, metavar="S", help="longest single run (default 300)"
    )
    parser.add_argument(
        "--out", default="json", metavar="FORMAT", help="output format of every program (default json)"
    )
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=["salt", "idem", "terraform"],
        help="leave a peer out (may be given again)",
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all samples there")
    return parser.parse_args()


def _measure(
    case: Case, programs: list[Program], root: Path, options: argparse.Namespace
) -> dict[str, Outcome]:
    print(f"{case.name} ...", end=" ", flush=True, file=sys.stderr)
    started = time.monotonic()
    taking = [program for program in programs if program.takes(case)]
    outcomes = {program.name: Outcome(fault=_check(program, case, options.timeout)) for program in taking}
    for _ in range(options.repeat):
        for program in taking:
            _add_sample(outcomes[program.name], program, case, root, options)
    print(f"{time.monotonic() - started:.0f} s", file=sys.stderr)
    return outcomes


def _check(program: Program, case: Case, timeout_s: float) -> str:
    """Run a case untimed and say what is wrong with its result; this also warms every cache."""
    if not case.is_counted:
        return ""
    try:
        bring_about(program, case, timeout_s)
        count = count_succeeded(program, case, timeout_s=timeout_s)
    except subprocess.TimeoutExpired:
        return f"more than {timeout_s:.0f} s"
    except (ValueError, MeasurementError) as fault:
        return str(fault)
    return "" if count == case.expected else f"{count} of {case.expected} succeeded"


def _add_sample(
    outcome: Outcome, program: Program, case: Case, root: Path, options: argparse.Namespace
) -> None:
    spent_s = sum(sample.wall_s for sample in outcome.samples)
    if outcome.fault or spent_s > options.budget:
        return
    try:
        bring_about(program, case, options.timeout)
        argv = program.argv(case, out=options.out)
        outcome.samples.append(run_once(argv, cwd=root, timeout_s=options.timeout))
    except MeasurementError as fault:
        outcome.fault = str(fault)


def bring_about(program: Program, case: Case, timeout_s: float) -> None:
    """Do what has to be done before each run of a case.

    Raises:
        MeasurementError: it failed, or took too long.
    """
    for argv in program.before(case):
        run_once(argv, cwd=Path("/"), timeout_s=timeout_s)


def report(cases: list[Case], names: list[str], results: dict[str, dict[str, Outcome]], out: str) -> str:
    """Return a table per group of cases, what failed, and how the figures were taken."""
    lines: list[str] = []
    for group in (REAL, NOTHING, WITHOUT_STATES):
        if grouped := [case for case in cases if case.group == group]:
            lines += [group, *_table(grouped, names, results), ""]
    lines += [
        f"{case.name}: {name}: {outcome.fault}"
        for case in cases
        for name, outcome in results[case.name].items()
        if outcome.fault
    ]
    versions = {"salt": f"salt is Salt {SALT_VERSION}, masterless", "idem": f"idem is Idem {IDEM_VERSION}"}
    notes = [f"medians of whole processes that write their results with `--out {out}`"]
    notes += [versions[name] for name in names if name in versions]
    return "\n".join(line.rstrip() for line in [*lines, "; ".join(notes)])


def _table(cases: list[Case], names: list[str], results: dict[str, dict[str, Outcome]]) -> list[str]:
    head = ["case", *(f"ensue {figure}" for figure in ("wall", "cpu", "peak")), "goal"]
    for name in names[1:]:
        head += [
            *(f"{name} {figure}" for figure in ("wall", "cpu", "peak")),
            f"wall, cpu, peak: {name} / ensue",
        ]
    rows = [head, *(_row(case, names, results[case.name]) for case in cases)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines.insert(1, "  ".join("-" * width for width in widths))
    return lines


def _row(case: Case, names: list[str], outcomes: dict[str, Outcome]) -> list[str]:
    ours = outcomes["ensue"].middle
    row = [case.name, *_figures(ours), _goal(case, ours)]
    for name in names[1:]:
        theirs = outcomes[name].middle if name in outcomes else None
        row += [*_figures(theirs), _ratios(ours, theirs)]
    return row


def _figures(sample: Sample | None) -> list[str]:
    if sample is None:
        return ["-", "-", "-"]
    return [f"{sample.wall_s:.3f} s", f"{sample.cpu_s:.3f} s", f"{sample.peak_rss_mib:.0f} MiB"]


def _goal(case: Case, sample: Sample | None) -> str:
    goals: list[tuple[str, bool]] = []
    if case.wall_goal_s is not None:
        goals.append((f"{case.wall_goal_s:g} s", sample is not None and sample.wall_s <= case.wall_goal_s))
    if case.memory_goal_mib is not None:
        met = sample is not None and sample.peak_rss_mib <= case.memory_goal_mib
        goals.append((f"{case.memory_goal_mib:g} MiB", met))
    return ", ".join(f"{text} {'met' if met else 'MISSED'}" for text, met in goals)


def _ratios(ours: Sample | None, theirs: Sample | None) -> str:
    if ours is None or theirs is None:
        return "-"
    ratios = (
        theirs.wall_s / ours.wall_s,
        theirs.cpu_s / ours.cpu_s,
        theirs.peak_rss_mib / ours.peak_rss_mib,
    )
    return "  ".join(f"{ratio:.1f}x" for ratio in ratios)


def _as_data(results: dict[str, dict[str, Outcome]]) -> dict[str, dict[str, object]]:
    return {
        case: {
            name: {"fault": outcome.fault, "samples": [asdict(sample) for sample in outcome.samples]}
            for name, outcome in outcomes.items()
        }
        for case, outcomes in results.items()
    }


if __name__ == "__main__":
    sys.exit(main())
