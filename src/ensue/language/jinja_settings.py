"""A project's settings for Jinja templates. This module does not import Jinja."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ensue.language.jinja.compiled_templates import CompiledTemplates


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


PLAIN_JINJA = JinjaSettings()
"""Jinja's defaults."""
