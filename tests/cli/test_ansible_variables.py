"""Variables of Ansible in an SLS are answered with expressions that ensue renders."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import pytest

from ensue.cli import main
from ensue.language.ansible_variables import _FACTS, _VARIABLES, instead_of_variable

if TYPE_CHECKING:
    from pathlib import Path

SPECIAL: Final = (
    "ansible_check_mode", "ansible_date_time", "ansible_diff_mode", "ansible_env", "ansible_facts",
    "ansible_forks", "ansible_host", "ansible_index_var", "ansible_limit", "ansible_local", "ansible_loop",
    "ansible_loop_var", "ansible_managed", "ansible_play_batch", "ansible_play_hosts",
    "ansible_play_hosts_all", "ansible_play_name", "ansible_role_name", "ansible_user", "ansible_verbosity",
    "ansible_version", "group_names", "groups", "hostvars", "inventory_dir", "inventory_file",
    "inventory_hostname", "inventory_hostname_short", "item", "omit", "play_hosts", "playbook_dir",
    "role_name", "role_names", "role_path",
)  # fmt: skip
"""Ansible's special variables, and `item` of its loops."""

OPEN: Final = re.compile(r"…|KEY|'name'|'a:b'|'NAME'|'web-01'|loop\.")
"""Parts of an expression that stand for the reader's own words."""

EXPRESSIONS: Final = sorted({
    expression
    for advice in (*_VARIABLES.values(), *(f"{{{{ grains.{grain} }}}}" for grain in _FACTS.values()))
    for expression in re.findall(r"\{\{ .*? \}\}", advice)
    if not OPEN.search(expression)
})  # fmt: skip
CONDITION: Final = "{% if salt['match.compound']('N@web') %}\nmember: test.nop\n{% endif %}\n"


@pytest.mark.parametrize("name", SPECIAL)
def test_every_special_variable_is_answered(name: str) -> None:
    """A fact that no grain has is answered with the list of grains."""
    assert instead_of_variable(name).startswith(f"{name} is Ansible's: ")


@pytest.mark.parametrize(
    ("name", "keys", "answer"),
    [
        ("ansible_os_family", (), "write {{ grains.os_family }}"),
        ("ansible_facts", ("os_family",), "write {{ grains.os_family }}"),
        ("ansible_facts", ("ansible_distribution",), "write {{ grains.os }}"),
        ("ansible_lvm", (), "`ensue call ID grains.items` lists them"),
    ],
)
def test_a_fact_is_a_grain(name: str, keys: tuple[str, ...], answer: str) -> None:
    """It may be read of `ansible_facts`, with and without its prefix."""
    assert answer in instead_of_variable(name, keys)


def test_other_names_are_no_variables_of_ansible() -> None:
    """Names of the user's own are not answered."""
    assert not any(map(instead_of_variable, ("port", "ansible", "hosts")))


def test_every_answer_renders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The expressions of all answers are rendered in one SLS, and the condition matches."""
    lines = "".join(
        f"    - x{number}: {text[:-3]} | string | tojson }}}}\n" for number, text in enumerate(EXPRESSIONS)
    )
    (tmp_path / "states").mkdir()
    (tmp_path / "states/t.sls").write_text(f"a:\n  test.nop:\n{lines}{CONDITION}", encoding="utf-8")
    (tmp_path / "ensue.yaml").write_text("nodegroups: {web: 'bo*'}\nmine_functions: {grains.items: []}\n")
    assert main(["--root", str(tmp_path), "apply", "t", "--id", "box"]) == 0, capsys.readouterr()
    assert "2 unchanged" in capsys.readouterr().out


def test_a_variable_of_another_host_is_read_as_the_answer_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The definition for the mine and the expression of the answer give the value of the other host."""
    definition, expression = re.findall(r"`(mine_functions: .*?)`.*?(\{\{ .*? \}\})", _VARIABLES["hostvars"])[
        0
    ]
    (tmp_path / "states").mkdir()
    (tmp_path / "pillar").mkdir()
    (tmp_path / "ensue.yaml").write_text(f"{definition}\n")
    (tmp_path / "pillar/top.sls").write_text("base: {'*': [h], 'web-01': [v]}\n")
    hosts = "resources: {minion: {web-01: {root: %s}}}\n"
    (tmp_path / "pillar/h.sls").write_text(hosts % tmp_path)
    (tmp_path / "pillar/v.sls").write_text("port: 8081\n")
    (tmp_path / "states/t.sls").write_text(f"a:\n  test.show_notification:\n    - text: port {expression}\n")
    assert main(["--root", str(tmp_path), "apply", "t", "--id", "box"]) == 0, capsys.readouterr()
    assert "port 8081" in capsys.readouterr().out
