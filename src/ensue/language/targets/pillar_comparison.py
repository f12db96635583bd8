"""Warns of a template that prints pillar into a state with a `tgt` whose resources have other values.

An SLS is rendered once, for the target that it is compiled for, so the pillar in its text is the pillar of
that target. Most values are the same for all: only those that differ are reported. They are compared when it
is known on which resources a state runs, because then the pillar of each is compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ensue.core.diagnostics import Diagnostic, Severity
from ensue.core.model.paths import traverse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ensue.core.diagnostics import Span
    from ensue.core.model.chunk import FanOut
    from ensue.core.model.data import Place
    from ensue.core.model.srn import Srn

_ABSENT: Final = object()


class PillarComparison:
    """Compares the pillar that templates print into states with the pillar of the states' resources.

    Args:
        pillar_of: returns a target's pillar; None until it has been compiled.
    """

    def __init__(self, pillar_of: Callable[[Srn], Mapping[str, Any] | None]) -> None:
        self._pillar_of = pillar_of
        self._others: dict[tuple[Span, Place, Srn], dict[Srn, None]] = {}

    def compare(self, fan_out: FanOut, rendered_for: Srn, resources: Sequence[Srn]) -> None:
        """Compare what a template prints into a state with what the state's resources have.

        Args:
            fan_out: the target of the state.
            rendered_for: the target that the SLS is rendered for.
            resources: the resources that the state runs on.
        """
        own = self._pillar_of(rendered_for) if fan_out.printed_pillar else None
        for printed in fan_out.printed_pillar if own is not None else ():
            value = traverse(own, printed.keys, _ABSENT)
            for resource in resources:
                pillar = self._pillar_of(resource)
                if pillar is not None and traverse(pillar, printed.keys, _ABSENT) != value:
                    others = self._others.setdefault((printed.place, printed.keys, rendered_for), {})
                    others[resource] = None

    def warnings(self) -> Iterator[Diagnostic]:
        """Yield a warning for each value that is another one on some of the resources."""
        for (place, keys, rendered_for), others in self._others.items():
            path = ".".join(("pillar", *map(str, keys)))
            first, *more = [srn.id for srn in others]
            names = f"{first} and {len(more)} more have" if more else f"{first} has"
            yield Diagnostic(
                code="E0716",
                summary=f"`{path}` here is the value of {rendered_for.id}; {names} another one",
                detail="an SLS is rendered once, for the target it is compiled for, "
                "and this state has a `tgt`",
                span=place,
                help="apply the SLS to the resources (`ensue apply --tgt`, ssh_host.state_applied), or use "
                f"`delayed_render`; if you mean the value of {rendered_for.id}, set a variable to it and "
                "print it",
                severity=Severity.WARNING,
            )
