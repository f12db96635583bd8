"""The peers of some cases take those alone, are given as many states as ensue, and count what they did."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from cases import all_cases, binding_chain, binding_fan
from peers import Idem, Terraform, prepare_terraform

if TYPE_CHECKING:
    import pytest


def test_each_state_of_a_chain_is_bound_to_the_one_before_it() -> None:
    """The last of three refers to the second, and the first to nothing."""
    assert binding_chain(3).count("${test:") == 2
    assert binding_chain(3).endswith(
        "link-2:\n  test.present:\n    - new_state:\n        ID: ${test:link-1:ID}\n"
    )


def test_each_state_of_a_fan_is_bound_to_the_first() -> None:
    """A fan of three has four states."""
    assert binding_fan(3).count("${test:link-0:ID}") == 3
    assert binding_fan(3).count("test.present") == 4


def test_a_configuration_has_as_many_resources_as_the_sls_has_states(tmp_path: Path) -> None:
    """Terraform is given the same number of things to create."""
    counted = {
        case.name: (case.terraform.count('resource "'), case.states)
        for case in all_cases(tmp_path)
        if case.terraform
    }
    assert counted
    assert all(resources == states for resources, states in counted.values()), counted


def test_a_peer_takes_its_own_cases_alone(tmp_path: Path) -> None:
    """Idem runs bindings, Terraform what has a configuration, and the largest cases are for ensue alone."""
    idem = Idem(tmp_path / "idem", tmp_path, tmp_path)
    terraform = Terraform(tmp_path / "terraform", tmp_path)
    taken = {case.name: (idem.takes(case), terraform.takes(case)) for case in all_cases(tmp_path)}
    assert taken["bind-chain-200"] == (True, False)
    assert taken["bind-chain-400"] == (True, True)
    assert taken["nop-1000"] == (False, True)
    assert taken["bind-fan-100000"] == (False, False)


def test_idem_is_counted_over_its_returns() -> None:
    """A state whose result is not True does not count."""
    written = json.dumps({"a": {"result": True}, "b": {"result": None}, "c": {"result": False}})
    assert Idem(Path("idem"), Path(), Path()).succeeded(written) == 1


def test_terraform_is_counted_by_its_last_summary() -> None:
    """It sums up the plan, too, and that is nothing that was done."""
    summary = {"type": "change_summary"}
    planned = {**summary, "changes": {"add": 9, "remove": 0, "operation": "plan"}}
    applied = {**summary, "changes": {"add": 3, "remove": 0, "operation": "apply"}}
    written = "\n".join(json.dumps(line) for line in ({"type": "version"}, planned, applied))
    assert Terraform(Path("terraform"), Path()).succeeded(written) == 3


def test_terraform_that_is_not_there_is_no_peer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the command there is nothing to prepare, and nothing fails."""
    monkeypatch.setenv("BENCH_TERRAFORM", "no-such-terraform")
    assert prepare_terraform(tmp_path, all_cases(tmp_path)) is None
