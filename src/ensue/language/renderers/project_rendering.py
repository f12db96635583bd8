"""What all renderings of one project share: its settings, keys and masker."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from ensue.language.jinja_settings import PLAIN_JINJA, JinjaSettings
from ensue.language.pipe import DEFAULT_PIPE
from ensue.language.renderers.stage import no_keys

if TYPE_CHECKING:
    from collections.abc import Callable


def _unseen(_text: str) -> None:
    pass


class ProjectRendering(msgspec.Struct, frozen=True, kw_only=True):
    """What all renderings of one project share.

    Args:
        jinja: the settings for Jinja; compiled templates of pillar are never stored.
        default_pipe: the renderers of a file without `#!`.
        decrypt: decrypts PGP messages; see `Stream.decrypt`.
        see_source: receives name and text of every SLS, and what it imports, before it is rendered.
    """

    jinja: JinjaSettings = PLAIN_JINJA
    default_pipe: str = DEFAULT_PIPE
    decrypt: Callable[[str], str] = no_keys
    see_source: Callable[[str], None] = _unseen


PLAIN_RENDERING = ProjectRendering()
"""Without a project: the defaults, and no keys."""
