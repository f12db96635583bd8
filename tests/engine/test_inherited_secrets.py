"""Secrets that are bound to a state's arguments are secret in its return as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import structs
from tests.engine.harness import Lab, Row, by_id, plan_of, run_virtually

from ensue.core.masking import Masker
from ensue.core.model.reference import Binding, BoundText, Reference
from ensue.core.model.returns import StateReturn
from ensue.engine.binding.arguments import RunTimeArguments
from ensue.engine.binding.bound_values import BoundValues
from ensue.engine.binding.insertions import Insertions
from ensue.engine.services import EngineHooks

if TYPE_CHECKING:
    from ensue.core.contracts.growth import Plan
    from ensue.core.model.returns import Return

READING = "${test:a:x}"


def _bound(plan: Plan, lead: str) -> Plan:
    """Return a plan whose second state reads `x` of the first one, after some text."""
    first, second = plan.chunks
    reference = Reference(text=READING, path="test", id="a", property="x", steps=("x",))
    text = BoundText((*([lead] if lead else []), Binding(reference=reference, producer=0)), ("x",))
    return structs.replace(plan, chunks=(first, structs.replace(second, bindings={lead + READING: text})))


def _reader(
    value: Any, sensitive: tuple[str, ...] = ("x",), own: tuple[str, ...] = (), lead: str = ""
) -> Return:
    """Return the return of a state that repeats what it reads of a state with a secret."""

    def make(_ctx: Any, name: str) -> StateReturn:
        return StateReturn(name=name, result=True, new_state={"x": value, "y": True}, sensitive=sensitive)

    def repeat(_ctx: Any, name: str, x: Any) -> StateReturn:
        state = {"it": x, "all": [{"it": x}], "other": 0}
        return StateReturn(name=name, result=True, new_state=state, sensitive=own)

    rows = [Row("a", "make"), Row("b", "repeat", {"x": lead + READING}, arg_bind=["a"])]
    masker = Masker()
    resolver = RunTimeArguments(lambda *_: None, Insertions(), BoundValues(None, masker))
    hooks = EngineHooks(arguments=lambda: resolver)
    lab = Lab(functions={"make": make, "repeat": repeat}, hooks=hooks, masker=masker)
    return by_id(run_virtually(lab.engine().run(_bound(plan_of(rows), lead))).returns)["b"]


@pytest.mark.parametrize("value", ["s3cret-text", True, False])
def test_a_secret_stays_secret_in_the_return_of_its_reader(value: Any) -> None:
    """A text is found by the masker; true and false are found by their value."""
    assert sorted(_reader(value).sensitive) == ["all[0]:it", "it"]


def test_a_path_that_the_state_names_itself_is_listed_once() -> None:
    """Its own paths come first."""
    assert _reader("s3cret-text", own=("it",)).sensitive == ("it", "all[0]:it")


@pytest.mark.parametrize("value", ["plain-text", True])
def test_what_is_no_secret_makes_nothing_secret(value: Any) -> None:
    """The state that is read has another secret, or none."""
    assert _reader(value, ()).sensitive == ()
    assert _reader("plain-text", ("y",)).sensitive == ()


@pytest.mark.parametrize(("value", "sensitive"), [(True, ["all[0]:it", "it"]), ("xy", ["all[0]:it", "it"])])
def test_a_text_with_a_short_secret_is_a_secret(value: Any, sensitive: list[str]) -> None:
    """No masker finds so short a secret within a text, so the whole text is one."""
    assert sorted(_reader(value, lead="pin-").sensitive) == sensitive
