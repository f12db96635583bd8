"""What a run names as no longer declared is a thing that is there, and that no other state is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.app.test_project import apply, write
from tests.app.test_undeclared_states import left

if TYPE_CHECKING:
    from pathlib import Path

FILE = "{0}:\n  file.managed:\n    - name: ROOT/out/{1}\n    - makedirs: true\n    - contents: x\n"
ABSENT = "{0}:\n  file.absent:\n    - name: ROOT/out/{1}\n"
NOTHING = "nothing: test.nop\n"
DEPLOYED = "{0}:\n  graph.deployed: [app: shop, env: {1}, env_type: live, score: score.yaml]\n"


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
