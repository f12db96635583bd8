"""Values of variables reach a configuration as they are."""

from __future__ import annotations

import pytest

from ensue.core.errors import StateFailedError
from ensue.reach.terraform.variables import variables_file


def test_a_template_sequence_in_a_value_begins_no_template() -> None:
    """`${` and `%{` are doubled, as the language escapes them."""
    assert variables_file({"a": "${x} %{y} $z"}) == b'a = "$${x} %%{y} $z"\n'


def test_values_are_json() -> None:
    """Lists, mappings, null and booleans."""
    assert variables_file({"a": {"b": [1, None, True]}}) == b'a = {"b": [1, null, true]}\n'


@pytest.mark.parametrize("name", ["a b", "1a", "", 'a="x"\nb'])
def test_a_name_that_cannot_be_declared_is_refused(name: str) -> None:
    """It would be another variable, or none."""
    with pytest.raises(StateFailedError, match="is not the name of a variable"):
        variables_file({name: 1})
