"""External pillar: what the `ext_pillar` functions of a project's `_pillar` files return.

Source: Salt's `ext_pillar` and `ext_pillar_first`, and how `salt.pillar` calls such a function: a mapping of
options gives arguments by name, a list gives them by position, anything else is the only argument.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import EnsueError
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.data_bounds import DataBoundError, check_data
from ensue.language.collector import near_names
from ensue.language.custom.dunders import calling
from ensue.language.marks import unmarked
from ensue.language.targeting import NotKnownError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.contracts.further_functions import PillarsOfSalt
    from ensue.language.collector import Collector
    from ensue.language.custom.folders import CustomFiles
    from ensue.language.merging import Merging

_ERRORS = "_errors"
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
        self._of_salt = of_salt
        self._files = files
        self._listed = listed
        self._id = target_id
        self._surroundings = surroundings
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
                said = self._said(str(name), options, pillar, collector)
                if said:
                    self._merging.into(pillar, said)
        return pillar

    def _said(self, name: str, options: Any, pillar: dict[str, Any], collector: Collector) -> dict[str, Any]:
        try:
            surroundings = self._surroundings()
            function = self._function(name, surroundings)
            plain = copied(unmarked(pillar))
            by_place = options if is_list(options) else () if is_mapping(options) else (options,)
            by_name = options if is_mapping(options) else {}
            with calling(surroundings):
                made = _mapping(function(self._id, plain, *by_place, **by_name))
        except NotKnownError:
            raise
        except _RefusedError as refused:
            collector.add([refused.fault])
        except DataBoundError as error:
            collector.add([_failed(name, str(error))])
        except EnsueError as error:
            collector.add([_failed(name, str(error))])
        except Exception as error:  # noqa: BLE001 -- a plug-in call
            collector.add([_failed(name, f"{type(error).__name__}: {error}")])
        else:
            collector.add(_failed(name, text) for text in _reported(made))
            return made
        return {}

    def _function(self, name: str, surroundings: Mapping[str, Any]) -> Callable[..., Any]:
        refusals: list[str] = []
        for loaded in self._files.of(name):
            if loaded.refusal:
                refusals.append(str(loaded))
            elif function := loaded.functions.get("ext_pillar"):
                return function
        if not refusals and (found := self._of_salt.external_pillar(name, self._id, surroundings)):
            return found
        hint = self._of_salt.hint
        raise _RefusedError(
            Diagnostic(
                code="E0607",
                summary=f"there is no external pillar {name!r}",
                detail="; ".join(refusals)
                or ("" if hint else "Salt has none of this name that loads on this machine"),
                help=near_names(name, self._files.names())
                or f"write _pillar/{name}.py with ext_pillar(minion_id, pillar, …) below a file root"
                + (f"; {hint}" if hint else ""),
            )
        )


class _RefusedError(Exception):
    """There is no such function.

    Args:
        fault: the diagnostic.
    """

    def __init__(self, fault: Diagnostic) -> None:
        self.fault = fault
        super().__init__(fault.message)


def _mapping(said: Any) -> dict[str, Any]:
    """Return the result of a function as data of our own; an empty result is an empty mapping."""
    if not said:
        return {}
    if not is_mapping(said):
        raise EnsueError(f"it returned {type(said).__name__}, not a mapping")
    check_data(said)
    made: dict[str, Any] = copied(said)
    return made


def _failed(name: str, why: str) -> Diagnostic:
    return Diagnostic(
        code="E0607",
        summary=f"the external pillar {name!r} failed",
        detail=why,
        help="fix it, or remove it from ext_pillar in ensue.yaml",
    )


def _reported(said: Mapping[str, Any]) -> Iterator[str]:
    errors = said.get(_ERRORS)
    yield from map(str, errors if is_list(errors) else [errors] if errors else [])
