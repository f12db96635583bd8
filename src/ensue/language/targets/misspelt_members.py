"""Ids in nodegroups and top files that no machine has, and that are one slip away from one of pillar.

Without a word, the group would be smaller than it looks. An id that is like no other one may be registered
later, and ids that differ in their numbers or in a part of one letter are usually those of several machines.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ensue.core.model.near_names import is_one_slip
from ensue.language.targeting.expression import words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ensue.language.targeting.expression import Target

_GLOB: Final = frozenset("*?[")
_PARTS: Final = re.compile(r"[^\W\d_]+|\d+|[\W_]")
"""Words, numbers, and what is between them."""
_DIGITS: Final = str.maketrans("", "", "0123456789")


def misspelt_members(
    groups: Mapping[str, Target], declared: Collection[str], nodegroups: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    """Yield each target with a word that may misspell an id, the word, and the id.

    Args:
        groups: nodegroups by name, or targets by their text.
        declared: the ids of the machines that pillar declares, and of this one.
        nodegroups: the names of the nodegroups, which are no ids.
    """
    by_letter: dict[str, list[str]] = {}
    for id_ in sorted(declared):
        by_letter.setdefault(id_[:1], []).append(id_)
    for name, group in groups.items():
        for word in words_of(group):
            text = word.pattern
            if word.engine or text in declared or text in nodegroups or not _GLOB.isdisjoint(text):
                continue
            if near := next((id_ for id_ in by_letter.get(text[:1], ()) if _is_slip(text, id_)), ""):
                yield name, text, near


def _is_slip(text: str, id_: str) -> bool:
    if abs(len(text) - len(id_)) > 1 or not is_one_slip(text, id_):
        return False
    return text.translate(_DIGITS) != id_.translate(_DIGITS) and not _are_of_a_series(text, id_)


def _are_of_a_series(text: str, id_: str) -> bool:
    """Return whether two ids differ in a part of one letter, as `db-a` and `db-b`, `web1a` and `web1b` do."""
    pairs = list(zip(_PARTS.findall(text), _PARTS.findall(id_), strict=False))
    different = [pair for pair in pairs if pair[0] != pair[1]]
    return bool(different) and all(len(part) == 1 for pair in different for part in pair)
