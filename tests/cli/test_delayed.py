"""What the commands show of delayed rendering: results in each form, plans, the JSON document, progress."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.shell import Shell

SVG = "{http://www.w3.org/2000/svg}"
EVERYTHING = """\
caller:
  test.succeed_with_changes:
    - delayed_render: [block: outer, block: outer]
broken:
  test.nop:
    - delayed_render: [block: bad]
fails:
  test.fail_without_changes:
    - delayed_render: [block: bad, sls: later]

#!delayed_block outer delayed_repeat_limit=2
within:
  test.nop:
    - delayed_render: [sls: later]
#!end_delayed_block
#!delayed_block bad
{{ nothing.at.all }}
#!end_delayed_block
"""
LATER = "#!delayed_sls delayed_repeat_limit=1\ninnermost: test.fail_with_changes\n"
CONVERGING = """\
caller:
  file.managed:
    - name: $TMP/made
    - contents: ours
    - delayed_render: [block: late, sls: clean]
#!delayed_block late
below:
  file.managed:
    - name: $TMP/made too
    - contents: ours
    - delayed_render: [block: inner]
#!delayed_block inner
innermost: test.nop
#!end_delayed_block
#!end_delayed_block
"""

MIXED = """\
web-01:
  Name: caller - Function: test.succeed_with_changes - Result: Changed
    Delayed: block outer
      Name: within - Function: test.nop - Result: Clean
        Delayed: sls later
        ----------
                  ID: innermost
            Function: test.fail_with_changes
              Result: False
             Comment: Failure!
             Changes:
                      ----------
                      testing:
                          ----------
                          new:
                              Something pretended to change
                          old:
                              Unchanged
    Delayed: block outer#2
      Name: within - Function: test.nop - Result: Clean
        Delayed: failed: sls later: states/t.sls:13:3: the delayed SLS 'later' is called for the 2nd time …
  Name: broken - Function: test.nop - Result: Clean
    Delayed: failed: block bad: states/t.sls:17:4: an undefined variable in a template: …
----------
          ID: fails
    Function: test.fail_without_changes
      Result: False
     Comment: Failure!
     Changes:
     Delayed: not rendered: block bad, because fails failed
     Delayed: not rendered: sls later, because fails failed
"""
COUNTS = """
1 changed, 3 unchanged, 4 failed
Not rendered: 2
"""
TERSE = """\
web-01:
  Name: caller - Function: test.succeed_with_changes - Result: Changed
    Delayed: block outer
      Name: within - Function: test.nop - Result: Clean
        Delayed: sls later
          Name: innermost - Function: test.fail_with_changes - Result: Failed
    Delayed: block outer#2
      Name: within - Function: test.nop - Result: Clean
        Delayed: failed: sls later: states/t.sls:13:3: the delayed SLS 'later' is called for the 2nd time …
  Name: broken - Function: test.nop - Result: Clean
    Delayed: failed: block bad: states/t.sls:17:4: an undefined variable in a template: …
  Name: fails - Function: test.fail_without_changes - Result: Failed
    Delayed: not rendered: block bad, because fails failed
    Delayed: not rendered: sls later, because fails failed
"""


def shown(text: str) -> str:
    """Return an output without what is another in every run, and without the ends of long comments."""
    text = re.sub(r" - Started: \S+ - Duration: \S+ ms", "", text)
    text = re.sub(r"^ *(Started|Duration|Total run time): .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r", [0-9.]+ s$", "", text, flags=re.MULTILINE)
    text = re.sub(r"(2nd time|in a template:) .*", r"\1 …", text)
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


@pytest.mark.parametrize(("form", "expected"), [("mixed", MIXED), ("terse", TERSE)])
def test_scopes_are_indented_under_their_callers(shell: Shell, form: str, expected: str) -> None:
    """Each scope is deeper than its caller; what did not come about says why; the summary counts all."""
    shell.write("states/t.sls", EVERYTHING)
    shell.write("states/later.sls", LATER)
    ended = shell.run("apply", "t", "--state-output", form)
    blocks, _, end = shown(ended.out).partition("\nFailed:\n")
    assert blocks == expected
    assert end.endswith(COUNTS)
    assert "  innermost (test.fail_with_changes), states/later.sls:2:1: Failure!\n" in end
    assert ended.code == 2


@pytest.mark.parametrize("form", ["full", "changes"])
def test_the_other_forms_have_the_same_indentation(shell: Shell, form: str) -> None:
    """In full, a scope's states are eight columns deeper; with `changes`, clean ones are one line."""
    shell.write("states/t.sls", EVERYTHING)
    shell.write("states/later.sls", LATER)
    lines = shown(shell.run("apply", "t", "--state-output", form).out).splitlines()
    within = (
        "          ID: within" if form == "full" else "  Name: within - Function: test.nop - Result: Clean"
    )
    assert lines.count(f"{'':8}{within}") == 2
    deep = 16 if form == "full" else 12
    assert lines.count(f"{'':{deep}}          ID: innermost") == 1
    assert "     Delayed: not rendered: sls later, because fails failed" in lines


def test_a_plan_of_a_fresh_and_of_a_converged_tree(shell: Shell) -> None:
    """At first a plan counts what is deferred; once all is as it should be, it shows everything."""
    shell.write("states/t.sls", CONVERGING.replace("$TMP", str(shell.root)))
    shell.write("states/clean.sls", "clean: test.nop\n")
    fresh = shell.run("plan", "t", "--state-output", "terse")
    assert (fresh.code, [line for line in fresh.out.splitlines() if "eferred" in line]) == (
        0,
        [
            "    Delayed: deferred: block late (known after apply)",
            "    Delayed: deferred: sls clean (known after apply)",
            "Deferred: 2 (known after apply)",
        ],
    )
    assert shell.run("apply", "t").code == 0
    converged = shell.run("plan", "t", "--state-output", "terse")
    assert "eferred" not in converged.out
    assert [line.strip().split(" - ")[0] for line in converged.out.splitlines() if line.startswith("  ")] == [
        f"Name: {shell.root}/made",
        "Delayed: block late",
        f"Name: {shell.root}/made too",
        "Delayed: block inner",
        "Name: innermost",
        "Delayed: sls clean",
        "Name: clean",
    ]
    (shell.root / "made too").unlink()
    half = shell.run("plan", "t", "--state-output", "terse")
    assert "        Delayed: deferred: block inner (known after apply)" in half.out.splitlines()
    assert half.out.endswith("Deferred: 1 (known after apply)\n")


def test_without_verbosity_only_what_changed_is_shown(shell: Shell) -> None:
    """A caller and its scopes are left out where nothing in them changed, failed, or was left undone."""
    shell.write("states/t.sls", CONVERGING.replace("$TMP", str(shell.root)))
    shell.write("states/clean.sls", "clean: test.nop\n")
    words = ("t", "--no-state-verbose", "--state-output", "terse")
    assert "made too" in shell.run("apply", *words).out
    assert shell.run("apply", *words).out.startswith("web-01:\n\n0 changed, 4 unchanged, ")
    (shell.root / "made too").unlink()
    lines = shell.run("apply", *words).out.splitlines()
    assert [line.strip().split(" - ")[0] for line in lines if line.startswith("  ")] == [
        f"Name: {shell.root}/made",
        "Delayed: block late",
        f"Name: {shell.root}/made too",
    ]


def test_the_document_has_every_entry(shell: Shell) -> None:
    """In JSON `delayed` lists mappings with six keys, in order, with statuses and scopes as documented."""
    shell.write("states/t.sls", EVERYTHING + "#!delayed_block never\n#!end_delayed_block\n")
    shell.write("states/later.sls", LATER)
    returns = shell.run("apply", "t", "--out", "json").document["web-01"]
    described = [
        (entry["scope"], entry["kind"], entry["name"], entry["status"]) for entry in entries(returns)
    ]
    assert described == [
        ("caller/outer", "block", "outer", "done"),
        ("caller/outer/within/later", "sls", "later", "done"),
        ("caller/outer#2", "block", "outer", "done"),
        ("caller/outer#2/within/later", "sls", "later", "failed"),
        ("broken/bad", "block", "bad", "failed"),
        ("fails/bad", "block", "bad", "not_rendered"),
        ("fails/later", "sls", "later", "not_rendered"),
    ]
    planned = shell.run("plan", "t", "--out", "json").document["web-01"]
    assert [entry["status"] for entry in entries(planned)][:2] == ["deferred", "deferred"]


def entries(returns: dict[str, Any], scope: str = "") -> Iterator[dict[str, Any]]:
    """Yield every entry of every `delayed`, checking what all of them have in common."""
    for tag, returned in returns.items():
        assert tag.count("_|-") == 3
        assert returned["__scope__"] == scope
        # The key is there only where a state has `delayed_render`.
        assert returned.get("delayed") != []
        for entry in returned.get("delayed", []):
            assert list(entry) == ["kind", "name", "scope", "status", "comment", "returns"]
            assert entry["scope"].startswith(f"{scope}/{returned['__id__']}/".lstrip("/"))
            assert entry["status"] == "done" or (entry["comment"] and not entry["returns"])
            yield entry
            yield from entries(entry["returns"], entry["scope"])


def test_progress_tells_of_scopes_and_of_what_broke(shell: Shell) -> None:
    """On stderr is a line for each scope that opened, with its path, and for each that did not."""
    shell.write("states/t.sls", EVERYTHING)
    shell.write("states/later.sls", LATER)
    lines = shell.run("apply", "t", "--out", "json").err.splitlines()
    beginnings = [line.partition(": states/")[0] for line in lines if re.search("later|outer|bad", line)]
    assert beginnings == [
        "caller/outer: block outer on minion:web-01, 1 state",
        "caller/outer/within/later: sls later on minion:web-01, 1 state",
        "failed: innermost (test.fail_with_changes)",
        "caller/outer#2: block outer on minion:web-01, 1 state",
        "failed: caller/outer#2/within/later",
        "failed: broken/bad",
    ]


def test_a_drawing_of_deep_and_repeated_scopes(shell: Shell) -> None:
    """Sixty scopes in each other, twice, are as many boxes in each other, the second ones numbered."""
    deep = 60
    blocks = "".join(
        f"#!delayed_block b{n} delayed_repeat_limit=2\n"
        f"s{n}:\n  test.nop:\n    - delayed_render: [block: b{n + 1}]\n"
        for n in range(1, deep)
    )
    innermost = f"#!delayed_block b{deep} delayed_repeat_limit=2\n<last> & 'end': test.nop\n"
    ends = "#!end_delayed_block\n" * deep
    caller = "s0:\n  test.nop:\n    - delayed_render: [block: b1, block: b1]\n"
    shell.write("states/t.sls", f"{caller}{blocks}{innermost}{ends}")
    assert shell.run("apply", "t", "--out", "quiet").code == 0
    root = ET.fromstring(shell.run("graph", "--run", "last", "--out", "svg").out)  # noqa: S314 - our own
    boxes = [box for box in root.iter(f"{SVG}rect") if (box.get("class") or "").startswith("scope")]
    assert len(boxes) == 2 * deep
    for outer, inner in [*pairwise(boxes[:deep]), *pairwise(boxes[deep:])]:
        assert edge(outer, "x") < edge(inner, "x")
        assert edge(outer, "y") < edge(inner, "y")
        assert edge(outer, "y") + edge(outer, "height") > edge(inner, "y") + edge(inner, "height")
    titles = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "title"]
    assert titles[1::deep] == ["block b1", "block b1#2"]
    text = shell.run("graph", "--run", "last").out.splitlines()
    assert [line for line in text if re.search(r"block b1\b(?!\d)", line)] == [
        "   ├─ block b1",
        "   └─ block b1#2",
    ]
    assert sum("<last> & 'end' [test.nop]" in line for line in text) == 2


def edge(box: ET.Element, name: str) -> float:
    return float(box.get(name, ""))


def test_a_block_of_a_state_with_a_target_says_where_it_acts(shell: Shell) -> None:
    """The states of a block run on the resource of their caller, and plan and result name it."""
    boxes = {id_: {"root": str(shell.root / id_)} for id_ in ("db1", "web1")}
    shell.write("pillar/top.sls", "base: {'*': [boxes]}\n")
    shell.write("pillar/boxes.sls", json.dumps({"resources": {"minion": boxes}}))
    shell.write(
        "states/t.sls",
        "role:\n  test.nop:\n    - tgt: db1\n    - delayed_render: [block: w]\n"
        "own:\n  test.nop:\n    - delayed_render: [block: w]\n"
        "#!delayed_block w delayed_repeat_limit=2\n"
        "/made: {file.touch: [makedirs: true]}\n#!end_delayed_block\n",
    )
    plan = shell.run("plan", "t", "--tgt", "web1").out
    assert "  t on minion:db1, grown in db1 web1 role/w:\n" in plan
    assert "  t on minion:web1, grown in web1 own/w:\n" in plan
    result = shell.run("apply", "t", "--tgt", "web1").out
    assert re.findall(r"Delayed: .*", result) == ["Delayed: block w on minion:db1", "Delayed: block w"]
