"""External pillar: what the `ext_pillar` functions of a project's `_pillar` files return.

Source: Salt's `ext_pillar` and `ext_pillar_first`, and how `salt.pillar` calls such a function: a mapping of
options gives arguments by name, a list gives them by position, anything else is the only argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.errors import EnsueError
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.data_bounds import check_data
from ensue.language.custom.source_functions import SourceFunctions, SourceKind
from ensue.language.marks import unmarked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.contracts.further_functions import PillarsOfSalt
    from ensue.language.collector import Collector
    from ensue.language.custom.folders import CustomFiles
    from ensue.language.merging import Merging

_KIND: Final = SourceKind(
    code="E0607", title="external pillar", option="ext_pillar", function="ext_pillar",
    form="_pillar/NAME.py with ext_pillar(minion_id, pillar, …)",
)  # fmt: skip
_ERRORS: Final = "_errors"
"""The key below which such a function reports what keeps states from being applied, as in Salt."""


class ExternalPillar:
    """The external pillar of one target.

    Args:
        files: the project's `_pillar` files.
        listed: `ext_pillar` of `ensue.yaml`.
        target_id: the target's id, which each function is given.
        surroundings: makes the globals of a call.
        merging: how values of one key are merged.
        of_salt: Salt's external pillars.
    """

    def __init__(
        self,
        files: CustomFiles,
        listed: Sequence[Mapping[str, Any]],
        *,
        target_id: str,
        surroundings: Callable[[], Mapping[str, Any]],
        merging: Merging,
        of_salt: PillarsOfSalt,
    ) -> None:
        self._functions = SourceFunctions(
            _KIND,
            files,
            surroundings,
            lambda name, globals_: of_salt.external_pillar(name, target_id, globals_),
            of_salt.hint,
        )
        self._listed = listed
        self._id = target_id
        self._merging = merging

    def before_and_after_files(
        self, collector: Collector, *, comes_first: bool
    ) -> tuple[dict[str, Any], Callable[[dict[str, Any], Collector], dict[str, Any]]]:
        """Return the external pillar that pillar's files see, and what merges it with theirs.

        Args:
            collector: receives the errors.
            comes_first: whether the files are rendered after it and override it (`ext_pillar_first`).
        """
        if not comes_first:
            return {}, self.onto
        first = self.onto({}, collector)

        def below(pillar: dict[str, Any], _found: Collector) -> dict[str, Any]:
            whole: dict[str, Any] = copied(first)
            self._merging.into(whole, pillar)
            return whole

        return first, below

    def onto(self, pillar: dict[str, Any], collector: Collector) -> dict[str, Any]:
        """Return a pillar with the results of all functions on top; each receives the pillar so far.

        Args:
            pillar: the pillar so far; it is changed in place.
            collector: receives the errors.
        """
        for entry in self._listed:
            for name, options in entry.items():
                if result := self._result(str(name), options, pillar, collector):
                    self._merging.into(pillar, result)
        return pillar

    def _result(
        self, name: str, options: Any, pillar: dict[str, Any], collector: Collector
    ) -> dict[str, Any]:
        by_place = options if is_list(options) else () if is_mapping(options) else (options,)
        by_name = options if is_mapping(options) else {}

        def call(function: Callable[..., Any], _surroundings: Mapping[str, Any]) -> dict[str, Any]:
            return _mapping(function(self._id, copied(unmarked(pillar)), *by_place, **by_name))

        made = self._functions.called(name, collector, call) or {}
        collector.add(_KIND.failed(name, text) for text in _reported(made))
        return made


def _mapping(answer: Any) -> dict[str, Any]:
    """Return the result of a function as data of our own; an empty result is an empty mapping."""
    if not answer:
        return {}
    if not is_mapping(answer):
        raise EnsueError(f"it returned {type(answer).__name__}, not a mapping")
    check_data(answer)
    made: dict[str, Any] = copied(answer)
    return made


def _reported(answer: Mapping[str, Any]) -> Iterator[str]:
    errors = answer.get(_ERRORS)
    yield from map(str, errors if is_list(errors) else [errors] if errors else [])
