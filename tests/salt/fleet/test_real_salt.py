"""Runs over three minions of a real Salt master, all of them processes of this machine."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.salt.fleet.real_fleet import HAS_SALT

if TYPE_CHECKING:
    from tests.salt.fleet.real_fleet import Fleet

if HAS_SALT:

    def test_the_highstate_of_each_minion_is_one_run(fleet: Fleet) -> None:
        """Each minion runs its own states with its own grains and pillar; a second run changes nothing."""
        for name in ("web1", "web2"):
            (fleet.base / "out" / name).unlink(missing_ok=True)
        code, first = fleet.document("apply", "--tgt", "G@role:web")
        assert code == 0
        assert sorted(first) == ["web1", "web2"]
        for name, returns in first.items():
            assert (fleet.base / "out" / name).read_text().strip() == "hello web"
            (outer,) = returns.values()
            assert outer["changes"]
            (block,) = outer["delayed"]
            (inner,) = block["returns"].values()
            assert inner["changes"]["stdout"] == "(sensitive)"
        _, again = fleet.document("apply", "--tgt", "G@role:web")
        assert not any(returned["changes"] for returns in again.values() for returned in returns.values())
        code, out, _ = fleet.run("runs", "show", "last")
        assert code == 0
        assert "web1 one" in out
        assert "web2 two" in out
        leaks = [
            path
            for folder in ("m/cache/jobs", "project", "web1/cache/ensue")
            for path in (fleet.base / folder).rglob("*")
            if path.is_file() and b"planted-in-pillar" in path.read_bytes()
        ]
        assert leaks == []

    def test_a_plan_changes_nothing(fleet: Fleet) -> None:
        """A plan of a minion says what would change, and changes nothing."""
        target = fleet.base / "out" / "db1"
        target.unlink(missing_ok=True)
        code, out, err = fleet.run("plan", "--tgt", "db1", "--detailed-exitcode")
        assert code == 2, err
        assert "states: 1 to change, 0 unchanged" in out
        assert not target.exists()

    def test_minions_fail_each_for_itself(fleet: Fleet) -> None:
        """A failed state and an SLS that does not compile are reported by minion; the others go on."""
        code, out, err = fleet.run("apply", "--tgt", "*", "uneven")
        assert code == 2
        assert "web2:\n    broken (cmd.run), base/uneven.sls:3: exited 3: boom" in out
        assert "base/uneven.sls:7: there is no state function nope.function" in out
        assert "1 of 3 minions succeeded" in out
        assert "ensue: web2: 1 failed" in err

    def test_a_fail_limit_ends_the_batches(fleet: Fleet) -> None:
        """Once more minions than allowed have failed, no further minion is asked."""
        code, out, _ = fleet.run("apply", "--tgt", "*", "uneven", "--batch", "1", "--fail-limit", "0")
        assert code == 2
        assert "Not asked: web1, web2" in out

    def test_a_call_answers_by_minion(fleet: Fleet) -> None:
        """An execution function is called on each minion, and each answer is printed."""
        assert fleet.document("call", "web*", "cmd.run", "echo hi") == (0, {"web1": "hi", "web2": "hi"})
        random = "head -c 900000 /dev/urandom | base64 -w 0"
        code, answers = fleet.document("call", "web1", "cmd.run", random)
        assert (code, len(answers["web1"])) == (0, 1_200_000)
        code, answers = fleet.document("call", "web1", "cmd.nope")
        assert code == 2
        assert "no execution function 'cmd.nope'" in answers["web1"]

    def test_minions_are_prepared_and_listed(fleet: Fleet) -> None:
        """`fleet sync` ships ensue, and `fleet status` says where it is; both as signed reports."""
        assert fleet.run("fleet", "sync", "web*")[0] == 0
        code, listed = fleet.document("fleet", "status", "web*")
        assert code == 0
        assert {name: status["shipped"] for name, status in listed.items()} == {"web1": True, "web2": True}

    def test_no_minion_matches(fleet: Fleet) -> None:
        """A target without minions is named, with exit code 2."""
        code, out, err = fleet.run("apply", "--tgt", "nobody*")
        assert (code, out) == (2, "")
        assert "E0845" in err
        assert fleet.document("call", "nobody*", "test.ping") == (2, {})

    def test_what_a_fleet_refuses(fleet: Fleet) -> None:
        """Pillar of the command line, limits without a target, and resuming what has ended are refused."""
        code, _, err = fleet.run("apply", "--tgt", "web1", "--pillar", "a=b")
        assert (code, "E0848" in err) == (1, True)
        for words in (
            ["apply", "--tgt", "web1", "--batch", "0"],
            ["call", "web1", "--batch", "x", "test.ping"],
        ):
            code, _, err = fleet.run(*words)
            assert (code, "E0104" in err) == (1, True)
        code, _, err = fleet.run("apply", "--tgt", "web1", "--follow")
        assert (code, "--follow" in err) == (1, True)
        code, _, err = fleet.run("apply", "--batch", "1")
        assert (code, "--tgt" in err) == (1, True)
        assert fleet.run("apply", "--tgt", "web1")[0] == 0
        code, _, err = fleet.run("runs", "resume", "last")
        assert (code, "has ended (succeeded)" in err) == (1, True)

    def test_a_silent_minion_delays_no_other(fleet: Fleet) -> None:
        """A stopped minion is reported as silent, with exit code 2; the others have done their part."""
        process = fleet.minions["web2"]
        os.killpg(process.pid, signal.SIGSTOP)
        try:
            code, answers = fleet.document("call", "web*", "test.ping", "--timeout", "12")
        finally:
            os.killpg(process.pid, signal.SIGCONT)
        assert code == 2
        assert answers["web1"] is True
        assert answers["web2"] == "it does not answer (for 12 s; --timeout)"
