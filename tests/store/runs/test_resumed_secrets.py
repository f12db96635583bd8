"""A resumed run has what the journal kept, and asks again for what a journal never keeps."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.engine.harness import Lab, Row, by_id, plan_of, run_virtually

from ensue.core.masking import Masker
from ensue.core.model.call_fingerprint import NO_FINGERPRINT
from ensue.core.model.returns import StateReturn


@pytest.mark.parametrize(("sensitive", "calls"), [((), 0), (("password",), 1)])
def test_only_a_state_with_secrets_is_called_again(sensitive: tuple[str, ...], calls: int) -> None:
    """A state that ended before the run was cut off is not called again, unless its return held a secret."""
    called: list[str] = []

    def secret(_ctx: Any, name: str) -> StateReturn:
        called.append(name)
        return StateReturn(name=name, result=True, new_state={"password": "clear"}, sensitive=sensitive)

    lab = Lab(functions={"secret": secret})
    rows = [Row("a", "secret"), Row("b")]
    first = by_id(lab.run(rows).returns)["a"]
    kept = msgspec.structs.replace(
        first, new_state={"password": "(sensitive)"} if sensitive else first.new_state
    )
    called.clear()
    outcome = run_virtually(lab.engine().run(plan_of(rows), {kept.identity: kept}))
    assert len(called) == calls
    assert by_id(outcome.returns)["a"].new_state == {"password": "clear"}


@pytest.mark.parametrize(("secret", "calls"), [("hunter2-secret", 1), ("another-secret", 0)])
def test_arguments_with_a_secret_leave_no_trace(secret: str, calls: int) -> None:
    """A checksum could reveal the secret, so none is kept of such arguments; their state is called again."""
    called: list[str] = []

    def login(_ctx: Any, name: str, line: str) -> StateReturn:
        called.append(line)
        return StateReturn(name=name, result=True)

    lab = Lab(functions={"login": login}, masker=Masker([secret]))
    rows = [Row("a", "login", arguments={"line": "password=hunter2-secret"})]
    first = by_id(lab.run(rows).returns)["a"]
    assert (first.fingerprint == NO_FINGERPRINT) is bool(calls)
    called.clear()
    run_virtually(lab.engine().run(plan_of(rows), {first.identity: first}))
    assert len(called) == calls
