"""Master tops: SLS that functions of a project's `_tops` files assign to a target, beside its top file.

Source: Salt's `master_tops` and `master_tops_first`, and how `salt.state` calls such a function and merges
what it returns: after what the top file assigns, or before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.core.diagnostics import Diagnostic
from ensue.core.errors import EnsueError
from ensue.core.model.data import copied, is_list, is_mapping
from ensue.core.model.data_bounds import check_data
from ensue.language.collector import near_names
from ensue.language.custom.dunders import calling
from ensue.language.settings.settings import FILE_NAME
from ensue.language.targeting import NotKnownError
from ensue.language.top import TopMatch
from ensue.language.yaml import TextDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.contracts.further_functions import TopsOfSalt
    from ensue.language.collector import Collector
    from ensue.language.custom.folders import CustomFiles


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
        self._files = files
        self._listed = listed
        self._comes_first = comes_first
        self._id = target_id
        self._surroundings = surroundings
        self._of_salt = of_salt

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
            by_environment[saltenv] = {name: listed.get(name, one) for name, one in both.items()}
        return [one for listed in by_environment.values() for one in listed.values()]

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
        try:
            surroundings = self._surroundings()
            grains = dict(surroundings["grains"])
            function = self._function(name, surroundings, collector)
            if function is None:
                return []
            with calling(surroundings):
                return [*_pairs(function(opts={**surroundings["opts"], "grains": grains}, grains=grains))]
        except NotKnownError:
            raise
        except EnsueError as error:
            collector.add([_failed(name, str(error))])
        except Exception as error:  # noqa: BLE001 -- a plug-in call
            collector.add([_failed(name, f"{type(error).__name__}: {error}")])
        return []

    def _function(
        self, name: str, surroundings: Mapping[str, Any], collector: Collector
    ) -> Callable[..., Any] | None:
        refusals: list[str] = []
        for loaded in self._files.of(name):
            if loaded.refusal:
                refusals.append(str(loaded))
            elif function := loaded.functions.get("top"):
                return function
        if not refusals and (of_salt := self._of_salt.master_top(name, self._id, surroundings)):
            return of_salt
        hint = self._of_salt.hint
        collector.add(
            [
                Diagnostic(
                    code="E0857",
                    summary=f"there is no master top {name!r}",
                    detail="; ".join(refusals)
                    or ("" if hint else "Salt has none of this name that loads on this machine"),
                    help=near_names(name, self._files.names())
                    or f"write _tops/{name}.py with top(**kwargs) below a file root"
                    + (f"; {hint}" if hint else ""),
                )
            ]
        )
        return None


def _pairs(said: Any) -> Iterator[tuple[str, str]]:
    """Yield the pairs of an environment and an SLS that a function returned.

    Raises:
        EnsueError: it returned something else.
        DataBoundError: it returned too much.
    """
    if not said:
        return
    check_data(said)
    if not is_mapping(said):
        raise EnsueError(f"it returned {type(said).__name__}, not a mapping of environments to lists of SLS")
    for saltenv, listed in copied(said).items():
        for sls in listed if is_list(listed) else [listed]:
            if not isinstance(sls, str):
                raise EnsueError(f"it returned {sls!r} among the SLS of {saltenv}, not a name")
            yield str(saltenv), sls


def _failed(name: str, why: str) -> Diagnostic:
    return Diagnostic(
        code="E0857",
        summary=f"the master top {name!r} failed",
        detail=why,
        help="fix it, or remove it from master_tops in ensue.yaml",
    )
