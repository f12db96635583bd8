"""Which pillar keys of the command line are warned of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.language import unmentioned_pillar as module
from ensue.language.unmentioned_pillar import unmentioned_pillar

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A file root with an SLS that reads `region`, `db` and `tier` in different ways."""
    (tmp_path / "a.sls").write_text(
        "{{ pillar.get('region') }} {{ pillar['db']['host'] }} {{ salt['pillar.get']('tier:size') }}"
    )
    return tmp_path


def keys(root: Path, *given: object) -> list[tuple[str, str]]:
    """Return the summary and the help of each warning."""
    return [
        (warning.summary, warning.help) for warning in unmentioned_pillar(given, ["resources"], [], [root])
    ]


def test_keys_that_a_file_mentions(root: Path) -> None:
    """A file below a root may mention a key in any form; ensue and modules read some themselves."""
    assert not keys(root, "region", "db", "tier", "resources", "mine_functions", "postgres.user")


def test_a_misspelt_key(root: Path) -> None:
    """The key that a template reads is named, whatever it reads it with."""
    for given, meant in (("regoin", "region"), ("dbb", "db"), ("teir", "tier")):
        [(summary, remedy)] = keys(root, given)
        assert repr(given) in summary
        assert remedy == f"did you mean {meant}?"
    [(_, remedy)] = keys(root, "something")
    assert remedy == "correct the key, or leave it out"


def test_odd_keys(root: Path) -> None:
    """A number is read without a name in quotes; half of a surrogate pair is in no file."""
    assert not keys(root, 1, None, ("a",))
    assert keys(root, "\udc80")


def test_a_file_that_cannot_be_read_mentions_nothing(root: Path) -> None:
    """A broken link is no reason to say nothing."""
    (root / "link").symlink_to(root / "nowhere")
    assert keys(root, "regoin")


def test_more_files_than_are_looked_at(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is reported of a project with too many files, or with one that is too large."""
    with monkeypatch.context() as patched:
        patched.setattr(module, "_LARGEST_BYTES", 10)
        assert not keys(root, "regoin")
    (root / "b.sls").write_text("b")
    monkeypatch.setattr(module, "_MOST_FILES", 1)
    assert not keys(root, "regoin")
