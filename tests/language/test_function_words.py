"""What is written instead of another tool's functions exists."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from ensue.language.ansible_words import _FILTERS
from ensue.language.function_words import _FUNCTIONS, _MODULES, usual_names
from ensue.language.functions.functions import Functions
from ensue.language.jinja.environment import SaltJinjaEnvironment

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = "ensue.library.states"


def named() -> Iterator[str]:
    """Yield every function that an advice names."""
    for advice in _MODULES.values():
        yield from re.findall(r"`([a-z_]+\.[a-z_]+)`", advice)


@pytest.mark.parametrize("name", sorted(set(named()) - {"module.function"}))
def test_an_advice_names_a_state_function(name: str) -> None:
    """Nobody is sent to a function that does not exist."""
    module, _, function = name.rpartition(".")
    assert function in Functions(PACKAGE).names(module)


def test_another_name_means_a_function_of_the_module() -> None:
    """The names of other tools lead only to functions that the module has."""
    services = Functions(PACKAGE).names("service")
    assert usual_names("started", services) == ["running"]
    assert usual_names("absent", services) == ["dead"]
    assert usual_names("cloned", services) == []
    assert not set(_FUNCTIONS["started"]) - set(services)


@pytest.mark.parametrize(
    "name", [name for name in _FILTERS.values() if name.partition("(")[0].isidentifier()]
)
def test_a_filter_that_is_named_exists(name: str) -> None:
    """What is written instead of a filter of Ansible is a filter."""
    assert name.partition("(")[0] in filters()


def test_filters_of_ansible_do_not_exist() -> None:
    """The table hides no filter."""
    assert not _FILTERS.keys() & filters()


def filters() -> set[str]:
    """Return the names of all filters."""
    environment = SaltJinjaEnvironment({}, str)
    return set(dict.keys(environment.filters))
