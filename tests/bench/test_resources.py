"""The cases of many resources: the same call for both programs, and answers that are counted."""

from __future__ import annotations

import json
from pathlib import Path

from ensue.core.model.srn import Srn
from ensue.store.registry.registry import ResourceRegistry
from programs import Ensue, Salt
from resources import REGISTRY, fill_registry, resource_cases, write_projects


def test_both_programs_get_the_same_call() -> None:
    """Target and function of a case are the same for ensue and for Salt, each over the case's own project."""
    case = next(case for case in resource_cases() if case.name == "resources-ping-100")
    ours = Ensue(Path("ensue"), Path("root")).argv(case, out="json")
    theirs = Salt(Path("salt-call"), Path("root"), Path("conf")).argv(case, out="json")
    assert ours[1:4] == ["call", "T@dummy", "test.ping"]
    assert ours[ours.index("--root") + 1] == "root/dummies-100"
    assert theirs[theirs.index("--tgt") + 1] == "T@dummy"
    assert theirs[theirs.index("-c") + 1] == "conf/dummies-100"
    assert theirs[-1] == "test.ping"


def test_answers_are_counted_as_they_come() -> None:
    """Only what answered `true` counts, whichever of the two programs wrote it."""
    answers = {"dummy-0": True, "dummy-1": "no answer", "dummy-2": True}
    assert Ensue(Path("ensue"), Path()).succeeded(json.dumps(answers)) == 2
    assert Salt(Path("salt-call"), Path(), Path()).succeeded(json.dumps({"local": answers})) == 2


def test_a_project_has_as_many_dummies_as_its_name_says(tmp_path: Path) -> None:
    """Pillar declares them, and the SLS of a case is in its own project."""
    write_projects(tmp_path, [case for case in resource_cases() if case.project == "dummies-100"])
    pillar = (tmp_path / "dummies-100" / "pillar" / "dummies.sls").read_text()
    assert pillar.count("- dummy-") == 100
    assert (tmp_path / "dummies-100" / "states" / "resources_two_states_100.sls").exists()
    assert not (tmp_path / REGISTRY).exists()


def test_a_filled_registry_is_one_that_can_be_read(tmp_path: Path) -> None:
    """What is written past the registry is there for it, and what was registered opens."""
    fill_registry(tmp_path, 60)
    registry = ResourceRegistry(tmp_path, minion_id="bench")
    try:
        assert len(registry.list_for_type("ssh_host")) == 50
        assert registry.get(Srn("dummy", "box-3")) == {}
        assert registry.record(Srn("ssh_host", "web-0000049")) is not None
    finally:
        registry.close()
