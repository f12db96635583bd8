"""Which options of `ensue deploy` are suggested for a word that is none."""

from __future__ import annotations

import pytest

from ensue.cli.deploy_words import harmless


@pytest.mark.parametrize(
    ("word", "near"),
    [("--replce", "--replace"), ("--detroy", "--destroy"), ("--rotat", "--rotate"), ("--prun", "--prune")],
)
def test_a_misspelt_option_that_destroys_is_suggested(word: str, near: str) -> None:
    """One slip of the fingers means that option."""
    assert harmless(word, ["--allow-replace", near, "--ttl"]) == [near, "--ttl"]


def test_an_option_that_destroys_is_no_guess() -> None:
    """A word that only has some letters of it means something else."""
    others = ["--replace", "--unprotect", "--rotate", "--forget", "--destroy", "--prune", "--allow-replace"]
    for word in (
        "--rolback",
        "--reduce",
        "--rotor",
        "--forbid",
        "--replicas",
        "--report",
        "--rotten",
        "--private",
    ):
        assert harmless(word, [*others, "--root"]) == ["--root"]
