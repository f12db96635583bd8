"""Ids in nodegroups and top files that no machine has, and that are one slip away from one of pillar.

Without a word, the group would be smaller than it looks. An id that is like no other one may be registered
later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ensue.core.model.near_names import is_one_slip
from ensue.language.targeting.expression import words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ensue.language.targeting.expression import Target

_GLOB: Final = frozenset("*?[")


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
            if near := next((id_ for id_ in by_letter.get(text[:1], ()) if is_one_slip(text, id_)), ""):
                yield name, text, near
