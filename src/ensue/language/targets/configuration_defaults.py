"""What pillar declares for all resources of a type, and the secrets in configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ensue.language.merging import merge

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ensue.core.masking import Masker
    from ensue.core.model.srn import Srn
    from ensue.reach.resources.plugins import Plugins


class ConfigurationDefaults:
    """The defaults of resource types, for registered resources: those of pillar have them already.

    Args:
        plugins: the resource types.
        masker: receives the secrets.
    """

    def __init__(self, plugins: Plugins, masker: Masker) -> None:
        self._plugins = plugins
        self._masker = masker
        self._defaults: Mapping[str, Mapping[str, Any]] = {}

    def set(self, defaults: Mapping[str, Mapping[str, Any]]) -> None:
        """Set the defaults.

        Args:
            defaults: configurations, by the type, each of a type that is there.
        """
        self._defaults = {name: config for name, config in defaults.items() if config}
        for name, config in self._defaults.items():
            self.mask(name, config)

    def mask(self, type_name: str, config: Mapping[str, Any]) -> None:
        """Mask the secrets of a configuration from now on."""
        secrets = self._plugins.resource_type(type_name).SECRET_KEYS
        self._masker.add(*(str(config[key]) for key in secrets & config.keys() if config[key] is not None))

    def added_to(self, srn: Srn, registered: dict[str, Any] | None) -> dict[str, Any] | None:
        """Return a registered configuration with the defaults of its type; None stays None."""
        defaults = self._defaults.get(srn.type)
        return registered if registered is None or not defaults else merge(defaults, registered)
