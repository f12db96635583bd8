"""What a deployment is refused for before anything runs: errors, which a plan reports as warnings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.language.collector import Collector


class Refusals:
    """What a deployment is refused for.

    Args:
        is_plan: whether nothing is deployed, so that nothing is refused yet.
    """

    def __init__(self, *, is_plan: bool) -> None:
        self._is_plan = is_plan
        self._codes: dict[str, None] = {}

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
