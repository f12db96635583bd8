"""What a deployment is refused for: errors, which a plan reports as warnings.

Most of it is known before anything runs. Only its driver knows what an update of a resource destroys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ensue.core.contracts.driver import lifts_protection
from ensue.core.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.deploy.provisioning.identity import ResourceKey
    from ensue.language.collector import Collector


class RefusedUpdate(NamedTuple):
    """An update that its driver refuses because it would destroy something; nothing of the resource changes.

    Args:
        key: the resource.
        things: what would be destroyed, as messages name it.
        is_protected: whether the resource is protected, so that it is not enough to allow a replacement.
        is_planned: whether the driver has said so in a plan.
    """

    key: ResourceKey
    things: str
    is_protected: bool
    is_planned: bool

    @property
    def diagnostic(self) -> Diagnostic:
        """The error, or the warning of a plan."""
        changed = "" if self.is_planned else "; its driver has changed nothing"
        severity = Severity.WARNING if self.is_planned else Severity.ERROR
        detail = f"its update would destroy {self.things}{changed}"
        if self.is_protected:
            return Diagnostic(
                code="E0860",
                severity=severity,
                summary=f"{self.key} is protected, and would be replaced in part",
                detail=detail,
                help=lifts_protection(self.key),
            )
        return Diagnostic(
            code="E0849",
            severity=severity,
            summary=f"{self.key} would be replaced in part",
            detail=detail,
            help=f"if that is meant, allow it: --allow-replace={self.key}",
        )


class Refusals:
    """What a deployment is refused for.

    Args:
        is_plan: whether nothing is deployed, so that nothing is refused yet.
    """

    def __init__(self, *, is_plan: bool) -> None:
        self._is_plan = is_plan
        self._codes: dict[str, None] = {}

    @property
    def is_plan(self) -> bool:
        """Whether they are warnings of a plan."""
        return self._is_plan

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the warnings of a plan for which its deployment would be refused."""
        return tuple(self._codes)

    def into(self, collector: Collector) -> Callable[..., None]:
        """Return what reports a refusal: it takes a code, a summary, a place, and `detail` and `help`.

        Args:
            collector: receives an error, or the warning of a plan.
        """

        def warn(code: str, *words: Any, **more: Any) -> None:
            self._codes[code] = None
            collector.warning(code, *words, **more)

        return warn if self._is_plan else collector.error
