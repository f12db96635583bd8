"""External pillar and renderers of a project's own."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from tests.app.custom.test_custom_modules import module
from tests.app.test_plain_functions import called
from tests.app.test_project import apply, write

from ensue.app.project import AppProject, ProjectOptions
from ensue.core.errors import CompileError

if TYPE_CHECKING:
    from pathlib import Path

EXTERNAL = """
def ext_pillar(minion_id, pillar, *args, **kwargs):
    return {"ext": {"id": minion_id, "args": list(args), "kwargs": kwargs, "had": sorted(pillar)},
            "kind": "ext"}
"""


def pillar_of(root: Path, target: str = "m") -> Any:
    return called(root, target, "pillar.items")[1]


def set_up(root: Path, options: str, text: str = EXTERNAL) -> None:
    module(root, "wood", text, "_pillar")
    (root / "ensue.yaml").write_text(options)
    write(root, pillar__top="base: {'*': [p]}\n", pillar__p="kind: file\nseen: {{ pillar.get('kind') }}\n")


@pytest.mark.parametrize(
    ("given", "args", "kwargs"),
    [
        ("{a: 1}", [], {"a": 1}),
        ("[1, 2]", [1, 2], {}),
        ("text", ["text"], {}),
        ("{}", [], {}),
        ("null", [None], {}),
    ],
)
def test_options_become_arguments(
    tmp_path: Path, given: str, args: list[Any], kwargs: dict[str, Any]
) -> None:
    """A mapping by name, a list by place, anything else is the one argument; it outranks pillar's files."""
    set_up(tmp_path, f"ext_pillar:\n- wood: {given}\n")
    pillar = pillar_of(tmp_path)
    assert pillar["ext"] == {"id": "m", "args": args, "kwargs": kwargs, "had": ["kind", "seen"]}
    assert (pillar["kind"], pillar["seen"]) == ("ext", "None")


def test_it_comes_first_where_that_is_wanted(tmp_path: Path) -> None:
    """Then pillar's top file and files see it, and outrank it."""
    set_up(tmp_path, "ext_pillar_first: true\next_pillar:\n- wood: {}\n")
    write(tmp_path, pillar__top="base: {'I@ext:id:m': [p]}\n")
    pillar = pillar_of(tmp_path)
    assert (pillar["kind"], pillar["seen"], pillar["ext"]["had"]) == ("file", "ext", [])


def test_the_command_line_outranks_it(tmp_path: Path) -> None:
    """`--pillar` is merged last."""
    set_up(tmp_path, "ext_pillar:\n- wood: {}\n")
    write(tmp_path, states__t="{{ pillar.kind }}: test.nop\n")
    options = ProjectOptions(minion_id="m", pillar={"kind": "mine"})
    assert [returned.id for returned in apply(tmp_path, "t", options=options).returns.values()] == ["mine"]


def test_each_target_has_its_own(tmp_path: Path) -> None:
    """A function is called with the id of a resource for that resource's pillar, and sees its grains."""
    text = "def ext_pillar(minion_id, pillar): return {'ext': minion_id + __grains__.get('id', '?')}\n"
    set_up(tmp_path, "ext_pillar:\n- wood: {}\n", text)
    write(tmp_path, pillar__p="resources: {dummy: {d1: {}, d2: {}}}\n")
    assert [pillar_of(tmp_path, name)["ext"][:2] for name in ("d1", "d2")] == ["d1", "d2"]
    assert pillar_of(tmp_path)["ext"] == "mm"


def test_what_it_says_is_data(tmp_path: Path) -> None:
    """A reference in it is no reference in an SLS that prints it."""
    text = "def ext_pillar(minion_id, pillar): return {'kind': '${test:a:comment}'}\n"
    set_up(tmp_path, "ext_pillar:\n- wood: {}\n", text)
    write(
        tmp_path,
        states__t="a: test.nop\nb:\n  test.show_notification:\n    - text: {{ pillar.kind | yaml_dquote }}\n",
    )
    assert [returned.comment for returned in apply(tmp_path, "t").returns.values()][1] == "${test:a:comment}"


def test_its_secrets_are_masked(tmp_path: Path) -> None:
    """What has the key of a secret is told to the masker, as for pillar's files."""
    text = "def ext_pillar(minion_id, pillar): return {'password': 'hunter2-long'}\n"
    set_up(tmp_path, "ext_pillar:\n- wood: {}\n", text)

    async def masked() -> str:
        async with AppProject.open(tmp_path, ProjectOptions(minion_id="m")) as project:
            assert [answer.ok async for answer in project.call("m", "pillar.items", [], {})] == [True]
            return project.masker.text("it is hunter2-long")

    assert "hunter2" not in asyncio.run(masked())


@pytest.mark.parametrize(
    ("text", "name", "why"),
    [
        ("def ext_pillar(i, p): return 1 / 0", "wood", "ZeroDivisionError: division by zero"),
        ("def ext_pillar(i, p): return [1]", "wood", "it returned list, not a mapping"),
        ("def ext_pillar(i, p): return {'_errors': ['no saw']}", "wood", "no saw"),
        ("def __virtual__(): return False, 'no saw'", "wood", "_pillar/wood.py is not used: no saw"),
        ("import no_such_thing", "wood", "does not load: ModuleNotFoundError"),
        ("", "wodo", "did you mean wood?"),
        ("", "stone", "write _pillar/stone.py with ext_pillar(minion_id, pillar, …) below a file root"),
    ],
)
def test_one_that_fails_keeps_states_from_being_applied(
    tmp_path: Path, text: str, name: str, why: str
) -> None:
    """It is named, with the reason, and nothing runs."""
    set_up(tmp_path, f"ext_pillar:\n- {name}: {{}}\n", text)
    write(tmp_path, states__t="a: test.nop\n")
    with pytest.raises(CompileError) as caught:
        apply(tmp_path, "t")
    (fault,) = caught.value.diagnostics
    assert fault.code == "E0607"
    assert repr(name) in fault.summary
    assert why in f"{fault.detail} {fault.help}"


PAIRS = """
from salt.exceptions import SaltRenderError
def render(source, saltenv="base", sls="", argline="", **kwargs):
    if not isinstance(source, str):
        source = source.read()
    if "broken" in source:
        raise SaltRenderError("that is broken", 2, source)
    pairs = [line.split("=") for line in source.splitlines() if "=" in line]
    return {
        name: {"test.present": [{"comment": text.strip() + argline}, {"new_state": {"n": name}}]}
        for name, text in pairs
    }
"""


def comments(root: Path) -> list[str]:
    return [returned.comment for returned in apply(root, "t").returns.values()]


def test_a_renderer_makes_data_or_text(tmp_path: Path) -> None:
    """Anywhere in a pipe, and as the usual one of all files."""
    module(tmp_path, "pairs", PAIRS, "_renderers")
    module(
        tmp_path,
        "loud",
        "def render(s, saltenv, sls, **kw): return s.read().replace('SHOUT', 'a')\n",
        "_renderers",
    )
    module(
        tmp_path,
        "filelike",
        "import io\ndef render(source, saltenv, sls, **kw):\n"
        "    return io.StringIO(source.read() + '\\nb=' + sls + saltenv)\n",
        "_renderers",
    )
    write(tmp_path, states__t="#!loud|filelike|jinja|pairs !\nSHOUT={{ opts.id }}\n")
    assert comments(tmp_path) == ["m!", "tbase!"]
    (tmp_path / "ensue.yaml").write_text("renderer: jinja|pairs\n")
    write(tmp_path, states__t="a={{ opts.id }}\n")
    assert comments(tmp_path) == ["m"]


def test_references_that_an_author_wrote_count_behind_a_renderer(tmp_path: Path) -> None:
    """With a template before it, too; it may print plain words, and what an author vouches for."""
    module(tmp_path, "pairs", PAIRS, "_renderers")
    write(tmp_path, states__t="#!pairs\na=first\nb=${test:a:n}\n")
    assert comments(tmp_path) == ["first", "a"]
    module(tmp_path, "g", "def sign(): return {'sign': '${test' + ':a:n}'}\n", "_grains")
    write(
        tmp_path,
        states__t="#!jinja|pairs\na=first\nb=${test:a:n}\nc={{ grains.sign | authored }}\n",
    )
    assert sorted(comments(tmp_path)) == ["${test:a:n}", "a", "first"]
    write(tmp_path, states__t="#!jinja|pairs\na=first\nc={{ grains.sign }}\n")
    with pytest.raises(CompileError) as caught:
        apply(tmp_path, "t")
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == ["E0220"]


def test_a_renderer_that_fails_is_named_with_the_place(tmp_path: Path) -> None:
    """An error of Salt's that knows its line has that line; one that refuses says why."""
    module(tmp_path, "pairs", PAIRS, "_renderers")
    module(
        tmp_path,
        "never",
        "def __virtual__(): return False, 'no saw'\ndef render(s, e, n, **kw): return {}\n",
        "_renderers",
    )
    for text, shown in (
        ("#!pairs\nbroken\n", "the renderer 'pairs' failed: that is broken"),
        ("#!never\na\n", "the renderer 'never' cannot be used: _renderers/never.py is not used: no saw"),
    ):
        write(tmp_path, states__t=text)
        with pytest.raises(CompileError) as caught:
            apply(tmp_path, "t")
        (fault,) = caught.value.diagnostics
        assert (fault.code, f"{fault.summary}: {fault.detail}") == ("E0609", shown)
    write(tmp_path, states__t="#!pairs\nbroken\n")
    with pytest.raises(CompileError) as caught:
        apply(tmp_path, "t")
    place = caught.value.diagnostics[0].span
    assert place is not None
    assert (place.path, place.line) == ("states/t.sls", 2)
