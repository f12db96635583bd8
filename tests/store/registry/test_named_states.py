"""How a user names an entry of enforced states."""

from __future__ import annotations

import pytest

from ensue.core.model.enforced import EnforcedBy
from ensue.store.registry.enforced_form import EnforcedEntry, EnforcedRow
from ensue.store.registry.named_states import NamedStates


@pytest.mark.parametrize(
    ("id_", "by"),
    [
        ("user alan", EnforcedBy("users")),
        ("h1 user alan", EnforcedBy("users", on="ssh_host:h1")),
        ("h1 user alan", EnforcedBy("users", is_fanned_out=True)),
        ("h1 h2 user alan", EnforcedBy("users", is_fanned_out=True, on="ssh_host:h2")),
    ],
)
def test_the_id_of_a_declaration_names_its_states_on_all_hosts(id_: str, by: EnforcedBy) -> None:
    """The ids of targets that a run puts before an ID may be left out, or be there."""
    entry = EnforcedEntry("user", "present", id_, "alan", "users", b"", (), None, (), "", by)
    row = EnforcedRow("ssh_host:h1", "", "user_|-x_|-alan_|-present", "run", entry)
    states = NamedStates([row])
    assert row.declared_id == "user alan"
    assert [states.of(word) for word in ("user alan", id_, "alan", row.tag)] == [[row]] * 4
    assert "user alan" in states.hint("user alam")
