"""Where words of a target end, what they may name, and how much work matching is."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.srn import Srn
from ensue.language.targeting import (
    TargetSubject,
    TargetSyntaxError,
    Vocabulary,
    matches,
    parse_target,
    read_nodegroups,
    words_of,
)
from ensue.language.targeting.expression import And, Not, Or, Word
from ensue.language.targeting.grammar import parse_word


def words(expression: str) -> list[str]:
    return [
        f"{word.engine}{word.delimiter if word.delimiter != ':' else ''}@{word.pattern}"
        if word.engine
        else word.pattern
        for word in words_of(parse_target(expression))
    ]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("E@(web|db)-.*", ["E@(web|db)-.*"]),
        ("(E@(web|db)-.*)", ["E@(web|db)-.*"]),
        ("(web-* or db-*)", ["web-*", "db-*"]),
        ("((web-*))", ["web-*"]),
        ("( web-*)", ["web-*"]),
        ("(web* or E@(a|b).*) and not G@os:(x)", ["web*", "E@(a|b).*", "G@os:(x)"]),
        ("(P@os:(Debian|Ubuntu) and (E@((a|b)c|d)))", ["P@os:(Debian|Ubuntu)", "E@((a|b)c|d)"]),
        (r"E@a\(b and (E@a\))", [r"E@a\(b", r"E@a\)"]),
        ("(E@a[)]b)", ["E@a[)]b"]),
        ("(E@a[^])]b)", ["E@a[^])]b"]),
        (r"(E@a[\])]b)", [r"E@a[\])]b"]),
        ('G@os:"Red (Hat" or "a b"', ["G@os:Red (Hat", "a b"]),
        ('"(a)"', ["(a)"]),
        ('"and" and "not"', ["and", "not"]),
        ("(a)or(b)", None),
        ("(a)or (b)", ["a", "b"]),
        ("G|@a|b:c", ["G|@a|b:c"]),
        ("a\tand\nb", ["a", "b"]),
    ],
)
def test_a_parenthesis_inside_a_word_belongs_to_it(expression: str, expected: list[str] | None) -> None:
    """A parenthesis groups only alone or at the start of a word; an operator needs a blank before one."""
    if expected is None:
        with pytest.raises(TargetSyntaxError, match="a blank is missing"):
            parse_target(expression)
    else:
        assert words(expression) == expected


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("E@(a", 3),
        ("a and E@((b)", 9),
        ("E@(a b)", 3),
        ("web(", 4),
        ("a)", 2),
        ("(a))", 4),
        ("(web|db)-.*", 9),
        ("not(a)", 4),
        ("a or not(b)", 9),
        ("(a b)", 4),
        ("a not", 6),
        ("T@ssh_host:", 3),
        ("T@:x", 3),
        ("L@,", 3),
        ("G@:x", 3),
        ("G|@|x", 4),
        ("P@os:(?:", 6),
        ("P@os:(?:a", 6),
        ("E@a{99999999999999999999}", 3),
        ('""', 1),
        ("(" * 51 + "a" + ")" * 51, 51),
    ],
)
def test_what_does_not_parse_has_a_column(expression: str, column: int) -> None:
    """No word is taken for one that matches nothing because its parentheses or pattern are wrong."""
    with pytest.raises(TargetSyntaxError) as caught:
        parse_target(expression)
    assert caught.value.column == column


def test_not_behind_a_term_means_and_not() -> None:
    """`a or b not c` is `a or (b and not c)`, as in Salt."""
    a, b, c = (Word("", name, column) for name, column in (("a", 1), ("b", 6), ("c", 12)))
    assert parse_target("a or b not c") == Or((a, And((b, Not(c)))))


_PATTERNS = st.sampled_from(
    ["a", "web-*", "E@(a|b)c", "E@x[(]", r"E@\)", 'G@k:"v w"', "P@k:(?:a|(b))", "T@t:i"]
)
_EXPRESSIONS = st.recursive(
    _PATTERNS,
    lambda inner: st.one_of(
        inner.map(lambda text: f"({text})"),
        inner.map(lambda text: f"not ( {text})"),
        st.tuples(inner, st.sampled_from([" and ", " or ", " not "]), inner).map("".join),
    ),
    max_leaves=12,
)


@given(_EXPRESSIONS)
def test_words_are_found_in_any_nesting(expression: str) -> None:
    """However expressions are put together, each word is found where it is written."""
    for word in words_of(parse_target(expression)):
        written = expression[word.column - 1 :].replace('"', "")
        assert written.startswith(f"{word.engine}@{word.pattern}" if word.engine else word.pattern)


@given(st.text(alphabet='ab@ETGPN|:()[]^\\"* \tandornot-', max_size=40))
def test_any_text_parses_or_has_a_column(text: str) -> None:
    """No text breaks the scanner: it parses and can be matched, or is refused with a column in it."""
    subject = TargetSubject(
        srn=Srn("t", "ab"), grains=lambda: {"a": ["b", {"a": "b"}]}, pillar=lambda: {"a": {"b": 1}}
    )
    try:
        target = parse_target(text)
    except TargetSyntaxError as error:
        column = error.column
    else:
        column = 1
        assert matches(target, subject) in (True, False)
    assert 1 <= column <= len(text) + 1


@given(st.sampled_from("GPIJELSRTMN"), st.text(max_size=20))
def test_any_pattern_given_apart_parses_or_is_refused(engine: str, pattern: str) -> None:
    """The pattern of one engine may be any text at all."""
    try:
        word = parse_word(engine, pattern)
    except TargetSyntaxError:
        return
    assert matches(word, TargetSubject(srn=Srn("t", "ab"))) in (True, False)


@given(
    st.dictionaries(
        st.sampled_from("abcd"),
        st.one_of(
            st.integers(),
            st.lists(st.sampled_from(["N@a", "N@b", "N@c", "x", "and", "or", "not", "(", ")"]), max_size=5),
            st.sampled_from(["N@d or N@b", "x-* y", "(x|y)\\d", "N@a and N@a"]),
        ),
    )
)
def test_nodegroups_without_errors_can_be_matched(given_groups: dict[str, object]) -> None:
    """Nodegroups either have errors, or all of them can be matched: no cycle, no unknown name is left."""
    groups, errors = read_nodegroups(given_groups)
    if not errors:
        subject = TargetSubject(srn=Srn("t", "x"), vocabulary=Vocabulary(groups))
        assert all(matches(group, subject) in (True, False) for group in groups.values())


def test_a_long_chain_of_nodegroups_is_refused() -> None:
    """Nodegroups that nest deeper than the matcher can follow are an error, reported once."""
    chain = {f"g{number}": f"N@g{number + 1}" for number in range(3000)} | {"g3000": "x"}
    assert len(read_nodegroups(chain)[1]) == 1


def test_nodegroups_that_double_are_matched_once_each() -> None:
    """Each nodegroup is evaluated once per subject, however often others name it."""
    asked = itertools.count()

    def grains() -> dict[str, str]:
        next(asked)
        return {}

    doubling = {f"g{number}": f"N@g{number + 1} or N@g{number + 1}" for number in range(40)}
    groups, errors = read_nodegroups({**doubling, "g40": "G@os:x"})
    assert not errors
    subject = TargetSubject(srn=Srn("t", "x"), grains=grains, vocabulary=Vocabulary(groups))
    assert not matches(parse_target("N@g0"), subject)
    assert next(asked) == 1
