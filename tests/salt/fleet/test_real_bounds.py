"""What runs over minions of a real Salt master refuse, name and bound."""

from __future__ import annotations

import json
import os
import shutil
import signal
from typing import TYPE_CHECKING

import pytest
from tests.salt.fleet.real_fleet import (
    HAS_SALT,
    awaited_starts,
    configured,
    ended,
    minion_options,
    started,
)

if TYPE_CHECKING:
    from tests.salt.fleet.real_fleet import Fleet

LENIENT = """\
% if true
undefined:
  cmd.run:
    - name: "echo {{ nothing }}"
% endif
unknown:
  nope.function: []
"""
THIRD = """\
{% if grains['id'] == 'web2' %}
begin:
  cmd.run:
    - name: echo began > {{ pillar['folder'] }}/third-began
{% else %}
nothing:
  test.nop: []
{% endif %}
"""

if HAS_SALT:

    def test_a_minion_cannot_speak_for_another(fleet: Fleet) -> None:
        """Forged frames, ends, returns and lists of events change no result, and their sender is named."""
        code, out, err = fleet.run("apply", "--tgt", "web*", "hostile", "--out", "json")
        assert code == 0, err
        returns = json.loads(out)
        assert [returned["new_state"]["stdout"] for returned in returns["web2"].values()] == ["done"]
        assert [returned["result"] for returned in returns["web1"].values()] == [True]
        refused = [line for line in err.splitlines() if "E0875" in line]
        assert any("minion web1 sent 4 frames that are not its own" in line for line in refused), err
        assert any("minion web2 sent 8 frames that are not its own" in line for line in refused), err

    def test_a_run_has_a_deadline(fleet: Fleet) -> None:
        """A minion that still works at the deadline of a run is reported, although it gives signs of life."""
        config = str(fleet.base / "m" / "master")
        with fleet.options(fleet={"engine": "salt", "config": config, "deadline_s": 8}):
            code, out, _ = fleet.run("apply", "--tgt", "web1", "slow", "--timeout", "4")
        (fleet.base / "gate").write_text("late")
        assert code == 2
        assert "it had not ended at the deadline of the run" in out

    def test_options_of_the_project_reach_minions(fleet: Fleet) -> None:
        """`failhard` of ensue.yaml holds on minions, and an option that cannot reach them is refused."""
        with fleet.options(failhard=True):
            _, out, _ = fleet.run("apply", "--tgt", "web1", "failing")
        assert "1 not run" in out
        assert "1 not run" not in fleet.run("apply", "--tgt", "web1", "failing")[1]
        (fleet.base / "states" / "lenient.sls").write_text(LENIENT)
        _, out, _ = fleet.run("apply", "--tgt", "web1", "lenient")
        assert "states: 0 changed, 0 unchanged, 0 failed" in out, out
        options = {
            "allow_undefined": True,
            "jinja_env": {"line_statement_prefix": "%"},
            "on_unknown_function": "fail",
            "keep_output_bytes": 2,
            "renderer": "jinja|yaml",
            "concurrency": 1,
        }
        with fleet.options(**options):
            code, returns = fleet.document("apply", "--tgt", "web1", "lenient")
        by_id = {returned["__id__"]: returned for returned in returns["web1"].values()}
        assert (code, set(by_id)) == (2, {"undefined", "unknown"}), returns
        assert by_id["undefined"]["name"] == "echo "
        assert "nope.function" in by_id["unknown"]["comment"]
        with fleet.options(nodegroups={"a": "web*"}):
            code, _, err = fleet.run("apply", "--tgt", "web1", "failing")
        assert (code, "E0876" in err) == (1, True)

    def test_a_list_without_its_sign_is_refused(fleet: Fleet) -> None:
        """`web1,web2` matches nothing in Salt: the message has the form that is meant."""
        code, _, err = fleet.run("apply", "--tgt", "web1,web2")
        assert code == 1
        assert "write L@web1,web2" in err
        assert fleet.document("call", "L@web1,web2", "test.ping") == (0, {"web1": True, "web2": True})
        code, _, err = fleet.run("apply", "--tgt", "T@dummy:* or web1")
        assert code == 1
        assert "T@dummy:* names resources, and a run over minions targets minions" in err

    @pytest.mark.namespace
    def test_a_full_disk_of_a_minion_is_named(fleet: Fleet) -> None:
        """A minion without room for ensue reports that, with the path."""
        folder = configured(fleet.base, "small1", fleet.ports, minion_options("small1", fleet.ports))
        mounting = f"mkdir -p {folder}/cache/ensue && mount -t tmpfs -o size=1m tmpfs {folder}/cache/ensue"
        inside = (
            "unshare",
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            f'{mounting} && exec "$@"',
            "-",
        )
        with awaited_starts(fleet.base, "small1"):
            process = started("salt-minion", folder, *inside)
        try:
            code, out, _ = fleet.run("apply", "--tgt", "small1")
        finally:
            ended(process)
            fleet.forget("small1")
        assert code == 2
        assert f"{folder}/cache/ensue: No space left on device" in out

    def test_salts_own_return_explains_a_silence(fleet: Fleet) -> None:
        """A minion on which Salt cannot run ensue has failed after its silence, with Salt's message."""
        options = {**minion_options("odd1", fleet.ports), "disable_modules": ["slsutil"]}
        with awaited_starts(fleet.base, "odd1"):
            process = started("salt-minion", configured(fleet.base, "odd1", fleet.ports, options))
        try:
            code, err, _ = fleet.run("call", "odd1", "test.ping", "--timeout", "10")
        finally:
            ended(process)
            fleet.forget("odd1")
        assert code == 2
        assert "it does not answer: Salt could not run ensue there:" in err
        assert "slsutil.renderer" in err

    def test_an_id_cannot_widen_a_target(fleet: Fleet) -> None:
        """Salt accepts a minion whose id is a target of its own: it is named, and nothing runs anywhere."""
        options = minion_options("evil or *", fleet.ports)
        with awaited_starts(fleet.base, "evil or *"):
            process = started("salt-minion", configured(fleet.base, "evil", fleet.ports, options))
        touched = fleet.base / "out" / "widened"
        (fleet.base / "states" / "widened.sls").write_text(
            f"touched:\n  file.touch:\n    - name: {touched}\n"
        )
        try:
            code, out, err = fleet.run("apply", "--tgt", "evil*", "widened")
        finally:
            ended(process)
            fleet.forget("evil or *")
        assert code == 2, (out, err)
        assert "evil or *:\n  its id cannot be used in a target" in out
        # A job of these minions would run before this one.
        assert fleet.run("apply", "--tgt", "*", "site")[0] == 0
        assert not touched.exists()

    def test_modes_of_files_are_kept(fleet: Fleet) -> None:
        """`mode: keep` gives a file the mode that its source has on the master."""
        source = fleet.base / "states" / "tool.sh"
        source.write_text("#!/bin/sh\n")
        source.chmod(0o755)
        try:
            assert fleet.run("apply", "--tgt", "web1", "keep")[0] == 0
        finally:
            source.unlink()
        assert (fleet.base / "out" / "tool.sh").stat().st_mode & 0o7777 == 0o755

    def test_a_master_that_does_not_run_is_named(fleet: Fleet) -> None:
        """A master that was not started is an error of its own, and not a target without matches."""
        elsewhere = fleet.base / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "master").write_text(json.dumps({"root_dir": str(elsewhere), "sock_dir": "/nowhere"}))
        with fleet.options(fleet={"engine": "salt", "config": str(elsewhere / "master")}):
            code, _, err = fleet.run("apply", "--tgt", "*")
        assert code == 1
        assert "E0846" in err
        assert f"no master runs with its configuration (there is none at {elsewhere}/nowhere)" in err

    def test_runs_on_different_minions_go_on_at_once(fleet: Fleet) -> None:
        """A second run is refused on a minion that the first one works on, and on no other."""
        first = fleet.begun("apply", "--tgt", "web1", "slow")
        # Opening the gate waits until the state reads it, which ends when the gate is closed.
        with (fleet.base / "gate").open("w"):
            assert fleet.run("apply", "--tgt", "web2", "site")[0] == 0
            code, _, err = fleet.run("apply", "--tgt", "web*", "site")
            assert code == 1
            assert "web1 is in use by ensue apply --tgt 'web1' slow (process " in err
            assert fleet.run("plan", "--tgt", "web2", "site")[0] == 0
        out, err = first.communicate()
        assert first.returncode == 0, (out, err)

    def test_a_silent_minion_holds_only_its_own_place(fleet: Fleet) -> None:
        """In batches of two, the third minion runs when the first has ended, while the second is silent."""
        began = fleet.base / "out" / "third-began"
        os.mkfifo(began)
        (fleet.base / "states" / "third.sls").write_text(THIRD)
        process = fleet.minions["web1"]
        os.killpg(process.pid, signal.SIGSTOP)
        try:
            running = fleet.begun("apply", "--tgt", "*", "third", "--batch", "2", "--timeout", "300")
            assert began.read_text() == "began\n"
        finally:
            os.killpg(process.pid, signal.SIGCONT)
        out, err = running.communicate()
        assert running.returncode == 0, (out, err)
        assert "3 of 3 minions succeeded" in out

    def test_two_machines_with_one_id_are_named(fleet: Fleet) -> None:
        """Two minions with the same id and key both answer, and the report says so."""
        options = minion_options("web1", fleet.ports)
        folder = fleet.base / "twin"
        folder.mkdir()
        shutil.copytree(fleet.base / "web1" / "pki", folder / "pki")
        own = {
            "root_dir": str(folder),
            "pki_dir": str(folder / "pki"),
            "cachedir": str(folder / "cache"),
            "sock_dir": str(folder / "s"),
            "log_file": str(folder / "log"),
            "pidfile": str(folder / "pid"),
            "publish_port": fleet.ports[0],
        }
        (folder / "minion").write_text(json.dumps(own | options))
        with awaited_starts(fleet.base, "web1"):
            process = started("salt-minion", folder)
        began = fleet.base / "out" / "twins"
        os.mkfifo(began)
        pipes = [os.open(path, os.O_RDWR) for path in (began, fleet.base / "gate")]
        try:
            # Both have reported that they began when both wait at the gate, which lets each of them pass.
            command = f"echo . > {began}; dd bs=1 count=1 if={fleet.base / 'gate'}"
            running = fleet.begun("call", "web1", "cmd.run", command)
            count = 0
            while count < 2:
                count += os.read(pipes[0], 16).count(b".")
            os.write(pipes[1], b"..")
            out, _ = running.communicate()
        finally:
            for pipe in pipes:
                os.close(pipe)
            ended(process)
        assert running.returncode == 2
        assert "two machines answer as web1" in out
        assert "which have the same id and the same key" in out
