"""What a project is before anything of it is compiled: options, secrets, resource types, stores, file roots.

It is the first of the three values of an opened project; `compilation` and `targets` are made of it, in this
order.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from ensue.core.model.data import mapped

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Mapping

    from ensue.core.contracts.enforced import EnforcedStates
    from ensue.core.contracts.other_minions import OtherMinions
    from ensue.core.contracts.registry import DerivedRegistry
    from ensue.core.contracts.vault import KeyedVault
    from ensue.core.masking import Masker
    from ensue.core.model.srn import Srn
    from ensue.engine.binding.insertions import Insertions
    from ensue.language.pillars import Pillars
    from ensue.language.settings.file_sources import FilesByEnvironment
    from ensue.language.settings.roots import Roots
    from ensue.language.settings.settings import Settings
    from ensue.reach.connections.exposed_secrets import ExposedSecrets
    from ensue.reach.resources.plugins import Plugins


class ProjectStores(msgspec.Struct, frozen=True, kw_only=True, dict=True, eq=False):
    """The stores of one opened project, and what its author and its user have given.

    Args:
        settings: its options.
        masker: its secrets.
        exposed: the secrets on command lines.
        plugins: its resource types and providers.
        registry: its derived resources.
        vault: its keys.
        enforced: what earlier applies enforced.
        minion: this machine.
        pillars: the compiled pillars.
        roots: the file roots.
        pillar_roots: the pillar roots.
        files: read the sources that states name.
        insertions: the values of references in templates.
        loop: the event loop that runs everything.
        other_minions: the other minions of a run over minions; None in other runs.
    """

    settings: Settings
    masker: Masker
    exposed: ExposedSecrets
    plugins: Plugins
    registry: DerivedRegistry
    vault: KeyedVault
    enforced: EnforcedStates
    minion: Srn
    pillars: Pillars
    roots: Roots
    pillar_roots: Roots
    files: FilesByEnvironment
    insertions: Insertions
    loop: asyncio.AbstractEventLoop
    other_minions: OtherMinions | None

    @cached_property
    def options_as_written(self) -> Mapping[str, Any]:
        """The project's options with the marks of their author; values from an `sdb` store have none."""
        from ensue.language.authored_text import Authored

        def marked(value: Any) -> Any:
            return Authored(value) if isinstance(value, str) and value not in self.settings.secrets else value

        return {name: mapped(value, marked, marked) for name, value in self.settings.values.items()}
