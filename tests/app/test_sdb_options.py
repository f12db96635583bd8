"""Options that are `sdb://` URIs have the value of their store, as a secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import ConfigurationError
from ensue.language.settings.sdb_options import with_sdb_values
from ensue.language.settings.settings import read_settings

if TYPE_CHECKING:
    from pathlib import Path

PROFILES = "osenv: {driver: env}\nvault: {driver: yaml, files: [secrets.yml, more.yml]}\n"


def test_options_get_the_values_of_stores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever a URI is in an option, nested ones included, its value takes its place and is masked."""
    monkeypatch.setenv("FROM_OUTSIDE", "outside-secret")
    (tmp_path / "secrets.yml").write_text("db: {password: inner-secret, port: 1}\n")
    (tmp_path / "more.yml").write_text("db: {port: 5432}\n")
    (tmp_path / "ensue.yaml").write_text(
        f"{PROFILES}id: sdb://osenv/FROM_OUTSIDE\n"
        "grains: {token: 'sdb://vault/db:password', list: [x, 'sdb://vault/db:port']}\n"
    )
    project = AppProject.open(tmp_path, ProjectOptions())
    assert project.minion_id == "outside-secret"
    assert project.settings.option("grains") == {"token": "inner-secret", "list": ["x", 5432]}
    assert "secret" not in project.masker.text("inner-secret outside-secret")


def test_what_is_no_uri_of_an_option_stays(tmp_path: Path) -> None:
    """A URI whose profile the options do not have, or that has no key, is text; a missing value is none."""
    (tmp_path / "ensue.yaml").write_text(
        f"{PROFILES}grains: {{a: 'sdb://mine/x', b: 'sdb://osenv', c: 'sdb://osenv/NOT_SET_ANYWHERE'}}\n"
    )
    settings = read_settings(tmp_path, "test", {}, with_sdb_values)
    assert settings.option("grains") == {"a": "sdb://mine/x", "b": "sdb://osenv", "c": None}
    assert settings.secrets == ()


def test_stores_that_cannot_be_read_are_reported_together(tmp_path: Path) -> None:
    """A missing file, an encrypted one, one that is no YAML and an unknown driver: each with its option."""
    (tmp_path / "broken.yml").write_text("a: [\n")
    (tmp_path / "ensue.yaml").write_text(
        "gone: {driver: yaml, files: none.yml}\n"
        "locked: {driver: yaml, gpg: true, files: broken.yml}\n"
        "broken: {driver: yaml, files: broken.yml}\n"
        "odd: {driver: nothing}\n"
        "grains: {a: 'sdb://gone/x', b: 'sdb://locked/x', c: 'sdb://broken/x', d: 'sdb://odd/x'}\n"
    )
    with pytest.raises(ConfigurationError) as caught:
        read_settings(tmp_path, "test", {}, with_sdb_values)
    assert [(diagnostic.code, diagnostic.summary) for diagnostic in caught.value.diagnostics] == [
        ("E0226", f"the option 'grains:{name}' cannot be looked up") for name in "abcd"
    ]
