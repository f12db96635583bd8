"""Arguments of `ensue call` are checked once, before anything is called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.app.test_project import write
from tests.reach.resources.dummy.test_dummy import call
from tests.support.resource_types import write_types

from ensue.core.errors import ConfigurationError

if TYPE_CHECKING:
    from pathlib import Path

BOX = """
def connect(context):
    return object()
"""
PAINT = """
from pathlib import Path


async def coat(ctx, colour, *, layers=1):
    (Path(__file__).parent / "painted").touch()
    return [colour, layers]


def plain(ctx, colour):
    return colour
"""
OWN = """
def greet(name, greeting="hello"):
    return f"{greeting} {name}"
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two boxes with a function of their own, and a plain function of the project."""
    write(
        tmp_path,
        **{
            "pillar/top.sls": "base: {m: [r]}\n",
            "pillar/r.sls": "resources: {box: {b1: , b2: }, dummy: {d1: }}\n",
            "states/_modules/own.py": OWN,
        },
    )
    return write_types(tmp_path, {"box/__init__.py": BOX, "box/modules/paint.py": PAINT})


def refusal(root: Path, target: str, function: str, *args: Any, **kwargs: Any) -> tuple[str, str]:
    with pytest.raises(ConfigurationError) as refused:
        call(root, target, function, *args, **kwargs)
    (fault,) = refused.value.diagnostics
    return fault.code, fault.message


@pytest.mark.parametrize(
    ("args", "kwargs", "expected"),
    [
        ((), {}, ("E0403", "missing a required argument: 'colour'")),
        (("red", 2), {}, ("E0402", "too many positional arguments")),
        (("red",), {"layer": 2}, ("E0402", "got an unexpected keyword argument 'layer'")),
        (("red",), {"colour": "blue"}, ("E0402", "multiple values for argument 'colour'")),
    ],
)
def test_arguments_that_no_target_takes_are_refused_once(
    root: Path, args: tuple[Any, ...], kwargs: dict[str, Any], expected: tuple[str, str]
) -> None:
    """With the signature, as the caller sees it; nothing is called."""
    code, message = refusal(root, "T@box", "paint.coat", *args, **kwargs)

    assert code == expected[0]
    assert f"paint.coat: {expected[1]}" in message
    assert "its signature is paint.coat(colour, *, layers=1)" in message
    assert not list(root.rglob("painted"))


def test_a_misspelt_argument_has_a_near_name(root: Path) -> None:
    """As the arguments of states have."""
    assert "did you mean layers?" in refusal(root, "T@box", "paint.coat", "red", layer=2)[1]


def test_a_function_without_the_context_in_its_signature(root: Path) -> None:
    """A plain function of the project takes what it lists; one of a type takes what follows `ctx`."""
    assert call(root, "m", "own.greet", "you") == {"m": (True, "hello you")}
    assert "own.greet(name, greeting='hello')" in refusal(root, "m", "own.greet")[1]
    assert call(root, "b1", "paint.plain", "red") == {"b1": (True, "red")}
    assert "paint.plain(colour)" in refusal(root, "b1", "paint.plain")[1]


def test_a_target_without_the_function_refuses_nothing(root: Path) -> None:
    """It answers that it has none, beside those that have it."""
    answers = call(root, "T@box or T@dummy", "paint.coat", "red")

    assert answers["b1"] == answers["b2"] == (True, ["red", 1])
    assert answers["d1"][0] is False


def test_where_nothing_matches_there_is_nothing_to_check(root: Path) -> None:
    """No answer, and no refusal."""
    assert call(root, "b9*", "cmd.run") == {}
