"""What a minion of a real Salt master registers is used by states of other minions."""

from __future__ import annotations

import json
import os
import signal
from typing import TYPE_CHECKING, Any

from tests.salt.fleet.kills import kill_ensue
from tests.salt.fleet.real_fleet import HAS_SALT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.salt.fleet.real_fleet import Fleet

BOXES = """\
{% if grains['id'] == 'db1' %}
made:
  test.present:
    - new_state: {role: {{ salt['cmd.shell']('cat ' ~ pillar['folder'] ~ '/planted') }}}
    - registers:
      - dummy:box-1: {grains: {role: "${self:role}"}}
      - dummy:box-2: {grains: {role: "${self:role}"}}
{% elif grains['id'] == 'web1' %}
use:
  file.managed:
    - name: /etc/motd
    - contents: {{ pillar['word'] }}
    - tgt: T@dummy:*
    - require:
      - 'minion[db1]': {test: made}
once:
  file.managed:
    - name: /etc/once
    - contents: once
    - tgt: dummy:box-1
    - creates: /etc/never
after:
  test.present:
    - new_state: ${file:use[box-1]:path}
{% endif %}
"""
LATER = """\
late:
  file.managed:
    - name: /etc/late
    - contents: {{ grains['id'] }}
    - tgt: T@dummy:box-*
"""
ALONG = """\
kept:
  file.managed:
    - name: /etc/app/kept
    - contents: kept
    - makedirs: true
    - tgt: dummy:box-1
left:
  file.managed:
    - name: /etc/app/left
    - contents: left
    - tgt: dummy:box-1
folder:
  file.directory:
    - name: /etc/app
    - clean: true
    - require: [file: kept]
    - tgt: dummy:box-1
changed:
  test.nop:
    - watch: [file: folder]
    - tgt: dummy:box-1
grains:
  test.nop:
    - tgt: G@role:{{ pillar['word'] }}
slot:
  test.present:
    - new_state: __slot__:salt:grains.get(role)
    - tgt: dummy:box-1
"""
TAKEN = """\
{% if grains['id'] == 'web2' %}
stolen:
  test.present:
    - new_state: {}
    - registers:
      - dummy:box-1: {grains: {role: other}}
{% endif %}
"""
GONE = """\
{% if grains['id'] == 'db1' %}
made:
  test.present:
    - new_state: {role: {{ salt['cmd.shell']('cat ' ~ pillar['folder'] ~ '/planted') }}}
    - registers:
      - dummy:box-1: {grains: {role: "${self:role}"}}
{% endif %}
"""


DOOR = """\
import pathlib


def opened(ctx, name, log, gate):
    with pathlib.Path(log).open("a") as file:
        file.write(f"{name}\\n")
    pathlib.Path(gate).read_text()
    return {"name": name, "result": True, "changes": {}, "comment": "it is open"}
"""
GATED = """\
{% if grains['id'] == 'db1' %}
made:
  test.present:
    - new_state: {}
    - registers:
      - door:front: {}
{% elif grains['id'] == 'web1' %}
wait:
  door.opened:
    - log: {{ pillar['folder'] }}/doors
    - gate: {{ pillar['gate'] }}
    - tgt: door:front
    - require:
      - 'minion[db1]': {test: made}
{% endif %}
"""

INSTANCES = """\
{% if grains['id'] == 'db1' %}
made:
  test.present:
    - new_state: {}
    - registers:
      - dummy:part-1: {}
      - dummy:part-2: {}
inside:
  test.present:
    - new_state:
        value: {{ pillar['word'] }}
        secret: {{ salt['cmd.shell']('cat ' ~ pillar['folder'] ~ '/planted') }}
    - sensitive: [secret]
    - tgt: T@dummy:part-*
{% elif grains['id'] == 'web1' %}
one:
  test.present:
    - new_state: ${minion[db1]:test:inside[part-1]:value}
secret:
  file.managed:
    - name: {{ pillar['folder'] }}/of-a-box
    - contents: ${minion[db1]:test:inside[dummy:part-2]:secret}
after all:
  test.nop:
    - require:
      - 'minion[db1]': {test: inside}
    - delayed_render:
      - block: later
ambiguous:
  test.present:
    - new_state: ${minion[db1]:test:inside:value}
nowhere:
  test.present:
    - new_state: ${minion[db1]:test:inside[part-9]:value}
#!delayed_block later
late:
  test.present:
    - new_state: ${minion[db1]:test:inside[part-2]:value}
#!end_delayed_block
{% endif %}
"""


PLANTED = "planted-in-registry"


def _write(fleet: Fleet, **slses: str) -> None:
    (fleet.base / "out" / "planted").write_text(PLANTED)
    for name, text in slses.items():
        (fleet.base / "states" / f"{name}.sls").write_text(text)


def _file(fleet: Fleet, minion: str, box: str, name: str) -> Path:
    return fleet.base / minion / "cache/ensue/project/resources/dummy" / box / "files/etc" / name


OWN = """\
made:
  test.present:
    - new_state: {}
    - registers:
      - minion:cell-{{ grains['id'] }}: {root: {{ pillar['folder'] }}/cell-{{ grains['id'] }}}
inside:
  file.managed:
    - name: /marked
    - contents: {{ grains['id'] }}
    - makedirs: true
    - tgt: minion:cell-{{ grains['id'] }}
"""


def _by_id(returns: dict[str, Any], minion: str) -> dict[str, Any]:
    assert isinstance(returns[minion], dict), returns
    return {returned["__id__"]: returned for returned in returns[minion].values()}


def _listed(fleet: Fleet) -> Any:
    code, out, err = fleet.run("resources", "list", "--out", "json")
    assert code == 0, err
    return json.loads(out)


def _doors(fleet: Fleet) -> Path:
    """Write a resource type whose state waits for a gate; return the log of its calls."""
    folder = fleet.base / "states" / "_resources" / "door"
    (folder / "states").mkdir(parents=True, exist_ok=True)
    (folder / "__init__.py").write_text("def check(config):\n    return []\n")
    (folder / "states" / "door.py").write_text(DOOR)
    _write(fleet, gated_door=GATED)
    log = fleet.base / "out" / "doors"
    log.unlink(missing_ok=True)
    return log


if HAS_SALT:

    def test_states_on_resources_have_values_for_other_minions(fleet: Fleet) -> None:
        """A minion reads what a state of another has returned on one of its resources."""
        _write(fleet, instances=INSTANCES)
        code, returns = fleet.document("apply", "--tgt", "web1 or db1", "instances")
        of_web1 = _by_id(returns, "web1")
        assert code == 2
        results = {name: returned["result"] for name, returned in of_web1.items()}
        assert results == {
            "one": True,
            "secret": True,
            "after all": True,
            "ambiguous": False,
            "nowhere": False,
        }, of_web1
        assert of_web1["one"]["new_state"] == "hello"
        assert (fleet.base / "out" / "of-a-box").read_text().strip() == PLANTED
        (later,) = of_web1["after all"]["delayed"]
        assert [returned["new_state"] for returned in later["returns"].values()] == ["hello"]
        assert "was run on several resources, 'part-1', 'part-2'" in of_web1["ambiguous"]["comment"]
        assert (
            "it was not run on 'part-9', but on dummy:part-1, dummy:part-2" in of_web1["nowhere"]["comment"]
        )
        code, out, _ = fleet.run("runs", "show", "last", "--out", "json")
        assert PLANTED not in out
        # Targets of other tests match registered resources.
        _write(fleet, instances="nothing:\n  test.nop: []\n")
        assert fleet.run("apply", "--tgt", "db1", "instances")[0] == 0
        assert _listed(fleet)["dummy:part-1"]["status"] == "orphaned"

    def test_a_state_runs_on_resources_that_another_minion_registers(fleet: Fleet) -> None:
        """The minion that manages a resource calls the state; later runs and minions see it, too."""
        _write(fleet, boxes=BOXES, later=LATER, taken=TAKEN, gone=GONE)
        code, returns = fleet.document("apply", "--tgt", "*", "boxes")
        assert code == 0, returns
        used = _by_id(returns, "web1")
        assert set(used) == {"box-1 use", "box-2 use", "box-1 once", "after"}, returns
        assert used["box-1 use"]["changes"], used
        assert used["after"]["new_state"] == "/etc/motd"
        for box in ("box-1", "box-2"):
            assert _file(fleet, "db1", box, "motd").read_text() == "hello\n"
            assert _listed(fleet)[f"dummy:{box}"]["managing_minions"] == ["db1"]
        code, returns = fleet.document("apply", "--tgt", "*", "boxes")
        assert code == 0, returns
        assert not [
            returned for each in returns.values() for returned in each.values() if returned["changes"]
        ], returns

        code, returns = fleet.document("apply", "--tgt", "web2", "later")
        assert code == 0, returns
        assert set(_by_id(returns, "web2")) == {"box-1 late", "box-2 late"}
        assert _file(fleet, "db1", "box-2", "late").read_text() == "web2\n"
        code, returns = fleet.document("plan", "--tgt", "web1", "later")
        assert code == 0, returns
        assert {returned["result"] for returned in returns["web1"].values()} == {None}
        assert _file(fleet, "db1", "box-2", "late").read_text() == "web2\n"

        code, returns = fleet.document("apply", "--tgt", "web2", "taken")
        assert code == 2
        assert (
            "E0896: dummy:box-1 is registered by the minion db1"
            in _by_id(returns, "web2")["stolen"]["comment"]
        )

        code, returns = fleet.document("apply", "--tgt", "db1", "gone")
        assert code == 0, returns
        assert _listed(fleet)["dummy:box-2"]["status"] == "active", "another SLS declares it"
        code, returns = fleet.document("apply", "--tgt", "db1", "boxes")
        assert code == 0, returns
        _write(fleet, boxes=GONE)
        code, returns = fleet.document("apply", "--tgt", "db1", "boxes")
        assert code == 0, returns
        listed = _listed(fleet)
        assert (listed["dummy:box-1"]["status"], listed["dummy:box-2"]["status"]) == ("active", "orphaned")
        config = [
            path
            for folder in ("m", "web1", "web2")
            for path in (fleet.base / folder).rglob("*")
            if path.is_file() and PLANTED.encode() in path.read_bytes()
        ]
        assert config == []

    def test_a_call_knows_what_belongs_to_its_state(fleet: Fleet) -> None:
        """`clean` and `mod_watch` work as on an own resource; what it does not support fails by name."""
        _write(fleet, boxes=GONE, along=ALONG)
        assert fleet.run("apply", "--tgt", "db1", "boxes")[0] == 0
        code, returns = fleet.document("apply", "--tgt", "web1", "along")
        of_web1 = _by_id(returns, "web1")
        assert code == 2
        assert of_web1["box-1 folder"]["changes"]["removed"] == ["/etc/app/left"], of_web1
        assert _file(fleet, "db1", "box-1", "app/kept").read_text() == "kept\n"
        assert of_web1["box-1 changed"]["changes"] == {"Requisites with changes": ["file: folder"]}
        assert "E0723: it cannot be decided" in of_web1["box-1 grains"]["comment"]
        assert "E0723: another minion manages dummy:box-1" in of_web1["box-1 slot"]["comment"]

    def test_a_minion_has_resources_of_its_own_type(fleet: Fleet) -> None:
        """A resource of the type `minion` belongs to its minion, and does not disturb its report."""
        _write(fleet, own=OWN)
        for name in ("web1", "web2"):
            (fleet.base / "out" / f"cell-{name}").mkdir()
        code, returns = fleet.document("apply", "--tgt", "web*", "own")
        assert code == 0, returns
        for name in ("web1", "web2"):
            assert f"cell-{name} inside" in _by_id(returns, name)
            assert (fleet.base / "out" / f"cell-{name}" / "marked").read_text() == f"{name}\n"

    def test_a_managing_minion_that_does_not_answer_is_named(fleet: Fleet) -> None:
        """A state on a resource of a silent minion fails with the name of that minion."""
        _write(fleet, boxes=GONE, later=LATER)
        assert fleet.run("apply", "--tgt", "db1", "boxes")[0] == 0
        os.killpg(fleet.minions["db1"].pid, signal.SIGSTOP)
        try:
            code, returns = fleet.document("apply", "--tgt", "web1", "later", "--timeout", "12")
        finally:
            os.killpg(fleet.minions["db1"].pid, signal.SIGCONT)
        assert code == 2
        late = _by_id(returns, "web1")["box-1 late"]
        assert (
            "db1, which manages dummy:box-1, has not called the state: it does not answer" in late["comment"]
        )

    def test_a_call_on_a_resource_is_made_once_although_the_coordinator_is_killed(fleet: Fleet) -> None:
        """The resumed run takes the return of the job that was published before, and publishes no other."""
        log = _doors(fleet)
        running = fleet.begun("apply", "--tgt", "*", "gated_door", "--timeout", "60")
        # Opening the gate waits until the state reads it.
        with (fleet.base / "gate").open("w"):
            running.kill()
            running.communicate()
        code, out, err = fleet.run("runs", "resume", "--out", "json")
        assert code == 0, (out, err)
        assert _by_id(json.loads(out), "web1")["front wait"]["comment"] == "it is open"
        assert log.read_text() == "wait\n"

    def test_a_call_on_a_resource_goes_on_where_ensue_was_killed(fleet: Fleet) -> None:
        """The managing minion makes the interrupted call again, and the run ends as without the kill."""
        log = _doors(fleet)
        running = fleet.begun("apply", "--tgt", "*", "gated_door", "--timeout", "60", "--out", "json")
        with (fleet.base / "gate").open("w"):
            assert kill_ensue(fleet, "db1")
        with (fleet.base / "gate").open("w"):
            pass
        out, err = running.communicate()
        assert running.returncode == 0, (out, err)
        assert _by_id(json.loads(out), "web1")["front wait"]["comment"] == "it is open"
        assert log.read_text() == "wait\nwait\n"
