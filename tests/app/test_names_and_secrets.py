"""A secret that equals a word of an SLS is hidden in values, and in no name that the author of the SLS gave.

The same tree is run and shown twice: with pillar whose values are secrets by their key, and with the same
values under a key that says nothing. All names must be equal, and no value may show a secret.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from ensue.app.project import AppProject, ProjectOptions, RunOptions
from ensue.output.changes_view import changes_text
from ensue.output.colours import PLAIN
from ensue.output.drawing.data import drawing_data
from ensue.output.drawing.from_events import draw_events
from ensue.output.drawing.text import drawing_lines
from ensue.output.highstate import HighstateOptions, highstate_text
from ensue.output.presentable import returns_data
from ensue.store.runs.journal_form import decode, encode

MASK = "(sensitive)"
LETTERS = st.text("abcdefghijklmnopqrstuvwxyz", min_size=3, max_size=14)
FUNCTIONS = ("nop", "succeed_with_changes", "fail_without_changes")
OWN_WORDS = ("test", "base", "m", "require", "state", "top", "block", *FUNCTIONS)
HIDDEN_KEYS = ("comment", "new_state", "old_state", "changes")
VOLATILE = ("start_time", "duration", "duration_ms", "started_at", "ended_at", "run_id", "read", "read_mark")
FINGERPRINTS = ("fingerprint", "exact", "shared", "sensitive")


@st.composite
def trees(draw: st.DrawFn) -> tuple[str, str, list[str]]:
    """Return the name of an SLS, its text, and secrets, which are words of it or of ensue."""
    words = draw(st.lists(LETTERS, min_size=4, max_size=8, unique=True))
    sls, block, *ids = words
    secrets = draw(st.lists(st.sampled_from([*words, *OWN_WORDS]), min_size=1, max_size=4, unique=True))
    lines: list[str] = []
    for number, id_ in enumerate(ids):
        lines += [f"'{id_}':", f"  test.{draw(st.sampled_from(FUNCTIONS))}:"]
        lines += ["    - require:", f"      - test: '{ids[number - 1]}'"] if number else ["    - order: 1"]
    last = ids[-1]
    lines += [
        f"{last} values:",
        "  test.present:",
        f"    - delayed_render: [block: '{block}']",
        "    - new_state:",
    ]
    lines += [f"        v{place}: '{{{{ values[{place}] }}}}'" for place in range(len(secrets))]
    lines += [f"#!delayed_block {block}", f"{last} inner:", "  test.nop: []", f"#!end_delayed_block {block}"]
    head = "{% set values = pillar.get('credentials', pillar.get('things')) %}"
    return sls, "\n".join((head, *lines, "")), secrets


async def shown(root: Path, sls: str) -> dict[str, Any]:
    """Run the tree and return every form in which the run and the tree are shown."""
    events: list[Any] = []
    async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
        masker = project.masker
        report = await project.apply((sls,), RunOptions(), on_event=events.append)
        drawing = draw_events(events, "m")
        return {
            "json": dict(returns_data(report.returns, masker)),
            "journal": [msgspec.to_builtins(decode(encode(event, masker).rstrip())) for event in events],
            "graph": drawing_data(drawing, masker),
            "high": await project.show("high", (sls,)),
            "low": await project.show("low", (sls,)),
            "lines": [
                line
                for text in (
                    *highstate_text(report, masker, HighstateOptions(with_outcome=True)),
                    *changes_text(report, masker, PLAIN),
                    *drawing_lines(drawing, masker, PLAIN),
                )
                for line in text.splitlines()
                if line.lstrip().startswith(("ID:", "Function:", "Name:", "Delayed:", "!", "+", "├", "└"))
            ],
        }


def names(data: Any) -> Any:
    """Return a document without values and times."""
    if isinstance(data, dict):
        left_out = {*HIDDEN_KEYS, *VOLATILE, *FINGERPRINTS}
        return {key: names(value) for key, value in data.items() if key not in left_out}
    return [*map(names, data)] if isinstance(data, list) else data


def values(data: Any, *, inside: bool = False) -> list[str]:
    """Return the texts that are values of states: those below `new_state`."""
    if isinstance(data, dict):
        parts = [values(value, inside=inside or key == "new_state") for key, value in data.items()]
        return [text for part in parts for text in part]
    if isinstance(data, list):
        return [text for item in data for text in values(item, inside=inside)]
    return [data] if inside and isinstance(data, str) else []


def without_values(data: Any) -> Any:
    """Return high or low data without the arguments that are values."""
    if isinstance(data, dict):
        return {key: without_values(value) for key, value in data.items() if key != "new_state"}
    return [*map(without_values, data)] if isinstance(data, list) else data


@settings(max_examples=15, deadline=None)
@given(tree=trees())
def test_names_are_those_without_secrets_and_values_show_none(tree: tuple[str, str, list[str]]) -> None:
    """Whatever words pillar has for secrets: names stay, values go, and no two IDs become one."""
    sls, text, secrets = tree
    documents: list[dict[str, Any]] = []
    for key in ("things", "credentials"):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, content in {
                f"states/{sls}.sls": text,
                "pillar/top.sls": "base:\n  '*': [p]\n",
                "pillar/p.sls": json.dumps({key: secrets}),
            }.items():
                (root / name).parent.mkdir(exist_ok=True)
                (root / name).write_text(content)
            documents.append(asyncio.run(shown(root, sls)))
    plain, masked = documents
    for form in ("json", "journal", "graph"):
        assert names(masked[form]) == names(plain[form]), form
    assert masked["lines"] == plain["lines"]
    assert [*masked["high"]] == [*plain["high"]]
    for form in ("json", "journal", "high", "low"):
        assert {*values(plain[form])} == {*secrets}, form
        assert {*values(masked[form])} == {MASK}, form
    for form in ("high", "low"):
        assert without_values(masked[form]) == without_values(plain[form]), form
