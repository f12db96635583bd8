"""A reaction to a change that failed or never started is owed: the next applies run it until it succeeds."""

from __future__ import annotations

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.app.test_own_values import every_return
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.core.model.run_part import RunPart
from ensue.output.failures import every_return as returns_that_count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ensue.core.model.report import RunReport

CAUSE = "c:\n  file.managed: [name: ROOT/c, contents: x]\n"
HANDLER = "h:\n  cmd.wait:\n    - name: echo x >> ROOT/calls; test -e ROOT/ok\n"
KINDS = {
    "watch": HANDLER + "    - watch: [c]\n",
    "listen": HANDLER + "    - listen: [c]\n",
    "onchanges": HANDLER.replace("wait", "run") + "    - onchanges: [c]\n",
}
BLOCK = "a:\n  test.nop:\n    - delayed_render: [block: b]\n#!delayed_block b\n{}#!end_delayed_block\n"
ALONE = "{}"


def sls(root: Path, text: str) -> None:
    write(root, states__t=text.replace("ROOT", str(root)))


def calls(root: Path) -> int:
    """Return how often the handler has been called."""
    path = root / "calls"
    return len(path.read_text().splitlines()) if path.exists() else 0


def owed(report: RunReport) -> list[str]:
    """Return the IDs of the states that a plan or an apply says to be owed since a run."""
    return [
        returned.id
        for returned in every_return(report.returns.values())
        if any(text.startswith("owed since run") for text in returned.warnings)
    ]


@pytest.mark.parametrize("around", [ALONE, BLOCK])
@pytest.mark.parametrize("kind", KINDS)
def test_a_reaction_that_failed(tmp_path: Path, kind: str, around: str) -> None:
    """Plans show it, and applies run it again, until it has succeeded once."""
    sls(tmp_path, around.format(CAUSE + KINDS[kind]))
    id_ = "listener_h" if kind == "listen" else "h"
    first = apply(tmp_path, "t")
    assert (first.exit_code, owed(first), calls(tmp_path)) == (2, [], 1)
    for number in (2, 3):
        plan = apply(tmp_path, "t", test=True)
        assert owed(plan) == [id_]
        assert {
            returned.id for returned in every_return(plan.returns.values()) if returned.result is None
        } == {id_}
        assert any(
            first.run_id in text
            for returned in every_return(plan.returns.values())
            for text in returned.warnings
        )
        assert apply(tmp_path, "t").exit_code == 2
        assert calls(tmp_path) == number
    (tmp_path / "ok").touch()
    report = apply(tmp_path, "t")
    assert (report.exit_code, owed(report), calls(tmp_path)) == (0, [id_], 4)
    for test in (True, False):
        report = apply(tmp_path, "t", test=test)
        assert (report.exit_code, owed(report), calls(tmp_path)) == (0, [], 4)


@pytest.mark.parametrize("kind", ["watch", "onchanges"])
@pytest.mark.parametrize("between", ["    - require: [f]\n", ""])
def test_a_reaction_that_did_not_run(tmp_path: Path, kind: str, between: str) -> None:
    """It is owed as well: what it requires failed, or the run was stopped before it."""
    (tmp_path / "ok").touch()
    failing = "f:\n  cmd.run:\n    - name: test -e ROOT/more\n    - failhard: " + (
        "false\n" if between else "true\n"
    )
    sls(tmp_path, CAUSE + failing + KINDS[kind] + between)
    assert (apply(tmp_path, "t").exit_code, calls(tmp_path)) == (2, 0)
    (tmp_path / "more").touch()
    for _ in range(2):
        assert (apply(tmp_path, "t").exit_code, calls(tmp_path)) == (0, 1)


def applied_part(root: Path, part: RunPart) -> RunReport:
    async def run() -> RunReport:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return await project.apply(["t"], RunOptions(part=part), on_event=lambda _: None)

    return asyncio.run(run())


def test_a_part_of_a_run_pays_what_is_owed(tmp_path: Path) -> None:
    """A part without the cause runs it; a part that has only the cause does not, and it stays owed."""
    sls(tmp_path, CAUSE + KINDS["watch"])
    apply(tmp_path, "t")
    (tmp_path / "ok").touch()
    for only, number in (("c", 1), ("h", 2), ("h", 2)):
        assert applied_part(tmp_path, RunPart(only=(only,))).exit_code == 0
        assert calls(tmp_path) == number


@pytest.mark.parametrize("kind", [*KINDS, "listen_in"])
def test_a_chosen_handler_pays_what_is_owed(tmp_path: Path, kind: str) -> None:
    """Although what triggers it is left out; it reacts once."""
    (tmp_path / "ok").touch()
    sls(tmp_path, HANDLER + LISTENED_TO if kind == "listen_in" else KINDS[kind] + CAUSE)
    assert (applied_part(tmp_path, RunPart(only=("c",))).exit_code, calls(tmp_path)) == (0, 0)
    for _ in range(2):
        assert (applied_part(tmp_path, RunPart(only=("h",))).exit_code, calls(tmp_path)) == (0, 1)
    assert (apply(tmp_path, "t").exit_code, calls(tmp_path)) == (0, 1)


LISTENED_TO = "c:\n  file.managed: [name: ROOT/c, contents: x, listen_in: [h]]\n"


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (kind, part)
        for kind in (*KINDS, "listen_in")
        for part in (RunPart(only=("c",)), RunPart(exclude=("h",)))
    ]
    + [(kind, RunPart(start_at="c")) for kind in ("listen", "listen_in")],
    ids=str,
)
def test_a_part_of_a_run_owes_what_it_leaves_out(tmp_path: Path, kind: str, part: RunPart) -> None:
    """What reacts to a change in it is run by the next apply of the whole, once, and a plan shows it."""
    (tmp_path / "ok").touch()
    sls(tmp_path, HANDLER + LISTENED_TO if kind == "listen_in" else KINDS[kind] + CAUSE)
    first = applied_part(tmp_path, part)
    assert (first.exit_code, calls(tmp_path)) == (0, 0)
    id_ = "listener_h" if kind.startswith("listen") else "h"
    assert owed(apply(tmp_path, "t", test=True)) == [id_]
    assert applied_part(tmp_path, part).exit_code == 0
    for _ in range(2):
        assert (apply(tmp_path, "t").exit_code, calls(tmp_path)) == (0, 1)


FANNED_OUT = {
    "watch": "h:\n  cmd.wait: [tgt: m, name: echo >> ROOT/calls, watch: [c]]\n",
    "listen": "h:\n  cmd.wait: [tgt: m, name: echo >> ROOT/calls, listen: [c]]\n",
    "onchanges": "h:\n  cmd.run: [tgt: m, name: echo >> ROOT/calls, onchanges: [c]]\n",
}


@pytest.mark.parametrize("how", ["left out", "stopped"])
@pytest.mark.parametrize("kind", FANNED_OUT)
def test_a_reaction_of_a_fan_out(tmp_path: Path, kind: str, how: str) -> None:
    """What it matches is not known if it never began; then each that it matches later reacts."""
    stop = "f:\n  cmd.run: [name: test -e ROOT/more, failhard: true]\n" if how == "stopped" else ""
    sls(tmp_path, CAUSE + stop + FANNED_OUT[kind])
    if how == "stopped" and kind != "listen":
        assert (apply(tmp_path, "t").exit_code, calls(tmp_path)) == (2, 0)
    else:
        assert (applied_part(tmp_path, RunPart(only=("c",))).exit_code, calls(tmp_path)) == (0, 0)
    (tmp_path / "more").touch()
    assert len(owed(apply(tmp_path, "t", test=True))) == 1
    for _ in range(2):
        assert (apply(tmp_path, "t").exit_code, calls(tmp_path)) == (0, 1)


@pytest.mark.parametrize("kind", ["onchanges", "listen"])
def test_what_is_owed_can_be_forgotten(tmp_path: Path, kind: str) -> None:
    """With the entry of the state, by the word that the warning has while the state is not declared."""
    sls(tmp_path, CAUSE + KINDS[kind])
    apply(tmp_path, "t")
    sls(tmp_path, CAUSE)
    [warning] = apply(tmp_path, "t").warnings
    assert (warning.code, "`ensue enforced forget h`" in warning.help) == ("E0894", True)

    async def forget() -> None:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            assert not [shown for shown in await project.enforced() if shown.state.id == "h"]
            forgotten = await project.forget_enforced(["h"])
        assert (len(forgotten.entries), forgotten.unknown, forgotten.several) == (1, {}, {})

    asyncio.run(forget())
    sls(tmp_path, CAUSE + KINDS[kind])
    assert (apply(tmp_path, "t").exit_code, calls(tmp_path)) == (0, 1)


def test_the_next_attempt_pays_what_one_owes(tmp_path: Path) -> None:
    """A state that applies an SLS and is tried again runs there what has failed in the attempt before."""
    retried = "ssh_host.state_applied: [name: 'minion:m', mods: there, retry: {attempts: 2, interval: 0.01}]"
    handler = KINDS["onchanges"].replace("test -e ROOT/ok", "test $(wc -l < ROOT/calls) -gt 1")
    write(tmp_path, states__there=(CAUSE + handler).replace("ROOT", str(tmp_path)))
    sls(tmp_path, f"a: {{{retried}}}\n")
    for _ in range(2):
        report = apply(tmp_path, "t")
        assert (report.exit_code, calls(tmp_path)) == (0, 2)
        assert not [returned for returned in returns_that_count(report.returns.values()) if returned.owed]


class Handler(NamedTuple):
    """How an SLS declares the handler."""

    id: str
    kind: str
    name: str

    def written(self) -> str:
        """Return its lines."""
        call = "run" if self.kind == "onchanges" else "wait"
        return f"{self.id}:\n  cmd.{call}:\n    - name: {self.name}\n    - {self.kind}: [c]\n"


def write_handlers(root: Path, handlers: Sequence[Handler], around: str) -> None:
    """Write the SLS with a state, and the handlers of its change."""
    sls(root, around.format(CAUSE + "".join(handler.written() for handler in handlers)))


COMMANDS = st.sampled_from([f"echo {word} >> ROOT/calls; test -e ROOT/ok" for word in "xyz"])
KINDS_OF_HANDLERS = st.sampled_from([*KINDS])
EDITS = st.lists(
    st.builds(Handler, id=st.sampled_from(["h", "i"]), kind=KINDS_OF_HANDLERS, name=COMMANDS),
    max_size=2,
    unique_by=lambda handler: handler.id,
)


@settings(max_examples=25, deadline=None)
@given(
    first=st.builds(Handler, id=st.just("h"), kind=KINDS_OF_HANDLERS, name=COMMANDS),
    edits=st.lists(EDITS, min_size=1, max_size=3),
    around=st.sampled_from([ALONE, BLOCK]),
)
def test_an_edited_handler_runs_or_is_named(first: Handler, edits: list[list[Handler]], around: str) -> None:
    """Whatever is edited while it is owed: plans and applies run it, or name it, until it has succeeded."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        write_handlers(root, [first], around)
        assert (apply(root, "t").exit_code, calls(root)) == (2, 1)
        for handlers in edits:
            write_handlers(root, handlers, around)
            for test in (True, False):
                before = calls(root)
                report = apply(root, "t", test=test)
                names = any(warning.code == "E0894" for warning in report.warnings)
                assert names != bool(owed(report)), (handlers, test, report.warnings)
                assert (calls(root) > before) == (bool(owed(report)) and not test)
        (root / "ok").touch()
        write_handlers(root, [first], around)
        assert owed(apply(root, "t"))
        report = apply(root, "t")
        assert (report.exit_code, owed(report), report.warnings) == (0, [], ())
