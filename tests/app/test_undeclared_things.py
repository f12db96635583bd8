"""What a run names as no longer declared is a thing that is there, and that no other state is about."""

from __future__ import annotations

import asyncio
import re
import shlex
import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.app.test_project import apply, write
from tests.app.test_undeclared_states import left

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.contracts.placed_things import PLACED_BY
from ensue.language.plans import things_gone
from ensue.library.states import cron

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = re.compile(r"(?P<later>once this is applied, )?`ensue enforced forget (?P<words>[^`]+)`")
FILE = "{0}:\n  file.managed:\n    - name: ROOT/out/{1}\n    - makedirs: true\n    - contents: x\n"
ABSENT = "{0}:\n  file.absent:\n    - name: ROOT/out/{1}\n"
NOTHING = "nothing: test.nop\n"
DEPLOYED = "{0}:\n  graph.deployed: [app: shop, env: {1}, env_type: live, score: score.yaml]\n"


def forgotten(root: Path, *words: str) -> list[str]:
    """Forget what states enforced, and return their names."""

    async def forget() -> list[str]:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            return [entry.state.name for entry in (await project.forget_enforced(words)).entries]

    return asyncio.run(forget())


def applied(root: Path, sls: str, name: str = "t") -> None:
    """Apply an SLS."""
    write(root, **{f"states__{name}": sls.replace("ROOT", str(root))})
    assert apply(root, name).exit_code == 0


@pytest.mark.parametrize("removed", ["a", ""])
def test_what_was_made_again_after_it_was_removed(tmp_path: Path, removed: str) -> None:
    """The last state counts, although the entry of the one that makes it is the same as before."""
    for sls in (FILE.format("mine", "a"), ABSENT.format("gone", removed), FILE.format("mine", "a")):
        applied(tmp_path, sls)
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert "stays: mine (file.managed" in warning.summary
    applied(tmp_path, ABSENT.format("gone", removed))
    write(tmp_path, states__t=NOTHING)
    assert left(tmp_path, "t") == []


def test_what_another_sls_is_about(tmp_path: Path) -> None:
    """A state that moved to an SLS that this run does not compile may still be declared there."""
    applied(tmp_path, FILE.format("mine", "a") + FILE.format("more", "b"))
    applied(tmp_path, FILE.format("other", "a"), "u")
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert "stays: more (file.managed" in warning.summary
    assert "/out/a" not in warning.summary


CRONTAB = """\
resources:
  minion:
    box: {root: ROOT/box}
"""
JOB = "job:\n  cron.present: [name: ROOT/out/a, tgt: box]\n"


def test_a_job_whose_command_is_a_path(tmp_path: Path) -> None:
    """The job is a line of a crontab, and not the file that it runs."""
    (tmp_path / "box/var/spool/cron/crontabs").mkdir(parents=True)
    write(
        tmp_path,
        pillar__top="base: {'*': [boxes]}\n",
        pillar__boxes=CRONTAB.replace("ROOT", str(tmp_path)),
    )
    file = FILE.format("script", "a") + "    - tgt: box\n"
    applied(tmp_path, file + JOB)
    write(tmp_path, states__t=file.replace("ROOT", str(tmp_path)))
    [warning] = left(tmp_path, "t")
    assert "stays: job (cron.present" in warning.summary


def test_a_thing_at_another_place_is_another_thing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job of another user, in a plan and an apply, until it is absent; not where the default is written."""
    (tmp_path / "box/var/spool/cron/crontabs").mkdir(parents=True)
    write(
        tmp_path,
        pillar__top="base: {'*': [boxes]}\n",
        pillar__boxes=CRONTAB.replace("ROOT", str(tmp_path)),
    )
    with monkeypatch.context() as earlier_version:
        earlier_version.setattr(cron.present, PLACED_BY, ())
        applied(tmp_path, "job:\n  cron.present: [name: ls, tgt: box, user: daemon]\n")
    job = "job:\n  cron.present: [name: ls, tgt: box, user: {}]\n"
    for user, former in (("daemon", ""), ("bin", "daemon"), ("root", "bin")):
        write(tmp_path, states__t=job.format(user))
        for test in (True, False):
            warnings = left(tmp_path, "t", test=test)
            assert [f"crontab ls (user={former})" in each.summary for each in warnings] == [True] * bool(
                former
            )
        if former:
            gone = f"no-{former}:\n  cron.absent: [name: ls, tgt: box, user: {former}]\n"
            applied(tmp_path, job.format(user) + gone)
    applied(tmp_path, JOB.replace("ROOT/out/a", "ls"))
    assert left(tmp_path, "t") == []


def test_a_deployment_by_another_name(tmp_path: Path) -> None:
    """It is the same environment; another environment is another thing."""
    score = "apiVersion: score.dev/v1b1\nmetadata: {name: web}\ncontainers: {main: {image: nginx}}\n"
    (tmp_path / "score.yaml").write_text(score)
    applied(tmp_path, DEPLOYED.format("it", "dev"))
    write(tmp_path, states__t=DEPLOYED.format("renamed", "dev"))
    assert left(tmp_path, "t") == []
    assert left(tmp_path, "t", test=False) == []
    write(tmp_path, states__t=DEPLOYED.format("other", "test"))
    [warning] = left(tmp_path, "t")
    assert "stays: renamed (graph.deployed" in warning.summary
    applied(tmp_path, "gone:\n  graph.destroyed: [app: shop, env: dev]\n")
    write(tmp_path, states__t=NOTHING)
    assert left(tmp_path, "t") == []


def test_the_way_to_forget_it(tmp_path: Path) -> None:
    """The help has the command with the ID of the state, in quotes if a shell needs them."""
    applied(tmp_path, FILE.format("my file", "a"))
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert warning.help.endswith("; if it may stay, `ensue enforced forget 'my file'` ends this warning")


def test_the_command_forgets_all_that_the_warning_names(tmp_path: Path) -> None:
    """It has the ID of each state; if they are too many, it is for those that are named."""
    applied(tmp_path, "\n".join(FILE.format(f"file {number}", f"{number}") for number in (1, 2)))
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert "`ensue enforced forget 'file 1' 'file 2'` ends this warning" in warning.help


def test_the_command_forgets_nothing_else(tmp_path: Path) -> None:
    """It has the name of the former state: the ID means what the declaration enforced last, too."""
    applied(tmp_path, FILE.format("conf", "a"))
    write(tmp_path, states__t=FILE.format("conf", "b").replace("ROOT", str(tmp_path)))
    for test in (True, False, True):
        [warning] = left(tmp_path, "t", test=test)
        assert warning.help.endswith(f"`ensue enforced forget {tmp_path}/out/a` ends this warning")
    assert forgotten(tmp_path, f"{tmp_path}/out/a") == [f"{tmp_path}/out/a"]
    assert left(tmp_path, "t") == []
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert warning.help.endswith("`ensue enforced forget conf` ends this warning")


def test_what_was_removed_by_hand(tmp_path: Path) -> None:
    """A plan and an apply look at it, and name only what is still there, also as a broken link."""
    applied(tmp_path, FILE.format("mine", "a") + FILE.format("more", "b") + FILE.format("link", "c"))
    write(tmp_path, states__t=NOTHING)
    (tmp_path / "out/a").unlink()
    (tmp_path / "out/c").unlink()
    (tmp_path / "out/c").symlink_to("nowhere")
    for test in (True, False):
        [warning] = left(tmp_path, "t", test=test)
        assert warning.summary.startswith("2 states are no longer declared")
        assert "mine" not in warning.summary
    shutil.rmtree(tmp_path / "out")
    assert left(tmp_path, "t") == []
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a").write_text("made by hand")
    [warning] = left(tmp_path, "t")
    assert "stays: mine" in warning.summary


def test_what_was_removed_from_another_target(tmp_path: Path) -> None:
    """It is looked at over the connection of a target that the run reaches; else it counts as existing."""
    pillar = "resources: {minion: {web-1: {root: %s}, web-2: {root: %s}}}\n"
    roots = [tmp_path / "web-1", tmp_path / "web-2"]
    for root in roots:
        root.mkdir()
    write(tmp_path, pillar__top="base: {'*': [p]}\n", pillar__p=pillar % tuple(roots))
    both = "each:\n  file.managed:\n    - name: /conf\n    - contents: x\n    - tgt: web-*\n"
    applied(tmp_path, both)
    for root in roots:
        (root / "conf").unlink()
    write(tmp_path, states__t="reaching:\n  test.nop:\n    - tgt: web-1\n")
    [warning] = left(tmp_path, "t")
    assert "stays: each (file.managed /conf in t, minion:web-2)" in warning.summary
    assert "web-1" not in warning.summary


LOOKING = '''
"""A state that says of what it made that it cannot be looked at, or that the look takes too long."""

import asyncio

from ensue.core.model.returns import StateReturn


def present(ctx, name):
    return StateReturn.changed(name, "", {"made": name}, {"name": name})


def absent(ctx, name):
    return StateReturn.unchanged(name, "", {"name": name, "exists": False})


async def still_exists(connection, name):
    if name == "slow":
        await asyncio.Event().wait()
    return name != "gone" and 1 / (name != "broken")


STILL_EXISTS = still_exists
FUNCTIONS = {"present": present, "absent": absent}
'''


def test_what_cannot_be_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It counts as existing, whether the look fails or does not end before the deadline."""
    monkeypatch.setattr(things_gone, "STILL_EXISTS_S", 0.2)
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/thing.py").write_text(LOOKING)
    applied(tmp_path, "".join(f"{name}: thing.present\n" for name in ("slow", "broken", "gone", "there")))
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert [word for word in ("slow", "broken", "gone", "there") if f"{word} (" in warning.summary] == [
        "slow",
        "broken",
        "there",
    ]


SWITCHED = '''
"""States of a switch: one makes absent what the other makes."""

from ensue.plugin import StateReturn


def on(ctx, name):
    return StateReturn.changed(name, "", {"on": True}, {"on": True})


def off(ctx, name):
    return StateReturn.changed(name, "", {"on": False}, {"on": False})


FUNCTIONS = {"on": on, "off": off}
ABSENT = ("off",)
'''


def test_what_a_module_declares_to_make_absent(tmp_path: Path) -> None:
    """The warning names that function; once it has run, nothing is left of what the other one made."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/switch.py").write_text(SWITCHED)
    applied(tmp_path, "lamp: switch.on\n")
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert "`switch.off`" in warning.help
    applied(tmp_path, "dark:\n  switch.off: [name: lamp]\n")
    write(tmp_path, states__t=NOTHING)
    assert left(tmp_path, "t") == []


def test_what_had_an_earlier_name_stays_forgotten(tmp_path: Path) -> None:
    """An entry that a later one superseded does not speak in its place once that is forgotten."""
    applied(tmp_path, FILE.format("first", "a"))
    applied(tmp_path, FILE.format("second", "a"))
    write(tmp_path, states__t=NOTHING)
    [warning] = left(tmp_path, "t")
    assert "stays: second (file.managed" in warning.summary
    assert forgotten(tmp_path, "second") == [f"{tmp_path}/out/a"]
    assert left(tmp_path, "t") == []


def test_what_the_highstate_may_declare_is_its_own(tmp_path: Path) -> None:
    """An SLS that is applied by name, and had the same thing for a while, says nothing of the highstate's."""
    write(tmp_path, states__top="base: {'*': [t]}\n")
    write(tmp_path, states__t=FILE.format("mine", "a").replace("ROOT", str(tmp_path)))
    assert apply(tmp_path).exit_code == 0
    applied(tmp_path, FILE.format("other", "a"), "u")
    write(tmp_path, states__u=NOTHING)
    assert left(tmp_path, "u") == []


BOUND = """\
where:
  cmd.run: [name: cat ROOT/where, read_only: true]
it:
  file.managed: [name: "${cmd:where:stdout}", contents: x]
"""


def bound_to(root: Path, name: str) -> None:
    """Have the name of the file come from a command, which prints this one."""
    (root / "where").write_text(f"{root}/{name}")
    write(root, states__t=BOUND.replace("ROOT", str(root)))


def test_a_name_that_is_bound_to_another_value(tmp_path: Path) -> None:
    """What it named before stays, and a plan and an apply say so, until it is named again."""
    bound_to(tmp_path, "a")
    assert left(tmp_path, "t", test=False) == []
    bound_to(tmp_path, "b")
    for test in (True, False, True):
        [warning] = left(tmp_path, "t", test=test)
        assert (
            f"stays: it (file.managed {tmp_path}/a in t; the state is about something else" in warning.summary
        )
        assert f"`ensue enforced forget {tmp_path}/a` ends this warning" in warning.help
    assert left(tmp_path, "t", test=False) == []
    bound_to(tmp_path, "a")
    for test in (True, False):
        [warning] = left(tmp_path, "t", test=test)
        assert f"{tmp_path}/b in t" in warning.summary
        assert f"{tmp_path}/a in t" not in warning.summary
    write(tmp_path, states__u="reads: {test.show_notification: [text: '${file:it:path}']}\n")
    assert apply(tmp_path, "u").exit_code == 0


def test_a_bound_name_that_the_file_has_now(tmp_path: Path) -> None:
    """A state that declares the former thing keeps it, also one of the same ID."""
    bound_to(tmp_path, "a")
    apply(tmp_path, "t")
    bound_to(tmp_path, "b")
    apply(tmp_path, "t")
    kept = f"kept: {{file.managed: [name: {tmp_path}/a, contents: x]}}\n"
    write(tmp_path, states__t=BOUND.replace("ROOT", str(tmp_path)) + kept)
    assert left(tmp_path, "t") == []
    write(tmp_path, states__t=f"it: {{file.managed: [name: {tmp_path}/a, contents: x]}}\n")
    for _ in range(2):
        [warning] = left(tmp_path, "t")
        assert f"{tmp_path}/b in t" in warning.summary
        assert f"{tmp_path}/a in t" not in warning.summary
        assert apply(tmp_path, "t").exit_code == 0


LISTED = """\
from ensue.plugin import StateReturn


def on(ctx, name, lamps):
    return StateReturn.unchanged(name, "", dict.fromkeys(lamps))


def things(returned):
    return returned.new_state or ()


FUNCTIONS = {"on": on, "off": on}
ABSENT = ("off",)
THINGS = things
"""


def test_a_list_that_is_shorter(tmp_path: Path) -> None:
    """Each thing that it has no more is named, until another state is about it."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/lamps.py").write_text(LISTED)
    applied(tmp_path, "all: {lamps.on: [lamps: [a, b, c]]}\n")
    write(tmp_path, states__t="all: {lamps.on: [lamps: [b, d]]}\n")
    for test in (True, False, True):
        [warning] = left(tmp_path, "t", test=test)
        assert "all (lamps.on a in t" in warning.summary
        assert "all (lamps.on c in t" in warning.summary
        assert "lamps.on b" not in warning.summary
    applied(tmp_path, "all: {lamps.on: [lamps: [b, d]]}\ndark: {lamps.off: [lamps: [a, c]]}\n")
    applied(tmp_path, "all: {lamps.on: [lamps: [b, d]]}\n")
    assert left(tmp_path, "t") == []


GENERATION = st.dictionaries(
    st.sampled_from("ax"), st.tuples(st.sampled_from("tu"), st.sets(st.sampled_from("abc"), min_size=1))
)


def declare(root: Path, generation: dict[str, tuple[str, set[str]]]) -> None:
    """Write two SLS, each with the lists that it declares, by ID."""
    for sls in "tu":
        lines = [
            f"{id_}: {{lamps.on: [lamps: [{', '.join(sorted(lamps))}]]}}\n"
            for id_, (of_sls, lamps) in generation.items()
            if of_sls == sls
        ]
        write(root, **{f"states__{sls}": "".join(lines) or f"nothing-{sls}: test.nop\n"})


@pytest.mark.parametrize("all_now", ["all: {lamps.on: [lamps: [c]]}\n", ""])
def test_a_list_of_which_another_state_has_one(tmp_path: Path, all_now: str) -> None:
    """What the state had beside it is left, whether the state is declared with another list or not at all."""
    (tmp_path / "states/_states").mkdir(parents=True)
    (tmp_path / "states/_states/lamps.py").write_text(LISTED)
    applied(tmp_path, "all: {lamps.on: [lamps: [a, b]]}\n")
    write(tmp_path, states__t=f"it: {{lamps.on: [lamps: [a]]}}\n{all_now}")
    for test in (True, False, True):
        [warning] = left(tmp_path, "t", test=test)
        assert warning.summary.startswith("a state is no longer declared")
        assert "all (lamps.on b in t" in warning.summary
    [word] = [each["words"] for each in COMMAND.finditer(warning.help)]
    assert forgotten(tmp_path, *shlex.split(word))
    assert left(tmp_path, "t") == []


@settings(max_examples=8, deadline=None)
@given(generations=st.lists(GENERATION, min_size=2, max_size=3))
@example(generations=[{"x": ("t", {"a", "b"})}, {"x": ("t", {"a"})}])
@example(generations=[{"a": ("t", {"a", "b"})}, {"a": ("t", {"a"})}])
@example(generations=[{"x": ("t", {"a"})}, {"x": ("u", {"b"})}, {}])
@example(generations=[{"a": ("u", {"a"}), "x": ("t", {"a"})}, {"a": ("t", {"b"})}])
@example(generations=[{"a": ("u", {"a", "b"}), "x": ("t", {"b"})}, {"a": ("t", {"a"})}])
@example(generations=[{"a": ("t", {"b"}), "x": ("t", {"a", "c"})}, {"x": ("t", {"c"})}])
@example(generations=[{"x": ("u", {"a", "b"})}, {"a": ("t", {"a"}), "x": ("u", {"c"})}])
@example(generations=[{"x": ("u", {"a", "b"})}, {"a": ("t", {"a"})}])
@example(generations=[{"x": ("u", {"a", "b"})}, {"a": ("t", {"a"}), "x": ("u", {"a", "b"})}, {}])
@example(generations=[{"x": ("u", {"a", "b"})}, {"a": ("t", {"a"}), "x": ("u", {"b"})}, {"a": ("t", {"a"})}])
@example(generations=[{"x": ("u", {"a", "b"})}, {"a": ("t", {"a"}), "x": ("u", {"c", "a"})}])
def test_the_advised_command_does_what_the_plan_says(
    tmp_path_factory: pytest.TempPathFactory, generations: list[dict[str, tuple[str, set[str]]]]
) -> None:
    """When it says so, it ends the warning about what it names, and forgets nothing that is declared."""
    root = tmp_path_factory.mktemp("project")
    (root / "states/_states").mkdir(parents=True)
    (root / "states/_states/lamps.py").write_text(LISTED)
    for generation in generations[:-1]:
        declare(root, generation)
        assert apply(root, "t", "u").exit_code == 0
    declare(root, generations[-1])
    declared = set().union(*(lamps for _, lamps in generations[-1].values()))
    made = set().union(*(lamps for generation in generations for _, lamps in generation.values()))
    warnings = left(root, "t", "u")
    assert bool(warnings) is bool(made - declared)
    now, later = (
        [
            word
            for warning in warnings
            for command in COMMAND.finditer(warning.help)
            if bool(command["later"]) is is_later
            for word in shlex.split(command["words"])
        ]
        for is_later in (False, True)
    )
    assert bool(now) is bool(forgotten(root, *now))
    named = [warning.help for warning in left(root, "t", "u")]
    assert bool(named) is bool(later)
    assert all("once this is applied" in text for text in named)
    assert apply(root, "t", "u").exit_code == 0
    assert bool(later) is bool(forgotten(root, *later))
    assert left(root, "t", "u") == []
