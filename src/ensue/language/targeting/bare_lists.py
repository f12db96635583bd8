"""Refuses globs of Salt that are meant as something else: `web1,web2` for `L@web1,web2`, `web[1:12]`.

Salt takes such a word for a glob, which matches no minion, or few.
"""

from __future__ import annotations

import re
from typing import Final

from ensue.language.targeting.errors import TargetSyntaxError
from ensue.language.targeting.patterns import pattern_problem

_WORD: Final = re.compile(r"[^\s(]\S*")
_BRACKETS: Final = re.compile(r"\[[^\]]*\]")


def refuse_bare_lists(expression: str) -> None:
    """Check a compound target of Salt.

    Raises:
        TargetSyntaxError: a word without an `@` contains a comma outside brackets, or a range of Ansible.
    """
    for word in _WORD.finditer(expression):
        if "@" not in word[0] and (problem := pattern_problem("", word[0])):
            raise TargetSyntaxError(expression, word.start() + 1, problem)
        if "@" not in word[0] and "," in _BRACKETS.sub("", word[0]):
            problem = f"a list of minions needs its sign: write L@{word[0].rstrip(')')}"
            raise TargetSyntaxError(expression, word.start() + 1, problem)
