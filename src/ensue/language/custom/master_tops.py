"""Master tops: SLS that functions of a project's `_tops` files assign to a target, beside its top file.

Source: Salt's `master_tops` and `master_tops_first`, and how `salt.state` calls such a function and merges
what it returns: after what the top file assigns, or before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import EnsueError
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.data_bounds import check_data
from ensue.language.custom.source_functions import SourceFunctions, SourceKind
from ensue.language.settings.settings import FILE_NAME
from ensue.language.top import TopMatch
from ensue.language.yaml import TextDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.contracts.further_functions import TopsOfSalt
    from ensue.language.collector import Collector
    from ensue.language.custom.folders import CustomFiles


_KIND: Final = SourceKind(
    code="E0857", title="master top", option="master_tops", function="top",
    form="_tops/NAME.py with top(**kwargs)",
)  # fmt: skip


class MasterTops:
    """The master tops of one target.

    Args:
        files: the project's `_tops` files.
        listed: `master_tops` of `ensue.yaml`.
        comes_first: whether they come before what the top file assigns (`master_tops_first`).
        target_id: the target's id.
        surroundings: makes the globals of a call.
        of_salt: Salt's master tops.
    """

    def __init__(
        self,
        files: CustomFiles,
        listed: Mapping[str, Any],
        *,
        comes_first: bool,
        target_id: str,
        surroundings: Callable[[], Mapping[str, Any]],
        of_salt: TopsOfSalt,
    ) -> None:
        self._functions = SourceFunctions(
            _KIND,
            files,
            surroundings,
            lambda name, globals_: of_salt.master_top(name, target_id, globals_),
            of_salt.hint,
        )
        self._listed = listed
        self._comes_first = comes_first

    def joined(self, matched: Sequence[TopMatch], collector: Collector) -> list[TopMatch]:
        """Return what a top file assigns together with what all functions assign, by environment.

        Args:
            matched: what the top file assigns.
            collector: receives the errors.
        """
        by_environment: dict[str, dict[str, TopMatch]] = {}
        for match in matched:
            by_environment.setdefault(match.saltenv, {})[match.name] = match
        for saltenv, own in self._assigned(collector).items():
            listed = by_environment.get(saltenv, {})
            both = {**own, **listed} if self._comes_first else {**listed, **own}
            by_environment[saltenv] = {name: listed.get(name, value) for name, value in both.items()}
        return [entry for listed in by_environment.values() for entry in listed.values()]

    def _assigned(self, collector: Collector) -> dict[str, dict[str, TopMatch]]:
        assigned: dict[str, dict[str, TopMatch]] = {}
        for name in map(str, self._listed):
            place = TextDocument(FILE_NAME, "").place("master_tops", name)
            for saltenv, sls in self._of(name, collector):
                match = TopMatch(name=sls, saltenv=saltenv, span=place)
                assigned.setdefault(saltenv, {}).setdefault(sls, match)
        return assigned

    def _of(self, name: str, collector: Collector) -> list[tuple[str, str]]:
        """Return what one function assigns, as pairs of an environment and an SLS."""

        def call(function: Callable[..., Any], surroundings: Mapping[str, Any]) -> list[tuple[str, str]]:
            grains = dict(surroundings["grains"])
            return [*_pairs(function(opts={**surroundings["opts"], "grains": grains}, grains=grains))]

        return self._functions.called(name, collector, call) or []


def _pairs(answer: Any) -> Iterator[tuple[str, str]]:
    """Yield the pairs of an environment and an SLS that a function returned.

    Raises:
        EnsueError: it returned something else.
        DataBoundError: it returned too much.
    """
    if not answer:
        return
    check_data(answer)
    if not is_mapping(answer):
        raise EnsueError(
            f"it returned {type(answer).__name__}, not a mapping of environments to lists of SLS"
        )
    for saltenv, listed in copied(answer).items():
        for sls in listed if is_list(listed) else [listed]:
            if not isinstance(sls, str):
                raise EnsueError(f"it returned {sls!r} among the SLS of {saltenv}, not a name")
            yield str(saltenv), sls
