"""What a resumed run takes over, and what it calls again because a watched state changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from tests.engine.harness import Lab, Row, change, mod_watch, plan_of, run_virtually
from tests.engine.test_fan_out import Inventory, on

from ensue.core.model.call_fingerprint import NO_FINGERPRINT
from ensue.core.model.returns import StateReturn
from ensue.engine.adoption import ARGUMENTS
from ensue.engine.services import EngineHooks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ensue.core.model.data import DataMap
    from ensue.core.model.returns import Return


@dataclass
class Inputs:
    """Compares what calls read, and notes the arguments that it is given."""

    same: bool = True
    compared: list[DataMap | None] = field(default_factory=list)

    def mark(self, reads: Sequence[object], arguments: DataMap | None) -> tuple[list[str], str]:
        return [str(read) for read in reads] + ([ARGUMENTS] if arguments is not None else []), "mark"

    async def are_same(self, names: Sequence[str], mark: str, arguments: DataMap | None) -> bool:
        assert (list(names), mark) == ([ARGUMENTS], "mark")
        self.compared.append(arguments)
        return self.same


@dataclass
class Calls:
    """A lab whose calls are noted by ID."""

    inputs: Inputs = field(default_factory=Inputs)
    called: list[str] = field(default_factory=list)
    lab: Lab = field(init=False)

    def __post_init__(self) -> None:
        hooks = EngineHooks(matcher=Inventory(), inputs=self.inputs)
        functions = {"work": self.work, "keep": self.keep}
        self.lab = Lab(functions=functions, hooks=hooks, watches={"test": self.hear})

    def work(self, ctx: Any, name: str, **arguments: Any) -> StateReturn:
        self.called.append(ctx.site.chunk.id)
        return change(ctx, name, **arguments)

    def keep(self, ctx: Any, name: str, **_: Any) -> StateReturn:
        self.called.append(ctx.site.chunk.id)
        return StateReturn(name=name, result=True)

    def hear(self, ctx: Any, name: str, sfun: str, **arguments: Any) -> StateReturn:
        self.called.append(ctx.site.chunk.id)
        return mod_watch(ctx, name, sfun, **arguments)

    def resume(self, rows: list[Row], *, without: Iterable[str] = (), **changed: Any) -> list[str]:
        """Run rows, then again with what the first run has done; return what the second one calls.

        Args:
            rows: the states.
            without: IDs that have no returns in the first run.
            **changed: fields of returns that are different in the journal.
        """
        first = self.lab.run(rows).returns.values()
        self.called.clear()
        done: dict[tuple[str, str], Return | None] = {
            back.identity: msgspec.structs.replace(back, **changed)
            for back in first
            if back.id not in set(without)
        }
        run_virtually(self.lab.engine().run(plan_of(rows), done))
        return self.called


@pytest.mark.parametrize(
    ("read", "same", "called"),
    [((), True, ["a"]), ((ARGUMENTS,), True, []), ((ARGUMENTS,), False, ["a"])],
    ids=["never compared", "same", "others"],
)
def test_arguments_with_a_secret_are_compared_by_their_mark(
    read: tuple[str, ...], same: bool, called: list[str]
) -> None:
    """Without a fingerprint only the keyed mark says that the arguments are the same."""
    inputs = Inputs(same=same)
    rows = [Row("a", "work", arguments={"password": "x"})]
    kept = {"fingerprint": NO_FINGERPRINT, "read": read, "read_mark": "mark" if read else ""}
    assert Calls(inputs).resume(rows, **kept) == called
    assert inputs.compared == ([{"password": "x"}] if read else [])


@pytest.mark.parametrize("kind", ["watch", "onchanges"])
def test_one_of_the_chunks_of_a_fan_out_is_heard(kind: str) -> None:
    """What watches a state with a target hears each of its chunks, and is taken over when all of them are."""
    heard: dict[str, Any] = {kind: ["a"]}
    rows = [on("a", "web-*", "work"), Row("b", "keep", **heard)]
    assert Calls().resume(rows) == []
    again = Calls().resume(rows, without=["web-2 a"])
    assert again[0] == "web-2 a"
    assert again[1:], "b acts on the change"
    assert all(call.startswith("b") for call in again[1:])


@pytest.mark.parametrize("kind", ["listen", "listen_in"])
def test_a_listener_hears_what_is_called_again(kind: str) -> None:
    """With `listen` and `listen_in`, the listener is called again; it is taken over when nothing is new."""
    rows: list[Row] = []
    for notifier, listener in (("a", "b"), ("c", "d")):
        heard: dict[str, Any] = {"listen_in": [listener]} if kind == "listen_in" else {}
        listens: dict[str, Any] = {"listen": [notifier]} if kind == "listen" else {}
        rows += [Row(notifier, "work", **heard), Row(listener, "keep", **listens)]
    rows.append(Row("e", "work"))
    assert Calls().resume(rows) == []
    assert Calls().resume(rows, without=["a"]) == ["a", "listener_b"]
    assert Calls().resume(rows, without=["c"]) == ["c", "listener_d"]
    assert Calls().resume(rows, without=["e"]) == ["e"]


@pytest.mark.parametrize("kind", ["listen", "listen_in"])
def test_a_listener_hears_one_chunk_of_a_fan_out(kind: str) -> None:
    """A change on one of several resources is a change."""
    more = {"listen_in": ["b"]} if kind == "listen_in" else {}
    rows = [on("a", "web-*", "work", **more), Row("b", "keep", listen=["a"] if kind == "listen" else [])]
    assert Calls().resume(rows) == []
    assert Calls().resume(rows, without=["web-1 a"]) == ["web-1 a", "listener_b"]


def test_a_secret_argument_is_marked_although_nothing_else_is_read() -> None:
    """The mark names the arguments alone."""
    calls = Calls()
    calls.lab.masker.add("s3cret-text")
    (returned,) = calls.lab.run([Row("a", "work", arguments={"password": "s3cret-text"})]).returns.values()
    assert (list(returned.read), returned.read_mark) == ([ARGUMENTS], "mark")
    assert returned.fingerprint == NO_FINGERPRINT
