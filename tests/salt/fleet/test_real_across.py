"""States of one minion of a real Salt master refer to states of another."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tests.salt.fleet.kills import kill_ensue
from tests.salt.fleet.real_fleet import HAS_SALT

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.salt.fleet.real_fleet import Fleet

CHAIN = """\
{% if grains['id'] == 'db1' %}
made:
  cmd.run:
    - name: cat {{ pillar['gate'] }}; echo made
{% else %}
before:
  cmd.run:
    - name: echo before >> {{ pillar['folder'] }}/chain
tell:
  cmd.run:
    - name: echo . > {{ pillar['folder'] }}/began
use:
  test.present:
    - new_state: ${minion[db1]:cmd:made:stdout}
after:
  cmd.run:
    - name: echo after >> {{ pillar['folder'] }}/chain
{% endif %}
"""

CHAINED = ("--tgt", "L@db1,web1", "chain")


@contextmanager
def _prepared(fleet: Fleet) -> Generator[Callable[[], None]]:
    """Yield what waits until the state `before` has ended, and `use` is about to wait.

    A state that is under way when its process is killed is called again, as `tell` may be. The FIFO is open
    for reading all the time, so that this call ends as well.
    """
    (fleet.base / "states" / "chain.sls").write_text(CHAIN)
    (fleet.base / "out" / "chain").unlink(missing_ok=True)
    began = fleet.base / "out" / "began"
    os.mkfifo(began)
    descriptor = os.open(began, os.O_RDWR)

    def wait() -> None:
        assert os.read(descriptor, 2) == b".\n"
        assert (fleet.base / "out" / "chain").read_text() == "before\n"

    try:
        yield wait
    finally:
        os.close(descriptor)
        began.unlink()


LONG = """\
{% if grains['id'] == 'db1' %}
{% for number in range(12) %}
long {{ number }}:
  cmd.run:
    - name: head -c 60000 /dev/urandom | base64 -w 0
{% endfor %}
made:
  cmd.run:
    - name: cat {{ pillar['gate'] }}
{% else %}
use:
  test.present:
    - new_state: ${minion[db1]:cmd:made:retcode}
{% endif %}
"""


if HAS_SALT:

    def test_a_token_made_on_one_minion_is_used_on_two_others(fleet: Fleet) -> None:
        """The value reaches both in the run that makes it, and is nowhere else in the clear."""
        for name in ("web1", "web2"):
            (fleet.base / "out" / f"{name}.token").unlink(missing_ok=True)
        code, returns = fleet.document("apply", "--tgt", "*", "token")
        assert code == 0, returns
        tokens = {name: (fleet.base / "out" / f"{name}.token").read_text() for name in ("web1", "web2")}
        assert tokens["web1"] == tokens["web2"]
        token = tokens["web1"].removeprefix("made=").strip()
        assert len(token) == 33
        made = next(returned for returned in returns["db1"].values() if returned["__id__"] == "token")
        assert made["new_state"] == {"value": "(sensitive)"}
        leaks = [
            path
            for folder in ("m/cache", "project", "web1/cache", "web2/cache", "db1/cache", "m/log", "web1/log")
            for path in (fleet.base / folder).rglob("*")
            if path.is_file() and token.encode() in path.read_bytes()
        ]
        assert leaks == []

    def test_a_failed_producer_fails_its_consumers_on_other_minions(fleet: Fleet) -> None:
        """Each consumer names the state, its minion and its failure; a missing minion is named as well."""
        code, returns = fleet.document("apply", "--tgt", "*", "notoken")
        assert code == 2
        for name in ("web1", "web2"):
            by_id = {returned["__id__"]: returned for returned in returns[name].values()}
            assert by_id["use"]["comment"].startswith("One or more requisite failed: minion[db1]:cmd:token")
            assert 'Command "echo no entropy' in by_id["use"]["comment"]
            assert by_id["other"]["result"] is True
        code, returns = fleet.document("apply", "--tgt", "web1", "notoken")
        (use,) = (returned for returned in returns["web1"].values() if returned["__id__"] == "use")
        assert use["comment"] == "minion[db1]:cmd:token: the target of this run does not match db1"

    def test_a_cycle_over_minions_runs_nothing(fleet: Fleet) -> None:
        """Minions that wait for each other report the path, and no state of them runs."""
        code, out, _ = fleet.run("apply", "--tgt", "*", "circle")
        assert code == 2
        assert out.count("states of several minions wait for each other") == 2
        assert "on db1 waits for minion[web1]:test:there" in out
        assert not (fleet.base / "out" / "circle").exists()

    def test_a_plan_names_the_minion_of_each_value(fleet: Fleet) -> None:
        """What an apply would make there is known after apply."""
        code, out, err = fleet.run("plan", "--tgt", "*", "token")
        assert code == 0, err
        use = "web1, web2: use (base/token.sls:11)"
        assert f"{use} needs minion[db1]:cmd:made (known after apply)\n" in out, out
        assert f"{use} needs minion[db1]:test:token\n" in out

    def test_a_producer_in_a_later_batch_is_named(fleet: Fleet) -> None:
        """Batches run one after the other: a value of an earlier one can be had, of a later one it cannot."""
        code, returns = fleet.document("apply", "--tgt", "*", "--batch", "1", "token")
        assert code == 0, returns
        code, returns = fleet.document("apply", "--tgt", "*", "--batch", "1", "reversed")
        assert code == 2
        (use,) = returns["db1"].values()
        assert use["comment"] == "minion[web2]:cmd:made: web2 is in a later batch (--batch)"

    def test_a_silent_producer_is_named(fleet: Fleet) -> None:
        """A minion that needs a silent one fails with that reason, once the silent one is given up."""
        process = fleet.minions["web2"]
        os.killpg(process.pid, signal.SIGSTOP)
        try:
            code, returns = fleet.document("apply", "--tgt", "*", "reversed", "--timeout", "12")
        finally:
            os.killpg(process.pid, signal.SIGCONT)
        assert code == 2
        (use,) = returns["db1"].values()
        assert use["comment"].endswith(
            "minion[web2]:cmd:made: web2 has run nothing: it does not answer (for 12 s; --timeout)"
        )
        assert all(returned["result"] for returned in returns["web1"].values())
        # The minion runs the job now, and nothing else can use its project meanwhile.
        assert any(fleet.run("apply", "--tgt", "web2", "reversed")[0] == 0 for _ in range(20))

    def test_a_minion_that_waits_is_killed_and_gets_its_value(fleet: Fleet) -> None:
        """The ensue that Salt starts again asks for the value again, and calls no state that has ended."""
        with _prepared(fleet) as wait, fleet.begun("apply", *CHAINED, "--out", "json") as running:
            wait()
            with (fleet.base / "gate").open("w"):
                assert kill_ensue(fleet, "web1")
            out, err = running.communicate()
        assert running.returncode == 0, (out, err)
        by_id = {returned["__id__"]: returned for returned in json.loads(out)["web1"].values()}
        assert by_id["use"]["new_state"] == "made"
        assert (fleet.base / "out" / "chain").read_text().split() == ["before", "after"]

    def test_an_interrupted_run_goes_on_when_it_is_resumed(fleet: Fleet) -> None:
        """A state that waits for another minion goes on waiting; the resumed run hands it the value."""
        with _prepared(fleet) as wait, fleet.begun("apply", *CHAINED) as running:
            wait()
            with (fleet.base / "gate").open("w"):
                running.send_signal(signal.SIGINT)
                out, err = running.communicate()
                assert running.returncode == 130, (out, err)
        code, out, err = fleet.run("runs", "resume", "--out", "json")
        assert code == 0, (out, err)
        by_id = {returned["__id__"]: returned for returned in json.loads(out)["web1"].values()}
        assert by_id["use"]["new_state"] == "made"
        assert (fleet.base / "out" / "chain").read_text().split() == ["before", "after"]

    def test_a_full_disk_of_the_coordinator_ends_a_run_that_can_be_resumed(fleet: Fleet) -> None:
        """When the journal cannot be written, minions that wait for others go on waiting; nothing is lost."""
        (fleet.base / "states" / "long.sls").write_text(LONG)
        assert fleet.run("plan", "--tgt", "db1 or web1", "long")[0] == 0
        command = ["prlimit", f"--fsize={256 << 10}", sys.executable, "-m", "ensue"]
        words = ("--root", str(fleet.base / "project"), "apply", "--tgt", "db1 or web1", "long")
        done = subprocess.run([*command, *words], text=True, capture_output=True, check=False)
        assert done.returncode == 1, (done.stdout, done.stderr)
        assert "File too large" in done.stderr
        with (fleet.base / "gate").open("w"):
            pass
        code, out, err = fleet.run("runs", "resume", "--out", "json")
        assert code == 0, (out, err)
        returns = json.loads(out)
        assert {
            returned["result"] for minion in ("db1", "web1") for returned in returns[minion].values()
        } == {True}
        assert len(returns["db1"]) == 13
