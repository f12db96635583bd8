"""Numbers that are too large are refused with their place; none is an internal error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.cli import main

if TYPE_CHECKING:
    from pathlib import Path

BIG, HUGE = "9" * 400, "9" * 5000
COMMANDS = [
    ["plan", "a"],
    ["apply", "a"],
    ["show", "low", "a"],
    ["show", "high", "a", "--out", "json"],
    ["graph", "a"],
]
PY = "#!py\ndef run():\n    return {'x': {'test.nop': [{%s}]}}\n"
REFUSED = {
    "order": (f"x:\n  test.nop:\n    - order: {BIG}\n", "E0312"),
    "negative order": (f"x:\n  test.nop:\n    - order: -{BIG}\ny:\n  test.nop: []\n", "E0312"),
    "infinite order": ("x:\n  test.nop:\n    - order: .inf\n", "E0312"),
    "order that is not a number": ("x:\n  test.nop:\n    - order: .nan\n", "E0312"),
    "long order": (f"x:\n  test.nop:\n    - order: {HUGE}\n", "E0201"),
    "order of a program": (
        "#!py\ndef run():\n    return {'x': {'test.nop': [{'order': 10**6000}]}}\n",
        "E0217",
    ),
    "value of a program": (
        "#!py\ndef run():\n    return {'x': {'test.nop': [{'n': [10**6000]}]}}\n",
        "E0217",
    ),
    "hexadecimal value": (f"x:\n  test.nop:\n    - n: 0x{'f' * 5000}\n", "E0201"),
    "interval": (f"x:\n  test.nop:\n    - retry: {{interval: {BIG}}}\n", "E0312"),
    "printed value": ("x:\n  test.nop:\n    - n: {{ 10 ** 6000 }}\n", "E0205"),
}


def _write(root: Path, sls: str) -> None:
    (root / "states").mkdir()
    (root / "states" / "a.sls").write_text(sls)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("what", REFUSED)
def test_a_number_that_is_too_large_is_refused_with_its_place(
    what: str, command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, the code of the diagnostic, and the file."""
    sls, code = REFUSED[what]
    _write(tmp_path, sls)
    assert main(["--root", str(tmp_path), *command]) == 1
    stderr = capsys.readouterr().err
    assert f"error[{code}]" in stderr
    assert "a.sls" in stderr


def test_a_large_order_that_is_a_number_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An order of three hundred digits is one: the state runs behind the others."""
    _write(tmp_path, f"a:\n  test.nop:\n    - order: {'9' * 300}\nb:\n  test.nop: []\n")
    assert main(["--root", str(tmp_path), "apply", "a", "--state-output", "full"]) == 0
    stdout = capsys.readouterr().out
    assert stdout.index("ID: b") < stdout.index("ID: a")
