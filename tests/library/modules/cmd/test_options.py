"""Reading a command's options from Salt's keyword arguments."""

from __future__ import annotations

from typing import Any

import pytest

from ensue.library.modules.cmd.options import CommandOptions, read_options

PASSED_ON: dict[str, Any] = {
    "cwd": None,
    "runas": None,
    "env": None,
    "hide_output": False,
    "timeout": None,
    "umask": None,
    "success_retcodes": None,
}
"""What `cmd.run` passes on of a state that says nothing."""


def test_what_says_nothing_changes_nothing() -> None:
    """None, and False where that is so at first, are the same as no option."""
    assert read_options(PASSED_ON) == read_options({}) == CommandOptions()
    assert read_options({"clean_env": False, "bg": False}) == CommandOptions()


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"rstrip": False}, CommandOptions(strip=False)),
        ({"rstrip": True}, CommandOptions()),
        ({"stdin": ""}, CommandOptions()),
        ({"stdin": 0}, CommandOptions(stdin=b"0")),
        ({"timeout": 0}, CommandOptions(timeout_s=0.0)),
        ({"umask": 0}, CommandOptions(umask=0)),
        ({"success_retcodes": 0}, CommandOptions(success_retcodes=frozenset({0}))),
        ({"env": []}, CommandOptions()),
        ({"bg": True}, CommandOptions(background=True)),
    ],
)
def test_what_looks_empty_may_say_something(given: dict[str, Any], read: CommandOptions) -> None:
    """A zero and a False are read for what they are, beside options that say nothing too."""
    assert read_options(given) == read
    assert read_options({**PASSED_ON, **given}) == read
