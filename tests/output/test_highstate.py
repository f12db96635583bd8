"""Results of states are printed as Salt prints them, and what Salt has no words for beside them.

`data/highstate.json` holds returns and what the highstate outputter of Salt 3008.5 made of them, in
several modes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ensue.core.masking import Masker
from ensue.core.model.report import RunReport
from ensue.core.model.returns import Return, ScopeReturn
from ensue.output.colours import COLOURED, PLAIN
from ensue.output.highstate import HighstateOptions, highstate_text

RECORDED = json.loads(Path(__file__).with_name("data").joinpath("highstate.json").read_text("utf-8"))
FULL = HighstateOptions()


def _from_salt(tag: str, data: dict[str, Any]) -> Return:
    module, id_, _, function = tag.split("_|-")
    return Return(
        tag=tag,
        id=id_,
        name=data["name"],
        sls=data["__sls__"],
        module=module,
        function=function,
        scope="",
        target="minion:web-01",
        result=data["result"],
        changes=data["changes"],
        comment=data["comment"],
        warnings=tuple(data.get("warnings", ())),
        run_num=data["__run_num__"],
        start_time=data["start_time"],
        duration_ms=data["duration"],
    )


def _return(id_: str, **fields: Any) -> Return:
    given: dict[str, Any] = {
        "name": id_,
        "sls": "a",
        "module": "test",
        "function": "nop",
        "scope": "",
        "target": "minion:web-01",
        "result": True,
        "changes": {},
        "comment": "Success!",
        "start_time": "12:00:00.000000",
        "duration_ms": 1.0,
        **fields,
    }
    return Return(tag=f"{given['module']}_|-{id_}_|-{given['name']}_|-{given['function']}", id=id_, **given)


def _report(*returns: Return, **fields: Any) -> RunReport:
    given: dict[str, Any] = {
        "run_id": "r",
        "minion_id": "web-01",
        "test": False,
        "status": "succeeded",
        "exit_code": 0,
        **fields,
    }
    return RunReport(returns={returned.tag: returned for returned in returns}, **given)


def _text(report: RunReport, options: HighstateOptions = FULL, masker: Masker | None = None) -> str:
    return "".join(highstate_text(report, masker or Masker(), options))


def _options(variant: str) -> HighstateOptions:
    modes = {"terse", "mixed", "changes", "full_id", "terse_id"}
    return HighstateOptions(
        state_output=variant if variant in modes else "full",  # type: ignore[arg-type] # the names of the data are the modes
        state_verbose=not variant.startswith("quiet"),
        palette=COLOURED if variant == "colour" else PLAIN,
    )


@pytest.mark.parametrize("variant", RECORDED[0]["texts"])
@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["name"])
def test_text_is_salts(case: dict[str, Any], variant: str) -> None:
    """Every block and the summary have the very text that Salt prints, in each of its modes.

    Three things differ on purpose: on a terminal the lines of a diff have colours of their own, a
    terse line does not begin at the end of its warning, and warnings that were shown tersely count.
    """
    returns = [_from_salt(tag, data) for tag, data in case["returns"].items()]
    expected, got = case["texts"][variant], _text(_report(*returns), _options(variant))
    if variant == "colour":
        expected, got = _without_diff_lines(expected), _without_diff_lines(got)
    if "wrapped   Name: " in expected:
        got = got.replace("wrapped \n  Name: ", "wrapped   Name: ").replace("Warnings:  1\n", "")
    assert got == expected + "\n"


def _without_diff_lines(text: str) -> str:
    hints = ("--- ", "+++ ", "@@ ", "-two", "+three", " one")
    plain = {line: line.replace("\x1b[0;32m", "").replace("\x1b[0;31m", "") for line in text.split("\n")}
    kept = [
        line
        for line in text.split("\n")
        if not any(
            plain[line].replace("\x1b[0;36m", "").replace("\x1b[0;0m", "").startswith(" " * 18 + h)
            for h in hints
        )
    ]
    return "\n".join(kept)


def test_what_a_state_applied_elsewhere_stands_beneath_it() -> None:
    """The states of another target are indented under their cause, below a line that names SLS and target."""
    inner = _return("there", scope="configure/openvpn.init", target="ssh_host:jump", changes={"mode": "0600"})
    scope = ScopeReturn(
        kind="apply",
        name="openvpn.init",
        scope="configure/openvpn.init",
        status="done",
        target="ssh_host:jump",
        returns={inner.tag: inner},
    )
    outer = _return("configure", module="ssh_host", function="state_applied", applied=(scope,))
    text = _text(_report(outer))
    assert (
        "     Changes:   \n"
        "     Applied: sls openvpn.init on ssh_host:jump\n"
        "        ----------\n"
        "                  ID: there\n"
        "            Function: test.nop\n"
        "              Result: True\n"
        "             Comment: Success!\n"
    ) in text
    assert (
        "                      ----------\n                      mode:\n                          0600\n"
        in text
    )


def test_nested_states_count() -> None:
    """States of nested scopes are in the counts of the summary; their time is counted once."""
    applied = _return("there", result=False, duration_ms=5.0)
    delayed = _return("later", changes={"a": 1}, duration_ms=7.0)
    outer = _return(
        "outer",
        duration_ms=10.0,
        applied=[ScopeReturn(kind="apply", name="x", scope="outer/x", status="done", returns={"t": applied})],
        delayed=[ScopeReturn(kind="block", name="y", scope="outer/y", status="done", returns={"t": delayed})],
    )
    text = _text(_report(outer))
    assert "Succeeded: 2 (changed=1)\nFailed:    1\n------------\nTotal states run:     3\n" in text
    assert "Total run time:  17.000 ms\n" in text


def test_a_deferred_block_is_said() -> None:
    """A rendering that a plan cannot do is shown with the words that say so, and counted."""
    scope = ScopeReturn(
        kind="block",
        name="config",
        scope="vm/config",
        status="deferred",
        comment="deferred: block config (known after apply)",
    )
    text = _text(_report(_return("vm", result=None, delayed=[scope]), test=True))
    assert "     Delayed: deferred: block config (known after apply)\n" in text
    assert text.endswith("Deferred: 1 (known after apply)\n")


@pytest.mark.parametrize(
    ("result", "status", "shown"),
    [
        (None, "deferred", True),
        (True, "deferred", True),
        (True, "not_rendered", True),
        (True, "failed", True),
        (True, "done", False),
    ],
)
def test_without_verbosity_what_was_not_rendered_is_shown(
    result: bool | None,
    status: str,
    shown: bool,
) -> None:
    """`state_verbose: false` leaves out what is done and changed nothing, and no entry that was not."""
    scope = ScopeReturn(kind="block", name="b", scope="a/b", status=status, comment="why")
    text = _text(_report(_return("a", result=result, delayed=[scope])), _options("quiet"))
    assert ("     Delayed: " in text) is shown


def test_a_broken_delayed_block_counts_as_failed() -> None:
    """A rendering that broke is a failure of its own: the summary says so, as the exit code does."""
    scope = ScopeReturn(
        kind="block", name="b", scope="a/b", status="failed", comment="states/a.sls:3: undefined variable"
    )
    text = _text(_report(_return("a", delayed=[scope])))
    assert "     Delayed: failed: block b: states/a.sls:3: undefined variable\n" in text
    assert "Failed:    1\n" in text


def test_what_is_wrong_with_a_block_stands_beneath_its_state() -> None:
    """Several faults of one block are lines of one comment, all of them indented as its state is."""
    scope = ScopeReturn(kind="block", name="b", scope="a/b", status="failed", comment="one\ntwo")
    text = _text(_report(_return("a", delayed=[scope])))
    assert "     Delayed: failed: block b: one\n              two\n" in text


def test_a_failed_apply_is_counted_once() -> None:
    """SLS that do not compile for another target are the failure of the state that applies them."""
    scope = ScopeReturn(kind="apply", name="x", scope="a/x", status="failed", comment="no such SLS")
    text = _text(_report(_return("a", result=False, applied=(scope,))))
    assert "Failed:    1\n" in text


def test_an_interruption_names_what_was_not_run() -> None:
    """The summary of an interrupted run is followed by every state that never started."""
    report = _report(
        _return("a"), status="interrupted", exit_code=130, not_run=("b (cmd.run)", "c (test.nop)")
    )
    assert _text(report).endswith("Interrupted: 2 states not run\n  b (cmd.run)\n  c (test.nop)\n")


def test_secrets_are_masked_everywhere() -> None:
    """A secret in ID, name, comment, changes, warnings or a heading is replaced, a sensitive path too."""
    secret = "hunter22-and-more"
    scope = ScopeReturn(kind="block", name="b", scope="x/b", status="failed", comment=f"said {secret}")
    returned = _return(
        f"id {secret}",
        name=f"echo {secret}",
        comment=f"ran {secret}",
        changes={"stdout": f"a {secret} b", "new": {"key": "short"}, secret: 1},
        sensitive=("key",),
        warnings=(f"do not print {secret}",),
        delayed=[scope],
    )
    text = _text(_report(returned), masker=Masker([secret]))
    assert secret not in text
    assert "short" not in text
    assert text.count("(sensitive)") == 8


def test_a_name_with_the_separator_is_shown_whole() -> None:
    """A name that holds the separator of tags is found in the tag by the parts around it."""
    assert "Name: a_|-b\n" in _text(_report(_return("x", name="a_|-b")))


def test_a_bound_name_is_shown_as_what_it_became() -> None:
    """The tag has the reference; a reader wants to see the name that the function was called with."""
    returned = _return("x", name="of ${test:b:k}")
    returned.name = "of 1"
    assert "        Name: of 1\n" in _text(_report(returned))


def test_the_declared_name_is_shown() -> None:
    """The name of the declaration is shown, whatever name the function returned."""
    returned = _return("x", name="declared")
    returned.name = "returned"
    assert "        Name: declared\n" in _text(_report(returned))
