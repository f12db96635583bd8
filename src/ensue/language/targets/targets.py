"""The targets of a project: what is known of each, and its pillar. The third value of an opened project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from ensue.language.custom.pillar_before_files import pillar_before_files
from ensue.language.targeting import NotKnownError, TargetSubject
from ensue.language.targeting.unasked_grains import refuse_pillar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ensue.core.contracts.mine import Mine
    from ensue.core.model.data import DataMap
    from ensue.core.model.srn import Srn
    from ensue.language.targeting import Vocabulary
    from ensue.language.targets.compilation import Compilation
    from ensue.language.targets.directory import Directory
    from ensue.language.targets.nodegroups import TargetNames
    from ensue.language.targets.project_stores import ProjectStores


class PreparedPillars(Protocol):
    """Compiles the pillars of targets.

    Raises:
        CompileError: pillar has errors, and the exception has all of them; `prepare_all` never raises it.
    """

    async def prepare(self, srn: Srn) -> None:
        """Compile a target's pillar, once, and open its connection."""
        ...

    async def prepare_all(self, srns: Sequence[Srn]) -> None:
        """Compile the pillars of many targets in one thread; `prepare` reports errors in one."""
        ...

    async def renew(self, srn: Srn) -> None:
        """Compile a target's pillar again."""
        ...

    async def rediscover(self) -> None:
        """Compile this machine's pillar again, and discover resources again."""
        ...


class Targets(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """The targets of one opened project, and the two values that were made before it.

    Args:
        stores: the project before anything of it is compiled.
        compilation: what it is compiled with.
        directory: the resources, their connections and their grains.
        names: the names that targets may use.
        preparation: compiles the pillar of each target before it is used.
        mine: returns the mine, which has values of targets for other targets.
    """

    stores: ProjectStores
    compilation: Compilation
    directory: Directory
    names: TargetNames
    preparation: PreparedPillars
    mine: Callable[[], Mine]

    @property
    def minion(self) -> Srn:
        """This machine."""
        return self.stores.minion

    @property
    def vocabulary(self) -> Vocabulary:
        """The nodegroups and resource types that targets may name."""
        return self.names.vocabulary

    def pillar(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar; `prepare` has compiled it."""
        refuse_pillar(srn)
        return pillar_before_files(srn) or self.stores.pillars.of(srn) or {}

    def pillar_as_written(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar with the marks of its authors."""
        refuse_pillar(srn)
        return pillar_before_files(srn) or self.stores.pillars.as_written(srn)

    def compiled_pillar(self, srn: Srn) -> dict[str, Any] | None:
        """Return a target's pillar; None until it has been compiled."""
        return self.stores.pillars.of(srn)

    def known_subject(self, srn: Srn, *, is_there: bool = True) -> TargetSubject:
        """Return a target as the matcher sees it, of which nothing is gathered or compiled for a match.

        Args:
            srn: the target.
            is_there: whether there may be grains and pillar of it; otherwise only its name is known.
        """

        def grains() -> DataMap:
            gathered = self.directory.gathered_grains(srn) if is_there else None
            if gathered is None:
                raise NotKnownError
            return gathered

        def pillar() -> DataMap:
            compiled = self.compiled_pillar(srn) if is_there else None
            if compiled is None:
                raise NotKnownError
            return compiled

        return TargetSubject(
            srn=srn,
            managing_minions=(self.minion.id,),
            grains=grains,
            pillar=pillar,
            vocabulary=self.vocabulary,
        )
