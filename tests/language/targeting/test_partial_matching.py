"""What can be said of a match while not everything is known."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.srn import Srn
from ensue.language.targeting import (
    NotKnownError,
    TargetSubject,
    Vocabulary,
    exact_name,
    matches,
    matches_so_far,
    parse_target,
    words_of,
)

SRN = Srn("ssh_host", "web-01")
WORDS = [
    "web-*",
    "db-*",
    "T@ssh_host",
    "T@minion",
    "G@os:Debian",
    "G@os:Alpine",
    "I@role:x",
    "N@front",
    "G@id:web-*",
    "P@id:^db",
]


def _unknown() -> dict[str, Any]:
    raise NotKnownError


def subject(*, known: bool) -> TargetSubject:
    return TargetSubject(
        srn=SRN,
        managing_minions=("m",),
        grains=(lambda: {"os": "Debian", "id": SRN.id}) if known else _unknown,
        pillar=(lambda: {"role": "x"}) if known else _unknown,
        vocabulary=Vocabulary({"front": parse_target("G@os:Debian and web-*"), "back": parse_target("db-*")}),
    )


@pytest.mark.parametrize(
    ("expression", "so_far"),
    [
        ("web-*", True),
        ("T@ssh_host:db-*", False),
        ("G@os:Debian", None),
        ("not I@role:x", None),
        ("web-* and G@os:Debian", None),
        ("db-* and G@os:Debian", False),
        ("web-* or G@os:Debian", True),
        ("db-* or G@os:Debian", None),
        ("not (db-* and G@os:Debian)", True),
        ("M@m", True),
        ("G@id:web-*", True),
        ("P@id:^db", False),
        ("G|@id|web-01", True),
        ("G@ids:web-*", None),
        ("N@front", None),
        ("N@back", False),
        ("N@nowhere", False),
    ],
)
def test_what_is_not_known_leaves_open_what_it_decides(expression: str, so_far: bool | None) -> None:
    """Grains and pillar that nobody has leave a match open, unless something else decides it."""
    assert matches_so_far(parse_target(expression), subject(known=False)) is so_far


expressions = st.recursive(
    st.sampled_from(WORDS),
    lambda inner: st.one_of(
        inner.map("not ({})".format),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
            lambda parts: f"({parts[0]}) {parts[1]} ({parts[2]})"
        ),
    ),
    max_leaves=8,
)


@given(expressions)
def test_what_is_decided_early_stays_so(expression: str) -> None:
    """With everything known it is the match itself; what is decided without grains is never another then."""
    target = parse_target(expression)
    whole = matches(target, subject(known=True))
    assert matches_so_far(target, subject(known=True)) is whole
    assert matches_so_far(target, subject(known=False)) in (None, whole)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("T@ssh_host:web-01", "ssh_host:web-01"),
        ("web-01", "web-01"),
        ("T@ssh_host", ""),
        ("T@ssh_host:web-*", ""),
        ("web-0[12]", ""),
        ("M@web-01", ""),
        ("web-01 or web-02", ""),
        ("not web-01", ""),
    ],
)
def test_the_one_resource_that_a_target_names(expression: str, name: str) -> None:
    """A type with an id, or an id alone, names one resource; any other target does not."""
    assert exact_name(parse_target(expression)) == name


def test_the_words_of_a_target() -> None:
    """All words are returned, in order, at any depth."""
    words = words_of(parse_target("a and not (T@b or G@c:d)"))
    assert [(word.engine, word.pattern) for word in words] == [("", "a"), ("T", "b"), ("G", "c:d")]
