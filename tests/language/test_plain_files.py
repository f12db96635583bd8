"""Files that say the same to every target are rendered once, all others for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from ensue.language.plain_files import PlainFiles
from ensue.language.settings.roots import Roots

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.language.renderers.stage import Stream


def renderings(root: Path, plain: PlainFiles, times: int = 2) -> int:
    """Ask so often for the file `p`; return how often it was rendered."""
    file = Roots({"base": [root]}, root).find("p", "base")
    assert file is not None
    made: list[Any] = []
    render = cast("Callable[[], Stream]", lambda: made.append(None) or object())
    for _ in range(times):
        plain.rendered(file, render)
    return len(made)


@pytest.mark.parametrize(
    ("content", "count"),
    [
        ("a: 1\n", 1),
        ("a: {b: {c: 1}}\n", 1),
        ("a: {{ grains.id }}\n", 2),
        ("{% set a = 1 %}\na: 1\n", 2),
        ("{# nothing #}\na: 1\n", 2),
        ("#!py\ndef run():\n    return {}\n", 2),
    ],
)
def test_what_holds_no_sign_is_rendered_once(tmp_path: Path, content: str, count: int) -> None:
    """A sign of a template, or a line of renderers, has a file rendered for each target."""
    (tmp_path / "p.sls").write_text(content)
    assert renderings(tmp_path, PlainFiles("jinja|yaml", jinja_is_usual=True)) == count


def test_other_renderers_and_signs_are_not_known(tmp_path: Path) -> None:
    """Where files have other renderers, or Jinja other signs, nothing is taken for plain."""
    (tmp_path / "p.sls").write_text("a: 1\n")
    assert renderings(tmp_path, PlainFiles("mako|yaml", jinja_is_usual=True)) == 2
    assert renderings(tmp_path, PlainFiles("jinja|yaml", jinja_is_usual=False)) == 2


def test_a_file_that_changed_is_rendered_anew(tmp_path: Path) -> None:
    """What was written meanwhile is seen."""
    path, plain = tmp_path / "p.sls", PlainFiles("jinja|yaml", jinja_is_usual=True)
    path.write_text("a: 1\n")
    assert renderings(tmp_path, plain) == 1
    path.write_text("a: 1\nb: 2\n")
    assert renderings(tmp_path, plain) == 1
    path.write_text("a: {{ 1 }}\n")
    assert renderings(tmp_path, plain) == 2
