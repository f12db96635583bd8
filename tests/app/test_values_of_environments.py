"""A state has a value for each environment of SLS and pillar, and no run reads that of another one."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.app.test_own_values import NEVER, comments
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from ensue.core.model.enforced import EnforcedState
    from ensue.core.model.report import RunReport

ENVIRONMENTS: list[dict[str, str]] = [{}, {"pillarenv": "dev"}, {"pillarenv": "prod"}, {"saltenv": "dev"}]

READ = "read:\n  test.show_notification:\n    - text: ${test:token:v}\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


def project(root: Path) -> Path:
    """A project whose environments have one folder of SLS, and a pillar with their names."""
    (root / "ensue.yaml").write_text(
        "file_roots: {base: [states], dev: [states]}\n"
        "pillar_roots: {base: [pillar/base], dev: [pillar/dev], prod: [pillar/prod]}\n"
    )
    for name in ("base", "dev", "prod"):
        write(root, **{f"pillar__{name}__top": f"{name}: {{'*': [p]}}\n"})
        write(root, **{f"pillar__{name}__p": f"e: {name}\n"})
    return root


def run(root: Path, environment: dict[str, str], *mods: str, test: bool = False) -> RunReport:
    options = ProjectOptions(minion_id="m", overrides=environment)
    return apply(root, *mods or ("t",), options=options, test=test)


def token(value: str, *, skipped: bool = False) -> str:
    skip = "    - unless: 'true'\n" if skipped else ""
    return f"token:\n  test.present:\n    - new_state: {{v: {value}}}\n{skip}"


def in_block(text: str) -> str:
    caller = "caller:\n  test.nop:\n    - delayed_render: [block: b]\n"
    return f"{caller}#!delayed_block b\n{text}#!end_delayed_block\n"


def kept(root: Path) -> list[tuple[str, EnforcedState]]:
    async def shown() -> list[tuple[str, EnforcedState]]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as opened:
            return [(entry.environment, entry.state) for entry in await opened.enforced()]

    return asyncio.run(shown())


STEPS = st.tuples(
    st.sampled_from(ENVIRONMENTS), st.sets(st.sampled_from(["top", "own", "block"])), st.booleans()
)


@pytest.mark.long
@settings(max_examples=20)
@given(st.lists(STEPS, min_size=2, max_size=7))
def test_a_run_reads_what_the_last_apply_of_its_environment_made(
    steps: list[tuple[dict[str, str], set[str], bool]],
) -> None:
    """In drawn applies, a state that is skipped has the value of its environment, or none at all.

    One state has the same name in all environments, one another in each, and one is in a block.
    """
    values: dict[tuple[str, str], str] = {}
    with tempfile.TemporaryDirectory() as folder:
        root = project(Path(folder))
        for number, (environment, skipped, test) in enumerate(steps):
            expected = dict(values)
            for place in {"top", "own", "block"} - skipped:
                expected[str(environment), place] = f"{place} {number}"
            states = {
                place: token(f"{place} {number}", skipped=place in skipped)
                for place in ("top", "own", "block")
            }
            own = (
                states["own"]
                .replace("token", "own")
                .replace("    - new", "    - name: own-{{ opts.pillarenv }}\n    - new", 1)
            )
            reads = {
                "read top": READ.replace("read:", "read top:"),
                "read own": READ.replace("read:", "read own:").replace("token", "own"),
                "read block": READ.replace("read:", "read block:"),
            }
            write(
                root,
                states__t=states["top"]
                + own
                + reads["read top"]
                + reads["read own"]
                + in_block(states["block"] + reads["read block"]),
            )
            report = run(root, environment, test=test)
            for place in ("top", "own", "block"):
                (comment,) = comments(report, f"read {place}")
                value = expected.get((str(environment), place))
                assert (comment == value) if value else (NEVER in comment), (number, place, comment)
            if not test:
                values = expected


def test_what_another_environment_made_is_named(root: Path) -> None:
    """The message of a state that was skipped, and that of a reference to another SLS, say where it ran."""
    write(root, states__t=token("{{ pillar.e }}"), states__read=READ)
    made = run(root, {"pillarenv": "prod"})
    write(root, states__t=token("no", skipped=True) + READ)
    for test in (True, False):
        (comment,) = comments(run(root, {"pillarenv": "dev"}, test=test))
        assert NEVER in comment
        assert f"the value of run {made.run_id} was made with `--pillarenv prod`" in comment
    with pytest.raises(CompileError, match="an apply with `--pillarenv prod` ran it"):
        run(root, {"pillarenv": "dev"}, "read")
    assert comments(run(root, {"pillarenv": "prod"}, "read")) == ["prod"]
    with pytest.raises(CompileError, match="an apply with `--pillarenv prod` ran it"):
        run(root, {}, "read")


def test_base_is_no_environment_of_its_own(root: Path) -> None:
    """An SLS that is applied by name is in `base`, and reads what a highstate with that `saltenv` made."""
    write(root, states__top="base: {'*': [t]}\n", states__t=token("made"), states__read=READ)
    options = ProjectOptions(minion_id="m", overrides={"saltenv": "base"})
    assert apply(root, options=options).exit_code == 0
    for environment in ({"saltenv": "base"}, {}):
        assert comments(run(root, environment, "read")) == ["made"]


def test_a_secret_stays_in_its_environment(root: Path) -> None:
    """A command that `creates` skips gives a file its own password, and the store has both encrypted."""
    write(
        root,
        states__t=(
            "{% set folder = opts['root_dir'] ~ '/out/' ~ pillar.e %}\n"
            "{{ folder }}: {file.directory: [makedirs: true]}\n"
            "password:\n  cmd.run:\n    - name: echo password-$E | tee password\n    - sensitive: true\n"
            "    - env: {E: '{{ pillar.e }}'}\n    - cwd: {{ folder }}\n"
            "    - creates: {{ folder }}/password\n"
            "{{ folder }}/conf:\n  file.managed:\n    - contents: ${cmd:password:stdout}\n"
        ),
    )
    for pillarenv in ("dev", "prod", "dev", "prod"):
        report = run(root, {"pillarenv": pillarenv})
        assert report.exit_code == 0
        assert (root / f"out/{pillarenv}/conf").read_text() == f"password-{pillarenv}\n"
        planned = run(root, {"pillarenv": pillarenv}, test=True)
        assert [returned.result for returned in planned.returns.values()] == [True] * 3
        assert f"password-{pillarenv}".encode() not in (root / ".ensue/enforced.db").read_bytes()
    assert sorted(environment for environment, state in kept(root) if state.module == "cmd") == [
        "--pillarenv dev",
        "--pillarenv prod",
    ]


def test_a_registration_has_the_value_of_its_environment(root: Path) -> None:
    """What a state that is skipped registers is configured with what it made in this environment."""
    states = (
        "    - registers: [{'minion:{{ pillar.e }}-r': {root: '${self:v}'}}]\n"
        "who:\n  file.managed:\n    - name: /who\n    - contents: {{ pillar.e }}\n"
        "    - tgt: '{{ pillar.e }}-r'\n"
    )
    for name in ("dev", "prod"):
        (root / name).mkdir()
    for skipped in (False, True):
        write(root, states__t=token("{{ opts['root_dir'] }}/{{ pillar.e }}", skipped=skipped) + states)
        for pillarenv in ("dev", "prod", "dev"):
            assert run(root, {"pillarenv": pillarenv}).exit_code == 0
            (who,) = root.glob("*/who")
            assert who.read_text() == f"{pillarenv}\n"
            assert who.parent.name == pillarenv
            who.unlink()


def test_drift_that_another_environment_caused_is_said(root: Path) -> None:
    """If two environments write one file, a plan says which of them wrote it last."""
    write(root, states__t="{{ opts['root_dir'] }}/f:\n  file.managed: [contents: '{{ pillar.e }}']\n")
    run(root, {"pillarenv": "dev"})
    other = run(root, {"pillarenv": "prod"})
    (returned,) = run(root, {"pillarenv": "dev"}, test=True).returns.values()
    assert returned.drift
    assert returned.drift_by == f"{root}/f (file.managed) in run {other.run_id} (--pillarenv prod)"


def test_a_thing_that_another_environment_makes_too(root: Path) -> None:
    """A file that dev drops is not reported while prod declares it under the same ID, and then by prod."""
    declared = "{{ opts['root_dir'] }}/f:\n  file.managed: [contents: x]\n"
    other = "other: test.nop\n"
    write(root, states__t=declared)
    for pillarenv in ("dev", "prod"):
        run(root, {"pillarenv": pillarenv})
    write(root, states__t="{% if pillar.e == 'prod' %}" + declared + "{% endif %}" + other)
    assert not run(root, {"pillarenv": "dev"}).warnings
    write(root, states__t=other)
    (warning,) = run(root, {"pillarenv": "prod"}, test=True).warnings
    assert warning.code == "E0894"
    assert not run(root, {"pillarenv": "dev"}, test=True).warnings


@pytest.mark.parametrize("kind", ["watch", "listen"])
def test_a_reaction_is_owed_by_its_environment(root: Path, kind: str) -> None:
    """An apply of another environment does not make up for a handler that failed, and its own does."""
    write(
        root,
        states__t=(
            "{% set folder = opts['root_dir'] ~ '/' ~ pillar.e %}\n"
            "c:\n  file.managed: [name: '{{ folder }}.c', contents: x]\n"
            "h:\n  cmd.wait:\n    - name: echo x >> $E.calls; test $E = prod -o -e ok\n"
            "    - cwd: {{ opts['root_dir'] }}\n    - env: {E: '{{ pillar.e }}'}\n"
            f"    - {kind}: [c]\n"
        ),
    )
    (root / "prod.c").write_text("x\n")
    assert run(root, {"pillarenv": "dev"}).exit_code == 2
    (root / "ok").touch()
    assert run(root, {"pillarenv": "prod"}).exit_code == 0
    assert not (root / "prod.calls").exists()
    for _ in range(2):
        assert run(root, {"pillarenv": "dev"}).exit_code == 0
        assert (root / "dev.calls").read_text() == "x\nx\n"
