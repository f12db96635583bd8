"""Drift names what differs, and no secret, however deep one stands below a sensitive path or beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.masking import Masker
from ensue.core.model.returns import Return
from ensue.store.registry.enforced import EnforcedStore
from ensue.store.registry.store_thread import StoreThread
from ensue.store.registry.vault import ProjectVault
from ensue.store.runs.enforcement import Enforcement

if TYPE_CHECKING:
    from pathlib import Path


def returned(**fields: Any) -> Return:
    """Return the return of a state `vm` on this machine."""
    known: dict[str, Any] = {
        "tag": "cloud_|-vm_|-vm_|-present",
        "id": "vm",
        "name": "vm",
        "sls": "t",
        "module": "cloud",
        "function": "present",
        "scope": "",
        "target": "minion:m1",
        "result": True,
        "changes": {},
        "comment": "",
    }
    return Return(**known, **fields)


@pytest.mark.parametrize(
    ("sensitive", "before", "now", "drift"),
    [
        ((), {"size": 1, "same": 2, "gone": 3}, {"size": 5, "same": 2}, {"size": (1, 5)}),
        ((), {"pid": 952, "retcode": 0}, {"pid": 956, "retcode": 0}, {}),
        (("key",), {"key": "old-key"}, {"key": "new-key"}, {"key": ("(sensitive)", "(sensitive)")}),
        (
            ("auth",),
            {"auth": {"password": "old-pass", "user": "a"}},
            {"auth": {"password": "new-pass", "user": "a"}},
            {"auth:password": ("(sensitive)", "(sensitive)")},
        ),
        (
            ("nics:0:key",),
            {"nics": [{"key": "old-key", "mtu": 1}]},
            {"nics": [{"key": "new-key", "mtu": 2}]},
            {"nics": ([{"key": "(sensitive)", "mtu": 1}], [{"key": "(sensitive)", "mtu": 2}])},
        ),
    ],
)
def test_drift(
    tmp_path: Path,
    sensitive: tuple[str, ...],
    before: dict[str, Any],
    now: dict[str, Any],
    drift: dict[str, tuple[Any, Any]],
) -> None:
    """A plan compares what it found with what the last apply made true."""
    vault = ProjectVault.of_project(tmp_path, environment={})
    store = EnforcedStore(tmp_path, vault=vault, masker=Masker())
    store.note(returned(new_state=before, sensitive=sensitive))
    store.flush()
    planned = returned(new_state=now, sensitive=sensitive)
    Enforcement(store, StoreThread(), "run", test=True).see(planned)
    store.close()
    assert planned.drift == {path: {"old": old, "new": new} for path, (old, new) in drift.items()}


@pytest.mark.parametrize(("fingerprint", "drift"), [(7, {"stdout": {"old": "/tmp", "new": "/"}}), (8, {})])
def test_drift_of_other_arguments(tmp_path: Path, fingerprint: int, drift: dict[str, Any]) -> None:
    """A state that is called with other arguments than in the last apply has no drift."""
    store = EnforcedStore(tmp_path, vault=ProjectVault.of_project(tmp_path, environment={}), masker=Masker())
    store.note(returned(new_state={"stdout": "/tmp"}, fingerprint=7))
    store.flush()
    planned = returned(new_state={"stdout": "/"}, fingerprint=fingerprint)
    Enforcement(store, StoreThread(), "run", test=True).see(planned)
    store.close()
    assert planned.drift == drift
