"""The states of a run that failed or were not called: what they would have declared is not known.

In a plan that includes the states that would change something. What such a state may declare is in the scopes
that it would open: those of its delayed renderings, and any if its function itself runs further states.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ensue.core.model.fan_out import parts_of
from ensue.core.model.state_identity import growth_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ensue.core.model.returns import Return
    from ensue.core.model.state_identity import StateIdentity
    from ensue.engine.outcome import EngineOutcome


class UnsettledStates:
    """The states of a run that failed or were not called.

    Args:
        outcome: how the run ended.
        opens_scopes: returns whether a function, given its module and its name, may run further states.
        has_value: returns whether a value of a state is kept, which its delayed renderings take if it is not
            called. Without one they may lack what they would declare.
    """

    def __init__(
        self,
        outcome: EngineOutcome,
        opens_scopes: Callable[[str, str], bool],
        has_value: Callable[[StateIdentity], bool] = lambda _: False,
    ) -> None:
        self._opens_scopes = opens_scopes
        self._has_value = has_value
        self._tags = {(chunk.scope, chunk.tag) for chunk in outcome.not_run}
        self._paths = {_path(chunk.scope, chunk.id) for chunk in outcome.not_run}
        self._scopes: set[str] = set()
        self._unrendered: set[str] = set()
        self._look(outcome.returns.values())

    def may_be_in_unrendered(self, identity: str) -> bool:
        """Return whether a scope is, or is in, one of a block or SLS that this run could not render.

        The block is known by its name: the state that it belongs to may have been renamed.

        Args:
            identity: the identity of the scope.
        """
        return any(f"{growth}{sign}" in f"{identity}/" for growth in self._unrendered for sign in "/#")

    def is_unsettled(self, scope: str, tag: str) -> bool:
        """Return whether a state, by the path of its scope and its tag, is one of them."""
        return (scope, tag) in self._tags

    def may_still_declare(self, scope: str, fanned_from: str) -> bool:
        """Return whether one of these states might have led to a declaration.

        Args:
            scope: the path of the scope of the declaration.
            fanned_from: the tag of the declaration that was fanned out; empty for one without `tgt`.
        """
        if self.is_unsettled(scope, fanned_from) or scope in self._scopes:
            return True
        ends = (end for end, sign in enumerate(scope) if sign == "/")
        return any(scope[:end] in self._paths or scope[:end] in self._scopes for end in ends)

    def _look(self, returns: Iterable[Return]) -> None:
        for returned in (part for state_return in returns for part in parts_of(state_return)):
            grown = [*returned.delayed, *returned.applied]
            is_called = returned.ran and not returned.skipped
            is_whole = returned.result is True and (
                is_called
                or (bool(grown) and not self._opens(returned) and self._has_value(returned.identity))
            )
            self._unrendered.update(
                growth_of(scope.kind, scope.name) for scope in returned.delayed if scope.status != "done"
            )
            if not is_whole or any(scope.status != "done" for scope in grown):
                self._tags.add((returned.scope, returned.tag))
                if returned.result is None and not self._opens(returned):
                    self._scopes.update(scope.scope for scope in grown if scope.status != "done")
                else:
                    self._paths.add(_path(returned.scope, returned.id))
            for below in grown:
                self._look(below.returns.values())

    def _opens(self, returned: Return) -> bool:
        return self._opens_scopes(returned.module, returned.function)


def _path(scope: str, id_: str) -> str:
    return f"{scope}/{id_}" if scope else id_
