"""Shell completion: the scripts, and the candidates."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.shell import Shell


def _candidates(shell: Shell, *words: str) -> list[str]:
    """Return what bash would be offered for the last word."""
    ended = shell.run(
        _ENSUE_COMPLETE="bash_complete", COMP_WORDS=" ".join(("ensue", *words)), COMP_CWORD=str(len(words))
    )
    assert ended.err == ""
    return [line.partition(",")[2] for line in ended.out.splitlines() if line]


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_script_is_one_the_shell_reads(shell: Shell, name: str) -> None:
    """The script of a shell names ensue's completion variable; a shell that is here accepts it."""
    ended = shell.run("completion", name)
    assert ended.code == 0
    assert "_ENSUE_COMPLETE" in ended.out
    if shutil.which(name):
        subprocess.run([name, "-n"], input=ended.out, text=True, check=True)


def test_commands_and_options(shell: Shell) -> None:
    """Commands, sub-commands and options are completed."""
    assert _candidates(shell, "re") == ["resources"]
    assert _candidates(shell, "runs", "s") == ["show"]
    assert "--pillar-file" in _candidates(shell, "apply", "--pil")


def test_sls_names(shell: Shell) -> None:
    """SLS are completed by the names under which they are applied, plug-in folders and top.sls left out."""
    shell.write("states/_modules/x.sls", "")
    shell.write("here.sls", "")
    assert _candidates(shell, "apply", "w") == ["web", "web.site"]
    assert _candidates(shell, "apply", "") == [
        "bad",
        "broken",
        "good",
        "here.sls",
        "pillared",
        "web",
        "web.site",
    ]


def test_sls_names_of_other_roots(shell: Shell) -> None:
    """file_roots of ensue.yaml are followed, in each of the forms it may have; --root too."""
    shell.write("trees/one/in_one.sls", "")
    for form in ("trees/one", "[trees/one]", "{base: [trees/one, gone]}"):
        shell.write("ensue.yaml", f"file_roots: {form}\n")
        assert _candidates(shell, "apply", "in_") == ["in_one"]
    assert _candidates(shell, "--root", str(shell.root / "trees"), "apply", "in_") == []


def test_runs_and_resources(shell: Shell) -> None:
    """Ids of runs, names of resources and targets come from the project."""
    shell.run("apply", "good")
    [run] = shell.run("runs", "list", "--out", "json").document
    assert _candidates(shell, "runs", "show", "2") == [run["run_id"]]
    assert _candidates(shell, "resources", "show", "min") == ["minion:web-01"]
    assert _candidates(shell, "call", "we") == ["web-01"]
    assert _candidates(shell, "call", "T@") == ["T@minion:web-01"]
    assert _candidates(shell, "apply", "--tgt", "T@") == ["T@minion:web-01"]
    assert _candidates(shell, "plan", "--tgt", "we") == ["web-01"]


def test_a_broken_project_offers_nothing(shell: Shell) -> None:
    """A key press shows no error, whatever state the project is in."""
    shell.write("ensue.yaml", "file_roots: [unclosed\n")
    shell.write("pillar/data.sls", "{{ broken")
    for words in (("apply", ""), ("resources", "show", ""), ("runs", "show", ""), ("call", "")):
        assert _candidates(shell, *words) == []
