"""Matching whole lists of ids at once, beside `matches`, which looks at one resource after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.srn import Srn
from ensue.language.targeting import (
    NameMatcher,
    NotKnownError,
    TargetSubject,
    Vocabulary,
    matches_so_far,
    parse_target,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

MINIONS = ("m",)
TYPES = ("dummy", "minion", "ssh_host")
IDS = ("m", "web-01", "web-02", "web-1x", "db-1", "[a]", "a*b", "x:y", "ssh_host:web-01", "two\nlines", "ä")
GLOBS = ("*", "web-01", "web-0?", "web-[01]*", "*b", "x:y", "ssh_host:web-01", "dummy:x:y", "dummy:*", "[a]")
OF_TYPES = ("T@dummy", "T@ssh_host:web-01", "T@ssh:web-*", "T@minion:m", "T@dummy:[a]", "T@dummy:x:y")
LISTS = ("L@web-01,db-1", "L@m,x:y", "R@web-[01-02]", "R@web-[01-09],w*", "R@db-[1,2]")
OTHERS = ("M@m", "M@web-0*", "M@nobody", "E@web", "E@.*1$", "E@(two|db)", "N@front", "N@mixed", "N@nowhere")
BY_DATA = ("G@os:Debian", "P@os:.*", "I@role:x", "J@role:x", "S@10.0.0.0/8")
WORDS = (*GLOBS, *OF_TYPES, *LISTS, *OTHERS, *BY_DATA)
VOCABULARY = Vocabulary(
    {
        "front": parse_target("web-* and not L@web-02"),
        "mixed": parse_target("N@front or G@os:Debian and not T@minion"),
    }
)

expressions = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, st.sampled_from(["and", "or", "and not"]), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
    ),
    max_leaves=8,
)


def _unknown() -> dict[str, Any]:
    raise NotKnownError


def subject(resource_type: str, id_: str) -> TargetSubject:
    return TargetSubject(
        srn=Srn(resource_type, id_),
        managing_minions=MINIONS,
        grains=_unknown,
        pillar=_unknown,
        vocabulary=VOCABULARY,
    )


def one_by_one(expression: str, resource_type: str, ids: Sequence[str]) -> dict[str, bool | None]:
    target = parse_target(expression)
    return {id_: matches_so_far(target, subject(resource_type, id_)) for id_ in ids}


@given(expressions, st.sampled_from(TYPES), st.lists(st.sampled_from(IDS), unique=True))
def test_a_list_of_ids_matches_as_each_of_them_does(
    expression: str, resource_type: str, ids: list[str]
) -> None:
    """What is decided for an id alone is decided so for the list, in order.

    A nodegroup that leaves an id alone open may be decided for the list: one word of it may be enough.
    """
    matcher = NameMatcher(parse_target(expression), minions=MINIONS, vocabulary=VOCABULARY)
    decided = matcher.decide(resource_type, ids)
    decisions = one_by_one(expression, resource_type, ids)
    matched, undecided = set(decided.matched), set(decided.undecided)
    assert not matched & undecided
    assert decided.matched == [id_ for id_ in ids if id_ in matched]
    assert decided.undecided == [id_ for id_ in ids if id_ in undecided]
    for id_, alone in decisions.items():
        together = None if id_ in undecided else id_ in matched
        assert together is alone or (alone is None and "N@mixed" in expression)


@given(expressions, st.sampled_from(TYPES))
def test_nothing_matches_beyond_the_bound(expression: str, resource_type: str) -> None:
    """Where a target is bound to some ids, no other id matches it or may match it."""
    matcher = NameMatcher(parse_target(expression), minions=MINIONS, vocabulary=VOCABULARY)
    possible = {
        id_ for id_, matches in one_by_one(expression, resource_type, IDS).items() if matches is not False
    }
    for bound in (matcher.bound(), matcher.bound(resource_type)):
        assert bound is None or possible <= bound


@given(st.text(max_size=8), st.text(min_size=1, max_size=8))
def test_any_id_and_any_glob_agree(id_: str, glob: str) -> None:
    """Whatever an id and a glob are made of, they fit in a list as they fit alone."""
    expression = f'"{glob}"'.replace("\\", "")
    try:
        target = parse_target(expression)
    except ValueError:
        return
    decided = NameMatcher(target, minions=MINIONS).decide("dummy", [id_])
    assert (decided.matched == [id_]) is matches_so_far(target, subject("dummy", id_))


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("T@t:a", {"a"}),
        ("T@t:a and T@t:*", {"a"}),
        ("T@t:a or T@u:b", {"a", "b"}),
        ("(T@t:a or T@t:b) and G@os:x", {"a", "b"}),
        ("T@t:a and T@t:b", set()),
        ("T@t:a and not b", {"a"}),
        ("T@t:a*", None),
        ("T@t", None),
        ("a", {"a"}),
        ("t:a", {"t:a", "a"}),
        ("L@a,b or c", {"a", "b", "c"}),
        ("R@a-[1-3]", {"a-1", "a-2", "a-3"}),
        ("R@a-[1-3],b*", None),
        ("E@a", None),
        ("M@m", None),
        ("not T@t:a", None),
        ("T@t:a or b*", None),
        ("N@front or a", None),
        ("N@front and a", {"a"}),
        ("N@nowhere", set()),
    ],
)
def test_a_target_that_names_ids_is_bound_to_them(expression: str, expected: set[str] | None) -> None:
    """Exact ids, lists and ranges are looked up; anything else may match every id."""
    assert NameMatcher(parse_target(expression), vocabulary=VOCABULARY).bound() == expected


@pytest.mark.parametrize(
    ("expression", "resource_type", "expected"),
    [
        ("T@t:w* or L@a,b", "t", None),
        ("T@t:w* or L@a,b", "u", {"a", "b"}),
        ("T@t:w*", "u", set()),
        ("M@m and T@t", "u", set()),
        ("M@other", "t", set()),
        ("M@other", "minion", None),
        ("u:a", "t", {"u:a"}),
    ],
)
def test_a_type_that_cannot_match_is_not_read(
    expression: str, resource_type: str, expected: set[str] | None
) -> None:
    """Within one type a target is bound more narrowly: to nothing where it asks for another type."""
    matcher = NameMatcher(parse_target(expression), minions=MINIONS)
    assert matcher.bound(resource_type) == expected


def test_nodegroups_that_double_take_no_time() -> None:
    """Each nodegroup is decided once, however often others name it: fifty that double would take for ever."""
    groups = {"g0": parse_target("web-*")}
    for number in range(1, 50):
        before = f"N@g{number - 1}"
        groups[f"g{number}"] = parse_target(f"({before} and *) or {before}")
    matcher = NameMatcher(parse_target("N@g49"), vocabulary=Vocabulary(groups))
    assert matcher.bound() is None
    assert matcher.decide("dummy", ["db-1", "web-1"]).matched == ["web-1"]
