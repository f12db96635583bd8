"""The store of compiled templates, opened when the first template is compiled: Jinja is loaded only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ensue.language.jinja.compiled_templates import CompiledTemplates


class KeptTemplates:
    """Opens the compiled templates of one project.

    Args:
        folder: where they are kept.
        without_secrets: masks a text.

    Attributes:
        opened: the store; None while no template was needed.
    """

    def __init__(self, folder: Path, without_secrets: Callable[[str], str]) -> None:
        self.opened: CompiledTemplates | None = None
        self._folder = folder
        self._without_secrets = without_secrets

    def __call__(self) -> CompiledTemplates:
        """Return the store."""
        if self.opened is None:
            from ensue.language.jinja.compiled_templates import CompiledTemplates

            self.opened = CompiledTemplates(self._folder, self._without_secrets)
        return self.opened
