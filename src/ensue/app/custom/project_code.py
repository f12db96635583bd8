"""All custom code of one project, wired: what each kind of file is given, and who finds it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ensue.app.custom.folders import CustomFiles
from ensue.app.custom.modules import CustomModules
from ensue.app.custom.shared_functions import SharedFunctions
from ensue.app.custom.state_calls import ModInit, StateFunctions
from ensue.app.lazy import LazyMapping

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from ensue.app.services import Services
    from ensue.contracts.context import FunctionContext
    from ensue.model.srn import Srn


class ProjectCode:
    """The custom code of one project.

    Args:
        services: the project.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        # `__context__`: what files keep for each other as long as the command runs.
        self._kept: dict[Srn, dict[str, Any]] = {}

    def modules(self) -> CustomModules | None:
        """Return the project's execution functions, None when it has none."""
        return CustomModules(self._folders("_modules"), self.surroundings, self.otherwise) or None

    def states(self) -> CustomModules | None:
        """Return the project's state functions, None when it has none."""
        found = CustomModules(self._folders("_states"), self.surroundings, self.otherwise, before=ModInit())
        return found or None

    def files(self, kind: str) -> CustomFiles:
        """Return the project's files of another kind (`_grains`)."""
        return CustomFiles(self._folders(kind), self.otherwise)

    def surroundings(self, context: FunctionContext) -> dict[str, Any]:
        """Return the globals of custom files in a call, in a thread beside the loop."""
        from ensue.app.functions_for_code import FunctionsForCode

        services = self._services
        grains = LazyMapping(lambda: services.grains_from_thread(context.srn))
        return {
            "salt": FunctionsForCode(
                services.modules_of(context.srn.type), context, context, services.loop, services.inline
            ),
            "grains": grains,
            "pillar": context.pillar,
            "opts": {**context.opts, "grains": grains, "pillar": context.pillar},
            "context": self._kept.setdefault(context.srn, {}),
            "utils": self._shared,
            "states": StateFunctions(services.states_of(context.srn.type), context, services.loop),
        }

    def otherwise(self) -> Mapping[str, Any]:
        """Return the globals for what custom files do outside of a call: those of the managing minion."""
        return self.surroundings(self._services.context(self._services.minion, test=False))

    @cached_property
    def _shared(self) -> SharedFunctions:
        return SharedFunctions(self.files("_utils"))

    def _folders(self, kind: str) -> list[Path]:
        roots = self._services.settings.file_roots
        return [folder / kind for listed in roots.values() for folder in listed]
