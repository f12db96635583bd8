"""What others wrote (IDs, names, comments, output of commands) never controls the terminal of its reader."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.shell import Shell

# In YAML's and JSON's escapes: a title, a colour, the same as one C1 character each, a line feed of C1, DEL,
# text turned around, and the line ends of Unicode.
HOSTILE = (
    r"\u001b]0;title\u0007\u001b[31mred\u009b32m\u009d0;title\u009c\u0085\u007f\b"
    r"\u202eright\u2066\u2028\u2029"
)
FORGED = r"\nforged:\n    Result: True\nSucceeded: 99"

STATES = f"""\
"id{HOSTILE}{FORGED}":
  test.configurable_test_state:
    - name: "name{HOSTILE}{FORGED}"
    - changes: true
    - result: false
    - comment: "comment{HOSTILE}{FORGED}"
    - warnings: "warning{HOSTILE}{FORGED}"
"says{HOSTILE}{FORGED}":
  cmd.run:
    - name: |
        printf 'out\\033[31m\\302\\233m\\342\\200\\256\\302\\205\\nforged:\\n'
        printf 'err\\302\\2330m' >&2; exit 1
    - require: []
caller:
  test.nop:
    - delayed_render: [block: "later"]
#!delayed_block later
"inner{HOSTILE}{FORGED}":
  test.nop: []
#!end_delayed_block
"""
TEMPLATE = "{% do salt['log.warning']('log' ~ pillar.hostile) %}\n"
PILLAR = f"""\
hostile: "pillar{HOSTILE}{FORGED}"
"key{HOSTILE}{FORGED}": value
resources:
  ssh_host:
    hosts:
      h:
        host: "host{HOSTILE}{FORGED}"
        user: "user{HOSTILE}{FORGED}"
        password: hunter22
        host_key: "SHA256:jQZ+j2uuUFT/wnpNWWi5jWsSRQqcNhDP4yYDHEfyc2w"
"""
BROKEN = f"""\
"id{HOSTILE}{FORGED}":
  test.no_such{HOSTILE.replace(chr(92), "")}: []
"other{HOSTILE}{FORGED}":
  test.nop:
    - require:
      - test: "absent{HOSTILE}{FORGED}"
"""

_OWN = re.compile(r"\x1b\[(?:0;[0-9;]*m|\?25[lh]|[0-9]*[AKG]|2?m|0m|36m)")
"""The sequences of our palette and of the live display."""

_RAW = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.fixture
def hostile(shell: Shell) -> Shell:
    """A project in which everything is hostile."""
    shell.write("states/t.sls", TEMPLATE + STATES)
    shell.write("states/broken.sls", BROKEN)
    shell.write("pillar/data.sls", PILLAR)
    return shell


def _on_terminal(shell: Shell, *words: str) -> str:
    return shell.run_on_terminal(*words).out.replace("\r", "")


def _is_harmless(text: str) -> None:
    plain = _OWN.sub("", text)
    assert _RAW.findall(plain) == []
    assert [line for line in plain.splitlines() if line.startswith(("forged", "Succeeded: 99"))] == []


WAYS = [
    *(("apply", "t", "--state-output", how) for how in ("full", "terse", "mixed", "changes", "full_id")),
    ("apply", "t", "--out", "json"),
    ("apply", "t", "--out", "yaml"),
    ("apply", "t", "--log-level", "debug", "--out", "quiet"),
    ("plan", "t"),
    ("apply", "broken"),
    ("apply", "broken", "--out", "yaml"),
    ("apply", "t", "--id", "id\x1b[31m\x9b32m\u202e\nforged:"),
    ("call", "h", "cmd.run", "true"),
    ("call", "web-01", "pillar.items"),
    ("call", "web-01", "cmd.run", r"printf 'out\033[31m\302\233m\342\200\256\nforged:\n'; exit 3"),
    ("call", "web-01", "test.exception", "message\x1b[31m\x9b32m\u202e\nforged:"),
    ("call", "web-01", "pillar.items", "--out", "json"),
    ("show", "high", "t"),
    ("show", "low", "t"),
    ("show", "low", "t", "--out", "yaml"),
    ("show", "pillar"),
    ("graph", "t"),
    ("graph", "t", "--out", "dot"),
    ("graph", "t", "--out", "mermaid"),
    ("graph", "t", "--out", "svg"),
    ("graph", "t", "--out", "json"),
    ("resources", "show", "h"),
    ("resources", "show", "x\x1b[31m\x9b32m\u202e\nforged:"),
    ("no\x1b[31m\x9b32m\u202e\nforged:",),
]


@pytest.mark.parametrize("words", WAYS, ids=lambda words: " ".join(words).encode("ascii", "replace").decode())
def test_a_terminal_gets_text_alone(hostile: Shell, words: tuple[str, ...]) -> None:
    """On a real terminal nothing but our own colours controls it, and no line is forged."""
    shown = _on_terminal(hostile, *words)
    assert shown
    _is_harmless(shown)


def test_what_was_kept_is_text_alone(hostile: Shell) -> None:
    """The results, the list, the drawing and the enforced state of an earlier run are as harmless."""
    hostile.run("apply", "t")
    for words in (
        ("runs", "show", "last"),
        ("runs", "show", "last", "--out", "json"),
        ("runs", "list"),
        ("graph", "--run", "last"),
        ("graph", "--run", "last", "--out", "dot"),
        ("show", "enforced"),
        ("resources", "list"),
        ("resources", "audit"),
    ):
        _is_harmless(_on_terminal(hostile, *words))


def test_live_lines_are_text_alone(hostile: Shell) -> None:
    """The tree of what is running shows names, and nothing that they hold."""
    hostile.write("states/t.sls", f'"id{HOSTILE}{FORGED}":\n  cmd.run:\n    - name: sleep 1.2; false\n')
    shown = _on_terminal(hostile, "apply", "t", "--state-output", "terse")
    assert "\x1b[?25l" in shown
    _is_harmless(shown)


def test_a_log_file_is_text_alone(hostile: Shell) -> None:
    """A log that is read on a terminal later does not control that either."""
    hostile.run("apply", "t", "--log-file", "log")
    kept = (hostile.root / "log").read_text(encoding="utf-8")
    assert "logpillar" in kept
    _is_harmless(kept)


@pytest.mark.parametrize("form", ["json", "yaml"])
def test_programs_get_every_character(hostile: Shell, form: str) -> None:
    """Escapes of JSON and YAML are read back as the characters that were there."""
    out = hostile.run("show", "pillar", "--out", form).out
    if form == "json":
        shown = json.loads(out)
    else:
        import yaml

        shown = yaml.safe_load(out)
    assert shown["web-01"]["hostile"] == json.loads(f'"pillar{HOSTILE}{FORGED}"')
