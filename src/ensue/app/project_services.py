"""The interface of an opened project for its own parts.

`Services` implements it and creates these parts, so they import this Protocol instead of `Services`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping, Sequence

    from ensue.app.directory import Directory
    from ensue.app.functions import Functions
    from ensue.app.inline import InlineWork
    from ensue.app.salt_bridge import SaltBridge
    from ensue.core.contracts.context import FunctionContext
    from ensue.core.contracts.mine import Mine
    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.contracts.vault import Vault
    from ensue.core.masking import Masker
    from ensue.core.model.srn import Srn
    from ensue.engine.binding.insertions import Insertions
    from ensue.language.file_sources import ProjectFiles
    from ensue.language.pillars import Pillars
    from ensue.language.rendering import SlsRenderer
    from ensue.language.roots import Roots
    from ensue.language.settings.settings import Settings
    from ensue.language.targeting import TargetSubject, Vocabulary
    from ensue.reach.connections.exposed_secrets import ExposedSecrets
    from ensue.reach.resources.plugins import Plugins
    from ensue.store.registry.lazy_registry import LazyRegistry


class ProjectServices(Protocol):
    """One opened project, as its contexts, pillar, mine, custom code and target matcher use it."""

    settings: Settings
    masker: Masker
    plugins: Plugins
    registry: LazyRegistry
    other_minions: OtherMinions | None
    directory: Directory
    exposed: ExposedSecrets
    insertions: Insertions
    inline: InlineWork
    loop: asyncio.AbstractEventLoop
    minion: Srn
    pillars: Pillars
    pillar_roots: Roots
    bridge: SaltBridge

    @property
    def vault(self) -> Vault:
        """Encrypts with the project's keys."""
        ...

    @property
    def vocabulary(self) -> Vocabulary:
        """The nodegroups and resource types that targets may name."""
        ...

    @property
    def mine(self) -> Mine:
        """The mine: values of targets for other targets."""
        ...

    def modules_of(self, type_name: str) -> Functions:
        """Return the execution functions that resources of a type have."""
        ...

    def states_of(self, type_name: str) -> Functions:
        """Return the state functions that resources of a type have."""
        ...

    def grains_from_thread(self, srn: Srn) -> Mapping[str, Any]:
        """Return a target's grains; called in a thread."""
        ...

    def files_of(self, saltenv: str) -> ProjectFiles:
        """Return the reader of sources; `saltenv` is the environment of sources that name none."""
        ...

    def context(self, srn: Srn, *, test: bool) -> FunctionContext:
        """Return the context of a target."""
        ...

    def renderer(self, srn: Srn, *, test: bool) -> SlsRenderer:
        """Return the renderer of a target."""
        ...

    def make_renderer(self, roots: Roots, srn: Srn, *, test: bool, has_states: bool = True) -> SlsRenderer:
        """Return a renderer of files below some roots, for a target."""
        ...

    def subject(self, srn: Srn) -> TargetSubject:
        """Return a target as the matcher sees it; called in a thread."""
        ...

    def pillar(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar; `prepare` has compiled it."""
        ...

    def pillar_as_written(self, srn: Srn) -> dict[str, Any]:
        """Return a target's pillar with the marks of its authors."""
        ...

    @property
    def options_as_written(self) -> Mapping[str, Any]:
        """The project's options with the marks of their author."""
        ...

    def compiled_pillar(self, srn: Srn) -> dict[str, Any] | None:
        """Return a target's pillar; None until it has been compiled."""
        ...

    async def prepare(self, srn: Srn) -> None:
        """Compile a target's pillar, once, and open its connection."""
        ...

    async def prepare_all(self, srns: Sequence[Srn]) -> None:
        """Compile the pillars of many targets."""
        ...

    async def renew_pillar(self, srn: Srn) -> None:
        """Compile a target's pillar again."""
        ...
