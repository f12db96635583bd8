"""What a fanned-out chunk is called, and how the returns of its chunks are combined."""

from __future__ import annotations

import pytest
from tests.engine.harness import MINION, Row, plan_of

from ensue.core.model.chunk import FanOut, StateOptions
from ensue.core.model.fan_out import FannedReturn, fanned_chunk, fanned_return, parts_of
from ensue.core.model.returns import Return
from ensue.core.model.srn import Srn

(CHUNK,) = plan_of([Row("id", options=StateOptions(parallel=True, fan_out=FanOut(expression="*")))]).chunks
WEB = Srn("ssh_host", "web-01")


def returned(target: str, *, result: bool | None, ran: bool = True) -> Return:
    id_ = target.partition(":")[2]
    return Return(
        tag=f"test_|-{id_} id_|-{id_} id_|-nop",
        id=f"{id_} id",
        name="id",
        sls="t",
        module="test",
        function="nop",
        scope="",
        target=target,
        result=result,
        changes={"a": 1} if result is None else {},
        comment="",
        ran=ran,
    )


def test_a_chunk_on_a_resource() -> None:
    """Its ID is prefixed and so is the name in its tag; its name, options and requisites are the chunk's."""
    fanned = fanned_chunk(CHUNK, WEB)
    assert (fanned.id, fanned.name, fanned.target) == ("web-01 id", "id", WEB)
    assert fanned.tag == "test_|-web-01 id_|-web-01 id_|-nop"
    assert fanned.options == StateOptions(parallel=True)
    assert fanned.span() == CHUNK.span()


@pytest.mark.parametrize(
    ("results", "whole"),
    [([True, True], True), ([True, None], None), ([None, False], False), ([True, False], False)],
)
def test_the_result_of_all(results: list[bool | None], whole: bool | None) -> None:
    """One that failed makes it False, one that would change None."""
    parts = [returned(f"t:{number}", result=result) for number, result in enumerate(results)]
    assert fanned_return(CHUNK, "", str(MINION), parts).result is whole


def test_what_never_ran_is_no_success() -> None:
    """Of what was left out nothing is known: the whole is not True, and has the parts that were run."""
    whole = fanned_return(CHUNK, "", str(MINION), [returned("t:1", result=True), None])
    assert (whole.result, list(whole.parts)) == (None, ["t:1"])


def test_parts() -> None:
    """A fanned-out return has a part per chunk, by resource; any other return is its own only part."""
    first, second = returned("ssh_host:web-01", result=None), returned("t:2", result=True, ran=False)
    whole = fanned_return(CHUNK, "", str(MINION), [first, second])
    assert isinstance(whole, FannedReturn)
    assert list(parts_of(whole)) == [first, second]
    assert list(parts_of(first)) == [first]
    assert whole.on(WEB) is first
    assert whole.on(MINION) is None
    assert whole.changes == {first.tag: {"a": 1}}
    assert whole.ran is True
