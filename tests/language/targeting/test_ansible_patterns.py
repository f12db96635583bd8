"""Host patterns of Ansible are answered with targets that parse and mean the same."""

from __future__ import annotations

import re

import pytest

from ensue.language.targeting import parse_target
from ensue.language.targeting.ansible_patterns import instead_of_pattern

GROUPS = frozenset({"web", "prod"})


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("all", "'*' is every minion and resource; without this machine: '* and not laptop'"),
        ("localhost", "this machine is laptop; without a target, a run is for it"),
        ("web", "the nodegroup is N@web"),
        ("~web\\d+", "a regular expression is E@web\\d+"),
        ("web[0]", "list them, L@ID,ID, or write a glob; N@web is all of the nodegroup"),
        ("db[0:2]", "a group is a nodegroup of ensue.yaml, N@db"),
        ("a,b", "a list of ids is L@a,b"),
        ("a:b", "write 'L@a,b'"),
        ("a:b*", "write 'a or b*'"),
        ("web:b", "write 'N@web or b'"),
        ("web,b", "write 'N@web or b'"),
        ("web:!db", "write 'N@web and not db'"),
        ("web:&prod", "write 'N@web and N@prod'"),
        ("a:b:&prod:!c", "write 'L@a,b and N@prod and not c'"),
        ("web:b:!c", "write '( N@web or b ) and not c'"),
        ("all:!web", "write '* and not N@web and not laptop'"),
        ("all:b:!web", "write '( * or b ) and not N@web and not laptop'"),
        ("!x", "write 'not x and not laptop'"),
    ],
)
def test_a_pattern_of_ansible_is_a_target(pattern: str, answer: str) -> None:
    """What the answer puts into quotes parses."""
    text = instead_of_pattern(pattern, GROUPS, "laptop")
    assert answer in text
    for target in re.findall(r"write '(.*?)';", text):
        parse_target(target)


@pytest.mark.parametrize(
    ("pattern", "answer"),
    [
        ("!x", "write 'not x';"),
        ("!web", "write 'not N@web';"),
        ("a:b", "write 'L@a,b';"),
        ("web:b", "write '( N@web or b )';"),
        ("web:!db", "write '( N@web and not db )';"),
        ("all:!web", "write '( * and not N@web )';"),
        ("all", "'*' is every minion and resource"),
        ("localhost", "this machine is laptop"),
    ],
)
def test_a_pattern_in_a_longer_target_is_written_in_its_place(pattern: str, answer: str) -> None:
    """It says nothing of what the whole target would be, and parentheses hold it together."""
    text = instead_of_pattern(pattern, GROUPS, "laptop", is_part=True)
    assert answer in f"{text};"
    assert "without" not in text
    assert "not laptop" not in text


@pytest.mark.parametrize("pattern", ["web-01", "web*", "db", "x@y"])
def test_a_target_that_matches_nothing_is_no_pattern_of_ansible(pattern: str) -> None:
    """Only the signs and names of Ansible count."""
    assert not instead_of_pattern(pattern, GROUPS, "laptop")
