"""What a function makes, the removal that its module names for it removes: both are about one thing."""

from __future__ import annotations

import inspect
import pkgutil
from typing import TYPE_CHECKING, Any

import pytest

from ensue.core.contracts.placed_things import PLACED_BY
from ensue.core.model.returns import Return
from ensue.language.functions.functions import Functions
from ensue.language.functions.made_things import MadeThings
from ensue.library import states as package

if TYPE_CHECKING:
    from collections.abc import Mapping

FUNCTIONS = Functions(package.__name__)
MODULES = [
    module.name
    for module in pkgutil.iter_modules(package.__path__)
    if not module.name.startswith("_") and FUNCTIONS.names(module.name)
]


def pairs(module: str) -> Mapping[str, str]:
    """Return the functions of a module with a removal, each with that."""
    names = FUNCTIONS.names(module)
    return {name: removal for name in names if (removal := FUNCTIONS.removal(module, name))}


@pytest.mark.parametrize("module", MODULES)
def test_every_absence_is_a_removal(module: str) -> None:
    """`x_absent` makes absent what `x_present` makes, and every function that `ABSENT` names is there."""
    names, absences = FUNCTIONS.names(module), set(FUNCTIONS.absences(module))
    absent = {name for name in names if name.rpartition("_")[2] == "absent"}
    assert absent <= absences, "ABSENT lacks some"
    assert absences <= {*names, "absent"}
    for name in absent:
        made = f"{name.removesuffix('absent')}present"
        assert made not in names or pairs(module)[made] in {name, "absent"}


@pytest.mark.parametrize(("module", "function", "removal"), [
    (module, function, removal) for module in MODULES for function, removal in pairs(module).items()
])  # fmt: skip
def test_a_removal_takes_the_arguments_that_say_where(module: str, function: str, removal: str) -> None:
    """Otherwise it is about another thing, and what it removes is named as left behind."""
    maker, remover = (FUNCTIONS.find(module, name) for name in (function, removal))
    where = set(getattr(maker, PLACED_BY, ()))
    taken = [where.intersection(inspect.signature(each).parameters) for each in (maker, remover) if each]
    assert taken[0] == taken[1]


def returned(module: str, function: str, **details: Any) -> Return:
    names = {"tag": "t", "id": "i", "name": "/srv", "sls": "s", "scope": "", "target": "minion:m"}
    fixed = {"result": True, "changes": {}, "comment": "", "module": module, "function": function}
    return Return(**{**names, **fixed, **details})


def things(module: str, function: str, **details: Any) -> set[str]:
    return set(MadeThings(lambda _: FUNCTIONS).of(returned(module, function, **details)).things)


@pytest.mark.parametrize("kind", ["new_state", "old_state"])
def test_an_entry_of_a_list_is_that_of_a_single_state(kind: str) -> None:
    """Access control entries of several users are as many things, before an apply and after it."""
    where = {"placed": ("acl_type: user",)}
    several = things("acl", "list_absent", **where, **{kind: {"acl_names": ["deploy", "backup"]}})
    single = {
        thing
        for name in ("deploy", "backup")
        for thing in things("acl", "present", **where, **{kind: {"acl_names": [name]}})
    }
    assert several == single
    assert len(single) == 2


def test_a_part_of_a_file_is_not_the_file() -> None:
    """That an option of it is absent does not make the file absent."""
    assert things("ini", "options_absent") == things("ini", "options_present")
    assert things("ini", "options_absent").isdisjoint(things("file", "managed"))
    assert things("selinux", "fcontext_policy_absent").isdisjoint(things("file", "managed"))
