"""A run says nothing of states that a run with other inputs may declare: another environment or pillar."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import apply, write

from ensue.app.project import ProjectOptions

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.diagnostics import Diagnostic

FILES = """
{% for name in pillar.get('names', []) %}
file-{{ name }}:
  file.managed:
    - name: {{ opts['root_dir'] }}/out/{{ name }}
    - makedirs: true
    - contents: x
{% endfor %}
run: {cmd.run: [name: "true"]}
"""

REGISTERING = """
{% for name in pillar.get('names', []) %}
make {{ name }}:
  test.present:
    - new_state: {}
    - registers: [{'dummy:{{ name }}': {}}]
{% endfor %}
other: test.nop
"""
REGISTERING_TOGETHER = """
make:
  test.present:
    - new_state: {}
    - registers:
{%- for name in pillar.get('names', []) %}
      - dummy:{{ name }}: {}
{%- endfor %}
"""


def left(
    root: Path, *mods: str, test: bool = True, pillar: dict[str, Any] | None = None, **overrides: str
) -> list[Diagnostic]:
    """Return the warnings of a run about states that are no longer declared.

    Args:
        root: the project.
        mods: its SLS.
        test: whether it is a plan.
        pillar: `--pillar`.
        overrides: options of the command line, such as `pillarenv`.
    """
    options = ProjectOptions(minion_id="m", overrides=overrides, pillar=pillar or {})
    report = apply(root, *mods, options=options, test=test)
    assert report.exit_code == 0
    return [warning for warning in report.warnings if warning.code == "E0894"]


@pytest.fixture
def environments(tmp_path: Path) -> Path:
    """A project with pillar of two environments, whose SLS is in both."""
    (tmp_path / "ensue.yaml").write_text(
        "pillar_roots: {base: [pillar], dev: [pillar-dev], prod: [pillar-prod]}\n"
        "file_roots: {base: [states], dev: [states-dev]}\n"
    )
    write(tmp_path, states__t=FILES, states__top="base: {'*': [t]}\n")
    for name in ("dev", "prod"):
        folder = tmp_path / f"pillar-{name}"
        folder.mkdir()
        (folder / "top.sls").write_text(f"{name}: {{'*': [p]}}\n")
        (folder / "p.sls").write_text(f"names: [common, of-{name}, late-{name}]\n")
    return tmp_path


@pytest.mark.parametrize("mods", [("t",), ()])
def test_another_environment_of_pillar(environments: Path, mods: tuple[str, ...]) -> None:
    """What dev declares is alive in a plan of prod, and no longer declared once dev drops it."""
    assert left(environments, *mods, test=False, pillarenv="dev") == []
    assert left(environments, *mods, pillarenv="prod") == []
    assert left(environments, *mods, test=False, pillarenv="prod") == []
    assert left(environments, *mods, pillarenv="dev") == []
    (environments / "pillar-dev/p.sls").write_text("names: [common, of-dev]\n")
    [warning] = left(environments, *mods, pillarenv="dev")
    assert "stays: file-late-dev (file.managed" in warning.summary
    assert "of-prod" not in warning.summary
    assert left(environments, *mods, pillarenv="prod") == []


def test_a_thing_of_two_environments_that_neither_declares(environments: Path) -> None:
    """What one has made and another has taken over under another ID is reported by the last that had it."""
    shared = "{}:\n  file.managed:\n    - name: DIR/shared\n    - contents: x\n".replace(
        "DIR", str(environments)
    )
    for id_, environment in (("first", "dev"), ("second", "prod")):
        write(environments, states__t=shared.format(id_))
        assert left(environments, "t", test=False, pillarenv=environment) == []
    write(environments, states__t="other: {test.nop: []}\n")
    assert left(environments, "t", pillarenv="dev") == []
    [warning] = left(environments, "t", pillarenv="prod")
    assert "stays: second (file.managed" in warning.summary


def test_pillarenv_from_saltenv(environments: Path) -> None:
    """The environment of pillar counts, however it was selected."""
    options = (environments / "ensue.yaml").read_text()
    (environments / "ensue.yaml").write_text(f"{options}pillarenv_from_saltenv: true\n")
    (environments / "states-dev").mkdir()
    (environments / "states-dev/t.sls").write_text(FILES)
    assert left(environments, "t", test=False, saltenv="dev") == []
    assert left(environments, "t") == []
    assert left(environments, "t", pillarenv="prod") == []


@pytest.mark.parametrize("mods", [("t",), ()])
def test_another_environment_of_sls(environments: Path, mods: tuple[str, ...]) -> None:
    """An SLS of another environment is not the SLS that is applied now, whether by name or by a top file."""
    dev = environments / "states-dev"
    dev.mkdir()
    (dev / "top.sls").write_text("dev: {'*': [t]}\n")
    (dev / "t.sls").write_text(FILES.replace("/out/", "/dev/").replace("file-", "dev-"))
    assert left(environments, *mods, test=False, saltenv="dev", pillarenv="dev") == []
    assert left(environments, *mods, test=False, saltenv="base", pillarenv="dev") == []
    assert left(environments, *mods, saltenv="dev", pillarenv="dev") == []


def test_base_is_the_environment_of_an_sls_that_is_applied_by_name(environments: Path) -> None:
    """`--saltenv base` selects what is selected without it."""
    left(environments, "t", test=False, saltenv="base", pillar={"names": ["a"]})
    [warning] = left(environments, "t")
    assert "file-a" in warning.summary


def test_pillar_of_the_command_line(environments: Path) -> None:
    """What was applied with `--pillar` is no longer declared without it, and the warning says how it was."""
    assert left(environments, "t", test=False, pillar={"names": ["a", "b"]}) == []
    [warning] = left(environments, "t", pillar={"names": ["b"]})
    how = "applied with 'names' in the pillar of the command line"
    assert f"file-a (file.managed {environments}/out/a in t, {how})" in warning.summary
    assert (
        "what was applied with `--pillar` or `--pillar-file` may be declared with the values of that apply"
        in warning.help
    )
    assert left(environments, "t", pillar={"names": ["a", "b", "c"]}) == []


def test_a_resource_that_another_environment_registers(environments: Path) -> None:
    """A highstate with pillar of another environment does not orphan it; one of its own environment does."""
    write(environments, states__t=REGISTERING)

    def orphaned(*, test: bool, pillarenv: str) -> list[str]:
        options = ProjectOptions(minion_id="m", overrides={"pillarenv": pillarenv})
        report = apply(environments, options=options, test=test)
        return [warning.summary for warning in report.warnings if warning.code == "E0718"]

    assert orphaned(test=False, pillarenv="dev") == []
    assert orphaned(test=True, pillarenv="prod") == []
    assert orphaned(test=False, pillarenv="prod") == []
    (environments / "pillar-dev/p.sls").write_text("names: [common, of-dev]\n")
    [summary] = orphaned(test=True, pillarenv="dev")
    assert "late-dev" in summary


def test_resources_that_one_state_registers_in_each_environment(environments: Path) -> None:
    """It registers other resources with other pillar, and orphans those of its own environment alone."""
    write(environments, states__t=REGISTERING_TOGETHER)

    def orphaned(pillarenv: str) -> object:
        options = ProjectOptions(minion_id="m", overrides={"pillarenv": pillarenv})
        report = apply(environments, "t", options=options)
        [returned] = report.returns.values()
        return returned.changes.get("orphaned")

    assert [orphaned(name) for name in ("dev", "prod", "dev")] == [None] * 3
    (environments / "pillar-dev/p.sls").write_text("names: [common, of-dev]\n")
    assert orphaned("prod") is None
    assert orphaned("dev") == ["dummy:late-dev"]
