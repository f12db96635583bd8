"""Every word that the compiler takes of any state is documented, with an example that compiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.cli import main
from ensue.language.functions.state_words import near_words, state_words
from ensue.language.option_words import GLOBAL_WORDS

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.contracts.state_words import StateWordDoc


def test_the_words_are_those_of_the_compiler() -> None:
    """No word is missing, none is further, and each has a meaning."""
    assert {state_word.name for state_word in state_words()} == GLOBAL_WORDS
    assert all(state_word.meaning and state_word.takes for state_word in state_words())


@pytest.mark.parametrize("word", state_words(), ids=lambda word: word.name)
def test_an_example_compiles(word: StateWordDoc, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It has the word, and neither errors nor warnings."""
    assert f"- {word.name}:" in word.example
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(word.example)
    code = main(["--root", str(tmp_path), "show", "low", "t", "--id", "box", "--out", "quiet"])
    assert (code, capsys.readouterr().err) == (0, "")


@pytest.mark.parametrize(
    "word", [word for word in state_words() if word.name.startswith(("watch", "listen"))]
)
def test_an_example_of_a_reaction_only_reacts(
    word: StateWordDoc, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its command does not also run in every apply."""
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(word.example)
    assert main(["--root", str(tmp_path), "plan", "t", "--id", "box"]) == 0
    assert "E0889" not in capsys.readouterr().err


def test_a_misspelt_word_leads_to_one() -> None:
    """Only close words count."""
    assert near_words("retri") == ["retry"]
    assert near_words("onchange")[0] == "onchanges"
    assert near_words("file") == []
