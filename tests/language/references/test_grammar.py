"""References are read as the grammar says, and any text at all is read without a crash."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ensue.core.model.property_grammar import quoted, read_property
from ensue.core.model.property_path import Every, Indexed
from ensue.core.model.reference import Reference
from ensue.language.references.detection import holds_sign, may_bind
from ensue.language.references.explicit_bindings import shown_bindings
from ensue.language.references.faults import _instead_of
from ensue.language.references.grammar import Malformed, read_text

ALL = Every.ITEM
READ = [
    ("${test:B:ID}", "test", "B", None, ("ID",)),
    ("${cloud.instance:State_B:ID}", "cloud.instance", "State_B", None, ("ID",)),
    ("${test:B:}", "test", "B", None, ()),
    ("${test:B:nics[0]:address}", "test", "B", None, (Indexed("nics", (0,)), "address")),
    ("${test:B:nics[*]:address}", "test", "B", None, (Indexed("nics", (ALL,)), "address")),
    ("${test:B:m[*][1]}", "test", "B", None, (Indexed("m", (ALL, 1)),)),
    ("${test:B:l[-1]}", "test", "B", None, (Indexed("l", (-1,)),)),
    ("${test:B:[0]:a}", "test", "B", None, (Indexed(None, (0,)), "a")),
    ("${test:B:a:[0][*]}", "test", "B", None, ("a", Indexed(None, (0, ALL)))),
    ("${test:B[web-1]:ip}", "test", "B", "web-1", ("ip",)),
    ("${test:B[/etc/a:b]:ip}", "test", "B", "/etc/a:b", ("ip",)),
    ('${test:B["x]y"]:ip}', "test", "B", "x]y", ("ip",)),
    ('${test:"a:b":c}', "test", "a:b", None, ("c",)),
    ('${test:"a[0]"[n]:"k:[}"[1]}', "test", "a[0]", "n", (Indexed("k:[}", (1,)),)),
    (r'${test:B:"say \"hi\" \\"}', "test", "B", None, ('say "hi" \\',)),
    ('${test:B:""}', "test", "B", None, ("",)),
    ("${test:/etc/motd:mode}", "test", "/etc/motd", None, ("mode",)),
    ("${test:a b:c d}", "test", "a b", None, ("c d",)),
]


@pytest.mark.parametrize(("text", "path", "id_", "selector", "steps"), READ, ids=[row[0] for row in READ])
def test_a_reference_has_its_parts(
    text: str, path: str, id_: str, selector: str | None, steps: tuple[object, ...]
) -> None:
    """Path, ID, name and property path are distinguished, with and without quotes."""
    [piece] = read_text(text)
    assert isinstance(piece, Reference)
    assert (piece.text, piece.path, piece.id, piece.selector, piece.steps) == (
        text,
        path,
        id_,
        selector,
        steps,
    )


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "${HOME}",
        "${x:-y}",
        "${a:b}",
        "$HOME",
        "${}",
        "${:}",
        "${x:-/usr:/bin}",
        "${PATH:+:$PATH}",
        "${x:?it: is missing}",
        "${VAR//:/:,}",
        "$${HOME}",
        r"$\{HOME}",
        "${test:a:b",
        "${test:a\n:b}",
        '${a["x:y:z"]}',
        "$",
        "a ${ b",
    ],
)
def test_what_has_fewer_than_three_parts_stays(text: str) -> None:
    """A shell's variable and a reference that is cut off are plain text; the escaped form is, too."""
    assert read_text(text) == [text]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("$${test:a:b}", "${test:a:b}"),
        (r"$\{test:a:b}", "${test:a:b}"),
        ("x $${test:a:b} y $${no:such:thing}", "x ${test:a:b} y ${no:such:thing}"),
        ("$$${test:a:b}", "$${test:a:b}"),
        ("$${test:a:[x]}", "${test:a:[x]}"),
    ],
)
def test_an_escape_gives_the_literal_text(text: str, plain: str) -> None:
    """Both escapes of what would else be a reference give it as text, well-formed or not."""
    assert read_text(text) == [plain]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("${test:B:l[x]}", "[x] is not an index; an index is a whole number, or *"),
        ("${test:B:l[]}", "[] is not an index; an index is a whole number, or *"),
        ("${test:B:l[99999999999999999999]}", "is not an index; an index is a whole number, or *"),
        ("${test:B:a::b}", "a key is missing between two colons, or at the end"),
        ("${test:B:a:}", "a key is missing between two colons, or at the end"),
        ("${test::x}", "the ID is missing"),
        ("${test:[n]:x}", "the ID is missing"),
        ("${test:B[]:x}", "the ID is followed by [], which is not a [name]"),
        ("${test:B:l[0}", "[0 is not an [index]; put a key that contains brackets in quotes"),
        ("${test:B:l[0]x}", "x is not an [index]; put a key that contains brackets in quotes"),
        ("${test:B:l]}", "l] cannot be read; put the whole key, ID or name in double quotes"),
        ('${test:B:a"b"}', 'a"b" cannot be read; put the whole key, ID or name in double quotes'),
        ('${test:"B:x:y}', "cannot be read; put the whole key, ID or name in double quotes"),
    ],
)
def test_a_malformed_reference_says_what_is_wrong(text: str, problem: str) -> None:
    """What has three parts and cannot be read is neither text nor a reference."""
    [piece] = read_text(text)
    assert isinstance(piece, Malformed)
    assert piece.problem.endswith(problem)


def test_text_and_references_stand_in_order() -> None:
    """A text with several references and an escape is cut into its pieces."""
    pieces = read_text("a ${test:B:x}${HOME}$${test:B:y}${test:C:z} b")
    assert [piece if isinstance(piece, str) else piece.text for piece in pieces] == [
        "a ",
        "${test:B:x}",
        "${HOME}${test:B:y}",
        "${test:C:z}",
        " b",
    ]


def test_the_inner_of_two_nested_references_is_one() -> None:
    """A brace outside of quotes ends the hope for the outer one, not for the inner."""
    pieces = read_text("${x:-${test:B:y}}")
    assert [piece if isinstance(piece, str) else piece.text for piece in pieces] == [
        "${x:-",
        "${test:B:y}",
        "}",
    ]


SIGNS = st.sampled_from(
    ["${", "}", ":", "[", "]", '"', "\\", "$", "*", "-1", "0", "a", "test", "é", "\n", " ", "{"]
)
TEXTS = st.lists(SIGNS, max_size=30).map("".join) | st.text(max_size=30)


@given(TEXTS)
@example('${test:"a')
@example('${a:"":}')
@example("${:::}")
def test_any_text_is_read(text: str) -> None:
    """Nothing crashes; the references are parts of the text, in order, and the rest is text."""
    position = 0
    for piece in read_text(text):
        if not isinstance(piece, str):
            start = text.index(piece.text, position)
            position = start + len(piece.text)
    assert position <= len(text)


@given(TEXTS)
def test_a_text_without_escapes_loses_nothing(text: str) -> None:
    """The pieces of a text in which nothing is escaped make up that text again."""
    if "$${" in text or "$\\{" in text:
        return
    assert "".join(piece if isinstance(piece, str) else piece.text for piece in read_text(text)) == text


PARTS = st.text(min_size=1, max_size=8).filter(lambda text: "\n" not in text)
KEYS = st.tuples(PARTS, st.lists(st.integers(-99, 99) | st.just(ALL), max_size=2))


@given(PARTS.filter(lambda text: text[0] not in "-+=?"), st.lists(KEYS, min_size=1, max_size=4))
def test_what_is_quoted_is_read_back(id_: str, keys: list[tuple[str, list[int | Every]]]) -> None:
    """Any ID and any keys can be written, whatever signs they hold."""
    path = ":".join(
        quoted(key) + "".join(f"[{'*' if index is ALL else index}]" for index in indexes)
        for key, indexes in keys
    )
    [piece] = read_text(f"${{test:{quoted(id_)}:{path}}}")
    assert isinstance(piece, Reference)
    steps = tuple(Indexed(key, tuple(indexes)) if indexes else key for key, indexes in keys)
    assert (piece.id, piece.steps) == (id_, steps)
    assert read_property(path) == steps


@given(TEXTS)
def test_a_text_without_a_sign_holds_nothing(text: str) -> None:
    """The quick look never misses a reference or an escape."""
    if read_text(text) != [text]:
        assert holds_sign(text)
        assert may_bind(text)


@pytest.mark.parametrize(
    "text",
    [
        r'a: "\x24{test:b:c}"',
        r'{"a": "\u0024{b:c:d}"}',
        r'a: "$\U0000007bb:c:d}"',
        'a: "$\\\n  {b:c:d}"',
    ],
)
def test_what_hides_a_sign_is_searched(text: str) -> None:
    """An escape of YAML or JSON may become a reference that the text does not show."""
    assert may_bind(text)


def test_an_argument_binding_names_the_minion_of_its_reference() -> None:
    """`arg_bind` of high data reads as the reference does."""
    bindings = shown_bindings({"a": "${minion[web-1]:file:x:path} ${file:y:path}"})
    assert bindings == [
        {"minion[web-1]:file": ["x", {"path": "a"}]},
        {"file": ["y", {"path": "a"}]},
    ]


@pytest.mark.parametrize(
    ("selector", "count", "advice"),
    [("*", 2, "all instances at once cannot be read"), ("c", 2, "name one"), ("c", 1, "leave out `[c]`")],
)
def test_an_instance_that_does_not_exist_has_a_remedy(selector: str, count: int, advice: str) -> None:
    """`[*]` means all at once, which is a list with a reference to each."""
    reference = Reference(text="", path="test", id="a", selector=selector)
    assert advice in _instead_of(reference, "'x', 'y'", count)
