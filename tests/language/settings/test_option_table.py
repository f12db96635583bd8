"""The table of the options of `ensue.yaml`: documented, complete, and obeyed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from ensue.core.errors import ConfigurationError
from ensue.core.model.option_kinds import WordOption
from ensue.core.model.option_words import LOG_LEVELS
from ensue.language.settings.option_table import OPTIONS
from ensue.language.settings.settings import read_settings
from ensue.output.logs import LEVELS

ROOT = Path(__file__).resolve().parents[3]
WRONG: dict[str, list[Any]] = {
    "true, false, or a list of state modules": ["all", 5],
    "true or false": ["maybe", 1, None, []],
    "text": ["", " ", 5, True, None, []],
    "text, or null": ["", 5, True, []],
    "a number from 1": [0, -3, 1.5, "7", True, None],
    "a mapping": [[], "x", 5, None],
    "an absolute path on the target": ["x", "", 5],
}


def test_the_documentation_lists_every_option_and_what_it_takes() -> None:
    """Each row of docs/configuration.md has an option and what it takes, in the table's order."""
    text = (ROOT / "docs/configuration.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)` \| (.*?) \| [^|]+(?:\\\|[^|]+)? \| \S.* \|$", text, re.MULTILINE)
    takes = [(name, kind.takes.replace("|", "\\|")) for name, kind in OPTIONS.items()]
    assert rows == takes


def test_every_option_that_is_asked_for_is_in_the_table() -> None:
    """What the code reads by `option("…")` is an option that a file may set without a warning."""
    read = {
        name
        for path in (ROOT / "src/ensue").rglob("*.py")
        if path.parent.name != "repositories"
        for name in re.findall(r"\.option\(\s*[\"'](\w+)[\"']", path.read_text())
    }
    assert read - OPTIONS.keys() == set()


def test_the_words_for_the_log_are_its_levels() -> None:
    """`log_level` and `--log-level` take what the log knows."""
    assert tuple(LEVELS) == LOG_LEVELS


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, kind in OPTIONS.items() for value in WRONG.get(kind.takes, [True, [5]])],
)
def test_a_value_out_of_bounds_is_refused_with_what_is_possible(
    name: str, value: Any, tmp_path: Path
) -> None:
    """Each option refuses what it cannot take: by its name, with its line, and with what it takes."""
    (tmp_path / "ensue.yaml").write_text(f"# the options\n{name}: {value!r}\n".replace("None", "null"))
    with pytest.raises(ConfigurationError) as caught:
        read_settings(tmp_path, None, {})
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.code, diagnostic.span and (diagnostic.span.path, diagnostic.span.line)) == (
        "E0101",
        ("ensue.yaml", 2),
    )
    assert name in diagnostic.summary
    assert diagnostic.help.startswith("it takes")


def test_the_words_of_a_choice_are_taken(tmp_path: Path) -> None:
    """Every word that a message offers is accepted."""
    for name, kind in OPTIONS.items():
        for word in kind.words if isinstance(kind, WordOption) else ():
            (tmp_path / "ensue.yaml").write_text(f"{name}: '{word}'\n")
            assert read_settings(tmp_path, None, {}).option(name) == word


def test_a_profile_of_sdb_is_no_unknown_option(tmp_path: Path) -> None:
    """A mapping with a `driver` has a name of the user's own, of which nobody is warned."""
    (tmp_path / "ensue.yaml").write_text("osenv: {driver: env}\nodd: {other: env}\n")
    warnings = read_settings(tmp_path, None, {}).warnings
    assert [warning.span and warning.span.line for warning in warnings] == [2]
