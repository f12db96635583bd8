"""What the engine knows of a state function besides its code."""

from __future__ import annotations

from typing import Any

from tests.engine.harness import Lab, Row

from ensue.core.contracts.placed_things import placed
from ensue.core.model.returns import StateReturn


def test_a_return_says_where_its_thing_is() -> None:
    """By the arguments that are neither left out nor the default; a function need not name all of them."""

    def named(_ctx: Any, name: str, host: str = "localhost") -> StateReturn:
        return StateReturn(name=name, result=True, comment=host)

    def free(_ctx: Any, name: str, **rest: Any) -> StateReturn:
        return StateReturn(name=name, result=True, comment=str(rest))

    functions = placed({"named": named, "free": free}, "host", "port")
    rows = [
        Row("far", "named", {"host": "db1"}),
        Row("near", "named", {"host": "localhost"}),
        Row("any", "free", {"host": "db1", "port": 1}),
    ]
    returns = Lab(functions=functions).returns(rows)
    assert {id_: returned.placed for id_, returned in returns.items()} == {
        "far": ("host=db1",),
        "near": (),
        "any": ("host=db1", "port=1"),
    }
