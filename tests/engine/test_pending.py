"""In a plan, a state that lacks what an earlier state would make is no failure."""

from __future__ import annotations

from typing import Any

import pytest
from tests.engine.harness import Lab, Row

from ensue.core.errors import MissingOnTargetError
from ensue.core.model.returns import StateReturn


def make(ctx: Any, name: str) -> StateReturn:
    result = None if ctx.site.test else True
    return StateReturn(name=name, result=result, changes={"/srv/app": "made"}, comment="made")


def use(_ctx: Any, name: str) -> StateReturn:
    raise MissingOnTargetError(f"{name}: there is no /srv/app/conf", missing="/srv/app/conf")


@pytest.mark.parametrize(("test", "result"), [(True, None), (False, False)])
def test_what_an_earlier_state_makes_is_missing_only_in_a_plan(*, test: bool, result: bool | None) -> None:
    """In an apply that state has run already, so that what it would make is really missing."""
    lab = Lab(functions={"make": make, "use": use})
    assert lab.returns([Row("m", "make"), Row("u", "use")], test=test)["u"].result is result
    assert lab.returns([Row("u", "use"), Row("m", "make")], test=test)["u"].result is False
