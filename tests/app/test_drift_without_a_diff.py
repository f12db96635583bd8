"""A plan says that somebody has changed a file, also where it shows no diff of the content."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.cli.shell import Shell

if TYPE_CHECKING:
    from pathlib import Path

LONG = "".join(f"line {number}\n" for number in range(200_000))


@pytest.mark.parametrize(
    "argument",
    ["contents_pillar: app_token", "contents: text}, {show_changes: false", "source: salt://long"],
    ids=["secret", "hidden", "long"],
)
def test_a_change_of_another_is_named(tmp_path: Path, argument: str) -> None:
    """A secret as a whole, `show_changes: false`, and a file that is too long."""
    shell = Shell(tmp_path)
    shell.write("ensue.yaml", "id: here\npillar_roots: {base: [pillar]}\n")
    shell.write("pillar/top.sls", "base: {'*': [s]}\n")
    shell.write("pillar/s.sls", "app_token: tok-AAAA-1111-secret\n")
    shell.write("states/long", LONG)
    shell.write("states/t.sls", f"{shell.root}/a: {{file.managed: [{{{argument}}}]}}\n")
    assert shell.run("apply", "t").code == 0
    (tmp_path / "a").write_text("someone's\n")

    planned = shell.run("plan", "t", "--out", "short")
    assert "drift since the last apply: changed by someone else" in planned.out
    assert ("only the secret differs" in planned.out) == ("pillar" in argument)
    document = json.loads(shell.run("plan", "t", "--out", "json").out)["here"]
    (returned,) = document.values()
    assert returned["drift"].keys() == {"sha256", "size"}
    assert (returned["drift"]["sha256"]["new"] == "(sensitive)") == ("pillar" in argument)
