"""`--events` of a run over minions: one stream with the events of all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
from tests.salt.fleet.real_fleet import HAS_SALT

from ensue.output.event_schema import events_schema

if TYPE_CHECKING:
    from tests.salt.fleet.real_fleet import Fleet


def _lines(fleet: Fleet, *words: str) -> tuple[int, str, list[dict[str, Any]]]:
    code, out, err = fleet.run(*words, "--events", "-")
    assert out, err
    lines = [json.loads(line) for line in out.splitlines()]
    for line in lines:
        jsonschema.validate(line, events_schema())
    return code, out, lines


if HAS_SALT:

    def test_events_of_all_minions_are_one_stream(fleet: Fleet) -> None:
        """Each line of a minion has its id; the run, its job and the end of each minion have lines, too."""
        code, out, lines = _lines(fleet, "apply", "--tgt", "*", "token")
        assert code == 0, out
        assert "job_published" in {line["event"] for line in lines}
        assert (lines[0]["event"], lines[-1]["event"]) == ("run_started", "run_finished")
        assert "minion" not in lines[0]
        finished = {line["__id__"]: line for line in lines if line["event"] == "state_finished"}
        assert set(finished) == {"db1 made", "db1 token", "web1 use", "web2 use"}
        assert {line["minion"] for line in finished.values()} == {"db1", "web1", "web2"}
        assert finished["db1 token"]["new_state"] == {"value": "(sensitive)"}
        ended = {line["minion"]: line["ok"] for line in lines if line["event"] == "minion_ended"}
        assert ended == {"db1": True, "web1": True, "web2": True}

    def test_a_minion_that_does_not_compile_has_its_problem_in_the_stream(fleet: Fleet) -> None:
        """`minion_ended` says why a minion did not run its order."""
        code, _, lines = _lines(fleet, "apply", "--tgt", "*", "uneven")
        ended = {line["minion"]: line for line in lines if line["event"] == "minion_ended"}
        assert (code, ended["db1"]["ok"], ended["web2"]["ok"], ended["web1"]["ok"]) == (2, False, False, True)
        assert "nope" in ended["db1"]["problem"]
        assert lines[-1]["exit_code"] == 2
