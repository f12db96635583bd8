"""Abandon work that requires grains not yet gathered, so that no thread waits for a resource.

Pillar is compiled in threads, and its top file or a template may read the grains of the resource that it is
for. If threads waited for them, resources that do not answer would keep all others from being compiled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from ensue.core.errors import EnsueError
from ensue.language.targeting import NotKnownError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ensue.core.model.srn import Srn

Result = TypeVar("Result")


class UnaskedGrains:
    """The resources whose grains are not waited for at the moment; any thread may call."""

    def __init__(self) -> None:
        self._unasked: set[Srn] = set()
        self._missed: set[Srn] = set()

    def refuse(self, srn: Srn) -> None:
        """Abandon the work for a resource; called when it would wait for grains.

        Raises:
            NotKnownError: there is work to abandon.
        """
        if srn in self._unasked:
            self._missed.add(srn)
            raise NotKnownError

    def attempted(self, srn: Srn, work: Callable[[], Result]) -> Result | None:
        """Return the result of work for a resource, None if it would have waited for the resource's grains.

        Args:
            srn: the resource.
            work: the work; it may be abandoned midway and repeated later.
        """
        self._unasked.add(srn)
        try:
            done = work()
        except (EnsueError, NotKnownError):
            if srn not in self._missed:
                raise
            return None
        else:
            # A template may have caught the exception and continued.
            return None if srn in self._missed else done
        finally:
            self._unasked.discard(srn)
            self._missed.discard(srn)
