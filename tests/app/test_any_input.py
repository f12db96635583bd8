"""Whatever a project and a command line hold, a command ends with a result or with a diagnostic."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.cli import main

if TYPE_CHECKING:
    from collections.abc import Mapping

# HYPOTHESIS_PROFILE=thorough takes minutes.
pytestmark = [pytest.mark.long, pytest.mark.timeout(1800)]

WORDS = st.sampled_from(
    [
        "a", "b", "t", "u", "test", "test.nop", "test.present", "test.fail_without_changes", "nop", "name",
        "names", "require", "watch_in", "onchanges", "prereq", "listen", "use", "order", "first", "last",
        "retry", "attempts", "unless", "onlyif", "creates", "check_cmd", "failhard", "timeout", "parallel",
        "tgt", "tgt_optional", "registers", "dummy:x", "minion:", "delayed_render", "block", "sls",
        "arg_bind", "new_state", "sensitive", "changes", "include", "extend", "exclude", "id", "base", "*",
        "match", "pcre", "resources", "hosts", "grains", "nodegroups", "file_roots", "pillar_roots",
        "env_order", "renderer", "jinja|yaml", "state_top", "N@a", "E@(", "T@dummy", "${test:b:v}",
        "${test:a[", "${self:x}", "__slot__:salt:test.echo(", "v", "\u00e9", "\ud800", "\n", "\0",
        "__env__", "result", "comment", "warnings", "umask", "runas", "fun", "delayed_block",
    ]
)  # fmt: skip
# No text of these letters is a command that does anything, should a condition run it.
LETTERS = st.text(alphabet="ab\u00e9:-{}[]'\" \n\0", max_size=5)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | WORDS | LETTERS
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)
STATES = st.dictionaries(
    WORDS,
    st.dictionaries(
        st.sampled_from(["test.nop", "test.present", "test.configurable_test_state", "test"]),
        st.lists(st.dictionaries(WORDS, DATA, max_size=1) | WORDS, max_size=4),
        max_size=2,
    )
    | DATA,
    max_size=4,
)
PIECES = st.sampled_from(
    [
        "a:\n", "  test.nop:\n", "    - ", "- ", "b: test.nop\n", "\n", ": ", "[", "]", "{", "}", "{{",
        "}}", "{%", "%}", " include 't.sls' ", " if true ", " endif ", " import_yaml 'u.sls' as y ",
        " pillar.a ", "#!delayed_block x\n", "#!end_delayed_block\n", "#!py\n", "#!json\n", "#!yamlex\n",
        "#!jinja|yaml\n", "def run():\n    return {}\n", "&a ", "*a", "<<: ", "!!set ", "!aggregate ",
        "!reset ", "|\n", ">\n", "0x_", "1e999", ".nan", "'", '"', "\t", "${test:a:x}", "include: ", "  ",
        "#", "\ufeff", "\x85", "\u2028", "---\n", "? ", "__slot__:salt:test.echo(x)",
    ]
)  # fmt: skip
TEXTS = st.lists(PIECES | st.text(max_size=4), max_size=25).map("".join)
INNER_FAULTS = ("internal error", "Traceback (most recent call last)", "An exception occurred")


def encoded(value: str | bytes) -> bytes:
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")


def run(files: Mapping[str, str | bytes], *words: str) -> None:
    """Run a command, and check how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(encoded(content))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["--root", folder, *words, "--id", "box"])
        output = out.getvalue() + err.getvalue()
        assert code in {0, 1, 2}, output
        assert not any(words in output for words in INNER_FAULTS), output
        assert code != 1 or err.getvalue(), output


def as_json(data: Any) -> str:
    return "#!json\n" + json.dumps(data)


@given(TEXTS | st.binary(max_size=60), TEXTS)
def test_any_sls_text(text: str | bytes, included: str) -> None:
    """An SLS of any characters, and one that it may pull in."""
    run({"states/t.sls": text, "states/u.sls": included}, "apply", "t")


@given(STATES, DATA)
def test_any_states(data: Any, included: Any) -> None:
    """Declarations of the right shape or of none, with values of any kind where others are expected."""
    run({"states/t.sls": as_json(data), "states/u.sls": as_json(included)}, "apply", "t")


@given(DATA | TEXTS, DATA | TEXTS)
def test_any_pillar(data: Any, top: Any) -> None:
    """Pillar and its top file; resources may be declared in it."""
    files = {
        "states/t.sls": "a:\n  test.nop:\n    - x: {{ pillar | json }}\n",
        "pillar/top.sls": "base: {'*': [p]}\n",
    }
    run({**files, "pillar/p.sls": data if isinstance(data, str) else as_json(data)}, "apply", "t")
    run({**files, "pillar/top.sls": top if isinstance(top, str) else as_json(top)}, "show", "pillar")


@given(DATA | TEXTS)
def test_any_top_file(top: Any) -> None:
    """A top file of any shape, and one with any target and any SLS."""
    files = {"states/t.sls": "a: test.nop\n"}
    run({**files, "states/top.sls": top if isinstance(top, str) else as_json(top)}, "apply")
    run({**files, "states/top.sls": as_json({"base": {str(top): top, "*": ["t", top]}})}, "apply")


@given(st.dictionaries(WORDS, DATA, max_size=4) | TEXTS | st.binary(max_size=40))
def test_any_options(options: Any) -> None:
    """An `ensue.yaml` of any text, and known options with values of any kind."""
    text = options if isinstance(options, str | bytes) else json.dumps(options)
    run({"states/t.sls": "a: test.nop\n", "ensue.yaml": text}, "apply", "t")


@given(TEXTS, TEXTS)
def test_any_pillar_of_the_command_line(assignment: str, content: str) -> None:
    """`--pillar` and `--pillar-file` of any text; what is no argument of a process is none of a command."""
    files = {"states/t.sls": "a: test.nop\n"}
    run(files, "apply", "t", f"--pillar={assignment}")
    with tempfile.NamedTemporaryFile() as given_file:
        Path(given_file.name).write_bytes(encoded(content))
        run(files, "apply", "t", f"--pillar-file={given_file.name}")


@given(
    st.lists(
        WORDS | st.sampled_from(["and", "or", "not", "(", ")", "G@os:*", "J@a:b", '"', " ", "L@a,b"]),
        max_size=8,
    )
)
def test_any_target(words: list[str]) -> None:
    """A target of any words, of a call and of a state."""
    target = " ".join(words)
    run({}, "call", "--", target, "test.ping")
    run({"states/t.sls": as_json({"a": {"test.nop": [{"tgt": target}]}})}, "apply", "t")
