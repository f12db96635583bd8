"""A project's settings for Jinja templates. This module does not import Jinja."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.jinja.compiled_templates import CompiledTemplates


_SIGNS: Final = ("{{", "{%", "{#", "#jinja2:")


class JinjaSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A project's settings for Jinja templates.

    Args:
        options: options of the Jinja environment, by Jinja's names.
        allow_undefined: an undefined variable is empty instead of an error.
        kept: makes the store of compiled templates for later processes; None: nothing is stored.
    """

    options: Mapping[str, Any] = msgspec.field(default_factory=dict[str, Any])
    allow_undefined: bool = False
    kept: Callable[[], CompiledTemplates] | None = None

    @property
    def has_own_signs(self) -> bool:
        """Whether an option changes what tags begin or end with."""
        return any(name.endswith(("_string", "_prefix")) for name in self.options)

    def may_have_tags(self, text: str) -> bool:
        """Return whether a text may be a template; any other passes through Jinja unchanged."""
        return any(sign in text for sign in _SIGNS) or self.has_own_signs


PLAIN_JINJA = JinjaSettings()
"""Jinja's defaults."""
