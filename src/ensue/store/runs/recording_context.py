"""The context of a template that a state renders: it records what is read, for a run that resumes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.language.targets.target_context import TargetContext

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.contracts.context import FileSources
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.language.targets.targets import Targets
    from ensue.store.runs.call_reads import CallReads


class RecordingContext(TargetContext):
    """A `FunctionContext` that records what is read.

    Args:
        services: the project.
        srn: the target.
        reads: receives the record.
    """

    def __init__(self, services: Targets, srn: Srn, reads: CallReads) -> None:
        super().__init__(services, srn, test=False)
        self._reads = reads

    @property
    def pillar(self) -> DataMap:
        """The target's pillar."""
        return self._reads.seen("pillar", self.srn, super().pillar)

    @property
    def for_templates(self) -> TargetContext:
        """This context, with the marks of their authors in pillar and options."""
        return _AsWritten(self._services, self.srn, self._reads)

    async def grains(self) -> DataMap:
        """Return the target's grains."""
        return self._reads.seen("grains", self.srn, await super().grains())

    @property
    def files(self) -> FileSources:
        """The reader of sources."""
        return self._reads.noting(super().files, self.saltenv)

    def grains_from_thread(self) -> Mapping[str, Any]:
        """Return the target's grains; called in a thread."""
        return self._reads.seen("grains", self.srn, super().grains_from_thread())


class _AsWritten(RecordingContext):
    @property
    def opts(self) -> Mapping[str, Any]:
        """The options with the marks of their author."""
        return {**self._services.stores.options_as_written, "test": self.test, "id": self.srn.id}

    @property
    def pillar(self) -> DataMap:
        """The target's pillar with the marks of its authors, which differ in every process."""
        plain = self._services.pillar(self.srn)
        return self._reads.seen(
            "pillar", self.srn, plain, shown=self._services.stores.pillars.as_written(self.srn)
        )
