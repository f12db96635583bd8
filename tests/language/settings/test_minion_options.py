"""Options in runs over minions: each one reaches them, is refused, or is of the coordinator."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest

from ensue.core.errors import ConfigurationError
from ensue.language.settings import minion_options
from ensue.language.settings.minion_options import options_for_minions
from ensue.language.settings.option_table import OPTIONS
from ensue.language.settings.settings import read_settings

if TYPE_CHECKING:
    from pathlib import Path


def test_every_option_is_decided() -> None:
    """Each option is of exactly one kind, so that a new one cannot be ignored."""
    kinds = [
        minion_options.REACH_MINIONS,
        minion_options.OF_SALT,
        minion_options.NOT_ON_MINIONS,
        minion_options.OF_THE_COORDINATOR,
    ]
    assert frozenset().union(*kinds) == OPTIONS.keys()
    assert not any(kind & other for kind, other in combinations(kinds, 2))


def test_options_of_a_run_reach_minions(tmp_path: Path) -> None:
    """Options that the file sets are passed on, and defaults are not, so that the master's hold there."""
    (tmp_path / "ensue.yaml").write_text("fleet: salt\nfailhard: true\nkeep_runs: 3\n")
    assert options_for_minions(read_settings(tmp_path, None, {})) == {"failhard": True}


def test_options_that_do_not_reach_minions_are_refused(tmp_path: Path) -> None:
    """All of them are named together."""
    (tmp_path / "ensue.yaml").write_text("fleet: salt\nmodule_dirs: [x]\nnodegroups: {a: 'b*'}\n")
    with pytest.raises(ConfigurationError) as caught:
        options_for_minions(read_settings(tmp_path, None, {}))
    assert [
        (diagnostic.code, diagnostic.summary.split("`")[1]) for diagnostic in caught.value.diagnostics
    ] == [
        ("E0876", "module_dirs"),
        ("E0876", "nodegroups"),
    ]
