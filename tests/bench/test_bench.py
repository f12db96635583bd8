"""The benchmark measures what it says, and refuses what did not happen."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cases import NOTHING, REAL, WITHOUT_STATES, all_cases, write_tree
from derived import derived_cases
from measure import MeasurementError, Sample, middle, run_once
from programs import SALT_VERSION, Ensue, Salt, installed_salt, relaxed
from realistic import realistic_cases
from resources import resource_cases
from run import Outcome, report

BENCH = Path(__file__).parents[2] / "bench"


def test_a_process_is_measured_whole(tmp_path: Path) -> None:
    """Processor time and memory are those of the process, its own work included."""
    work = "block = bytearray(64 << 20)\nsum(range(2_000_000))"
    sample = run_once([sys.executable, "-c", work], cwd=tmp_path, timeout_s=300)
    assert sample.peak_rss_mib > 64


def test_the_peak_is_the_programs_own(tmp_path: Path) -> None:
    """What this process itself holds is not counted as memory of the program that it measures."""
    held = b"x" * (128 << 20)
    sample = run_once([sys.executable, "-S", "-c", "pass"], cwd=tmp_path, timeout_s=300)
    assert len(held) > 0
    assert sample.peak_rss_mib < 64
    assert sample.cpu_s > 0
    assert sample.wall_s > 0


def test_a_failing_process_is_no_sample(tmp_path: Path) -> None:
    """An exit code other than 0 raises with the last words of the process."""
    with pytest.raises(MeasurementError, match=r"exit code 3: farewell"):
        run_once([sys.executable, "-c", "print('farewell'); exit(3)"], cwd=tmp_path, timeout_s=300)


def test_a_process_that_hangs_is_ended(tmp_path: Path) -> None:
    """Out of time, the process is killed and said to be so."""
    wait = "import signal; signal.pause()"
    with pytest.raises(MeasurementError, match=r"more than 1 s"):
        run_once([sys.executable, "-c", wait], cwd=tmp_path, timeout_s=1.0)


def test_a_run_that_is_given_up_is_ended() -> None:
    """SIGTERM ends the measured program, and the benchmark does not wait for its time to be over."""
    program = "import os, signal; os.kill(int(os.environ['PARENT']), signal.SIGTERM); signal.pause()"
    benchmark = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(BENCH)!r})
from measure import run_once
from run import leave_on_sigterm
leave_on_sigterm()
argv = [sys.executable, "-c", {program!r}]
run_once(argv, cwd=Path("/"), timeout_s=600, env={{"PARENT": str(os.getpid())}})
"""
    assert subprocess.run([sys.executable, "-c", benchmark], check=False, timeout=300).returncode == 143


def test_medians_are_taken_of_each_figure() -> None:
    """One slow run moves no figure."""
    samples = [
        Sample(wall_s=wall, cpu_s=cpu, peak_rss_mib=peak)
        for wall, cpu, peak in ((1.0, 0.5, 30.0), (9.0, 0.4, 10.0), (2.0, 0.6, 20.0))
    ]
    assert middle(samples) == Sample(wall_s=2.0, cpu_s=0.5, peak_rss_mib=20.0)


def test_each_case_declares_as_many_states_as_it_counts(tmp_path: Path) -> None:
    """The expected number of successful states is the number of declarations of the SLS."""
    for case in all_cases(tmp_path):
        assert _declared(case.sls) == case.states, case.name
        if case.applies:
            assert sum(map(_declared, case.applies)) == case.states, case.name


def test_cases_of_states_that_do_nothing_are_labelled(tmp_path: Path) -> None:
    """A case is in the table of states that do nothing exactly when it calls functions of `test` alone."""
    for case in [*realistic_cases(tmp_path), *all_cases(tmp_path), *resource_cases(), *derived_cases()]:
        texts = [case.sls, *(text for name, text in case.files.items() if name.endswith(".sls"))]
        called = {module for text in texts for module in re.findall(r"^ +(\w+)\.\w+:", text, re.MULTILINE)}
        assert case.nothing == (called == {"test"}), case.name


def test_a_table_says_what_its_states_do(tmp_path: Path) -> None:
    """Cases are grouped below a heading, and the report names the output format of the runs."""
    asked = {"nop-1", "cmd-200", "help"}
    cases = [case for case in all_cases(tmp_path) if case.name in asked]
    sample = Sample(wall_s=1.0, cpu_s=1.0, peak_rss_mib=1.0)
    results = {case.name: {"ensue": Outcome(samples=[sample])} for case in cases}
    lines = report(cases, ["ensue"], results, "json").splitlines()
    shown = [line.split()[0] if line.split()[0] in asked else line for line in lines if line]
    headings = {NOTHING: "nop-1", REAL: "cmd-200", WITHOUT_STATES: "help"}
    for heading, name in headings.items():
        assert shown.index(name) == shown.index(heading) + 3
    assert lines[-1] == "medians of whole processes that write their results with `--out json`"


def _declared(sls: str) -> int:
    loop = re.search(r"range\((\d+)\)", sls)
    return len(re.findall(r"^\S.*:$", sls, re.MULTILINE)) * (int(loop.group(1)) if loop else 1)


def test_what_succeeded_is_counted_in_scopes_and_documents() -> None:
    """States of delayed scopes count, and those of every document where there are several."""
    inner = {"result": True, "delayed": [{"returns": {"c": {"result": True}, "d": {"result": False}}}]}
    outer = {"result": True, "delayed": [{"returns": {"b": inner}}, {"returns": {}}]}
    assert Ensue(Path("ensue"), Path()).succeeded(json.dumps({"m": {"a": outer}})) == 3
    applies = '{"local": {"a": {"result": true}}}\n{"local": {"b": {"result": true}}}\n'
    assert Salt(Path("salt-call"), Path(), Path()).succeeded(applies) == 2
    with pytest.raises(ValueError, match="Expecting value"):
        Salt(Path("salt-call"), Path(), Path()).succeeded("")


def test_salt_gets_a_command_for_each_apply(tmp_path: Path) -> None:
    """Where the SLS has delayed blocks, Salt applies two others, one after the other, that hold the same."""
    case = next(case for case in all_cases(tmp_path) if case.name == "delayed-1000")
    shell, option, line = Salt(Path("salt-call"), Path(), Path("conf")).argv(case, out="quiet")
    assert (shell, option) == ("/bin/sh", "-c")
    assert [part.split()[-1] for part in line.split(" && ")] == ["delayed_1000_1", "delayed_1000_2"]


def test_both_programs_are_given_one_tree(tmp_path: Path) -> None:
    """States, a source file, and a pillar with its top file are written."""
    cases = all_cases(tmp_path / "managed")
    write_tree(tmp_path / "project", cases)
    written = {path.relative_to(tmp_path / "project").as_posix() for path in tmp_path.rglob("*.*")}
    assert {"states/nop_1.sls", "states/files/service.conf", "pillar/top.sls", "ensue.yaml"} <= written
    assert "states/help.sls" not in written


@pytest.mark.parametrize(
    ("requirement", "expected"),
    [
        ("certifi>=2026.10.23", "certifi"),
        ('pyzmq<27,>=25.1.2 ; python_version < "3.13"', 'pyzmq; python_version < "3.13"'),
        ("aiohttp[speedups]==3.9.0", "aiohttp[speedups]"),
        ("backports.tarfile (>=1.2)", "backports.tarfile"),
    ],
)
def test_requirements_lose_their_versions_and_keep_their_markers(requirement: str, expected: str) -> None:
    """What Salt asks for is installed in whatever version there is."""
    assert relaxed(requirement).replace(" ;", ";") == expected


def test_a_folder_behind_a_symlink_is_not_cleared(tmp_path: Path) -> None:
    """Where Salt would have to be installed anew, the folder that a symlink leads to keeps what is in it."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/kept").write_text("kept")
    (tmp_path / "salt").symlink_to("elsewhere")
    with pytest.raises(SystemExit, match="leads through a symlink"):
        installed_salt(tmp_path / "salt")
    assert (tmp_path / "elsewhere/kept").read_text() == "kept"


def test_a_salt_that_is_installed_is_used(tmp_path: Path) -> None:
    """A folder with the stamp of the release is taken as it is, behind a symlink too."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"elsewhere/.installed-{SALT_VERSION}").touch()
    (tmp_path / "salt").symlink_to("elsewhere")
    assert installed_salt(tmp_path / "salt") == tmp_path / "salt/bin/salt-call"
