"""A run names the hosts that left pillar while what states made on them stays."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.model.srn import Srn

if TYPE_CHECKING:
    from pathlib import Path

    from ensue.core.diagnostics import Diagnostic

TOP = "base: {'*': [own], 'T@dummy': [web]}\n"
WEB = "conf: {file.managed: [{name: /etc/web}, {contents: x}, {makedirs: true}]}\n"


def hosts(root: Path, *names: str) -> None:
    """Write the hosts that pillar declares."""
    listed = ", ".join(f"{name}: {{}}" for name in names)
    write(root, pillar__top="base: {'*': [r]}\n", pillar__r=f"resources: {{dummy: {{{listed}}}}}\n")


def departed(
    root: Path, *mods: str, options: ProjectOptions | None = None, **how: object
) -> list[Diagnostic]:
    """Return the warnings of a run about hosts that have left."""
    report = apply(root, *mods, options=options or ProjectOptions(minion_id="m"), **how)
    return [warning for warning in report.warnings if warning.code == "E0728"]


def forget(root: Path, target: str) -> None:
    async def work() -> None:
        async with AppProject.open(root, ProjectOptions(minion_id="m")) as project:
            await project.forget_enforced((), target)

    asyncio.run(work())


def project(root: Path, sls: str = WEB) -> None:
    write(root, states__top=TOP, states__own="a: test.nop\n", states__web=sls)
    hosts(root, "h1", "h2")


def test_a_host_that_leaves_pillar_is_named(tmp_path: Path) -> None:
    """By every plan and one apply of its environments, until it is back or its entries are forgotten."""
    project(tmp_path)
    assert departed(tmp_path, tgt="*") == []
    hosts(tmp_path, "h1")
    for target in (None, "*"):
        [warning] = departed(tmp_path, tgt=target, test=True)
        assert warning.summary == (
            "pillar no longer declares dummy:h2, and 1 thing that states made on it stays"
        )
        assert "`ensue enforced forget --tgt dummy:h2` ends this warning" in warning.help
    assert departed(tmp_path, "own", test=True) == []
    assert len(departed(tmp_path)) == 1
    assert departed(tmp_path) == []
    hosts(tmp_path, "h1", "h2")
    assert departed(tmp_path, test=True) == []
    hosts(tmp_path, "h1")
    assert len(departed(tmp_path, test=True)) == 1
    forget(tmp_path, "dummy:h2")
    assert departed(tmp_path, test=True) == []


def test_a_host_that_states_with_tgt_ran_on(tmp_path: Path) -> None:
    """The SLS of this machine that had it as its target names it, and no other SLS does."""
    project(tmp_path)
    write(tmp_path, states__use=WEB.replace("[{name", "[{tgt: 'T@dummy'}, {name"))
    departed(tmp_path, "use")
    hosts(tmp_path, "h1")
    assert departed(tmp_path, "own", test=True) == []
    assert departed(tmp_path, test=True) == []
    assert len(departed(tmp_path, "use", test=True)) == 1


def test_a_host_on_which_nothing_stays(tmp_path: Path) -> None:
    """What its states made is absent again, or they made nothing."""
    project(tmp_path)
    departed(tmp_path, tgt="*")
    write(tmp_path, states__web="conf: {file.absent: [name: /etc/web]}\n")
    departed(tmp_path, tgt="*")
    hosts(tmp_path, "h1")
    assert departed(tmp_path, test=True) == []


def test_pillar_that_this_run_does_not_have_may_declare_a_host(tmp_path: Path) -> None:
    """That of another minion, of the command line, and of another environment."""
    project(tmp_path)
    departed(tmp_path, tgt="*")
    hosts(tmp_path, "h1")
    assert departed(tmp_path, test=True, options=ProjectOptions(minion_id="n")) == []
    forget(tmp_path, "dummy:h2")
    with_h2 = ProjectOptions(minion_id="m", pillar={"resources": {"dummy": {"h2": {}}}})
    assert departed(tmp_path, tgt="*", options=with_h2) == []
    assert departed(tmp_path, test=True) == []


def test_a_registered_host_is_not_one_of_pillar(tmp_path: Path) -> None:
    """It is orphaned, and named as such; once it is forgotten, that has been decided."""
    project(tmp_path)
    hosts(tmp_path)
    write(tmp_path, states__own="a: {test.nop: [registers: [dummy:h3: {}]]}\n")
    departed(tmp_path)
    departed(tmp_path, tgt="*")
    write(tmp_path, states__own="a: test.nop\n")
    assert departed(tmp_path) == departed(tmp_path, test=True) == []

    async def work() -> None:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as opened:
            await opened.forget(Srn("dummy", "h3"))

    asyncio.run(work())
    assert departed(tmp_path, test=True) == []
