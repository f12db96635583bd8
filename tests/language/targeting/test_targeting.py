"""Targets parse as documented and match as Salt's documentation promises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ensue.core.model.srn import Srn
from ensue.language.targeting import TargetSubject, TargetSyntaxError, matches, parse_target
from ensue.language.targeting.ranges import expand_range

GRAINS = {"os": "Debian", "roles": ["web", "db"], "ipv4": ["127.0.0.1", "192.0.2.7"], "a": {"b": {"c": "x"}}}
MINION = TargetSubject(srn=Srn("minion", "m1"), managing_minions=("m1",), grains=lambda: GRAINS)
HOST = TargetSubject(
    srn=Srn("ssh_host", "web-01"),
    managing_minions=("m1",),
    grains=lambda: {"os": "Alpine"},
    pillar=lambda: {"role": "front"},
)


@pytest.mark.parametrize(
    ("expression", "minion", "host"),
    [
        ("*", True, True),
        ("m1", True, False),
        ("web-0[12]", False, True),
        ("T@ssh_host", False, True),
        ("T@ssh_host:web-*", False, True),
        ("T@ssh:web-*", False, True),
        ("T@ssh_host:db-*", False, False),
        ("M@m1", True, True),
        ("M@m1 and T@ssh_host", False, True),
        ("T@ssh_host and not T@ssh_host:web-01", False, False),
        ("G@os:Deb*", True, False),
        ("G@roles:web", True, False),
        ("G@a:b:c:x", True, False),
        ('P@os:"(Debian|Alpine)"', True, True),
        ("E@web-\\d+", False, True),
        ("L@m1,web-01", True, True),
        ("I@role:front", False, True),
        ("S@192.0.2.0/24", True, False),
        ("R@web-[01-03]", False, True),
        ("R@web-[00,01]", False, True),
        ("R@db-[1-2],m[1-9999]", True, False),
        ("R@m[1-1]*,web-02", True, False),
        ("not ( m1 or web-01 )", False, False),
        ("ssh_host:web-01", False, True),
        ('"m1"', True, False),
        ("not not m1", True, False),
    ],
)
def test_an_expression_matches_what_it_says(expression: str, minion: bool, host: bool) -> None:
    """Each engine, operator and glob selects the subjects that the documentation promises."""
    target = parse_target(expression)
    assert (matches(target, MINION), matches(target, HOST)) == (minion, host)


@pytest.mark.parametrize(
    ("expression", "column"),
    [
        ("", 1),
        ("a and", 6),
        ("a b", 3),
        ("( a", 4),
        ("a )", 3),
        ("X@y", 1),
        ("T@", 1),
        ("a or (", 7),
        ('"a', 1),
        ('E@"("', 3),
        ("E@(", 3),
        ("S@300.1.1.1/8", 3),
        ("a or R@web-[1-100001]", 8),
        ("R@[0-999][0-999]", 3),
        ("R@web-[01", 3),
        ("R@web-[2-1]", 3),
        ("R@web-[1-99999999999999999999999]", 3),
    ],
)
def test_a_fault_names_its_column(expression: str, column: int) -> None:
    """An expression that does not parse is refused with the column of the fault."""
    with pytest.raises(TargetSyntaxError) as caught:
        parse_target(expression)
    assert caught.value.column == column


@given(st.text(alphabet='ab @T:()"* andornt[]01-,', max_size=30))
def test_no_text_breaks_the_grammar(text: str) -> None:
    """Any text either parses and can be matched, or is refused with a column inside or just behind it."""
    try:
        target = parse_target(text)
    except TargetSyntaxError as error:
        column = error.column
    else:
        column = 1
        assert matches(target, HOST) in (True, False)
    assert 1 <= column <= len(text) + 1


def test_a_range_is_every_name_it_stands_for() -> None:
    """Bracket ranges keep their width, and multiply."""
    assert list(expand_range("r[1-2]-n[08-10]")) == [
        "r1-n08",
        "r1-n09",
        "r1-n10",
        "r2-n08",
        "r2-n09",
        "r2-n10",
    ]
