"""Which resources of other minions a target matches, by their names and the minions that manage them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.core.model.srn import Srn
from ensue.language.targeting import NameMatcher

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from ensue.language.targeting import Vocabulary
    from ensue.language.targeting.expression import Target


class MatchesElsewhere(msgspec.Struct, frozen=True, kw_only=True):
    """What a target matches of the resources of other minions.

    Args:
        managing: what it matches, or may match, each with the minion that manages it.
        faults: why states cannot run on some of them.
    """

    managing: dict[Srn, str]
    faults: dict[Srn, str]


def matches_elsewhere(
    target: Target,
    resources: Mapping[str, Sequence[Srn]],
    *,
    vocabulary: Vocabulary,
    here: str,
    own: Collection[str],
) -> MatchesElsewhere:
    """Return what a target matches of the resources of other minions.

    A resource whose match depends on its grains counts as matched and fails, as one that does not answer.

    Args:
        target: the target.
        resources: the resources by the minion that manages them.
        vocabulary: has the nodegroups.
        here: the id of this minion.
        own: the ids that this minion itself has; its own resources come first.
    """
    matches = MatchesElsewhere(managing={}, faults={})
    for minion, srns in resources.items():
        matcher = NameMatcher(target, minions=(minion,), vocabulary=vocabulary)
        ids: dict[str, list[str]] = {}
        for srn in srns:
            if srn.id not in own:
                ids.setdefault(srn.type, []).append(srn.id)
        for type_, of_type in ids.items():
            decided = matcher.decide(type_, sorted(of_type))
            undecided = [Srn(type_, id_) for id_ in decided.undecided]
            matched = [*(Srn(type_, id_) for id_ in decided.matched), *undecided]
            matches.managing.update(dict.fromkeys(matched, minion))
            matches.faults.update({srn: _undecided(srn, minion, here) for srn in undecided})
    return matches


def _undecided(srn: Srn, minion: str, here: str) -> str:
    return (
        f"E0723: it cannot be decided whether the target matches {srn}: {minion}, which manages it, has its"
        " grains and pillar (name resources of other minions by T@, L@, M@ or their ids;"
        f" `and M@{here}` leaves them out)"
    )
