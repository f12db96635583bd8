"""One file of 500 MiB, put on this machine and on ten SSH hosts, over SFTP and over nothing but their shells.

What counts is how much memory that takes.

`first` begins without the file, `unchanged` has it. What arrived is compared after every run. The file itself
takes 500 MiB of disk below the system's temporary folder, and as much again for each host:
these cases run only when `--only` names them.
"""

from __future__ import annotations

import filecmp
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from measure import MeasurementError, Sample, middle, run_once
from ssh_hosts import ensue_run
from sshd import missing_part, running_hosts

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator

_SIZE_BYTES: Final = 500 << 20
_HOSTS: Final = 10
_HERE: Final = "long-file-here"
_SHELLS: Final = f"long-file-shells-{_HOSTS}"
_GOALS_MIB: Final = {_HERE: 60, f"long-file-hosts-{_HOSTS}": 120, _SHELLS: 120}
"""The most memory that a run may take, by the name of the case."""

_STATE: Final = "{path}:\n  file.managed:\n    - source: salt://long.bin\n    - mode: '0644'\n"


def measured(options: argparse.Namespace) -> str:
    """Measure the cases that `options.only` asks for by name, and return their table; empty without any."""
    lines: list[str] = []
    for name in _GOALS_MIB:
        if options.only and options.only in name:
            lines += _here(options) if name == _HERE else _on_hosts(name, options)
    return "\n".join(lines)


def _here(options: argparse.Namespace) -> Iterator[str]:
    with TemporaryDirectory(prefix="ensue-bench-long-") as name:
        root = Path(name)
        (root / "states").mkdir()
        (root / "ensue.yaml").write_text("id: bench\n")
        (root / "states/files.sls").write_text(_STATE.format(path=root / "written"))
        _write_source(root / "states/long.bin")
        argv = [str(Path(sys.executable).with_name("ensue")), "apply", "files", "--out", "quiet"]
        yield from _lines(_HERE, argv, root, [root / "written"], options)


def _on_hosts(name: str, options: argparse.Namespace) -> Iterator[str]:
    if missing := missing_part():
        yield f"{name}: left out: {missing}"
        return
    with (
        TemporaryDirectory(prefix="ensue-bench-long-") as folder,
        running_hosts(Path(folder), _HOSTS) as hosts,
    ):
        state = _STATE.format(path=hosts.target / "written") + "    - tgt: T@ssh_host\n"
        run = ensue_run(hosts, state, config={"files": "shell"} if name == _SHELLS else {})
        _write_source(run.cwd / "states/long.bin")
        written = [hosts.files(id_) / "written" for id_ in hosts.addresses]
        yield from _lines(name, run.argv, run.cwd, written, options)


def _lines(
    name: str, argv: list[str], root: Path, written: list[Path], options: argparse.Namespace
) -> Iterator[str]:
    samples: dict[str, list[Sample]] = {"first": [], "unchanged": []}
    for _ in range(options.repeat):
        for path in written:
            path.unlink(missing_ok=True)
        for how, found in samples.items():
            found.append(run_once(argv, cwd=root, timeout_s=options.timeout))
            _check(written, root / "states/long.bin", f"{name}-{how}")
    for how, found in samples.items():
        sample = middle(found)
        yield (
            f"{name + '-' + how:26}{sample.wall_s:8.2f} s {sample.cpu_s:8.2f} s CPU"
            f"{sample.peak_rss_mib:8.1f} MiB (goal {_GOALS_MIB[name]} MiB)"
        )


def _check(written: Iterable[Path], source: Path, name: str) -> None:
    for path in written:
        if not filecmp.cmp(path, source, shallow=False):
            raise MeasurementError(f"{name}: {path} is not what it should be")
    filecmp.clear_cache()


def _write_source(path: Path) -> None:
    with path.open("wb") as file:
        for _ in range(_SIZE_BYTES >> 20):
            file.write(os.urandom(1 << 20))
